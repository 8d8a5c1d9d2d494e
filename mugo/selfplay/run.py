"""`mugo selfplay GAME -o RUN`: AlphaZero's loop (Silver et al. 2017, 2018), on any game of games/game.py.

                   +--------- self-play, many games at once <---------+
                   v                                                  |
    RUN/replay/*.npz  --window of the newest positions-->  training --> newest network
                                                                      |
    RUN/network.safetensors  <--if it is stronger than the best so far--  arena

    RUN/checkpoint.safetensors    the newest state: weights, optimizer, history
    RUN/previous.safetensors      the checkpoint before
    RUN/log.csv                   a row for each update: losses, learning rate, length and outcomes of the games
    RUN/arena.csv                 a row for each match of the arena
    RUN/curve.png                 these as charts; RUN/tensorboard/: for TensorBoard
    RUN/options.toml              the run's options, for --config of another one

The newest network plays all games, except those of a warm start.  Update number u trains on the games up to number u *
update_games, with batches that are a function of (seed, u).  So after Ctrl-C or kill -9 at any moment `--resume`
reaches exactly the weights that the run would have had with these games.
"""
import argparse
import contextlib
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.core.files import BadInput, atomic_write, lock_folder
from mugo.core.options import check, check_kept, format_option, given, to_toml
from mugo.core.parallel import open_executor
from mugo.core.progress import ProgressBar, progress_bar
from mugo.games.game import new_game
from mugo.games.position import BasePosition
from mugo.games.rules import KOMI
from mugo.mcts.settings import Settings
from mugo.nn.architectures import AlphaZeroNetConfig, config_of
from mugo.nn.inference import PROVIDERS_OF_INT8, Network, check_options, has_fast_int8
from mugo.nn.keras import checkpoint
from mugo.nn.keras.backend import keras, resolve_precision
from mugo.nn.keras.checkpoint import check_init, init_from, latest_checkpoint, latest_metadata
from mugo.nn.keras.devices import Interrupt
from mugo.nn.keras.losses import compile_for_selfplay, train_step
from mugo.nn.keras.model import build
from mugo.nn.network_file import check_metadata, find_network, new_metadata, run_name
from mugo.nn.quantization import CALIBRATED, COMPARED, CalibrationPositions, Playable
from mugo.plots.curves import TensorBoardLog
from mugo.players.options import refuse_other_options
from mugo.plots import curves
from mugo.selfplay import arena, replay
from mugo.selfplay.actors import ClusterActors, LocalActors, UctSelfPlay, network_class, new_workers
from mugo.selfplay.arena import ArenaPlayer, ArenaResult
from mugo.selfplay.options import (
    GAMES, MAY_CHANGE, SIZES, CommandOptions, GameOptions, RunOptions, SelfPlayOptions, check_selfplay_run)
from mugo.selfplay.parallel import SelfPlayGame
from mugo.selfplay.replay import ReplayBuffer, ReplayWindow, game_arguments

ARENA_TEMPERATURE_MOVES = 4              # of each side when two networks meet, so that games differ
BEST = "the best so far"                 # the opponent's name in the arena
Actors = LocalActors | ClusterActors


class SelfPlayRun:
    """A run and its folder.  model, metadata: the newest network and the metadata of its checkpoint, with the history.
    buffer: all games so far.  window: the positions to train on."""

    def __init__(self, folder: Path, start: BasePosition, config: AlphaZeroNetConfig, options: RunOptions,
                 resume: bool, init: str = ""):
        """Create the folder of a run, or with `resume` continue the run in it.

        init: a network (see find_network) to initialise from.
        Raises BadInput for a folder that holds no run to resume, one with other options (all but MAY_CHANGE), or a
        run already, for one that another process writes to, and for a replay buffer that is damaged or lacks games.
        """
        options = replace(options, training_precision=resolve_precision(options.training_precision))
        self.folder, self.start, self.config, self.options = folder, start, config, options
        with contextlib.ExitStack() as stack:
            stack.enter_context(lock_folder(folder))
            self.model, self.metadata = self._resume() if resume else self._begin(init)
            self.buffer = ReplayBuffer(folder, start, options.update_games)
            if len(self.buffer) < (trained_on := self.metadata["update"] * options.update_games):
                raise BadInput(f"{folder / replay.FOLDER} holds {len(self.buffer):,} games, but the checkpoint was "
                               f"trained on {trained_on:,}")
            self.window = ReplayWindow(self.buffer, start, options.window)
            self._write_options()
            if resume:
                self._export_if_best()                   # it may have been killed after the checkpoint
            else:
                self._save()                             # so that a run killed at once can be resumed
            self._lock = stack.pop_all()                 # until `close`
        self._start_time = time.perf_counter() - self.metadata["seconds"]
        self._simulations_per_second = 0.0               # in the last self-play
        self._quantises = options.precision == "auto" and options.provider in PROVIDERS_OF_INT8 and has_fast_int8()
        self._provider = options.provider
        self._tensorboard = TensorBoardLog(folder / "tensorboard")

    def _begin(self, init: str) -> tuple[keras.Model, dict[str, Any]]:
        """The model and the metadata of a new run.  Raises BadInput if the folder holds a run, or a network."""
        names = checkpoint.CHECKPOINT, checkpoint.PREVIOUS, replay.FOLDER
        if any((self.folder / name).exists() for name in names):
            raise BadInput(f"{self.folder} holds a run already: --resume continues it, or give -o another folder")
        if (self.folder / checkpoint.NETWORK).exists():
            raise BadInput(f"{self.folder} holds a network already: give -o another folder")
        return new_selfplay_run(self.folder.name, self.start, self.config, self.options, init)

    def _resume(self) -> tuple[keras.Model, dict[str, Any]]:
        """The model and the metadata of the newest checkpoint, with the options.  Raises BadInput for other options."""
        model, metadata = latest_checkpoint(self.folder, check_selfplay_run, compiled_model)
        kept = run_settings(metadata["rules"], config_of(metadata), RunOptions.from_dict(metadata["options"]))
        check_kept(self.folder, kept, run_settings(game_arguments(self.start), self.config, self.options), MAY_CHANGE)
        metadata["options"] = asdict(self.options)
        return model, metadata

    # -- the loop

    def run(self, scheduler: str | None = None) -> None:
        """Play, train and evaluate until there are options.games games.  After Ctrl-C the run can be resumed.

        scheduler: address of a cluster that plays the games (see parallel.open_executor); training and arena stay here.
        """
        options, games = self.options, len(self.buffer)
        total = options.updates * options.update_games
        workers = None if scheduler else max(options.threads, 2)             # new_workers makes no more
        with (open_executor(workers, threads=True, scheduler=scheduler) as executor, contextlib.ExitStack() as stack,
              progress_bar("games", total, min(games, total), smoothing=0.02) as bar):
            if scheduler:
                # Workers may have other processors, and this machine may have no GPU.
                self._quantises = options.precision == "auto" and options.provider in PROVIDERS_OF_INT8
                self._provider = "cpu"
                actors: Actors = stack.enter_context(contextlib.closing(
                    ClusterActors(executor, self.folder, self.start, options, games)))
            else:
                actors = LocalActors(executor, new_workers(
                    self.start, options.selfplay, options.threads, options.games_per_thread, options.provider,
                    [options.seed, games]), options.provider)
            self._set_network(actors)
            warm_start = LocalActors(stack.enter_context(open_executor(options.threads, threads=True)), [
                UctSelfPlay(self.start, options, seed=[options.seed, games, i]) for i in range(options.threads)])
            while True:
                update = self.metadata["update"]
                if self.metadata["arena_update"] < update and options.has_arena(update):
                    self._evaluate(bar)
                elif update < options.updates:
                    end = (update + 1) * options.update_games
                    self._play(warm_start, min(end, options.warm_start_games), bar)
                    self._play(actors, end, bar)
                    self._train(bar)
                    self._set_network(actors)
                else:
                    break

    def _set_network(self, actors: Actors) -> None:
        newest = self._newest()
        actors.set_network(newest.weights, newest.metadata)

    def _newest(self) -> Playable:
        positions = self._calibration_positions() if self._quantises else None
        return checkpoint.playable(self.model, self.metadata, positions)

    def _play(self, actors: Actors, games: int, bar: ProgressBar) -> None:
        """Self-play until the replay buffer has this number of games; games that end at the same time are kept, up to
        those that the run's updates need."""
        if len(self.buffer) >= games:
            return
        before, start_time = actors.simulations, time.perf_counter()

        def on_game(game: SelfPlayGame) -> None:
            if len(self.buffer) < self.options.updates * self.options.update_games:
                self.buffer.append(game)
                bar.update()

        try:
            actors.play(on_game, lambda: len(self.buffer) >= games)
        finally:
            self.buffer.save()
        simulations, seconds = actors.simulations - before, time.perf_counter() - start_time
        self._simulations_per_second = simulations / max(seconds, 1e-9)

    def _train(self, bar: ProgressBar) -> None:
        """The next update of the network, and its checkpoint."""
        options, update = self.options, self.metadata["update"] + 1
        games = update * options.update_games
        self.window.slide_to(games)
        rng = np.random.default_rng([options.seed, update])
        learning_rate = options.learning_rate_of(update)
        logs = []
        with Interrupt() as interrupt:
            for _ in range(options.steps):
                logs.append(train_step(self.model, *self.window.sample(options.batch_size, rng), learning_rate))
                interrupt.check()
        if not np.isfinite([log["loss"] for log in logs]).all() or checkpoint.nonfinite_weight(self.model):
            raise BadInput(f"{self.folder}: training has diverged in update {update:,}: the loss or the weights are "
                           f"infinite or NaN; the files of update {update - 1:,} are unchanged: continue from them "
                           f"with --resume --learning-rate {options.learning_rate / 2:g}, or lower")
        new_games = [self.buffer[i] for i in range(games - options.update_games, games)]
        self.metadata["update"] = update
        self.metadata["seconds"] = self._seconds()
        row = {"update": update, "games": games, "seconds": self.metadata["seconds"],
               "positions": len(self.window), "learning_rate": learning_rate,
               **{name: float(np.mean([log[name] for log in logs])) for name in logs[0]},
               "moves": float(np.mean([len(game.moves) for game in new_games])),
               "black": float(np.mean([(1 + game.outcome) / 2 for game in new_games])),
               "draws": float(np.mean([game.outcome == 0 for game in new_games])),
               "simulations_per_second": round(self._simulations_per_second)}
        self.metadata["history"].append({name: round(value, 6) for name, value in row.items()})
        self._save()
        self._tensorboard.write("training", row, games)
        bar.set_postfix_str(f"loss {row['loss']:.3f}, {row['moves']:.0f} moves per game, "
                            f"{self._simulations_per_second:,.0f} simulations/s", refresh=False)

    # -- the arena

    def _evaluate(self, bar: ProgressBar) -> None:
        """Arena matches of the newest network; it may become the best."""
        newest = self._newest()
        in_arena = network_class(self._provider).from_weights(newest.weights, newest.metadata, threads=1,
                                                              provider=self._provider)
        self._record_arena(self._arena_results(in_arena, bar), bar)

    def _record_arena(self, results: list[tuple[str, int, ArenaResult]], bar: ProgressBar) -> None:
        """Keep the results of an evaluation (_arena_results).  The network becomes the best one if it has beaten the
        best so far."""
        bar.set_postfix_str("", refresh=False)           # self-play goes on, and the arena's games are over
        metadata = self.metadata
        games = metadata["update"] * self.options.update_games
        is_best = all(result.is_stronger for opponent, _, result in results if opponent == BEST)
        metadata["seconds"] = self._seconds()
        for opponent, simulations, result in results:
            bar.write(f"{games:6,} games  {metadata['seconds'] / 60:6.1f} minutes  against {opponent}: {result}"
                      + (", new best network" if is_best and opponent == BEST else ""))
            metadata["arena"].append({"games": games, "seconds": metadata["seconds"], "opponent": opponent,
                                      "simulations": simulations, **asdict(result), "score": result.score,
                                      "best": is_best})
            self._tensorboard.write(f"arena/{opponent}", {"score": result.score}, games)
        if is_best:
            metadata["best"] = metadata["history"][-1]
        metadata["arena_update"] = metadata["update"]
        self._save()
        self._export_if_best()

    def _arena_results(self, network: Network, bar: ProgressBar) -> list[tuple[str, int, ArenaResult]]:
        """(opponent, its simulations if it is UCT else 0, result) of each arena match of a network."""
        options, metadata = self.options, self.metadata
        puct = Settings(c=options.selfplay.c)            # without noise
        player = ArenaPlayer(options.selfplay.simulations, network, puct)

        def on_pair(games: int) -> None:
            bar.set_postfix_str(f"arena: {games} games", refresh=False)
            bar.update(0)

        common: dict[str, Any] = {"threads": options.threads, "seed": options.seed + metadata["update"],
                                  "max_moves": options.selfplay.max_moves, "on_pair": on_pair}
        results = []
        path = self.folder / checkpoint.NETWORK
        if path.exists() and metadata["best"]:
            newest = replace(player, temperature_moves=ARENA_TEMPERATURE_MOVES)
            best = replace(newest, network=network_class(self._provider)(path, 1, options.precision, self._provider))
            results.append((BEST, 0, arena.play_match(newest, best, self.start, options.arena_games, arena.PROMOTION,
                                                      **common)))
        for level, result in arena.climb_levels(player, metadata["uct_level"], metadata["uct_attempts"] + 1,
                                                self.start, options.arena_games, **common):
            metadata["uct_level"] = level + result.is_stronger
            metadata["uct_attempts"] = 0 if result.is_stronger else metadata["uct_attempts"] + 1
            simulations = arena.UCT_LEVELS[level]
            results.append((f"UCT, {simulations:,} simulations", simulations, result))
        return results

    # -- files

    def _seconds(self) -> float:
        return round(time.perf_counter() - self._start_time, 1)

    def _export_if_best(self) -> None:
        """Write network.safetensors if the newest network is the best."""
        metadata = self.metadata
        if metadata["best"] and metadata["best"]["update"] == metadata["update"]:
            exported = {name: value for name, value in metadata.items() if name != "history"}
            checkpoint.export(self.model, self.folder / checkpoint.NETWORK, exported, self._calibration_positions())

    def _calibration_positions(self) -> CalibrationPositions | None:
        """Positions of the window for the quantised graph, a function of (seed, update); None before the first."""
        update = self.metadata["update"]
        if not update:
            return None
        self.window.slide_to(update * self.options.update_games)
        packed, policy, outcomes = self.window.sample(CALIBRATED + COMPARED,
                                                      np.random.default_rng([self.options.seed, update, CALIBRATED]))
        return CalibrationPositions(packed, None, policy, outcomes)

    def _save(self) -> None:
        """Write the checkpoint and the tables; at each moment at least one complete checkpoint exists."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / checkpoint.CHECKPOINT
        if path.exists():
            checkpoint.copy_checkpoint(path, self.folder / checkpoint.PREVIOUS)
        checkpoint.save(self.model, path, self.metadata)
        if self.metadata["history"]:
            for name, rows in ("log", "history"), ("arena", "arena"):
                with atomic_write(self.folder / f"{name}.csv") as temporary:
                    pd.DataFrame(self.metadata[rows]).to_csv(temporary, index=False)
        if self.metadata["arena"] and self.metadata["arena_update"] == self.metadata["update"]:
            curves.selfplay_curve(self.metadata["history"], self.metadata["arena"], self.folder / "curve.png")

    def _write_options(self) -> None:
        game = GameOptions(**{name: value for name, value in self.metadata["rules"].items() if name != "game"})
        with atomic_write(self.folder / "options.toml") as temporary:
            temporary.write_text(to_toml(game, self.config, self.options, self.options.selfplay), encoding="utf-8")

    def close(self) -> None:
        """Release the folder's lock."""
        self._lock.close()


def new_selfplay_run(name: str, start: BasePosition, config: AlphaZeroNetConfig, options: RunOptions, init: str
            ) -> tuple[keras.Model, dict[str, Any]]:
    """A new model, compiled, and the metadata of its run; see SelfPlayRun."""
    rules = game_arguments(start)
    metadata = new_metadata(config, start.game, rules.get("k", 0), rules.get("exactly", False)) | {
        "name": run_name(name), "rules": rules, "options": asdict(options), "update": 0, "arena_update": 0,
        "seconds": 0.0, "uct_level": 0, "uct_attempts": 0, "best": None, "history": [], "arena": []}
    sizes = "filters", "policy_filters", "value_filters", "value_units"
    check_metadata(metadata, "a network with " + " ".join(format_option(name, getattr(config, name)) for name in sizes))
    keras.utils.set_random_seed(options.seed)
    model = compiled_model(metadata)
    if init:
        metadata["init_from"] = init_from(model, config, find_network(init))
    return model, metadata


def compiled_model(metadata: dict[str, Any]) -> keras.Model:
    """A new model for a run that has these metadata, compiled, with its optimizer built."""
    options = RunOptions.from_dict(metadata["options"])
    model = build(config_of(metadata).spec(), options.training_precision)
    compile_for_selfplay(model, options.learning_rate, options.l2)
    model.optimizer.build(model.trainable_variables)
    return model


def run_settings(rules: dict[str, Any], config: Any, options: RunOptions) -> dict[str, Any]:
    """All that a run is started with, by the names of its options."""
    settings = rules | asdict(config) | asdict(options)
    return settings | settings.pop("selfplay")


# ---- the command

def command(args: argparse.Namespace) -> int:
    """Play and train; returns the exit status."""
    called, game = CommandOptions(**given(CommandOptions, args)), given(GameOptions, args)
    GameOptions(**game)                                  # checks it
    start, config, options = (resumed_arguments if called.resume else new_arguments)(args, game)
    if args.scheduler is None:                           # else the workers have it
        check_options("auto", options.provider)
    run = SelfPlayRun(args.output, start, config, options, called.resume, called.init_from)
    with contextlib.closing(run):
        run.run(args.scheduler)
    level = min(run.metadata["uct_level"], len(arena.UCT_LEVELS))
    print(f"{run.folder / checkpoint.NETWORK}: {len(run.buffer):,} games"
          + (f"; in the arena the run's networks beat UCT with up to {arena.UCT_LEVELS[level - 1]:,} simulations"
             if level else ""))
    return 0


def new_arguments(args: argparse.Namespace, game: dict[str, Any]
                  ) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of a new run.  game: the GameOptions that are given.  Raises BadInput."""
    refuse_other_options(args, args.game)
    start = new_game(args.game, game.get("size", SIZES[args.game]), komi=game.get("komi", KOMI), k=game.get("k"),
                     exactly=game.get("exactly", False))
    return start, *_changed(AlphaZeroNetConfig.for_game(args.game, start.size), RunOptions(GAMES), args)


def resumed_arguments(args: argparse.Namespace, game: dict[str, Any]
                      ) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of the run in RUN, with those that are given; SelfPlayRun compares.

    Raises BadInput.
    """
    metadata = latest_metadata(args.output, check_selfplay_run)
    rules, config = metadata["rules"], config_of(metadata)
    check_kept(args.output, rules, {"game": args.game} | game, MAY_CHANGE)
    check_init(args.output, metadata, args.init_from or "")
    assert isinstance(config, AlphaZeroNetConfig)
    return new_game(**rules), *_changed(config, RunOptions.from_dict(metadata["options"]), args)


def _changed(config: AlphaZeroNetConfig, options: RunOptions, args: argparse.Namespace
             ) -> tuple[AlphaZeroNetConfig, RunOptions]:
    """The network and options of a run, with those that a command line gives.  Raises BadInput."""
    config = replace(config, **given(AlphaZeroNetConfig, args))
    check(config)
    selfplay = replace(options.selfplay, **given(SelfPlayOptions, args))
    return config, replace(options, selfplay=selfplay, **given(RunOptions, args))

"""A network that learns a game from playing against itself:  mugo selfplay gomoku --size 6 -o RUN

                    +---------------- games, many at once (simul.py) <---------------+
                    v                                                                |
    RUN/games.journal  --window of the newest-->  steps of learning  -->  newest network
                                                                                     |
    RUN/network.keras  <--if it beats the one there, or there is none--  trials -----+

    RUN/checkpoint.keras, previous.keras               the newest state: weights, optimizer, history
    RUN/log.csv, trials.csv, openings.csv, curve.png   how it learned, whom it beat, how it would open
    RUN/tensorboard/                                   the same for TensorBoard (on the TensorFlow backend)

This is AlphaZero's loop (Silver et al. 2017), the network always the newest one.  Update number u learns from
games.journal up to game u * update_games, with batches that are a function of (seed, u): whatever stops a run,
Ctrl-C or kill -9 while it plays, learns or saves, `--resume` comes to the very weights that it would have had with
these games, and only the games that were being played are lost.  Which game it is, simul.py and this file do not
know: Gomoku, or Go on a small board.
"""
import argparse
import contextlib
import importlib.util
import math
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from mugo.files import BadInput, atomic_write
from mugo.games.coords import board_points, format_gtp
from mugo.games.game import new_game
from mugo.games.position import BasePosition
from mugo.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, POSITIVE, SEED, check_limits
from mugo.nn import checkpoint
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.backend import keras, resolve_precision
from mugo.nn.bundled import find_network
from mugo.nn.checkpoint import latest_checkpoint
from mugo.nn.compile import compile_for_selfplay, train_step
from mugo.nn.inference import Network
from mugo.nn.keras_model import build
from mugo.nn.metadata import config_of, new_metadata
from mugo.nn.transfer import init_from
from mugo.plots import curves
from mugo.selfplay import arena
from mugo.selfplay.arena import LEVELS, Side
from mugo.selfplay.parallel import Game, Manner, Simul
from mugo.selfplay.replay_buffer import Journal, Window, start_of, terms_of

GAMES = 2000                             # where nobody says how many
BETTER = 0.55                            # of the points against the best so far make the newest the best
OPENING = 4                              # moves of each side that are drawn when two networks meet


@dataclass(frozen=True)
class Options:
    """What a run does; kept in its checkpoints, so that it is resumed with the same."""

    games: int                           # to play in all
    manner: Manner = field(default_factory=Manner)
    at_once: int = 32                    # games side by side, for each thread
    threads: int = 1
    update_games: int = 16               # between two updates
    steps: int = 40                      # of learning in an update
    batch_size: int = 512
    window: int = 20_000                 # positions of the newest games that are learned from; half of all at most
    learning_rate: float = 2e-3          # the peak
    decay_start: float = 0.5             # the fraction of the games after which it decays linearly
    final_lr_fraction: float = 0.1       # of the peak, at the end
    l2: float = 1e-4                     # c of c ||theta||^2
    precision: str = "float32"           # or 'mixed_bfloat16'
    check_games: int = 128               # between two trials
    trial_games: int = 20                # against the best so far; half as many against each UCT
    seed: int = 0

    def __post_init__(self):
        names = "games", "at_once", "threads", "update_games", "steps", "batch_size", "window", "check_games"
        check_limits(self, {name: AT_LEAST_1 for name in names})
        check_limits(self, {"games": (self.update_games, math.inf), "trial_games": (2, math.inf), "seed": SEED,
                            "l2": NON_NEGATIVE, "decay_start": FRACTION, "final_lr_fraction": FRACTION,
                            "learning_rate": (POSITIVE[0], 1)})

    @classmethod
    def of(cls, kept: dict) -> "Options":
        """From what asdict made of them."""
        return cls(**kept | {"manner": Manner(**kept["manner"])})

    def rate(self, update: int) -> float:
        """The learning rate of an update, from 1."""
        done = update * self.update_games / self.games
        decay = np.clip((done - self.decay_start) / max(1e-9, 1 - self.decay_start), 0, 1)
        return float(self.learning_rate * (1 - (1 - self.final_lr_fraction) * decay))

    def is_checked(self, update: int) -> bool:
        """Whether there are trials after this update."""
        before, after = ((update - 1) * self.update_games // self.check_games,
                         update * self.update_games // self.check_games)
        return after > before or (update + 1) * self.update_games > self.games


def _taken(folder: Path) -> BadInput:
    return BadInput(f"{folder} holds a run already: --resume goes on with it, or give -o another folder")


class Run:
    """A run and its folder.

    model, metadata: the newest network and its metadata, in which the history is.  journal: the games so far.
    Raises BadInput for a folder that holds no run to resume, or one already.
    """

    def __init__(self, folder: Path, start: BasePosition, config: AlphaZeroNetConfig, options: Options,
                 resume: bool, init: str = ""):
        self.folder, self.start, self.config, self.options = folder, start, config, options
        if resume:
            self.model, self.metadata = latest_checkpoint(folder)
            self.metadata["options"] = asdict(options)
        else:
            if (folder / checkpoint.CHECKPOINT).exists():
                raise _taken(folder)
            terms = terms_of(start)
            self.metadata = new_metadata(config, start.game, terms.get("k", 0), terms.get("exactly", False)) | {
                "name": folder.name, "terms": terms, "options": asdict(options), "update": 0, "checked": 0,
                "seconds": 0.0, "level": 0, "best": None, "history": [], "trials": [], "openings": []}
            keras.utils.set_random_seed(options.seed)
            self.model = build(config.spec(), options.precision)
            if init:
                self.metadata["init_from"] = init_from(self.model, config, find_network(init))
            compile_for_selfplay(self.model, options.learning_rate, options.l2)
        self.journal = Journal(folder / "games.journal", start)
        if self.journal and not resume:                  # no games: killed before its first checkpoint
            self.journal.close()
            raise _taken(folder)
        self.window = Window(self.journal, start, options.window)
        if resume:
            self._export_if_best()                         # killed after the checkpoint, it may not have come to that
        else:
            self._save()                                 # even a run killed at once can be gone on with
        self._begun = time.perf_counter() - self.metadata["seconds"]
        self._simulations = 0.0                          # a second, of late
        self._board = self._tensorboard()

    # -- the loop

    def go(self) -> None:
        """Play, learn and try until there are as many games as asked for.  Ctrl-C stops it; nothing is lost."""
        options = self.options
        network = self._network()
        simuls = [Simul(self.start, network, options.manner, games=options.at_once,
                        seed=[options.seed, len(self.journal), i]) for i in range(options.threads)]
        last = options.games // options.update_games
        with tqdm(total=options.games, initial=min(len(self.journal), options.games), unit=" games",
                  smoothing=0.02) as bar:
            while True:
                update = self.metadata["update"]
                if self.metadata["checked"] < update and options.is_checked(update):
                    self._try(bar)
                elif update < last:
                    self._play(simuls, (update + 1) * options.update_games, bar)
                    self._learn(bar)
                    network = self._network()
                    for simul in simuls:
                        simul.network = network
                else:
                    break

    def _network(self) -> Network:
        """The newest network, opened for playing."""
        return Network.from_graph(checkpoint.onnx_graph(self.model, self.config), self.metadata, threads=1)

    def _play(self, simuls: list[Simul], enough: int, bar: tqdm) -> None:
        """Games until the journal has `enough`."""
        lock, stopped = threading.Lock(), threading.Event()
        before, begun = sum(simul.simulations for simul in simuls), time.perf_counter()

        def keep(game: Game) -> None:
            with lock:
                self.journal.append(game)
                bar.update()

        def should_stop() -> bool:
            return stopped.is_set() or len(self.journal) >= enough

        with ThreadPoolExecutor(len(simuls)) as executor:
            playing = [executor.submit(simul.play, keep, should_stop) for simul in simuls]
            try:
                for one in playing:
                    one.result()
            finally:
                stopped.set()
        seconds = time.perf_counter() - begun
        self._simulations = (sum(simul.simulations for simul in simuls) - before) / max(seconds, 1e-9)

    def _learn(self, bar: tqdm) -> None:
        """The next update, and its checkpoint."""
        options, update = self.options, self.metadata["update"] + 1
        last = update * options.update_games
        self.window.move_to(last)
        rng = np.random.default_rng([options.seed, update])
        rate = options.rate(update)
        logs = [train_step(self.model, *self.window.batch(options.batch_size, rng), rate)
                for _ in range(options.steps)]
        new = self.journal[last - options.update_games:last]
        self.metadata["update"] = update
        self.metadata["seconds"] = round(time.perf_counter() - self._begun, 1)
        row = {"update": update, "games": last, "seconds": self.metadata["seconds"],
               "positions": len(self.window), "learning_rate": rate,
               **{name: float(np.mean([log[name] for log in logs])) for name in logs[0]},
               "moves": float(np.mean([len(game.moves) for game in new])),
               "black": float(np.mean([(1 + game.outcome) / 2 for game in new])),
               "draws": float(np.mean([game.outcome == 0 for game in new])),
               "simulations_per_second": round(self._simulations)}
        self.metadata["history"].append({name: round(value, 6) for name, value in row.items()})
        self._save()
        self._tell("learning", row, last)
        bar.set_postfix_str(f"loss {row['loss']:.3f}, {row['moves']:.0f} moves a game, "
                            f"{self._simulations:,.0f} simulations/s", refresh=False)

    def _try(self, bar: tqdm) -> None:
        """The newest network against the best and against UCT; it may become the best."""
        options, metadata = self.options, self.metadata
        newest_one = self._network()
        side = Side(options.manner.simulations, newest_one, options.manner.c)
        common = {"threads": options.threads, "seed": options.seed + metadata["update"],
                  "most_moves": options.manner.most_moves}
        games = metadata["update"] * options.update_games
        found = []
        is_best = True
        if (self.folder / checkpoint.NETWORK).exists() and metadata["best"]:
            best = Network(self.folder / checkpoint.NETWORK, threads=1)
            drawing = [replace(one, drawn=OPENING) for one in (side, replace(side, network=best))]
            tally = arena.meet(*drawing, self.start, options.trial_games, **common)
            is_best = tally.score >= BETTER
            found.append(("the best so far", 0, tally))
        for level, tally in arena.climb(side, metadata["level"], self.start, options.trial_games // 2, **common):
            metadata["level"] = arena.next_level(level, tally)
            found.append((f"UCT, {LEVELS[level]:,} simulations", LEVELS[level], tally))
        metadata["seconds"] = round(time.perf_counter() - self._begun, 1)
        for opponent, simulations, tally in found:
            bar.write(f"{games:6,} games  {metadata['seconds'] / 60:6.1f} minutes  against {opponent}: {tally}"
                      + (", and is the best now" if is_best and not simulations else ""))
            metadata["trials"].append({"games": games, "seconds": metadata["seconds"], "opponent": opponent,
                                    "simulations": simulations, **asdict(tally), "score": tally.score,
                                    "best": is_best})
            self._tell(f"trials/{opponent}", {"score": tally.score}, games)
        priors, values = newest_one.evaluate([self.start], tta=True)
        metadata["openings"].append({"games": games, "value": round(float(values[0]), 4),
                                  "priors": np.round(priors[0], 4).tolist()})
        if is_best:
            metadata["best"] = metadata["history"][-1]
        metadata["checked"] = metadata["update"]
        self._save()
        self._export_if_best()

    # -- what is kept

    def _export_if_best(self) -> None:
        """Write network.keras if the newest network has become the best."""
        metadata = self.metadata
        if metadata["best"] and metadata["best"]["update"] == metadata["update"]:
            checkpoint.export(self.model, self.folder / checkpoint.NETWORK,
                              {name: value for name, value in metadata.items() if name not in ("history", "openings")})

    def _save(self) -> None:
        """Write everything; at each moment at least one whole checkpoint is there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / checkpoint.CHECKPOINT
        if path.exists():
            checkpoint.link_checkpoint(path, self.folder / checkpoint.PREVIOUS)
        checkpoint.save(self.model, path, self.metadata)
        if not self.metadata["history"]:
            return
        names = [format_gtp(int(point), self.start.size) for point in board_points(self.start.size)]
        openings = [{"games": row["games"], "value": row["value"],
                     **dict(zip([*names, "pass"], row["priors"], strict=True))} for row in self.metadata["openings"]]
        for name, rows in (("log", self.metadata["history"]), ("trials", self.metadata["trials"]),
                           ("openings", openings)):
            with atomic_write(self.folder / f"{name}.csv") as path:
                pd.DataFrame(rows).to_csv(path, index=False)
        if self.metadata["trials"] and self.metadata["checked"] == self.metadata["update"]:
            curves.selfplay_curve(self.metadata["history"], self.metadata["trials"], self.folder / "curve.png")

    def _tensorboard(self):
        if keras.backend.backend() != "tensorflow" or not importlib.util.find_spec("tensorboard"):
            return None
        import tensorflow
        return tensorflow.summary.create_file_writer(str(self.folder / "tensorboard"))

    def _tell(self, group: str, numbers: dict, games: int) -> None:
        """Numbers for TensorBoard, by the number of games."""
        if self._board is None:
            return
        import tensorflow
        with self._board.as_default():
            for name, value in numbers.items():
                tensorflow.summary.scalar(f"{group}/{name}", value, step=games)
        self._board.flush()

    def close(self) -> None:
        self.journal.close()


# ---- the command

def add_arguments(parser: argparse.ArgumentParser) -> None:
    options, manner = Options(GAMES), Manner()
    parser.add_argument("game", choices=("gomoku", "go"), help="what is played")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument("--resume", action="store_true",
                        help="go on with the run, exactly as it was begun; --games makes it longer")
    parser.add_argument("--games", type=int, metavar="N", help=f"in all (default: {GAMES})")
    parser.add_argument("--size", type=int, metavar="N", help="of the board (default: 8, of Go 7)")
    parser.add_argument("--k", type=int, metavar="K", help="in a row win in Gomoku (default: 5, up to 6x6 4)")
    parser.add_argument("--exactly", action="store_true", help="of Gomoku: more than K in a row do not win")
    parser.add_argument("--komi", type=float, metavar="POINTS", help="of Go (default: 7.5)")
    parser.add_argument("--threads", type=int, metavar="N", help="that play (default: one a core)")

    def add(group, what: object, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            value = getattr(what, name)
            group.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value, metavar="N",
                               help=f"{text} (default %(default)s)")

    add(parser.add_argument_group("how it plays"), manner, {
        "simulations": "of a move", "c": "the constant of PUCT", "noise": "share of it in the root's priors",
        "alpha": "of this Dirichlet noise", "drawn": "moves of a game that are drawn by their visits",
        "temperature": "of these draws", "most_moves": "of a game, which is then counted; 0: three a point"})
    group = parser.add_argument_group("how it learns")
    add(group, options, {
        "at_once": "games side by side, for each thread", "update_games": "between two updates",
        "steps": "of learning in an update", "batch_size": "positions of a step",
        "window": "positions of the newest games that are learned from, half of all at most",
        "learning_rate": "at its peak",
        "decay_start": "fraction of the games after which the learning rate decays",
        "final_lr_fraction": "of the peak learning rate, at the end",
        "l2": "c of c ||theta||^2 in the loss", "check_games": "between two trials",
        "trial_games": "against the best so far, half as many against each UCT", "seed": "of everything"})
    group.add_argument("--precision", choices=("auto", "float32", "mixed_bfloat16"), default="auto",
                       help="auto: bfloat16 where this machine multiplies it faster")
    group = parser.add_argument_group("the network")
    config = AlphaZeroNetConfig(3, 1)
    group.add_argument("--filters", type=int, nargs="+", default=list(config.filters), metavar="K",
                       help=f"of each 3x3 convolution (default {' '.join(map(str, config.filters))})")
    for name, text in (("policy_filters", "of the policy head"), ("value_filters", "of the value head"),
                       ("value_units", "of its dense layer")):
        group.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(config, name), metavar="N",
                           help=f"{text} (default %(default)s)")
    group.add_argument("--batch-norm", action=argparse.BooleanOptionalAction, default=config.batch_norm,
                       help="batch normalisation")
    group.add_argument("--init-from", default="", metavar="NETWORK", help="initialise from this network's weights")


def command(args: argparse.Namespace) -> int:
    if args.resume:
        metadata = latest_checkpoint(args.output)[1]
        if "terms" not in metadata:
            raise BadInput(f"{args.output} is no run of selfplay")
        start, config = start_of(metadata["terms"]), config_of(metadata)
        assert isinstance(config, AlphaZeroNetConfig)
        options = Options.of(metadata["options"])
        options = replace(options, games=args.games or options.games, threads=args.threads or options.threads)
    else:
        size = args.size or (8 if args.game == "gomoku" else 7)
        komi = 7.5 if args.komi is None else args.komi
        start = new_game(args.game, size, komi=komi, k=args.k, exactly=args.exactly)
        if any(value < 1 for value in (*args.filters, args.policy_filters, args.value_filters, args.value_units)):
            raise BadInput("--filters and the other sizes of the network are 1 or more")
        config = AlphaZeroNetConfig.for_game(args.game, size, filters=tuple(args.filters), batch_norm=args.batch_norm,
                                             value_units=args.value_units, policy_filters=args.policy_filters,
                                             value_filters=args.value_filters)
        manner = Manner(**{one.name: getattr(args, one.name) for one in fields(Manner)})
        options = Options(GAMES if args.games is None else args.games, manner,
                          precision=resolve_precision(args.precision),
                          threads=args.threads or os.cpu_count() or 1,
                          **{one.name: getattr(args, one.name) for one in fields(Options)
                             if one.name not in ("games", "manner", "threads", "precision")})
    run = Run(args.output, start, config, options, args.resume, args.init_from)
    with contextlib.closing(run):
        run.go()
    print(f"{args.output / 'network.keras'}: {len(run.journal):,} games, beats UCT up to "
          f"{LEVELS[run.metadata['level'] - 1]:,} simulations" if run.metadata["level"] else
          f"{args.output / 'network.keras'}: {len(run.journal):,} games")
    return 0

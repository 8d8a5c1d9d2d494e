"""Players and GTP programs against each other:  mugo match PARTICIPANT PARTICIPANT ... -o FOLDER

    mugo match "uct --seconds 2" "gnugo --mode gtp --level 1" --games 100 --size 9
    mugo match "mcts --simulations 400" "uct --simulations 5000 --rollout uniform" --game gomoku --size 8

    pairings --> --jobs game runners, or the workers of a cluster, one game at a time each
                                                                     --> games.csv, SGF files --> summary

A match that was stopped is continued by the same command (match_folder.py).
"""
import argparse
import contextlib
import dataclasses
import functools
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mugo.core.config import split_config, value_of
from mugo.core.files import BadInput, file_sha256, lock_folder
from mugo.games import gomoku
from mugo.games.coords import size_value
from mugo.games.position import BasePosition
from mugo.core.limits import AT_LEAST_1
from mugo.core.options import check_limits, given
from mugo.games.rules import Rules, parse_rules
from mugo.match.game_runner import GameRunners, GameTask, MatchSetup, play_on_worker, versions_on_worker
from mugo.match.gtp_client import Participant, participant_of
from mugo.match.match_folder import MatchFolder, format_game, game_row
from mugo.match.openings import Pairing, find_pairing, load_openings, make_pairings, openings_checksum
from mugo.match.options import GO_SIZE, MatchOptions
from mugo.match.referee import GameRecord, MatchRules, interpret_time
from mugo.match.summary import Rows, format_summary, run_sprt, summarize
from mugo.nn.bundled import bundled_name
from mugo.nn.network_file import find_network, game_rules
from mugo.core.parallel import check_scheduler, completed, open_executor
from mugo.players import options as player_options
from mugo.players.registry import NETWORK_PLAYERS, SEARCHERS
from mugo.plots.terminal import truncate
from mugo.core.progress import ProgressBar, progress_bar
from mugo.core.sprt import SPRT, UNDECIDED

MAX_ELO = 2000                           # a difference, of --sprt: 99.999 %
MAX_GAMES = 1_000_000                    # of each pair
INTERRUPTED = 130                        # exit status
KGS_RULES = {"japanese": "japanese", "chinese": "chinese-kgs", "aga": "aga", "new_zealand": "new_zealand"}


def kgs_name(rules: Rules) -> str:
    """Rules in one word, for kgs-rules: KGS's name of them, or KataGo's text where KGS has none."""
    return next((name for name, ours in KGS_RULES.items() if parse_rules(ours) == rules), rules.as_text())


def run_match(participants: list[Participant], rules: MatchRules, folder: MatchFolder, pairings: list[Pairing],
              opening: Callable[[int], BasePosition], *, jobs: int | None = None, scheduler: str | None = None,
              is_decided: Callable[[Rows], bool] = lambda rows: False) -> None:
    """Play the games that the folder does not have, `jobs` at a time (None: 1), or on all workers of a cluster.

    opening: a function from the number of an opening to its position.  scheduler: see parallel.open_executor.
    is_decided: whether these games are enough; games under way are then broken off.
    Raises BadInput for a program that does not work at all.
    """
    done = {int(row["number"]) for row in folder.rows}
    pairings = [pairing for pairing in pairings if pairing.number not in done]
    if not pairings or is_decided(folder.rows):
        return
    logs = folder.path and folder.path.absolute() / "logs"
    setup = MatchSetup(tuple(participants), rules, logs, many_machines=bool(scheduler))
    jobs = None if scheduler else min(jobs or 1, len(pairings))
    with open_executor(jobs, threads=True, scheduler=scheduler) as executor:
        runners, is_complete = GameRunners(setup), False
        try:
            tasks = (GameTask(setup, pairing, opening(pairing.opening)) for pairing in pairings)
            ask, play = (versions_on_worker, play_on_worker) if scheduler else (runners.versions, runners.play)
            versions = executor.submit(ask, GameTask(setup, pairings[0], opening(0))).result()
            with progress_bar("games", len(done) + len(pairings), len(done), smoothing=0.05) as bar:
                bar.set_postfix_str(format_progress(participants, folder.rows))
                for pairing, game in completed(executor, play, tasks):
                    add_game(folder, pairing, participants, game, rules, versions, bar)
                    if is_decided(folder.rows):
                        break
                else:
                    is_complete = True
        finally:
            runners.close(force=not is_complete)
            if not is_complete:
                executor.shutdown(wait=False, cancel_futures=True)


def add_game(folder: MatchFolder, pairing: Pairing, participants: list[Participant], game: GameRecord,
             rules: MatchRules, versions: dict[str, str], bar: ProgressBar) -> None:
    """Write a game to the folder, and advance the bar.  versions: see GameRunner.versions."""
    row = game_row(pairing, participants[pairing.black], participants[pairing.white], game)
    folder.add(row, format_game(row, game, rules, versions))
    if game.at_fault:
        bar.write(f"game {pairing.number}: {row['black']} - {row['white']} {row['result']}: "
                  f"{game.end}: {game.details}", file=sys.stderr)
    bar.set_postfix_str(format_progress(participants, folder.rows), refresh=False)
    bar.update()


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that the programs of a match end with it.

    Python allows that in the main thread only; elsewhere signals are left as they are.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [number for number in (getattr(signal, name) for name in names)
               if signal.getsignal(number) == signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def format_progress(participants: list[Participant], rows: list[dict[str, str]]) -> str:
    """The score for the progress bar: 'first 12 - 7 second'; of more than two participants, the most wins."""
    wins = {participant.name: sum(row["winner"] == participant.name for row in rows) for participant in participants}
    if len(wins) == 2:
        (first, first_wins), (second, second_wins) = wins.items()
        return f"{truncate(first, 30)} {first_wins} - {second_wins} {truncate(second, 30)}"
    best = max(wins, key=lambda name: wins[name])
    return f"most wins: {truncate(best, 30)} {wins[best]}"


def with_unique_names(participants: list[Participant]) -> list[Participant]:
    """The participants under names that differ: the second `uct` becomes `uct (2)`."""
    counts: dict[str, int] = {}
    unique = []
    for participant in participants:
        count = counts[participant.name] = counts.get(participant.name, 0) + 1
        name = participant.name if count == 1 else f"{participant.name} ({count})"
        unique.append(dataclasses.replace(participant, name=name))
    return unique


# ---- the command

def command(args: argparse.Namespace) -> int:
    try:
        summary = play(args)
    except Interrupted as interrupted:
        played = len(interrupted.rows)
        if played:
            _print_summary(args, interrupted.summary())
        kept = f", which {args.output} has; the same command continues" if args.output else \
            ", which are not kept without -o FOLDER"
        print(f"\nmugo match: interrupted after {played} games{kept * bool(played)}", file=sys.stderr)
        return INTERRUPTED
    _print_summary(args, summary)
    return 0


def _print_summary(args: argparse.Namespace, summary: dict[str, Any]) -> None:
    print(json.dumps(summary, indent=1) if args.json else format_summary(summary))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a match, or a signal like it.  rows: the finished games'.  summary: a function that makes theirs."""

    def __init__(self, rows: Rows, names: list[str], test: SPRT | None):
        super().__init__()
        self.rows = rows
        self.summary = functools.partial(summarize, rows, names, test)


def play(args: argparse.Namespace) -> dict[str, Any]:
    """Play the match of a command line, or the rest of it; returns its summary.  Raises BadInput."""
    start = player_options.first_position(args, GO_SIZE)
    player_options.refuse_other_options(args, start.game, MatchOptions)
    participants = with_unique_names([participant_of(text, player_game_options(start)) for text in args.participants])
    names = [participant.name for participant in participants]
    options = MatchOptions(**given(MatchOptions, args))
    check_arguments(args, options)
    rules = MatchRules(time=interpret_time(options.time) if options.time else None,
                       move_timeout=options.move_timeout, max_moves=options.max_moves,
                       simple_ko=options.ko == "simple",
                       kgs_rules=kgs_name(parse_rules(args.rules)) if args.rules else "")
    opening = load_openings(options.openings, start, rules=player_options.requested_rules(args),
                            max_moves=options.opening_moves, seed=options.seed)
    match = match_settings(args, options, start) | {"checksums": checksums(participants, options.openings, start)}
    schedule = {"gauntlet": options.gauntlet, "alternate": options.alternate}
    pairings = make_pairings(len(participants), args.games, **schedule)

    def expected(number: int) -> dict[str, str]:
        pairing = find_pairing(number, len(names), **schedule)
        return {"black": names[pairing.black], "white": names[pairing.white], "opening": str(pairing.opening)}

    with lock_folder(args.output) if args.output else contextlib.nullcontext(), interrupted_by_signals():
        folder = MatchFolder(args.output, match, expected)
        test = SPRT(*args.sprt) if args.sprt else None
        try:
            run_match(participants, rules, folder, pairings, opening, jobs=args.jobs, scheduler=args.scheduler,
                      is_decided=lambda rows: test is not None and run_sprt(rows, names[0], test).accepted != UNDECIDED)
        except KeyboardInterrupt:
            raise Interrupted(folder.rows, names, test) from None
    return summarize(folder.rows, names, test)


def checksums(participants: list[Participant], openings: str | None, start: BasePosition) -> dict[str, str]:
    """The SHA-256 of each network, --config file and source of openings that a match depends on, by its name.

    Games of two networks under one name are no match.  Raises BadInput.
    """
    players = [participant for participant in participants if participant.is_player]
    board = start.shape, *game_rules(start)
    given = [(value_of(player.command, "network"), player.command[1] in SEARCHERS)
             for player in players if player.command[1] in NETWORK_PLAYERS]
    names = {str(name or bundled_name(*board, searches)) for name, searches in given}
    if openings == "policy" or not all(name for name, _ in given):       # a search that is told who plays asks it too
        names.add(bundled_name(*board))
    found = {name: file_sha256(find_network(name)) for name in sorted(names)}
    found |= {str(file): file_sha256(file) for player in players for file in split_config(player.command)[1]}
    if openings is not None and Path(openings).exists():
        found[openings] = openings_checksum(openings)
    return found


def check_arguments(args: argparse.Namespace, options: MatchOptions) -> None:
    """Raise BadInput for fewer than two participants, numbers out of range, and bounds of --sprt that are none."""
    check_scheduler(args, "jobs")
    if len(args.participants) < 2:
        raise BadInput("a match takes two participants or more")
    check_limits(args, {"games": (1, MAX_GAMES), "jobs": AT_LEAST_1})
    if not args.sprt:
        return
    elo0, elo1 = args.sprt
    if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
        raise BadInput(f"--sprt {elo0:g} {elo1:g}: two Elo differences, the first below the second, as in 0 20, from "
                       f"-{MAX_ELO} to {MAX_ELO}")
    if len(args.participants) > 2 or not options.alternate:
        raise BadInput("--sprt takes two participants with alternating colours")


def player_game_options(start: BasePosition) -> list[str]:
    """The options that tell a player of MuGo the game."""
    if isinstance(start, gomoku.GomokuPosition):
        return ["--game", "gomoku", "--size", str(size_value(start.shape)),
                "--k", str(start.k), *["--exactly"] * start.exactly]
    return ["--game", "go"]


def match_settings(args: argparse.Namespace, options: MatchOptions, start: BasePosition) -> dict[str, Any]:
    """The content of match.json: a match is continued only if all of this is the same."""
    own = {"k": start.k, "exactly": start.exactly} if isinstance(start, gomoku.GomokuPosition) else {
        "rules": args.rules, "handicap": start.handicap}
    return {"participants": args.participants, "sprt": args.sprt, "game": start.game, "size": size_value(start.shape),
            "komi": start.komi, **own, **dataclasses.asdict(options)}

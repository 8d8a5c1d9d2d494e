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
import json
import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput, lock_folder
from mugo.games import go, gomoku
from mugo.games.coords import MAX_MOVES, size_value
from mugo.games.position import BasePosition
from mugo.games.rules import Rules, parse_rules
from mugo.core.limits import AT_LEAST_1, POSITIVE, SEED, check_limits
from mugo.match.game_runner import GameUnit, MatchSetup, close_runners, find_versions, play_unit
from mugo.match.gtp_client import Participant, participant_of
from mugo.match.match_folder import MatchFolder, format_game, game_row
from mugo.match.openings import load_openings, openings_checksum
from mugo.match.pairings import Pairing, find_pairing, make_pairings
from mugo.match.referee import GameRecord, MatchRules
from mugo.match.summary import Rows, format_summary, run_sprt, summarize
from mugo.match.time_systems import interpret_time
from mugo.nn.bundled import bundled_name, find_network, file_checksum
from mugo.nn.metadata import game_rules
from mugo.core.parallel import add_scheduler_argument, check_scheduler, completed, open_executor
from mugo.players import game_options
from mugo.players.options import NETWORK_PLAYERS
from mugo.plots.text_table import truncate
from mugo.core.progress import ProgressBar, progress_bar
from mugo.core.sprt import SPRT, UNDECIDED

MAX_ELO = 2000                           # a difference, of --sprt: 99.999 %
MAX_GAMES = 1_000_000                    # of each pair
MAX_TIMEOUT = 1_000_000                  # seconds for a move: eleven days
GO_SIZE = 9                              # the board of Go by default
GNUGO_SCORERS = {False: "gnugo --mode gtp --chinese-rules", True: "gnugo --mode gtp --japanese-rules"}


def kgs_name(rules: Rules) -> str:
    """Rules in one word, for kgs-rules: KGS's name of them, or KataGo's text where KGS has none."""
    return next((name for name in ("japanese", "chinese", "aga", "new_zealand")
                 if parse_rules(name) == rules), rules.as_text())


def run_match(participants: list[Participant], rules: MatchRules, folder: MatchFolder, pairings: list[Pairing],
              opening: Callable[[int], BasePosition], *, scorer: Participant | None = None, jobs: int | None = None,
              scheduler: str | None = None, is_decided: Callable[[Rows], bool] = lambda rows: False) -> None:
    """Play the games that the folder does not have, `jobs` at a time (None: 1), or on all workers of a cluster.

    opening: a function from the number of an opening to its position.  scorer: see GameRunner.  scheduler: see
    parallel.open_executor.  is_decided: whether these games are enough; then those under way are broken off.
    Raises BadInput for a program that does not work at all.
    """
    done = {int(row["number"]) for row in folder.rows}
    pairings = [pairing for pairing in pairings if pairing.number not in done]
    if not pairings or is_decided(folder.rows):
        return
    logs = folder.path and folder.path.absolute() / "logs"
    setup = MatchSetup(secrets.token_hex(8), tuple(participants), rules, scorer, logs, many_machines=bool(scheduler))
    jobs = None if scheduler else min(jobs or 1, len(pairings))
    with open_executor(jobs, threads=True, scheduler=scheduler) as executor:
        executor.check_paths(write=logs)
        is_complete = False
        try:
            versions = executor.submit(find_versions, setup, next(iter(opening(0).positions()))).result()
            units = (GameUnit(setup, pairing, opening(pairing.opening)) for pairing in pairings)
            with progress_bar("games", len(done) + len(pairings), len(done), smoothing=0.05) as bar:
                bar.set_postfix_str(format_progress(participants, folder.rows))
                for pairing, game in completed(executor, play_unit, units):
                    add_game(folder, pairing, participants, game, rules, versions, bar)
                    if is_decided(folder.rows):
                        break
                else:
                    is_complete = True
        finally:
            executor.broadcast(close_runners, setup.key, not is_complete)
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
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that the programs of a match end with it."""
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

def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("participants", nargs="+", metavar="PARTICIPANT",
                        help='a player with its options ("uct --seconds 2") or a GTP command line ("gnugo --mode gtp")')
    parser.add_argument("--games", type=int, default=100, metavar="N", help="of each pair (default: %(default)s)")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"),
                        help="stop as soon as a sequential probability ratio test has decided whether the first of two "
                        "participants is stronger by ELO0 at most or by ELO1 at least; --games is the limit")
    parser.add_argument("--gauntlet", action="store_true",
                        help="the first participant against each other one, instead of a round robin")
    parser.add_argument("--jobs", type=int, metavar="N",
                        help="games at a time, each with processes of its own (default: 1)")
    add_scheduler_argument(parser)
    parser.add_argument("--seed", type=int, default=0, help="of the openings (default: %(default)s)")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER",
                        help="write the games there, or continue the match that is in it")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    group = parser.add_argument_group("the start of a game")
    game_options.add_arguments(group, str(GO_SIZE), handicap=True)
    group.add_argument("--colours", choices=("alternate", "fixed"), default="alternate",
                       help="fixed: the participant named first is always Black (default: %(default)s)")
    group.add_argument("--openings", metavar="SOURCE",
                       help="start with so many random moves (a number), with moves of the bundled network (policy), "
                       "or with the games of an SGF folder or archive; each opening is played with both colours")
    group.add_argument("--opening-moves", type=int, metavar="N",
                       help="moves of an opening (default: 8 of the policy, all of a recorded game)")
    group = parser.add_argument_group("the end of a game")
    group.add_argument("--time", metavar="SYSTEM",
                       help="seconds on each clock: MAIN, MAIN/BYOYOMI/STONES (Canadian), MAIN/PERIODSxBYOYOMI "
                       "(Japanese) or MAIN+INCREMENT (Fischer); exceeding it loses the game (default: no clock)")
    group.add_argument("--move-timeout", type=float, default=300, metavar="SECONDS",
                       help="a program that needs more for a move loses the game (default: %(default)s)")
    group.add_argument("--max-moves", type=int, metavar="N",
                       help="score a game that is longer as it stands (default: three moves a point)")
    group.add_argument("--ko", choices=("superko", "simple"), default="superko",
                       help="superko: a move that repeats a position loses the game; simple: it is allowed, for "
                       "programs that know simple ko only (default: %(default)s)")
    group.add_argument("--scoring", default="own", metavar="PROGRAM",
                       help="what scores a game: own (dead stones by rollouts), gnugo, or a GTP command line "
                       "(default: %(default)s)")


def command(args: argparse.Namespace) -> int:
    start = game_options.first_position(args, GO_SIZE)
    participants = with_unique_names([participant_of(text, player_game_options(start)) for text in args.participants])
    names = [participant.name for participant in participants]
    check_arguments(args)
    rules = MatchRules(size=start.shape, komi=start.komi, time=args.time and interpret_time(args.time),
                       move_timeout=args.move_timeout, max_moves=args.max_moves, simple_ko=args.ko == "simple",
                       kgs_rules=args.rules and kgs_name(parse_rules(args.rules)))
    scorer = None if args.scoring == "own" else participant_of(
        GNUGO_SCORERS[isinstance(start, go.Position) and start.counts_territory] if args.scoring == "gnugo"
        else args.scoring)
    match = match_settings(args, start)
    counted_by = game_options.rules_of(args)
    opening = load_openings(args.openings, start, rules=counted_by, max_moves=args.opening_moves, seed=args.seed)
    match["checksums"] = checksums(participants, args.openings, start)
    pairings = make_pairings(len(participants), args.games, gauntlet=args.gauntlet,
                             alternate=args.colours == "alternate")

    def expected(number: int) -> dict[str, str]:
        pairing = find_pairing(number, len(names), gauntlet=args.gauntlet, alternate=args.colours == "alternate")
        return {"black": names[pairing.black], "white": names[pairing.white], "opening": str(pairing.opening)}

    with lock_folder(args.output) if args.output else contextlib.nullcontext(), interrupted_by_signals():
        folder = MatchFolder(args.output, match, expected)
        test = SPRT(*args.sprt) if args.sprt else None
        run_match(participants, rules, folder, pairings, opening, scorer=scorer, jobs=args.jobs,
                  scheduler=args.scheduler,
                  is_decided=lambda rows: test is not None and run_sprt(rows, names[0], test).accepted != UNDECIDED)
    summary = summarize(folder.rows, names, test)
    print(json.dumps(summary, indent=1) if args.json else format_summary(summary))
    return 0


def checksums(participants: list[Participant], openings: str | None, start: BasePosition) -> dict[str, str]:
    """The SHA-256 of each network that players of MuGo and openings choose moves by, by the name that is given, or that
    of the bundled one, and of a file or folder of openings: games of two networks under one name are no match.  Raises
    BadInput."""
    names = [_network_name(participant) for participant in participants
             if participant.is_player and participant.command[1] in NETWORK_PLAYERS]
    names += [""] if openings == "policy" else []
    names = [name or bundled_name(start.shape, *game_rules(start)) for name in names]
    found = {name: file_checksum(find_network(name)) for name in sorted(names)}
    if openings is not None and Path(openings).exists():
        found[openings] = openings_checksum(openings)
    return found


def _network_name(player: Participant) -> str:
    """The --network of a player; "" without one.  What is wrong with its options is the player's to say."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--network", default="")
    with contextlib.suppress(argparse.ArgumentError):
        return parser.parse_known_args(player.command[2:])[0].network
    return ""


def check_arguments(args: argparse.Namespace) -> None:
    """Raise BadInput for fewer than two participants and numbers out of range."""
    check_scheduler(args, "jobs")
    if len(args.participants) < 2:
        raise BadInput("a match takes two participants or more")
    if args.sprt:
        check_sprt(args)
    check_limits(args, {"games": (1, MAX_GAMES), "jobs": AT_LEAST_1, "move_timeout": (POSITIVE[0], MAX_TIMEOUT),
                        "max_moves": (1, MAX_MOVES), "opening_moves": (1, MAX_MOVES), "seed": SEED})


def check_sprt(args: argparse.Namespace) -> None:
    """Raise BadInput unless --sprt has two bounds, and the match pairs of games with both colours."""
    elo0, elo1 = args.sprt
    if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
        raise BadInput(f"--sprt {elo0:g} {elo1:g}: two Elo differences, the first below the second, as in 0 20, from "
                       f"-{MAX_ELO} to {MAX_ELO}")
    if len(args.participants) > 2 or args.colours == "fixed":
        raise BadInput("--sprt takes two participants with alternating colours")


def player_game_options(start: BasePosition) -> list[str]:
    """The options that tell a player of MuGo the game."""
    if isinstance(start, gomoku.Position):
        return ["--game", "gomoku", "--size", str(size_value(start.shape)),
                "--k", str(start.k), *["--exactly"] * start.exactly]
    return ["--game", "go"]


def match_settings(args: argparse.Namespace, start: BasePosition) -> dict[str, Any]:
    """The content of match.json: a match is continued only if all of this is the same."""
    row = {"k": start.k, "exactly": start.exactly} if isinstance(start, gomoku.Position) else {}
    if isinstance(start, go.Position) and start.counts_territory:
        row = {"scoring_rules": "TERRITORY"}             # matches before counted by area, whatever their --rules
    return {"game": start.game, "size": size_value(start.shape), "komi": start.komi, **row} | {
        name: getattr(args, name) for name in (
            "participants", "handicap", "colours", "openings", "opening_moves", "seed", "time", "move_timeout",
            "max_moves", "ko", "rules", "scoring", "gauntlet", "sprt")}

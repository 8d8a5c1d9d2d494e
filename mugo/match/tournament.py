"""Players and programs against each other:  mugo match SIDE SIDE ... -o FOLDER

    mugo match "uct --seconds 2" "gnugo --mode gtp --level 1" --games 100 --size 9
    mugo match "mcts --simulations 400" "uct --simulations 5000 --rollout uniform" --game gomoku --size 8

    fixtures -> tables, --jobs of them: two programs, one game at a time -> a row and an SGF each -> figures

FOLDER is written game by game: games.csv (COLUMNS), sgf/, logs/ (what the programs wrote to stderr) and
match.json (what the match is).  Stopped at any moment, the same command goes on from there.
"""
import argparse
import contextlib
import csv
import dataclasses
import hashlib
import io
import json
import os
import queue
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from mugo.files import BadInput, atomic_write, lock_folder
from mugo.games.board import BLACK, WHITE
from mugo.games.go import fixed_handicap
from mugo.games.position import BasePosition
from mugo.games.scoring import without_dead
from mugo.limits import AT_LEAST_1, POSITIVE, SEED, check_limits
from mugo.match.gtp_client import EngineFault, Program, Side, side_of
from mugo.match.openings import openings
from mugo.match.ratings import format_summary, summary
from mugo.match.referee import Game, Terms, interpret_time, play_game, setting_up
from mugo.players import game_options
from mugo.sgf.convert import record_from_position
from mugo.sgf.writer import format_record

GO_SIZE = 9
GNUGO = "gnugo --mode gtp --chinese-rules"           # as an arbiter
ARBITER_SECONDS = 300
NOT_GOMOKU = {"game": "go", "k": None, "exactly": False}
ONLY_IN_GO = {"ko": "superko", "rules": "", "scoring": "own"}        # options, and their defaults
# One row a game.  `number` counts from 0; `fingerprint` is the same for two games of the same moves.
COLUMNS = ("number", "opening", "black", "white", "result", "winner", "end", "at_fault", "details", "moves", "date",
           "fingerprint", "black_moves", "black_seconds", "black_worst", "white_moves", "white_seconds", "white_worst")


class Fixture(NamedTuple):
    """A game to be played: its number, the sides' indices and the number of the opening."""

    number: int
    black: int
    white: int
    opening: int


def fixtures(sides: int, games: int, *, gauntlet: bool = False, swap: bool = True) -> list[Fixture]:
    """So many games of every pair (with `gauntlet` of the first side with each other one).

    All pairs meet in turn, so a match that is stopped early is still a fair one; and more games later
    change no number.  Every opening is played twice, with colours swapped.
    """
    pairs = [pair for pair in combinations(range(sides), 2) if pair[0] == 0 or not gauntlet]
    return [Fixture(round_ * len(pairs) + i, *(pair[::-1] if swap and round_ % 2 else pair),
                    opening=round_ // 2 if swap else round_)
            for round_ in range(games) for i, pair in enumerate(pairs)]


class Table:
    """A place where one game is played at a time.  Its programs stay for the next game."""

    def __init__(self, name: str, sides: list[Side], terms: Terms, arbiter: Side | None, logs: Path | None):
        self.name = name
        self.sides = sides
        self.terms = terms
        self.arbiter = arbiter
        self._logs = logs
        self._programs: dict[Side, Program] = {}
        self._closed = False
        self._lock = threading.Lock()

    def program(self, side: Side) -> Program:
        """The running program of a side.  Raises BadInput if it cannot be started."""
        with self._lock:
            if self._closed:
                raise KeyboardInterrupt
            if side not in self._programs:
                log = self._logs and self._logs / f"{file_name(side.name)}-{self.name}.txt"
                self._programs[side] = Program(side, log)
            return self._programs[side]

    def stop(self, side: Side) -> None:
        """End a side's program; the next game starts it again."""
        with self._lock:
            program = self._programs.pop(side, None)
        if program:
            program.close(at_once=True)

    def introduce(self, start: BasePosition) -> dict[str, str]:
        """Name and version of every side.  Raises BadInput for one that does not work, or not on this board."""
        told = {}
        for side in [*self.sides, *([self.arbiter] if self.arbiter else [])]:
            try:
                program = self.program(side)
                told[side.name] = f"{program.ask('name')} {program.ask('version')}"
                program.warm_up(start.size)              # a network may not play this board
                for line in setting_up(start, handicap=False):
                    program.ask(line)
            except EngineFault as fault:
                raise BadInput(f"{side.name}: {fault}") from None
        return told

    def play(self, black: Side, white: Side, opening: BasePosition) -> Game:
        programs = {BLACK: self.program(black), WHITE: self.program(white)}
        game = play_game(programs, opening, self.terms, self.count)
        if game.loser:
            self.stop(black if game.loser == BLACK else white)
        return game

    def count(self, position: BasePosition) -> float:
        """Black's lead.  Raises BadInput if the arbiter fails twice."""
        if not self.arbiter:
            return without_dead(position).score()
        for attempt in range(2):
            try:
                program = self.program(self.arbiter)
                for line in setting_up(position, handicap=False):
                    program.ask(line)
                return interpret_score(program.ask("final_score", ARBITER_SECONDS))
            except (EngineFault, ValueError) as error:
                self.stop(self.arbiter)
                if attempt:
                    raise BadInput(f"the arbiter, {self.arbiter.name}, failed: {error}") from None

    def close(self, *, at_once: bool) -> None:
        with self._lock:
            self._closed = True
            for program in self._programs.values():
                program.close(at_once=at_once)
            self._programs.clear()


def interpret_score(text: str) -> float:
    """Black's lead of a reply to final_score, 'B+3.5', 'W+2', '0'.  Raises ValueError."""
    match = re.fullmatch(r"([BbWw])\+(\d+(?:\.\d+)?)|0(?:\.0)?|[Dd]raw", text.split(" ")[0])
    if not match:
        raise ValueError(f"{text!r} is no score, as B+3.5 is one")
    return 0.0 if match[1] is None else float(match[2]) * (1 if match[1] in "Bb" else -1)


def file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.=-]+", "-", text).strip("-.")[:60] or "side"


# ---- the folder ----------------------------------------------------------------------------------

class Folder:
    """Where a match is kept.  path None: nowhere; then the rows are in memory only."""

    def __init__(self, path: Path | None, about: dict):
        """Begin a match, or go on with one.  Raises BadInput if the folder holds another one."""
        self.path = path
        self.rows: list[dict] = []
        if path is None:
            return
        file = path / "match.json"
        try:
            begun = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise BadInput(f"{path} is there already and holds no match; give -o another name") from None
            begun = about
        except (OSError, ValueError) as error:
            raise BadInput(f"{file} cannot be read: {error}") from None
        if not isinstance(begun, dict):
            raise BadInput(f"{file} is no match's: it holds no JSON object")
        begun = NOT_GOMOKU | begun                       # older matches do not say
        for name, value in about.items():
            if begun.get(name) != value:
                raise BadInput(f"{path} holds another match: its {name.replace('_', ' ')} is {begun.get(name)!r}, "
                               f"not {value!r}; give -o another folder")
        with atomic_write(file) as beside:
            beside.write_text(json.dumps(about, indent=1), encoding="utf-8")
        for name in "sgf", "logs":
            (path / name).mkdir(exist_ok=True)
        self.rows = self._read()
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        with atomic_write(path / "games.csv") as beside:
            beside.write_text(text.getvalue(), encoding="utf-8")

    def _read(self) -> list[dict]:
        """The rows that are whole: a crash may have cut the last one short."""
        with contextlib.suppress(FileNotFoundError):
            text = (self.path / "games.csv").read_text(encoding="utf-8", errors="replace")
            whole = text[:text.rfind("\n") + 1]
            reader = csv.DictReader(io.StringIO(whole))
            if whole and tuple(reader.fieldnames) != COLUMNS:
                raise BadInput(f"{self.path}/games.csv was not written by this program: other columns")
            rows = list({row["number"]: row for row in reader}.values())
            for row in rows:
                if not row["number"].isdecimal():
                    raise BadInput(f"{self.path}/games.csv: {row['number']!r} is no number of a game")
            return rows
        return []

    def add(self, row: dict, sgf: str) -> None:
        """Keep a game: its SGF first, so that every row has one."""
        self.rows.append(row)
        if self.path is None:
            return
        with atomic_write(self.path / "sgf" / f"{int(row['number']):05d}.sgf") as beside:
            beside.write_text(sgf, encoding="utf-8")
        text = io.StringIO()
        csv.DictWriter(text, COLUMNS, lineterminator="\n").writerow(row)
        with open(self.path / "games.csv", "a", encoding="utf-8") as file:
            file.write(text.getvalue())
            file.flush()
            os.fsync(file.fileno())


def row_of(fixture: Fixture, black: Side, white: Side, game: Game) -> dict:
    """A game as a row of games.csv: all values are text, as they are when they are read again."""
    winner = {"B": black.name, "W": white.name}.get(game.result[:1], "")
    record = record_from_position(game.position)
    row = {"number": fixture.number, "opening": fixture.opening, "black": black.name, "white": white.name,
           "result": game.result, "winner": winner, "end": game.end,
           "at_fault": {BLACK: black.name, WHITE: white.name}.get(game.loser, ""), "details": game.details,
           "moves": game.position.plies, "date": time.strftime("%Y-%m-%d"),
           "fingerprint": hashlib.blake2b(record.setup.tobytes() + b"/" + record.moves.tobytes(),
                                          digest_size=8).hexdigest()}
    for colour, name in (BLACK, "black"), (WHITE, "white"):
        seconds = game.seconds[colour]
        row |= {f"{name}_moves": len(seconds), f"{name}_seconds": f"{sum(seconds):.3f}",
                f"{name}_worst": f"{max(seconds, default=0):.3f}"}
    return {column: str(value) for column, value in row.items()}


def sgf_of(row: dict, game: Game, terms: Terms, versions: dict[str, str]) -> str:
    """A game as SGF, with what the players said to their moves."""
    clock = "no clock" if terms.time is None else "time {}/{}/{}".format(*terms.time)
    about = [f"Black: {versions[row['black']]}", f"White: {versions[row['white']]}",
             f"{clock}, at most {terms.move_limit:g} seconds a move; opening {row['opening']}",
             f"Black thought {row['black_seconds']} seconds, White {row['white_seconds']}",
             f"ended by: {row['end']}", *filter(None, [row["details"]])]
    record = record_from_position(game.position, black=row["black"], white=row["white"], result=row["result"],
                                  date=row["date"],
                       event=f"mugo match, game {row['number']}", rules=terms.rules or "Chinese")
    comments = dict(game.comments)
    comments[0] = "\n".join([*about, *filter(None, [comments.get(0)])])
    return format_record(record, comments)


# ---- the match -----------------------------------------------------------------------------------

def run(sides: list[Side], terms: Terms, folder: Folder, games: list[Fixture],
        opening: Callable[[int], BasePosition], *, arbiter: Side | None = None, jobs: int = 1) -> None:
    """Play what the folder does not have yet.  Raises BadInput for a side that does not work at all."""
    done = {int(row["number"]) for row in folder.rows}
    games = [fixture for fixture in games if fixture.number not in done]
    if not games:
        return
    tables = [Table(str(number), sides, terms, arbiter, folder.path and folder.path / "logs")
              for number in range(1, min(jobs, len(games)) + 1)]
    free: queue.SimpleQueue[Table] = queue.SimpleQueue()
    for table in tables:
        free.put(table)

    def play(fixture: Fixture) -> tuple[Fixture, Game]:
        table = free.get()
        try:
            return fixture, table.play(sides[fixture.black], sides[fixture.white], opening(fixture.opening))
        finally:
            free.put(table)

    executor = ThreadPoolExecutor(len(tables))
    try:
        versions = tables[0].introduce(next(iter(opening(0).positions())))
        with tqdm(unit=" games", total=len(done) + len(games), initial=len(done), smoothing=0.05) as bar:
            bar.set_postfix_str(running_score(sides, folder.rows))
            for future in as_completed([executor.submit(play, fixture) for fixture in games]):
                fixture, game = future.result()
                row = row_of(fixture, sides[fixture.black], sides[fixture.white], game)
                folder.add(row, sgf_of(row, game, terms, versions))
                if game.loser:
                    bar.write(f"game {fixture.number}: {row['black']} - {row['white']} {row['result']}: "
                              f"{game.end}: {game.details}", file=sys.stderr)
                bar.set_postfix_str(running_score(sides, folder.rows), refresh=False)
                bar.update()
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for table in tables:
            table.close(at_once=True)
        raise
    finally:
        executor.shutdown()
        for table in tables:
            table.close(at_once=False)


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Make being terminated, or losing the terminal, what Ctrl-C is: the programs end, too."""
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


def running_score(sides: list[Side], rows: list[dict]) -> str:
    """'first 12 - 7 second' for the progress bar; of more than two, who has the most."""
    won = {side.name: sum(row["winner"] == side.name for row in rows) for side in sides}
    if len(sides) == 2:
        (first, wins), (second, losses) = won.items()
        return f"{first[:20]} {wins} - {losses} {second[:20]}"
    best = max(won, key=won.get)
    return f"most wins: {best[:30]} {won[best]}"


def distinct(sides: list[Side]) -> list[Side]:
    """The sides under names that differ: the second `uct` becomes `uct (2)`."""
    seen: dict[str, int] = {}
    found = []
    for side in sides:
        seen[side.name] = seen.get(side.name, 0) + 1
        found.append(side if seen[side.name] == 1
                     else dataclasses.replace(side, name=f"{side.name} ({seen[side.name]})"))
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sides", nargs="+", metavar="SIDE",
                        help='a player with its options ("uct --seconds 2") or a GTP command line ("gnugo --mode gtp")')
    parser.add_argument("--games", type=int, default=100, metavar="N", help="of each pair (default %(default)s)")
    game_options.add_arguments(parser, str(GO_SIZE))
    parser.add_argument("--handicap", type=int, default=0, metavar="N", help="in Go: stones for Black (see --colours)")
    parser.add_argument("--colours", choices=("alternate", "fixed"), default="alternate",
                        help="fixed: the side named first is always Black (default %(default)s)")
    parser.add_argument("--openings", metavar="WHAT",
                        help="begin with so many random moves (a number), with moves of the bundled network (policy),"
                             " or with the games of an SGF folder or archive; each is played with both colours")
    parser.add_argument("--opening-moves", type=int, metavar="N",
                        help="moves of an opening (default: 8 of the policy, all of a recorded game)")
    parser.add_argument("--time", metavar="MAIN/BYOYOMI/STONES",
                        help="seconds for the game, then so many stones in so many seconds, over and over;"
                             " who takes longer has lost (default: no clock)")
    parser.add_argument("--move-limit", type=float, default=300, metavar="SECONDS",
                        help="a move that takes longer is a hang, and loses (default %(default)s)")
    parser.add_argument("--max-moves", type=int, metavar="N", help="count after so many (default: three a point)")
    parser.add_argument("--ko", choices=("superko", "simple"), default="superko",
                        help="superko: who repeats a position has lost, as programs that know simple ko only will at"
                             " times; simple: allow it (default %(default)s)")
    parser.add_argument("--rules", default="", metavar="NAME",
                        help="tell this to programs that know kgs-rules; the count is an area count in any case")
    parser.add_argument("--scoring", default="own", metavar="WHO",
                        help="who counts: own (dead stones by rollouts), gnugo, or a GTP command line"
                             " (default %(default)s)")
    parser.add_argument("--gauntlet", action="store_true",
                        help="of several sides: the first against each other one only")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="games at a time, each with its own processes (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the openings (default %(default)s)")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER",
                        help="keep table, games and logs here, and go on if it holds a part of this match")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def command(args: argparse.Namespace) -> int:
    start = game_options.first_position(args, GO_SIZE)
    args.game, args.size, args.komi = start.game, start.size, start.komi
    options = "--game", "go"
    if start.game == "gomoku":
        args.k = start.k
        options = "--game", "gomoku", "--size", str(start.size), "--k", str(start.k), *["--exactly"] * start.exactly
        for name, usual in ONLY_IN_GO.items():
            if getattr(args, name) != usual:
                raise BadInput(f"--{name} is for Go, and this is Gomoku")
    sides = distinct([side_of(text, options) for text in args.sides])
    if len(sides) < 2:
        raise BadInput("a match takes two sides or more")
    check_limits(args, {"games": AT_LEAST_1, "jobs": AT_LEAST_1, "move_limit": POSITIVE, "max_moves": AT_LEAST_1,
                        "opening_moves": AT_LEAST_1,
                 "seed": SEED})
    terms = Terms(size=args.size, komi=args.komi, time=args.time and interpret_time(args.time),
                  move_limit=args.move_limit, max_moves=args.max_moves, simple_ko=args.ko == "simple", rules=args.rules)
    arbiter = None if args.scoring == "own" else side_of(GNUGO if args.scoring == "gnugo" else args.scoring)
    if args.handicap:
        try:
            start = start.with_handicap(fixed_handicap(args.size, args.handicap))
        except ValueError as error:
            raise BadInput(f"--handicap: {error}") from None
    opening = openings(args.openings, start, moves=args.opening_moves, seed=args.seed)
    about = {name: getattr(args, name) for name in (
        "sides", *NOT_GOMOKU, "size", "komi", "handicap", "colours", "openings", "opening_moves", "seed", "time",
        "move_limit", "max_moves", "ko", "rules", "scoring", "gauntlet")}
    games = fixtures(len(sides), args.games, gauntlet=args.gauntlet, swap=args.colours == "alternate")
    with lock_folder(args.output) if args.output else contextlib.nullcontext(), stopped_by_signals():
        folder = Folder(args.output, about)
        run(sides, terms, folder, games, opening, arbiter=arbiter, jobs=args.jobs)
    figures = summary(folder.rows, [side.name for side in sides])
    print(json.dumps(figures, indent=1) if args.json else format_summary(figures))
    return 0

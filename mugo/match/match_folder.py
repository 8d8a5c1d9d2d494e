"""The folder of a match, written game by game:  mugo match ... -o FOLDER

    match.json      what the match is: participants, rules, openings; checked when it is continued
    games.csv       a row for each game (COLUMNS)
    sgf/            00000.sgf, ...: the games, with the players' comments
    logs/           what the programs wrote to stderr

A game's SGF file is written before its row, and both reach the disk at once (fsync): a match that is stopped at any
moment, kill -9 included, continues after its last row.
"""
import csv
import hashlib
import io
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput, atomic_write, error_line, is_empty_folder, printable, read_regular_file, read_json
from mugo.core.limits import parse_integer, parse_number
from mugo.games.board import BLACK, WHITE
from mugo.games.go import GoPosition
from mugo.match.gtp_client import Participant
from mugo.match.openings import Pairing
from mugo.match.referee import GameRecord, MatchRules, format_time
from mugo.sgf.convert import format_record, record_from_position
from mugo.sgf.record_positions import rules_name

FORMAT = 3                               # of match.json and games.csv; 2 had other names of options
# `number` counts from 0.  `game_hash` is the same for two games with the same moves.  Times are in seconds.
COLUMNS: tuple[str, ...] = (
    "number", "opening", "black", "white", "result", "winner", "end", "at_fault", "details", "moves", "date",
    "game_hash", "black_moves", "black_seconds", "black_max_seconds", "white_moves", "white_seconds",
    "white_max_seconds")

NUMBERS = ("number", "moves", "black_moves", "white_moves")             # whole; the times are decimal
MAX_MATCH_BYTES = 4 << 20                # of match.json
MAX_GAMES_BYTES = 512 << 20              # of games.csv: two million games


class MatchFolder:
    """The folder of a match, and the rows of its games.  path None: no folder; the rows are in memory only."""

    def __init__(self, path: Path | None, match: dict[str, Any],
                 expected: Callable[[int], dict[str, str]] = lambda number: {}):
        """Create the folder, or continue the match in it.

        match: the content of match.json.  expected: "black", "white" and "opening" of the game with a number.
        Raises BadInput if the folder holds anything else.
        """
        self.path = path
        self.rows: list[dict[str, str]] = []
        if path is None:
            return
        match = {"format": FORMAT} | match
        _check_match(path, match)
        with atomic_write(path / "match.json") as temporary:
            temporary.write_text(json.dumps(match, indent=1), encoding="utf-8")
        for name in "sgf", "logs":
            (path / name).mkdir(exist_ok=True)
        self.rows = _read_rows(path / "games.csv", expected)
        with atomic_write(path / "games.csv") as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)

    def add(self, row: dict[str, str], sgf: str) -> None:
        """Write a game: its SGF file, then its row."""
        self.rows.append(row)
        if self.path is None:
            return
        with atomic_write(self.path / "sgf" / f"{int(row['number']):05d}.sgf") as temporary:
            temporary.write_text(sgf, encoding="utf-8")
        text = io.StringIO()
        csv.DictWriter(text, COLUMNS, lineterminator="\n").writerow(row)
        with open(self.path / "games.csv", "a", encoding="utf-8") as file:
            file.write(text.getvalue())
            file.flush()
            os.fsync(file.fileno())


def _check_match(path: Path, match: dict[str, Any]) -> None:
    """Raise BadInput unless the folder is new, empty, or holds this very match, or one of which no game has ended."""
    file = path / "match.json"
    try:
        existing = read_json(file, MAX_MATCH_BYTES)
    except FileNotFoundError:
        if path.exists() and (not path.is_dir() or not is_empty_folder(path)):
            raise BadInput(f"{path} exists already and holds no match; give -o another name") from None
        return
    if not isinstance(existing, dict):
        raise BadInput(f"{file} describes no match: it holds no JSON object")
    if existing.get("format", 1) != FORMAT:
        raise BadInput(f"{path} holds a match of format {existing.get('format', 1)!r:.50}, written by another version "
                       f"of MuGo; this one continues format {FORMAT}: give -o another folder")
    if not _has_row(path / "games.csv"):
        return                           # without a game: a command that was mistyped may be corrected
    noted = existing.get("checksums")
    for name, checksum in match.get("checksums", {}).items():
        if isinstance(noted, dict) and noted.get(name, checksum) != checksum:
            raise BadInput(f"{path} holds another match: {name} has changed since; give -o another folder")
    for name, value in match.items():
        if existing.get(name) != value:
            raise BadInput(f"{path} holds another match: {name.replace('_', ' ')} {_shown(existing.get(name)):.500}, "
                           f"not {_shown(value)}; give -o another folder")


def _shown(value: Any) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, list) else repr(value)


def _has_row(path: Path) -> bool:
    """Whether games.csv has a row besides its header, damaged or not, or cannot be read."""
    try:
        return read_regular_file(path, MAX_GAMES_BYTES).count(b"\n") > 1
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _read_rows(path: Path, expected: Callable[[int], dict[str, str]]) -> list[dict[str, str]]:
    """The complete rows of games.csv, [] if there is none: a crash may have cut the last one off.  Raises BadInput."""
    try:
        data = read_regular_file(path, MAX_GAMES_BYTES)
        complete = data[:data.rfind(b"\n") + 1].decode("utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error_line(error)}") from None
    reader = csv.DictReader(io.StringIO(complete, newline=""), strict=True)
    rows: dict[int, dict[str, str]] = {}
    try:
        if complete and tuple(reader.fieldnames or ()) != COLUMNS:
            raise BadInput(f"{path} was not written by this program: other columns")
        for row in reader:
            problem = _problem(row, expected)
            if problem:
                raise BadInput(f"{path}, line {reader.line_num}: {problem}; delete the line to play the game again")
            rows[int(row["number"])] = row
    except csv.Error as error:
        raise BadInput(f"{path}, line {reader.line_num}: {error}") from None
    return list(rows.values())


def _problem(row: dict[Any, Any], expected: Callable[[int], dict[str, str]]) -> str:
    """What is wrong with a row of games.csv; '' if nothing is."""
    if None in row or None in row.values():
        return f"not {len(COLUMNS)} values"
    for name, value in row.items():
        read = parse_integer if name in NUMBERS else parse_number if name.endswith("seconds") else str
        try:
            read(value)
        except ValueError as error:
            return f"the {name}: {error}"
    players = {"B": row["black"], "W": row["white"]}
    wanted = expected(int(row["number"])) | {"winner": players.get(row["result"][:1], "")}
    for name, value in wanted.items():
        if row[name] != value:
            return f"the {name} is {row[name]!r:.60}, not {value!r}"
    return ""


def game_row(pairing: Pairing, black: Participant, white: Participant, game: GameRecord) -> dict[str, str]:
    """The row of a game, all values as text."""
    names = {BLACK: black.name, WHITE: white.name}
    record = record_from_position(game.position)
    game_hash = hashlib.blake2b(record.setup.tobytes() + b"/" + record.moves.tobytes(), digest_size=8).hexdigest()
    row = {"number": pairing.number, "opening": pairing.opening, "black": black.name, "white": white.name,
           "result": game.result, "winner": {"B": black.name, "W": white.name}.get(game.result[:1], ""),
           "end": game.end, "at_fault": names.get(game.at_fault, ""), "details": printable(game.details)[:1000],
           "moves": game.position.plies, "date": time.strftime("%Y-%m-%d"), "game_hash": game_hash}
    for colour, name in (BLACK, "black"), (WHITE, "white"):
        seconds = game.seconds[colour]
        row |= {f"{name}_moves": len(seconds), f"{name}_seconds": f"{sum(seconds):.3f}",
                f"{name}_max_seconds": f"{max(seconds, default=0):.3f}"}
    return {column: str(value) for column, value in row.items()}


def format_game(row: dict[str, str], game: GameRecord, rules: MatchRules, versions: dict[str, str]) -> str:
    """A game as SGF, with the players' comments.  versions: GameRunner.versions."""
    clock = "no clock" if rules.time is None else f"time {format_time(rules.time)}"
    summary = [f"Black: {versions[row['black']]}", f"White: {versions[row['white']]}",
               f"{clock}, at most {rules.move_timeout:g} seconds per move; opening {row['opening']}",
               f"Black used {row['black_seconds']} seconds, White {row['white_seconds']}",
               f"ended by: {row['end']}", row["details"], game.comments.get(0, "")]
    record = record_from_position(game.position, black=row["black"], white=row["white"], result=row["result"],
                                  date=row["date"], event=f"mugo match, game {row['number']}",
                                  rules=rules_name(game.position) if isinstance(game.position, GoPosition) else "",
                                  opening_moves=game.opening_moves)
    return format_record(record, game.comments | {0: "\n".join(filter(None, summary))})

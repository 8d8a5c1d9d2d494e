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
from pathlib import Path
from typing import Any

from mugo.files import BadInput, atomic_write, is_empty_folder
from mugo.games.board import BLACK, WHITE
from mugo.match.gtp_client import Participant
from mugo.match.pairings import Pairing
from mugo.match.referee import GameRecord, MatchRules
from mugo.sgf.convert import record_from_position
from mugo.sgf.writer import format_record

FORMAT = 2                               # of match.json and games.csv; 1 had other names of columns
# `number` counts from 0.  `game_hash` is the same for two games with the same moves.  Times are in seconds.
COLUMNS: tuple[str, ...] = (
    "number", "opening", "black", "white", "result", "winner", "end", "at_fault", "details", "moves", "date",
    "game_hash", "black_moves", "black_seconds", "black_max_seconds", "white_moves", "white_seconds",
    "white_max_seconds")


class MatchFolder:
    """The folder of a match, and the rows of its games.  path None: no folder; the rows are in memory only."""

    def __init__(self, path: Path | None, match: dict[str, Any]):
        """Create the folder, or continue the match in it.

        match: the content of match.json.  Raises BadInput if the folder holds anything else.
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
        self.rows = _read_rows(path / "games.csv")
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
    """Raise BadInput unless the folder is new, empty, or holds this very match."""
    file = path / "match.json"
    try:
        existing = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if path.exists() and (not path.is_dir() or not is_empty_folder(path)):
            raise BadInput(f"{path} exists already and holds no match; give -o another name") from None
        return
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read: {error}") from None
    if not isinstance(existing, dict):
        raise BadInput(f"{file} describes no match: it holds no JSON object")
    if existing.get("format", 1) != FORMAT:
        raise BadInput(f"{path} holds a match of format {existing.get('format', 1)}, written by another version of "
                       f"MuGo; this one continues format {FORMAT}: give -o another folder")
    for name, value in match.items():
        if existing.get(name) != value:
            raise BadInput(f"{path} holds another match: its {name.replace('_', ' ')} is {existing.get(name)!r}, "
                           f"not {value!r}; give -o another folder")


def _read_rows(path: Path) -> list[dict[str, str]]:
    """The complete rows of games.csv, [] if there is none: a crash may have cut the last one off.  Raises BadInput."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    complete = text[:text.rfind("\n") + 1]
    reader = csv.DictReader(io.StringIO(complete))
    if complete and tuple(reader.fieldnames or ()) != COLUMNS:
        raise BadInput(f"{path} was not written by this program: other columns")
    rows = list({row["number"]: row for row in reader}.values())
    for row in rows:
        if not row["number"].isdecimal():
            raise BadInput(f"{path}: {row['number']!r} is not the number of a game")
    return rows


def game_row(pairing: Pairing, black: Participant, white: Participant, game: GameRecord) -> dict[str, str]:
    """The row of a game, all values as text."""
    names = {BLACK: black.name, WHITE: white.name}
    record = record_from_position(game.position)
    game_hash = hashlib.blake2b(record.setup.tobytes() + b"/" + record.moves.tobytes(), digest_size=8).hexdigest()
    row = {"number": pairing.number, "opening": pairing.opening, "black": black.name, "white": white.name,
           "result": game.result, "winner": {"B": black.name, "W": white.name}.get(game.result[:1], ""),
           "end": game.end, "at_fault": names.get(game.at_fault, ""), "details": game.details,
           "moves": game.position.plies, "date": time.strftime("%Y-%m-%d"), "game_hash": game_hash}
    for colour, name in (BLACK, "black"), (WHITE, "white"):
        seconds = game.seconds[colour]
        row |= {f"{name}_moves": len(seconds), f"{name}_seconds": f"{sum(seconds):.3f}",
                f"{name}_max_seconds": f"{max(seconds, default=0):.3f}"}
    return {column: str(value) for column, value in row.items()}


def format_game(row: dict[str, str], game: GameRecord, rules: MatchRules, versions: dict[str, str]) -> str:
    """A game as SGF, with the players' comments.  versions: GameRunner.versions."""
    clock = "no clock" if rules.time is None else "time {}/{}/{}".format(*rules.time)
    summary = [f"Black: {versions[row['black']]}", f"White: {versions[row['white']]}",
               f"{clock}, at most {rules.move_timeout:g} seconds a move; opening {row['opening']}",
               f"Black used {row['black_seconds']} seconds, White {row['white_seconds']}",
               f"ended by: {row['end']}", row["details"], game.comments.get(0, "")]
    record = record_from_position(game.position, black=row["black"], white=row["white"], result=row["result"],
                                  date=row["date"], event=f"mugo match, game {row['number']}",
                                  rules=rules.kgs_rules or "Chinese", opening_moves=game.opening_moves)
    return format_record(record, game.comments | {0: "\n".join(filter(None, summary))})

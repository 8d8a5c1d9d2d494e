"""NGF, the records of the CyberOro and Wbaduk servers.

    Rated game                  1 the game                  GI korea siptan             the other order of the header,
    19                          2 size                      GIPark 1p                   with GI before each line:
    whitename   7D*             3 White and rank            GILee 5p                    1 the game, 2 and 3 the players,
    blackname   5D*             4 Black and rank            GI                          6 date, 7 size, 8 handicap,
    www.cyberoro.com            5 place                     GI                          10 komi
    2                           6 handicap stones           GI2006-9-5
    0                           7                           GI19
    6                           8 komi without its half     GI0
    20170316 [09:51]            9 date                      GI0
    5                           10                          GI6
    White wins by  resign!      11 result                   GI211
    189                         12 number of moves
    PMABWQRRQ                   a move: PM, number, colour, column and row (B is the first), again the other way round
    PMACBAAAA                   a pass
    IDB[1] text[EndTxt]         a comment on a move

Follows https://senseis.xmp.net/?NGF and files of the servers.  Handicap stones stand on the fixed points.  Which of two
players of the other order is Black is not known, so they stand in the event.
"""
import re

from mugo.sgf.encoding import guessed_codec
from mugo.sgf.nodes import MAX_HANDICAP, Node, decode, line_of_nodes, move_value, root_node, with_comments
from mugo.sgf.properties import interpret_date, interpret_result, points_in
from mugo.sgf.record import BadRecord

_MOVE = re.compile(rb"^[ \t]*PM[A-Z]{2}[BW][A-Z]{2}", re.MULTILINE)
_MOVE_LINE = re.compile(r"PM[A-Z]{2}[BW][A-Z]{2}")
_COMMENT, _END_OF_COMMENT = re.compile(r"^IDB\[(\d{1,4})\]", re.MULTILINE), "[EndTxt]"
_HEADER_LINES = 9                        # at least: before them no line is a move
_WINNER = re.compile(r"(Black|White)\s+(wins|loses)\b", re.IGNORECASE)
_RANK = re.compile(r"(\d{1,2})([DKPdkp])([Pp]?)(\*?)")


def is_ngf(data: bytes) -> bool:
    return b"(;" not in data[:2000] and bool(_MOVE.search(data[:4096]))


def read_ngf(data: bytes) -> list[Node]:
    """The nodes of a game.  Raises BadRecord."""
    text, comments = _cut_comments(decode(data, guessed_codec(data)))
    lines = [line.strip() for line in text.splitlines()]
    first = next((i for i, line in enumerate(lines) if i >= _HEADER_LINES and _MOVE_LINE.match(line)), None)
    if first is None:
        raise BadRecord("malformed NGF", "no move after a header of 12 lines")
    header = lines[:first]
    size, root = _read_other_header(header) if header[0].startswith("GI") else _read_header(header)
    moves: list[tuple[str, bytes]] = []
    for line in lines[first:]:
        if line.startswith("PM"):
            place = f"move {len(moves) + 1}: {line[:9]!r}"
            if not _MOVE_LINE.match(line):
                raise BadRecord("malformed NGF", f"{place}: expected PM, a number, B or W, and two letters")
            is_pass = line[5:7] == "AA"
            moves.append((line[4], b"" if is_pass else
                          move_value(ord(line[5]) - ord("B"), ord(line[6]) - ord("B"), size, place)))
    return with_comments(line_of_nodes(root, moves), [(min(number, len(moves)), text) for number, text in comments])


def _cut_comments(text: str) -> tuple[str, list[tuple[int, str]]]:
    """(the text without its comments, (number of the move, text) of each)."""
    parts, comments, position = [], [], 0
    while start := _COMMENT.search(text, position):
        end = text.find(_END_OF_COMMENT, start.end())
        if end < 0:
            break
        parts.append(text[position:start.start()])
        comments.append((int(start[1]), text[start.end():end].strip()))
        position = end + len(_END_OF_COMMENT)
    return "".join([*parts, text[position:]]), comments


def _number(text: str, what: str, most: int) -> int:
    if not re.fullmatch(r"\d{1,3}", text) or int(text) > most:
        raise BadRecord("malformed NGF", f"{text[:20]!r}: expected {what}, at most {most}")
    return int(text)


def _read_header(lines: list[str]) -> tuple[int, Node]:
    """(size, root)."""
    size, handicap = _number(lines[1], "the board size", 19), _number(lines[5], "the handicap", MAX_HANDICAP)
    white, white_rank = _player(lines[2])
    black, black_rank = _player(lines[3])
    result = _result(lines[10], size) if len(lines) > 10 else ""
    return size, root_node(size, _komi(lines[7], handicap), handicap, PW=white, WR=white_rank, PB=black, BR=black_rank,
                           EV=lines[0], PC=lines[4], DT=interpret_date(lines[8]), RE=result)


def _read_other_header(lines: list[str]) -> tuple[int, Node]:
    """(size, root) of a header whose lines begin with GI."""
    fields = [line.removeprefix("GI") for line in lines]
    if len(fields) < 10:
        raise BadRecord("malformed NGF", f"{len(fields)} lines before the first move; expected 11")
    size, handicap = _number(fields[6], "the board size", 19), _number(fields[7], "the handicap", MAX_HANDICAP)
    event = ": ".join(part for part in (fields[0], " - ".join(name for name in fields[1:3] if name)) if part)
    return size, root_node(size, _komi(fields[9], handicap), handicap, EV=event, DT=interpret_date(fields[5]))


def _player(text: str) -> tuple[str, str]:
    """(name, rank) of 'name 7D*', 'name 9DP' (a professional), 'name 10K'."""
    words = text.rsplit(None, 1)
    match = _RANK.fullmatch(words[-1]) if len(words) == 2 else None
    if not match:
        return text, ""
    return words[0], match[1] + ("p" if match[3] else match[2].lower()) + match[4]


def _komi(text: str, handicap: int) -> float | None:
    """Whole numbers stand for half a point more in even games."""
    komi = points_in(text)
    return komi if komi is None else komi + 0.5 * (handicap == 0 and komi.is_integer())


def _result(text: str, size: int) -> str:
    match = _WINNER.match(text)
    if not match:
        return ""
    winner = "B" if (match[1].lower() == "black") == (match[2].lower() == "wins") else "W"
    return interpret_result(f"{winner}+{text[match.end():]}", size)

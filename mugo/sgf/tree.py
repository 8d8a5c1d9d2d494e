"""Games with variations and comments, as a list of nodes: what a board in the browser holds, and SGF.

    number    node
    0         {"parent": -1, "comment": "Jubango"}                     the start, after handicap stones
    1         {"parent": 0, "move": "B Q16", "black": 0.52, "visits": 800}
    2         {"parent": 1, "move": "W D4"}
    3         {"parent": 1, "move": "W Q4"}                            a variation: the first child is the game

A game of Gomoku has `name` "gomoku" and, instead of komi and handicap, `k` in a row to win, and whether it must
be `exactly` so many.  In SGF it is GM[4], and the rules tell its row: RU[5 in a row], RU[exactly 5 in a row].

A node stands after its parent.  `black` is Black's win rate after the move, from 0 to 1, found by so many
visits; in SGF it is a line of the comment.  What an SGF property means, records.py knows; this file adds the
branches that records.py leaves out, and keeps those whose moves can be played.
"""
import re
from collections.abc import Iterator

import numpy as np
from sgfmill import sgf

from mugo.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import format_gtp, interpret_gtp, interpret_sgf, point_at, row_col
from mugo.games.game import GAMES, new_game
from mugo.games.gomoku import interpret_row, say_row
from mugo.games.position import COLOUR_LETTERS, COLOUR_OF, BasePosition, IllegalMove
from mugo.sgf.convert import replayed
from mugo.sgf.parser import GOMOKU, BadRecord, read_records

MAX_NODES = 20_000                       # of one game; a commented joseki dictionary is none
MAX_COMMENT = 20_000                     # letters
INFO = {"PB": "black", "PW": "white", "BR": "black_rank", "WR": "white_rank", "RE": "result", "DT": "date",
        "EV": "event", "PC": "place", "RU": "rules"}
WIN_RATE = re.compile(r"Black wins (\d{1,3}(?:\.\d)?) % \((\d+) visits\)\s*")


def format_move(colour: int, point: int, size: int) -> str:
    """'B Q16', 'W pass'."""
    return f"{COLOUR_LETTERS[colour]} {format_gtp(point, size)}"


def interpret_move(text: str, size: int) -> tuple[int, int]:
    """(colour, point) of 'B Q16'.  Raises BadInput."""
    colour, _, vertex = text.partition(" ")
    if colour.lower() not in COLOUR_OF:
        raise BadInput(f"{text[:20]!r} is no move: 'B Q16' or 'W pass' would be")
    try:
        return COLOUR_OF[colour.lower()], interpret_gtp(vertex, size)
    except ValueError as error:
        raise BadInput(str(error)) from None


# ---- the start ---------------------------------------------------------------------------------

def empty_board(game: dict) -> BasePosition:
    """The empty board that a game's `name` (Go without one), `size`, and `komi` or `k` and `exactly` describe.
    Raises BadInput."""
    name = game.get("name", "go")
    if name not in GAMES:
        raise BadInput(f"{name!r:.20} is no game ({', '.join(GAMES)})")
    size = field(game, "size", int)
    if name == "go":
        return new_game(name, size, komi=number(game, "komi", 361))
    exactly = game.get("exactly", False)
    if not isinstance(exactly, bool):
        raise BadInput("'exactly' is true or false")
    return new_game(name, size, k=field(game, "k", int), exactly=exactly)


def describe_start(position: BasePosition) -> dict:
    """What an empty game is that begins here: the first entries of `read_game`'s answer."""
    size = position.size
    stones = position.stones
    points = {colour: [format_gtp(point_at(row, col, size), size)
                       for row, col in np.argwhere(stones == colour).tolist()] for colour in (BLACK, WHITE)}
    rules = {"k": position.k, "exactly": position.exactly} if position.game == "gomoku" else \
        {"komi": position.komi, "handicap": position.handicap}
    return {"name": position.game, "size": size, **rules, "black": points[BLACK], "white": points[WHITE],
            "first": COLOUR_LETTERS[position.to_play], "info": {}, "nodes": [{"parent": -1}]}


# ---- reading -----------------------------------------------------------------------------------

def read_game(data: bytes) -> dict:
    """The first game of an SGF file: {"name", "size", "komi", "handicap" (or "k", "exactly"), "black", "white":
    vertices set up, "first": 'B' or 'W', "info": {...}, "nodes": [...]}.

    Branches with moves that cannot be played are left out.  Raises BadInput where the game itself has one, or
    is none.
    """
    record = next(read_records(data, gomoku=True))
    if isinstance(record, BadRecord):
        raise BadInput(str(record))
    try:
        line = list(replayed(record).line())
    except IllegalMove as error:
        raise BadInput(str(error)) from None
    game = describe_start(line[0].with_turn(record.first))
    game["info"] = {name: getattr(record, name) for name in INFO.values() if getattr(record, name)}
    if interpret_row(record.rules) and record.k:
        del game["info"]["rules"]            # `k` and `exactly` say it
    try:
        root = sgf.Sgf_game.from_bytes(data).get_root()
    except ValueError:                       # what records.py forgives and sgfmill does not: no variations then
        game["nodes"] = [{"parent": -1}] + [
            {"parent": number, "move": format_move(position.mover, position.last, record.size)}
            for number, position in enumerate(line[1:])]
        return game
    game["nodes"] = list(_nodes(root, line))
    return game


def _nodes(root, line: list[BasePosition]) -> Iterator[dict]:
    """The nodes of sgfmill's tree that have a move; what others say belongs to the move before."""
    found: list[dict] = []
    size = line[0].size
    # (node, number of the parent, position before, moves of the game's main line so far or None off it)
    todo = [(root, -1, line[0], 0)]
    while todo and len(found) < MAX_NODES:
        node, parent, position, ply = todo.pop()
        move = _move_of(node, size)
        if parent < 0:
            found.append({"parent": -1})
            parent = 0
        if move is not None:
            try:
                if ply is not None and ply + 1 < len(line):
                    position, ply = line[ply + 1], ply + 1
                else:
                    position, ply = position.play(move[1], move[0]), None
            except IllegalMove:
                continue
            found.append({"parent": parent, "move": format_move(*move, size)})
            parent = len(found) - 1
        _add_comment(found[parent], node)
        for k, child in reversed(list(enumerate(node))):
            todo.append((child, parent, position, ply if k == 0 else None))
    yield from found


def _move_of(node, size: int) -> tuple[int, int] | None:
    for colour, letter in COLOUR_LETTERS.items():
        if node.has_property(letter):
            try:
                return colour, interpret_sgf(node.get_raw(letter).decode("ascii", "replace").strip(), size)
            except ValueError:
                return None
    return None


def _add_comment(kept: dict, node) -> None:
    """Put an SGF node's comment into ours, the line about the win rate into `black` and `visits`."""
    if not node.has_property("C"):
        return
    try:
        text = node.get("C")
    except (ValueError, LookupError):        # of another character set than the file says, or one for no text
        text = node.get_raw("C").decode("utf-8", "replace")
    if match := WIN_RATE.search(text):
        kept["black"], kept["visits"] = round(min(float(match[1]), 100) / 100, 3), int(match[2])
        text = text[:match.start()] + text[match.end():]
    if text.strip():
        kept["comment"] = "\n".join(filter(None, (kept.get("comment"), text.strip())))[:MAX_COMMENT]


# ---- writing -----------------------------------------------------------------------------------

def format_game(game: dict) -> str:
    """A game of the form of `read_game`'s answer as SGF.  Raises BadInput for what has another form."""
    start = empty_board(game)
    size = start.size
    nodes = field(game, "nodes", list)
    if not 1 <= len(nodes) <= MAX_NODES:
        raise BadInput(f"a game has 1 to {MAX_NODES:,} nodes, not {len(nodes):,}")
    written = sgf.Sgf_game(size, encoding="UTF-8")
    root = written.get_root()
    root.set("AP", ("MuGo", "web"))
    info = field(game, "info", dict)
    if start.game == "gomoku":
        root.set_raw("GM", GOMOKU)
        info = info | {"rules": say_row(start.k, start.exactly)}
    else:
        root.set("KM", start.komi)
        if handicap := int(number(game, "handicap", 361)):
            root.set_raw("HA", str(handicap).encode())
    for ident, name in INFO.items():
        if isinstance(info.get(name), str) and info[name]:
            root.set(ident, _writable(info[name][:200]))
    stones = [{_sgfmill_point(interpret_move(f"B {vertex}", size)[1], size) for vertex in field(game, name, list)}
              for name in ("black", "white")]
    if None in stones[0] | stones[1]:
        raise BadInput("a stone cannot stand on 'pass'")
    if stones[0] | stones[1]:
        root.set_setup_stones(*stones)
    if stones[0] | stones[1] or game.get("first") == "W":
        root.set("PL", "w" if game.get("first") == "W" else "b")
    places = []
    for i, node in enumerate(nodes):
        if not isinstance(node, dict):
            raise BadInput(f"node {i} of the game is none")
        if i == 0:
            place = root
        else:
            parent = field(node, "parent", int)
            if not 0 <= parent < i:
                raise BadInput(f"node {i} of the game has no parent before it")
            place = places[parent].new_child()
            colour, point = interpret_move(field(node, "move", str), size)
            place.set_move(COLOUR_LETTERS[colour].lower(), _sgfmill_point(point, size))
        places.append(place)
        if text := _comment(node):
            place.set("C", text)
    return written.serialise().decode()


def _sgfmill_point(point: int, size: int) -> tuple[int, int] | None:
    """sgfmill counts rows from the bottom."""
    place = row_col(point, size)
    return None if place is None else (size - 1 - place[0], place[1])


def _comment(node: dict) -> str:
    """A node's comment as SGF has it, the win rate first."""
    text = node.get("comment", "")
    text = text[:MAX_COMMENT] if isinstance(text, str) else ""
    black, visits = node.get("black"), node.get("visits")
    if isinstance(black, int | float) and isinstance(visits, int) and 0 <= black <= 1 and 0 <= visits < 1 << 63:
        text = f"Black wins {100 * black:.1f} % ({visits} visits)\n{text}"
    return _writable(text.strip())


def _writable(text: str) -> str:
    """JSON can have halves of letters, which UTF-8 has not."""
    return text.encode("utf-8", "replace").decode()


def field(message: dict, name: str, kind: type | tuple[type, ...]):
    """An entry of a message.  Raises BadInput if it is missing or of another kind."""
    if name not in message:
        raise BadInput(f"{name!r} is missing")
    value = message[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadInput(f"{name!r} cannot be a {type(value).__name__}")
    return value


def number(message: dict, name: str, most: float) -> float:
    """A number of a message, -most to most.  Raises BadInput for another."""
    value = field(message, name, (int, float))
    if not -most <= value <= most:               # which NaN is not
        raise BadInput(f"{name!r} is a number from -{most:g} to {most:g}")
    return float(value)

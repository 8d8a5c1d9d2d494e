"""Game trees with variations and comments: SGF <-> the JSON game that the browser's board holds.

A game is a dict: "name" ("go" or "gomoku"), "size", for Go "komi" and "handicap", for Gomoku "k" and "exactly",
"black" and "white" (GTP vertices of setup stones), "first" ("B" or "W", who plays first), "info" (players, result,
...), and "nodes", in which a parent stands before its children and a node's first child is the main line:

    index   node
    0       {"parent": -1, "comment": "Jubango"}                       the root, after the setup stones
    1       {"parent": 0, "move": "B Q16", "win_rate": 0.52, "visits": 800}
    2       {"parent": 1, "move": "W D4"}
    3       {"parent": 1, "move": "W Q4"}                              a variation

"win_rate" is Black's win rate after the move, 0 to 1, and "visits" the visits of the search that found it; in SGF
they are the first line of the comment.  Gomoku is GM[4] with RU[5 in a row] or RU[exactly 5 in a row].
parser.py reads the main line; this module adds the variations, as far as their moves are legal.
"""
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from sgfmill import sgf

from mugo.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import format_gtp, interpret_gtp, interpret_sgf, point_at, row_col
from mugo.games.game import GAMES, new_game
from mugo.games.gomoku import Position as Gomoku
from mugo.games.gomoku import format_row, interpret_row
from mugo.games.position import COLOUR_LETTERS, COLOUR_OF, BasePosition, IllegalMove
from mugo.sgf.convert import replay_record, rules_of
from mugo.sgf.parser import read_records
from mugo.sgf.properties import GM_GOMOKU
from mugo.sgf.record import BadRecord

MAX_NODES = 20_000                       # of one game; only joseki dictionaries have more
MAX_NODES_PARSED = 2 * MAX_NODES         # of a file's first game; of a larger one only the main line is read
MAX_COMMENT = 20_000                     # characters
INFO = {"PB": "black", "PW": "white", "BR": "black_rank", "WR": "white_rank", "RE": "result", "DT": "date",
        "EV": "event", "PC": "place", "RU": "rules"}
_BRACKET_OR_VALUE = re.compile(rb"[();]|\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]", re.DOTALL)
WIN_RATE = re.compile(r"Black wins (\d{1,3}(?:\.\d)?) % \((\d+) visits\)\s*")


def format_move(colour: int, point: int, size: int) -> str:
    """'B Q16', 'W pass'."""
    return f"{COLOUR_LETTERS[colour]} {format_gtp(point, size)}"


def interpret_move(text: str, size: int) -> tuple[int, int]:
    """(colour, point) of 'B Q16'.  Raises BadInput."""
    colour, _, vertex = text.partition(" ")
    if colour.lower() not in COLOUR_OF:
        raise BadInput(f"{text[:20]!r} is not a move; expected 'B Q16' or 'W pass', for instance")
    try:
        return COLOUR_OF[colour.lower()], interpret_gtp(vertex, size)
    except ValueError as error:
        raise BadInput(str(error)) from None


# ---- the root position -------------------------------------------------------------------------

def empty_board(game: dict) -> BasePosition:
    """The empty board for a game's "name" (default: Go), "size", and "komi" or "k" and "exactly".

    Raises BadInput.
    """
    name = game.get("name", "go")
    if name not in GAMES:
        raise BadInput(f"unknown game {name!r:.20} (known: {', '.join(GAMES)})")
    size = require_field(game, "size", int)
    if name == "go":
        return new_game(name, size, komi=require_number(game, "komi", 361))
    exactly = game.get("exactly", False)
    if not isinstance(exactly, bool):
        raise BadInput("'exactly' must be true or false")
    return new_game(name, size, k=require_field(game, "k", int), exactly=exactly)


def game_from_position(position: BasePosition) -> dict:
    """A game without moves whose root position is `position`."""
    size = position.size
    stones = position.stones
    points = {colour: [format_gtp(point_at(row, col, size), size)
                       for row, col in np.argwhere(stones == colour).tolist()] for colour in (BLACK, WHITE)}
    return {"name": position.game, "size": size, **rules_of(position), "black": points[BLACK], "white": points[WHITE],
            "first": COLOUR_LETTERS[position.to_play], "info": {}, "nodes": [{"parent": -1}]}


# ---- reading -----------------------------------------------------------------------------------

def read_game(data: bytes) -> dict:
    """The first game of an SGF file, without the variations whose moves are illegal.

    Of a tree larger than MAX_NODES the first nodes are read, of one larger than MAX_NODES_PARSED the main line.
    Raises BadInput if there is no game, or if its main line has an illegal move.
    """
    record = next(read_records(data, gomoku=True))
    if isinstance(record, BadRecord):
        raise BadInput(str(record))
    try:
        line = list(replay_record(record).positions())
    except IllegalMove as error:
        raise BadInput(str(error)) from None
    game = game_from_position(line[0].with_turn(record.first_player))
    game["info"] = {name: getattr(record, name) for name in INFO.values() if getattr(record, name)}
    if interpret_row(record.rules) and record.k:
        del game["info"]["rules"]            # redundant with "k" and "exactly"
    try:
        if _has_more_nodes(data, MAX_NODES_PARSED):
            raise ValueError
        root = sgf.Sgf_game.from_bytes(data).get_root()
    except ValueError:                       # or sgfmill is stricter than parser.py: the main line only
        game["nodes"] = [{"parent": -1}] + [
            {"parent": number, "move": format_move(colour, point, record.size)}
            for number, (colour, point) in enumerate(line[-1].moves)]
        return game
    game["nodes"] = list(_nodes(root, line))
    return game


def _has_more_nodes(data: bytes, most: int) -> bool:
    """Whether the first game of an SGF file has more nodes, variations included.  Reads no further."""
    depth = nodes = 0
    for match in _BRACKET_OR_VALUE.finditer(data):
        token = match[0]
        nodes += token == b";"
        depth += (token == b"(") - (token == b")")
        if nodes > most or nodes and depth <= 0:
            break
    return nodes > most


def _nodes(root: sgf.Tree_node, line: list[BasePosition]) -> Iterator[dict]:
    """The nodes with a move; the comment of a node without one goes to the node before it.

    line: the positions of the main line, the root position first.
    """
    found: list[dict] = []
    size = line[0].size
    # (node, index of its parent, position before it, moves of the main line before it; None off the main line)
    stack: list[tuple[sgf.Tree_node, int, BasePosition, int | None]] = [(root, -1, line[0], 0)]
    while stack and len(found) < MAX_NODES:
        node, parent, position, moves = stack.pop()
        move = _move_of(node, size)
        if parent < 0:
            found.append({"parent": -1})
            parent = 0
        if move is not None:
            try:
                if moves is not None and moves + 1 < len(line):
                    position, moves = line[moves + 1], moves + 1
                else:
                    position = position.play(move[1], move[0])
            except IllegalMove:
                continue
            found.append({"parent": parent, "move": format_move(*move, size)})
            parent = len(found) - 1
        _add_comment(found[parent], node)
        for k, child in reversed([*enumerate(node[:])]):
            stack.append((child, parent, position, moves if k == 0 else None))
    yield from found


def _move_of(node: sgf.Tree_node, size: int) -> tuple[int, int] | None:
    for colour, letter in COLOUR_LETTERS.items():
        if node.has_property(letter):
            try:
                return colour, interpret_sgf(node.get_raw(letter).decode("ascii", "replace").strip(), size)
            except ValueError:
                return None
    return None


def _add_comment(target: dict, node: sgf.Tree_node) -> None:
    """Append an SGF node's comment to a node of the game; its win-rate line becomes "win_rate" and "visits"."""
    if not node.has_property("C"):
        return
    try:
        text = node.get("C")
    except (ValueError, LookupError):        # not in the declared character set, or an unknown one
        text = node.get_raw("C").decode("utf-8", "replace")
    if match := WIN_RATE.search(text):
        target["win_rate"], target["visits"] = round(min(float(match[1]), 100) / 100, 3), int(match[2])
        text = text[:match.start()] + text[match.end():]
    if text.strip():
        target["comment"] = "\n".join(filter(None, (target.get("comment"), text.strip())))[:MAX_COMMENT]


# ---- writing -----------------------------------------------------------------------------------

def format_game(game: dict) -> str:
    """A game as SGF text.  Raises BadInput, which names the field, if the dict has another form."""
    start = empty_board(game)
    nodes = require_field(game, "nodes", list)
    if not 1 <= len(nodes) <= MAX_NODES:
        raise BadInput(f"a game has 1 to {MAX_NODES:,} nodes, not {len(nodes):,}")
    written = sgf.Sgf_game(start.size, encoding="UTF-8")
    root = written.get_root()
    root.set("AP", ("MuGo", "web"))
    _set_info(root, game, start)
    _set_setup(root, game, start.size)
    tree_nodes = []
    for i, node in enumerate(nodes):
        if not isinstance(node, dict):
            raise BadInput(f"node {i} of the game is not an object")
        tree_node = root if i == 0 else _new_child(tree_nodes, node, i, start.size)
        tree_nodes.append(tree_node)
        if text := _comment(node):
            tree_node.set("C", text)
    return written.serialise().decode()


def _set_info(root: sgf.Tree_node, game: dict, start: BasePosition) -> None:
    info = require_field(game, "info", dict)
    if isinstance(start, Gomoku):
        root.set_raw("GM", GM_GOMOKU)
        info = info | {"rules": format_row(start.k, start.exactly)}
    else:
        root.set("KM", start.komi)
        if handicap := int(require_number(game, "handicap", 361)):
            root.set_raw("HA", str(handicap).encode())
    for ident, name in INFO.items():
        if isinstance(info.get(name), str) and info[name]:
            root.set(ident, _without_surrogates(info[name][:200]))


def _set_setup(root: sgf.Tree_node, game: dict, size: int) -> None:
    black, white = ({_sgfmill_point(interpret_move(f"B {vertex}", size)[1], size)
                     for vertex in require_field(game, name, list)} for name in ("black", "white"))
    if None in black | white:
        raise BadInput("a setup stone cannot be on 'pass'")
    if black | white:
        root.set_setup_stones(black, white)
    if black | white or game.get("first") == "W":
        root.set("PL", "w" if game.get("first") == "W" else "b")


def _new_child(tree_nodes: list[sgf.Tree_node], node: dict, i: int, size: int) -> sgf.Tree_node:
    """Node i of the game, with its move, as a child of its parent in sgfmill's tree."""
    parent = require_field(node, "parent", int)
    if not 0 <= parent < i:
        raise BadInput(f"the parent of node {i} of the game is not a node before it")
    child = tree_nodes[parent].new_child()
    colour, point = interpret_move(require_field(node, "move", str), size)
    child.set_move(COLOUR_LETTERS[colour].lower(), _sgfmill_point(point, size))
    return child


def _sgfmill_point(point: int, size: int) -> tuple[int, int] | None:
    """sgfmill counts rows from the bottom."""
    place = row_col(point, size)
    return None if place is None else (size - 1 - place[0], place[1])


def _comment(node: dict) -> str:
    """The SGF comment of a node: its win rate, then its text."""
    text = node.get("comment", "")
    text = text[:MAX_COMMENT] if isinstance(text, str) else ""
    win_rate, visits = node.get("win_rate"), node.get("visits")
    if isinstance(win_rate, int | float) and isinstance(visits, int) and 0 <= win_rate <= 1 and 0 <= visits < 1 << 63:
        text = f"Black wins {100 * win_rate:.1f} % ({visits} visits)\n{text}"
    return _without_surrogates(text.strip())


def _without_surrogates(text: str) -> str:
    """JSON strings can have lone surrogates, which UTF-8 cannot encode; each becomes '?'."""
    return text.encode("utf-8", "replace").decode()


# ---- checks of a message -----------------------------------------------------------------------

def require_field(message: dict, name: str, kind: type | tuple[type, ...]) -> Any:
    """A field of a JSON message.  Raises BadInput if it is missing or has another type."""
    if name not in message:
        raise BadInput(f"{name!r} is missing")
    value = message[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadInput(f"{name!r} cannot be a {type(value).__name__}")
    return value


def require_number(message: dict, name: str, most: float) -> float:
    """A number of a JSON message, from -most to most.  Raises BadInput."""
    value = require_field(message, name, (int, float))
    if not -most <= value <= most:               # also rejects NaN
        raise BadInput(f"{name!r} must be a number from -{most:g} to {most:g}")
    return float(value)

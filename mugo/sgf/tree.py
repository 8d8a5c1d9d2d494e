"""Game trees as JSON, for the browser's board: SGF --> the JSON game.  The page writes SGF (static/sgf.js).

A game is a dict: "name" ("go" or "gomoku"), "size", for Go "komi", "handicap" and White's points for it by the rules,
"handicap_bonus", "rules" (a name of games.rules or KataGo's text) and "scoring" ("AREA" or "TERRITORY"), for Gomoku "k"
and "exactly", "black" and "white" (GTP vertices of the stones at the root), "first" ("B" or "W", who plays first),
"info" (players, result, ...), and "nodes", in which a parent stands before its children and a node's first child is the
main line:

    index   node
    0       {"parent": -1, "comment": "Jubango", "properties": "SZ[19]C[Jubango]"}       the root
    1       {"parent": 0, "move": "B Q16", "win_rate": 0.52, "lead": 1.5, "visits": 800, "properties": "..."}
    2       {"parent": 1, "move": "W D4", "properties": "W[dp]LB[pd:A]"}
    3       {"parent": 1, "stones": "...X...O", "first": "B", "properties": "AW[dp]"}     a variation
    4       {"parent": 3, "move": "B Q4", "time_left": 28.5, "overtime_left": 3}         a move of the page

**A node is one SGF node, and "properties" is all that the file has in it, as SGF text.**  The page writes
that text again, so nothing is lost that this program does not know, and nobody keeps another copy of the file.
"move" of a node with "properties" is for the page only.

"stones" ('X', 'O', '.', row by row from the top) and "first" are of a node after which the position has no history:
after setup stones, and after a move that the rules forbid; "illegal" then says why.  A node with "illegal" and without
"stones" leaves the board as it was.  "win_rate" is Black's win rate after the move, 0 to 1, "lead" Black's lead in
points, and "visits" the visits of the search that found them; in SGF they are the first line of the comment.
"time_left", the seconds that the side that moved had left, and "overtime_left", its periods then, are of moves of the
page only; in SGF they are BL and OB, or WL and OW.  Gomoku is GM[4] with RU[5 in a row] or RU[exactly 5 in a row].
"notice" says what of the file was not read.
"""
import re
from itertools import islice
from typing import Any

import numpy as np

from mugo.core.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import BoardSize, format_gtp, point_at, size_value
from mugo.games.go import GoPosition
from mugo.games.gomoku import interpret_row
from mugo.games.position import COLOUR_LETTERS, STONE_MARKS, BasePosition
from mugo.sgf.convert import rule_fields
from mugo.sgf.record_positions import empty_board_of, move_of, positions_of_nodes
from mugo.sgf.nodes import Node, format_properties
from mugo.sgf.parser import GameTree, read_records, read_trees
from mugo.sgf.record import INFO, BadRecord

MAX_NODES = 20_000                       # of one game; only joseki dictionaries have more
MAX_LISTED = 1000                        # games of a collection that are listed
LISTED = ("black", "white", "black_rank", "white_rank", "result", "date", "event")
WIN_RATE = re.compile(r"Black wins (\d{1,3}(?:\.\d)?) % \((\d{1,15}) visits(?:, ([BW])\+(\d{1,4}\.\d))?\)\s*", re.ASCII)


def format_move(colour: int, point: int, size: BoardSize) -> str:
    """'B Q16', 'W pass'."""
    return f"{COLOUR_LETTERS[colour]} {format_gtp(point, size)}"


# ---- the root position -------------------------------------------------------------------------

def game_from_position(position: BasePosition) -> dict:
    """A game without moves whose root position is `position`."""
    return start_from_position(position) | {"info": {}, "nodes": [{"parent": -1}]}


def start_from_position(position: BasePosition) -> dict:
    """What a request says of a game: all of it but "info" and "nodes"."""
    size = position.shape
    stones = position.stones
    points = {colour: [format_gtp(point_at(row, col, size), size)
                       for row, col in np.argwhere(stones == colour).tolist()] for colour in (BLACK, WHITE)}
    bonus = {"handicap_bonus": position.handicap_bonus, "rules": position.rules.name or position.rules.as_text(),
             "scoring": position.rules.scoring} if isinstance(position, GoPosition) else {}
    return {"name": position.game, "size": size_value(size), **rule_fields(position), **bonus, "black": points[BLACK],
            "white": points[WHITE], "first": COLOUR_LETTERS[position.to_play]}


# ---- reading -----------------------------------------------------------------------------------

def list_games(data: bytes) -> list[dict]:
    """The games of an SGF file, at most MAX_LISTED: the LISTED fields that each has, or its "error"."""
    return [{"error": str(record)} if isinstance(record, BadRecord) else
            {name: getattr(record, name) for name in LISTED if getattr(record, name)}
            for record in islice(read_records(data, gomoku=True, setup_anywhere=True, cut_off=True),
                                MAX_LISTED)]


def read_game(data: bytes, number: int = 0) -> dict:
    """A game of an SGF file, the first one by default; of a tree larger than MAX_NODES the first nodes.

    A game whose end is missing is read as far as it goes.  Raises BadInput if there is no such game, or its main line
    cannot be read.
    """
    trees = read_trees(data, gomoku=True, setup_anywhere=True, max_nodes=MAX_NODES, cut_off=True)
    tree = next(islice(trees, number, None), None)
    if tree is None:
        raise BadInput(f"the file has no game {number + 1}")
    if isinstance(tree, BadRecord):
        raise BadInput(str(tree))
    record = tree.record
    start, nodes = _start_and_nodes(tree)
    game = game_from_position(start) | {"nodes": nodes}
    game["info"] = {name: getattr(record, name) for name in INFO.values() if getattr(record, name)}
    if interpret_row(record.rules) and record.k:
        del game["info"]["rules"]            # redundant with "k" and "exactly"
    if tree.is_cut_off:
        game["notice"] = f"The file is cut off: the main line goes up to move {len(record.moves)}, and the end of " \
                         "the game is missing. A saved file has no more."
    if not tree.is_whole:
        part = f"the first {len(nodes):,} nodes" if len(nodes) == MAX_NODES else "the main line"
        game["notice"] = f"Of this game only {part} could be read. A saved file has no more."
    return game


def _start_and_nodes(tree: GameTree) -> tuple[BasePosition, list[dict]]:
    """The position after the root, and the nodes in JSON."""
    record, found = tree.record, []
    start = empty_board_of(record).with_turn(record.first_player)
    for node, played in zip(tree.nodes, positions_of_nodes(tree.nodes, start), strict=True):
        position = played.position
        written: dict[str, Any] = {"parent": node.parent}
        move = move_of(node.properties, record.shape)
        if node.parent < 0:
            start = position if move or "PL" in node.properties else position.with_turn(record.first_player)
        else:
            if move:
                written["move"] = format_move(*move, record.shape)
            if played.is_start:
                written["stones"] = "".join(STONE_MARKS[stone] for stone in position.stones.ravel().tolist())
                written["first"] = COLOUR_LETTERS[position.to_play]
        if played.illegal:
            written["illegal"] = played.illegal
        found.append(written | _comment_fields(node) | {"properties": format_properties(node.properties).decode()})
    return start, found


def _comment_fields(node: Node) -> dict:
    """The "comment", "win_rate", "lead" and "visits" of a node, as far as it has them."""
    text = node.text("C") or ""
    fields: dict[str, Any] = {}
    if match := WIN_RATE.search(text):
        fields["win_rate"], fields["visits"] = round(min(float(match[1]), 100) / 100, 3), int(match[2])
        if match[3]:
            fields["lead"] = float(match[4]) * (-1 if match[3] == "W" else 1)
        text = text[:match.start()] + text[match.end():]
    text = text.strip()
    return fields | ({"comment": text} if text else {})

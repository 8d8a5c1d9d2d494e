"""The position after each node of a tree: moves, and setup stones in any node (AB, AW, AE, PL).

    position -- play_node(properties) --> NodePosition(position, is_start, illegal)

A move that the rules allow is played; repetitions are allowed.  A node that sets up stones or the turn makes a *new
start*: the position after it has no history, so superko starts anew.  A move that the rules forbid is carried out as
SGF says (the stone is placed, and chains without liberties are removed), and makes a new start too.  What leads to no
position, as stones without liberties, leaves the board as it was.

Specification: https://www.red-bean.com/sgf/properties.html#B, #AB, #PL
"""
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import BoardSize, format_gtp, format_size, interpret_sgf, row_col
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES, BasePosition, IllegalMove
from mugo.sgf.nodes import Node, Properties, children_of
from mugo.sgf.parser import SETUP, interpret_setup
from mugo.sgf.record import BadRecord
from mugo.sgf.record_positions import why_illegal

_SETUP_OR_TURN = frozenset((*SETUP, "PL"))


class NodePosition(NamedTuple):
    """The position after a node.  is_start: whether it has no history.  illegal: why the rules forbid the node, ''."""
    position: BasePosition
    is_start: bool = False
    illegal: str = ""


def has_setup(properties: Properties) -> bool:
    """Whether a node sets up stones."""
    return any(value.strip() for ident in SETUP for value in properties.get(ident, ()))


def move_of(properties: Properties, size: BoardSize) -> tuple[int, int] | None:
    """(colour, point) of a node's move, Black's if it has two; None if there is none, or if it is not on the board."""
    for colour, letter in COLOUR_LETTERS.items():
        if letter in properties:
            try:
                return colour, interpret_sgf(properties[letter][0].decode("ascii", "replace").strip(), size)
            except ValueError:
                return None
    return None


def next_colours(nodes: Sequence[Node]) -> list[int]:
    """For each node the colour of the first move after it along first children; EMPTY if there is none."""
    colours = [EMPTY] * len(nodes)
    for index, children in reversed([*enumerate(children_of(nodes))]):
        if children:
            first = nodes[children[0]].properties
            colours[index] = BLACK if "B" in first else WHITE if "W" in first else colours[children[0]]
    return colours


def positions_of_nodes(nodes: Sequence[Node], start: BasePosition) -> Iterator[NodePosition]:
    """The position after each node, in order.  start: before the root, an empty board."""
    following = next_colours(nodes)
    waiting = [len(children) for children in children_of(nodes)]
    after: dict[int, BasePosition] = {-1: start}         # of the nodes whose children are not all played
    for index, node in enumerate(nodes):
        played = play_node(after[node.parent], node.properties, following[index])
        if waiting[index]:
            after[index] = played.position
        if node.parent >= 0:
            waiting[node.parent] -= 1
            if not waiting[node.parent]:
                del after[node.parent]
        yield played


def play_node(position: BasePosition, properties: Properties, next_colour: int = EMPTY) -> NodePosition:
    """The position after a node: its setup, then its move.

    next_colour: who is to move after a setup without PL, because the next move is this colour's; EMPTY: unknown, the
    turn stays.
    """
    is_start, illegal = False, ""
    if not properties.keys().isdisjoint(_SETUP_OR_TURN):
        try:
            after = _set_up(position, properties, next_colour)
            position, is_start = after, after is not position
        except (IllegalMove, BadRecord) as error:
            illegal = str(error)
    if properties.keys().isdisjoint(("B", "W")):
        return NodePosition(position, is_start, illegal)
    move = move_of(properties, position.shape)
    if move is None:
        value = properties["B" if "B" in properties else "W"][0][:20].decode("utf-8", "replace")
        return NodePosition(position, is_start, f"{value!r} is not a point on {format_size(position.shape)}")
    colour, point = move
    reason = why_illegal(position, point, colour)
    try:
        if not reason:
            return NodePosition(position.play_unchecked(point, colour), is_start, illegal)
    except IllegalMove as error:                         # too many moves
        reason = str(error)
    illegal = f"{COLOUR_NAMES[colour]} {format_gtp(point, position.shape)} {reason}"
    try:
        return NodePosition(_force(position, point, colour), True, illegal)
    except IllegalMove:
        return NodePosition(position, is_start, illegal)


def _set_up(position: BasePosition, properties: Properties, next_colour: int) -> BasePosition:
    """The position after AB, AW, AE and PL; `position` itself if they change nothing."""
    stones = position.stones.copy()
    setup = interpret_setup(properties, position.shape)
    for index, colour in setup.items():
        stones[divmod(index, position.shape[1])] = colour
    turn = properties["PL"][0].strip()[:1].upper() if "PL" in properties else b""
    to_play = {b"B": BLACK, b"W": WHITE}.get(turn) or (next_colour if setup else EMPTY) or position.to_play
    if to_play == position.to_play and np.array_equal(stones, position.stones):
        return position
    return position.with_board(stones, to_play)


def _force(position: BasePosition, point: int, colour: int) -> BasePosition:
    """The new start after a move that the rules forbid."""
    stones = position.stones.copy()
    if place := row_col(point, position.shape):
        stones[place] = EMPTY
        stones = position.with_board(stones, colour).play_unchecked(point, colour).stones
    return position.with_board(stones, -colour)

"""Record <-> Position, for Go and Gomoku.  The position of a file, and the file with the moves played since.

    Position -- record_from_position --> Record -- format_record --> SGF
    Position <-- record_positions.position_of -- Record <-- parser.read_records --- SGF
    file -- load_game --> LoadedGame.position -- play --> Position -- LoadedGame.with_lines --> SGF

A file is kept as its nodes (nodes.py) and new moves are added to them, so all that it contains is written again.
"""
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput, log_to_stderr
from mugo.core.version import VERSION
from mugo.games import coords
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import WHITE_BIT, board_points, format_sgf, move_index
from mugo.games.go import format_points
from mugo.games.gomoku import GomokuPosition, format_row
from mugo.games.position import COLOUR_LETTERS, BasePosition, IllegalMove
from mugo.games.rules import KOMI
from mugo.sgf.record_positions import empty_board_of, has_setup, move_of, next_colours, play_node, position_of
from mugo.sgf.nodes import Node, children_of, escaped, format_nodes, line_of_nodes, main_line
from mugo.sgf.parser import MAX_BYTES, GameTree, read_trees
from mugo.sgf.properties import GM_GO, GM_GOMOKU
from mugo.sgf.record import INFO, BadRecord, Record


def rule_fields(position: BasePosition) -> dict[str, Any]:
    """{"komi", "handicap"} of a position of Go, {"k", "exactly"} of one of Gomoku: fields of Record."""
    if isinstance(position, GomokuPosition):
        return {"k": position.k, "exactly": position.exactly}
    return {"komi": position.komi, "handicap": position.handicap}


def record_from_position(position: BasePosition, **info) -> Record:
    """The game that led to a position; `info` are further fields of Record (black, result, date, ...)."""
    def encoded(point: int, colour: int) -> int:
        return move_index(point, position.shape) + (WHITE_BIT if colour == WHITE else 0)

    start = next(iter(position.positions()))
    stones = zip(board_points(position.shape).tolist(), start.stones.ravel().tolist(), strict=True)
    moves = position.moves
    return Record(
        shape=position.shape, **rule_fields(position),
        setup=np.array([encoded(point, colour) for point, colour in stones if colour], np.int16),
        moves=np.array([encoded(point, colour) for colour, point in moves], np.int16),
        first_player=moves[0][0] if moves else position.to_play, **info)


@dataclass(frozen=True)
class LoadedGame:
    """A game from a file.

    position: the position to go on from.  nodes: those of the file.  start: the index of the node with which the
    history of the position begins.  shared_file: the file, if it has other games too.
    """
    position: BasePosition
    nodes: list[Node]
    start: int
    shared_file: Path | None = None

    def with_lines(self, lines: Iterable[tuple[Iterable[tuple[int, int]], str]]) -> str:
        """The file as SGF text, with moves that it does not have added.

        lines: each as its moves since `start`, (colour, point), and its SGF result or ''.  At the end of the main line
        the result is RE; elsewhere it is a comment on the last move.
        """
        nodes = list(self.nodes)
        nodes[0] = nodes[0].in_utf_8()
        for moves, result in lines:
            nodes, index = self._add_line(nodes, list(moves))
            if result and index == main_line(nodes)[-1]:
                nodes[0] = nodes[0].with_values(RE=escaped(result))
            elif result:
                comment = "\n".join(filter(None, (nodes[index].text("C"), f"Result: {result}")))
                nodes[index] = nodes[index].with_values(C=escaped(comment))
        return format_nodes(nodes).decode()

    def _add_line(self, nodes: list[Node], moves: list[tuple[int, int]]) -> tuple[list[Node], int]:
        """The nodes with those of a line that were missing, and the index of its last one."""
        index, size = self.start, self.position.shape
        own = move_of(nodes[index].properties, size)     # of a node with setup and a move, or of a root with a move
        position = next(iter(self.position.positions()))
        if own and moves[:1] == [own]:
            position = position.play_unchecked(own[1], own[0])
            del moves[0]
        elif own and moves:
            nodes = _with_move_apart(nodes, index)
        children, colours = children_of(nodes), next_colours(nodes)
        for colour, point in moves:
            following = self._node_of_move(nodes, children, colours, index, position, (colour, point))
            position = position.play_unchecked(point, colour)
            if following is None:
                following = len(nodes)
                nodes.append(Node(index, {COLOUR_LETTERS[colour]: [format_sgf(point, size).encode()]}))
                children[index].append(following)
                children.append([])
            index = following
        return nodes, index

    def _node_of_move(self, nodes: list[Node], children: list[list[int]], colours: list[int], index: int,
                      position: BasePosition, move: tuple[int, int]) -> int | None:
        """The node of a move below a node, where only nodes without a move stand between them; None: there is none.
        colours: next_colours of the nodes.  position: after the node."""
        stack = [*reversed(children[index])]
        while stack:
            index = stack.pop()
            properties = nodes[index].properties
            if has_setup(properties) and play_node(position, properties, colours[index]).is_start:
                continue                                 # another board
            found = move_of(properties, self.position.shape)
            if found == move:
                return index
            if found is None:
                stack += reversed(children[index])
        return None


def _with_move_apart(nodes: list[Node], index: int) -> list[Node]:
    """The nodes with the move of one in a node of its own, so that another move can follow in its place."""
    letter = "B" if "B" in nodes[index].properties else "W"
    move = Node(index, {letter: nodes[index].properties[letter]})
    apart = [Node(len(nodes), node.properties) if node.parent == index else node for node in nodes]
    apart[index] = apart[index].with_values(**{letter: None})
    return [*apart, move]


def load_game(path: str | os.PathLike, num_moves: int | None = None, komi: float = KOMI, game: str | None = None,
              notice: Callable[[str], object] = log_to_stderr) -> LoadedGame:
    """The first game in an SGF file, at the position after the first `num_moves` moves of its main line (default: all).

    Setup stones may stand in any node; after them the position has no history.  komi: for a game of Go whose record has
    none.  game: "go" or "gomoku" if it must be that game.  notice: called with a line if the file has more games, fewer
    moves, or variations that cannot be read.  Raises BadInput, which names the file, and OSError.
    """
    path = Path(path)
    if not path.is_file():                 # a device could block forever
        raise BadInput(f"{path} is not a file")
    if (size := path.stat().st_size) > MAX_BYTES:
        raise BadInput(f"{path}: {size:,} bytes of SGF; the limit is {MAX_BYTES:,}")
    first, *others = islice(read_trees(path.read_bytes(), gomoku=True, setup_anywhere=True), 2)
    if isinstance(first, BadRecord):
        raise BadInput(f"{path}: {first}")
    game_of_file = "gomoku" if first.record.k else "go"
    if game is not None and game != game_of_file:
        raise BadInput(f"{path} is a game of {game_of_file.capitalize()}, not of {game.capitalize()}")
    try:
        loaded = replay_tree(first, num_moves, komi)
    except (IllegalMove, BadInput) as bad:
        raise BadInput(f"{path}: {bad}") from None
    if any(isinstance(other, GameTree) for other in others):
        notice(f"{path} has several games; this is the first")
        loaded = replace(loaded, shared_file=path)
    last = len(first.record.moves)
    if num_moves is not None and num_moves > last:
        notice(f"{path} has no move {num_moves}; this is the position after move {last}, the last one")
    if not first.is_whole:
        notice(f"{path}: only the main line could be read, without variations")
    return loaded


def replay_tree(tree: GameTree, num_moves: int | None = None, komi: float = KOMI) -> LoadedGame:
    """A game that was read, after the first `num_moves` moves of its main line; arguments as in load_game.  Raises
    IllegalMove, which gives the number of the move, and BadInput."""
    if tree.record.has_later_setup:
        return _load_later_setup(tree, num_moves, komi)
    return LoadedGame(position_of(tree.record, num_moves, komi), tree.nodes, _start_of(tree.nodes))


def load_position(path: str | os.PathLike, num_moves: int | None = None, komi: float = KOMI, game: str | None = None
                  ) -> BasePosition:
    """The position of load_game, with the same arguments and exceptions."""
    return load_game(path, num_moves, komi, game).position


def _start_of(nodes: list[Node]) -> int:
    """The last node of the main line that sets up stones before the first move; the root if there is none."""
    start = 0
    for index in main_line(nodes):
        start = index if has_setup(nodes[index].properties) else start
        if not nodes[index].properties.keys().isdisjoint(("B", "W")):
            break
    return start


def _load_later_setup(tree: GameTree, num_moves: int | None, komi: float) -> LoadedGame:
    """A game with setup stones after its first move.  Raises IllegalMove."""
    position, start, moves = empty_board_of(tree.record, komi).with_turn(tree.record.first_player), 0, 0
    colours = next_colours(tree.nodes)
    for index in main_line(tree.nodes):
        properties = tree.nodes[index].properties
        has_move = not properties.keys().isdisjoint(("B", "W"))
        if has_move and moves == num_moves:
            position = position.with_turn(BLACK if "B" in properties else WHITE)
            break
        moves += has_move
        played = play_node(position, properties, colours[index])
        if played.illegal:
            raise IllegalMove(f"move {moves}: {played.illegal}" if has_move else
                              f"the setup after move {moves}: {played.illegal}")
        position, start = played.position, index if played.is_start else start
    return LoadedGame(position, tree.nodes, start)


# ---- a record as text

def format_record(record: Record, comments: Mapping[int, str] | None = None) -> str:
    """The game as SGF text.  comments: move number (from 1; 0 is the root node) -> comment (C).

    The root's comment begins with startTurnIdx=N, as KataGo writes it, if the first N moves are an opening.
    """
    root = {"FF": [b"4"], "GM": [GM_GOMOKU if record.k else GM_GO], "CA": [b"UTF-8"],
            "AP": [f"MuGo:{VERSION}".encode()], "SZ": [coords.format_sgf_size(record.shape).encode()]}
    info = {ident: getattr(record, name) for ident, name in INFO.items()}
    info |= {"RU": format_row(record.k, record.exactly) if record.k else record.rules,
             "KM": "" if record.komi is None else format_points(record.komi),
             "HA": str(record.handicap) if record.handicap else ""}
    root.update({ident: [escaped(text)] for ident, text in info.items() if text})
    for encoded in record.setup.tolist():
        root.setdefault("AW" if encoded & WHITE_BIT else "AB", []).append(_format_move(encoded, record.shape))
    if len(record.setup) or record.first_player == WHITE:
        root["PL"] = [b"W" if record.first_player == WHITE else b"B"]
    nodes = line_of_nodes(Node(-1, root), [("W" if encoded & WHITE_BIT else "B", _format_move(encoded, record.shape))
                                           for encoded in record.moves.tolist()])
    comments = dict(comments or {})
    if record.opening_moves:
        comments[0] = f"startTurnIdx={record.opening_moves}\n{comments.get(0, '')}".strip()
    for number, text in comments.items():
        nodes[number].properties["C"] = [escaped(text)]
    return format_nodes(nodes).decode()


def _format_move(encoded: int, size: coords.BoardSize) -> bytes:
    return coords.format_sgf(coords.point_of_index(encoded & WHITE_BIT - 1, size), size).encode()

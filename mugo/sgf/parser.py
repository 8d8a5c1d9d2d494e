"""SGF bytes -> Records (FF[1] to FF[4]; GM[1] Go, on request GM[4] Gomoku).

    bytes of a file
       | to_sgf                    GIB, NGF and UGF as SGF
       | encoding.to_utf8          byte-order marks, character sets, truncated characters
       | collection.split_games    the games of a collection, and the main line of each
       | nodes.parse_game          a list of nodes: {'B': [b'pd'], 'C': [b'Hello']}
       | properties                komi, result, date, handicap
       v
    Record or BadRecord

Legality is not checked here: it needs a board.  In Gomoku the rules say what wins: RU[exactly 5 in a row].
"""
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mugo.games import coords
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import WHITE_BIT, BoardSize
from mugo.games.gomoku import default_row, interpret_row
from mugo.sgf import gib, ngf, ugf
from mugo.sgf.collection import GameText, split_games
from mugo.sgf.encoding import to_utf8
from mugo.sgf.nodes import LOWER_CASE, Node, Properties, format_nodes, moves_in, one_move_each, parse_game
from mugo.sgf.properties import (
    GM_GO,
    GM_GOMOKU,
    interpret_date,
    interpret_handicap,
    interpret_komi,
    interpret_opening_moves,
    interpret_result,
    property_text,
)
from mugo.sgf.record import INFO, BadRecord, Record

MAX_BYTES = 32 << 20                # read at once; the largest commented joseki dictionaries have 5 MB
MAX_TREE_BYTES = 4 << 20            # of a file whose variations are kept (read_trees)
MAX_RECORD_BYTES = 1 << 20          # of a record in another format; its nodes take 50 times as much memory
SUFFIXES = (".gib", ".ngf", ".ugf", ".ugi")      # of records in other formats
_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], list[Node]]], ...] = (
    (gib.is_gib, gib.read_gib), (ngf.is_ngf, ngf.read_ngf), (ugf.is_ugf, ugf.read_ugf))


def read_records(data: bytes, gomoku: bool = False, setup_anywhere: bool = False, cut_off: bool = False
                 ) -> Iterator[Record | BadRecord]:
    """The games of an SGF file, in order; a BadRecord in the place of an unusable one.  Never raises.

    gomoku: also read Gomoku, GM[4].  setup_anywhere: also read games with setup stones after the first move, which have
    Record.has_later_setup and only record_positions.play_node replays, and games with several moves in one node.
    cut_off: read what there is of a game whose end is missing, without its moves outside the board.
    """
    for found in read_texts(data, gomoku, setup_anywhere=setup_anywhere, cut_off=cut_off):
        yield found if isinstance(found, BadRecord) else found[0]


class GameTree(NamedTuple):
    """A game with its whole tree.

    nodes: in UTF-8, with all properties.  is_whole: whether they are all; else only the main line could be read.
    is_cut_off: whether the end of the game is missing.
    """
    record: Record
    nodes: list[Node]
    is_whole: bool
    is_cut_off: bool = False


def read_trees(data: bytes, gomoku: bool = False, *, setup_anywhere: bool = False, max_nodes: int | None = None,
               cut_off: bool = False) -> Iterator[GameTree | BadRecord]:
    """As `read_records`, each game with its whole tree in UTF-8: variations, comments, all properties.

    max_nodes: at most this number of nodes is read.  Only the main line is read of a game larger than MAX_TREE_BYTES,
    and of one that is malformed in a variation.  A node with several moves becomes a node for each.
    """
    for found in read_texts(data, gomoku, setup_anywhere=setup_anywhere, cut_off=cut_off):
        yield found if isinstance(found, BadRecord) else tree_of(*found, max_nodes)


def read_texts(data: bytes, gomoku: bool = False, *, setup_anywhere: bool = False, cut_off: bool = False
               ) -> Iterator[tuple[Record, GameText] | BadRecord]:
    """As `read_records`, each game with its text, of which `tree_of` reads the rest."""
    for game in _games(data, cut_off):
        if isinstance(game, BadRecord):
            yield game
        else:
            record = _record(game, gomoku, setup_anywhere, cut_off)
            yield record if isinstance(record, BadRecord) else (record, game)


def tree_of(record: Record, game: GameText, max_nodes: int | None = None) -> GameTree:
    """The whole tree of a game that `read_texts` gives.  max_nodes: see `read_trees`."""
    try:
        if len(game.whole) > MAX_TREE_BYTES and max_nodes is None:
            raise ValueError("too large")
        nodes = parse_game(game.whole, None if max_nodes is None else max_nodes + 1)
        is_whole = max_nodes is None or len(nodes) <= max_nodes
    except ValueError:
        nodes, is_whole = parse_game(game.main_line, max_nodes), False
    return GameTree(record, one_move_each(nodes[:max_nodes]), is_whole, game.is_cut_off)


def count_games(data: bytes) -> int:
    """How many games `read_records` finds, the unusable ones included."""
    return sum(1 for _ in _games(data))


def _games(data: bytes, cut_off: bool = False) -> Iterator[GameText | BadRecord]:
    """The texts of the games of an SGF file, in UTF-8."""
    if len(data) > MAX_BYTES:
        yield BadRecord("too large", f"{len(data):,} bytes of SGF; the limit is {MAX_BYTES:,}")
        return
    try:
        text = to_utf8(to_sgf(data))
    except BadRecord as bad:
        yield bad
        return
    found = False
    for game in split_games(text, cut_off):
        found = True
        yield game
    if not found:
        yield BadRecord("not SGF", "no game found: an SGF game begins with '(;', and it is not GIB, NGF or UGF either")


def to_sgf(data: bytes) -> bytes:
    """A file's text as SGF in UTF-8, if it is a record in one of these formats; else the text itself.

    Raises BadRecord if it is one of them and malformed.
    """
    for is_format, read in _FORMATS:
        if is_format(data):
            if len(data) > MAX_RECORD_BYTES:
                raise BadRecord("too large", f"{len(data):,} bytes; the limit is {MAX_RECORD_BYTES:,}")
            try:
                return format_nodes(read(data))
            except ValueError as error:
                raise error if isinstance(error, BadRecord) else BadRecord("malformed record", str(error)) from None
    return data


_VALUE = rb"\s*+\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]"
_ROOT = re.compile(rb"\(\s*+;(?:\s*+[A-Za-z]{1,64}+(?:" + _VALUE + rb")++)*+\s*+", re.DOTALL)
_PROPERTY = re.compile(rb"([A-Za-z]*+)\s*+\[([^\\\]]*+(?:\\.[^\\\]]*+)*+)\]", re.DOTALL)
# What nodes have besides a move in most games: clocks, comments and white space.
_BESIDES_MOVES = re.compile(rb"(?<=\])\s*+(?:[BW]L|O[BW]|C)" + _VALUE + rb"|(?<=[\];])\s++", re.DOTALL)


def _record(game: GameText, gomoku: bool, setup_anywhere: bool, cut_off: bool) -> Record | BadRecord:
    try:
        if (root := _ROOT.match(game.main_line)) and (
                plain := _plain_moves(game.main_line[root.end():-1])) is not None:
            return _interpret_nodes([_plain_root(root[0])], plain, gomoku, setup_anywhere, cut_off)
        nodes = [node.properties for node in parse_game(game.main_line)]
        return _interpret_nodes(nodes, None, gomoku, setup_anywhere, cut_off)
    except BadRecord as bad:
        return bad
    except ValueError as error:
        return BadRecord("malformed SGF", str(error))


def _plain_moves(text: bytes) -> np.ndarray | None:
    """The moves of a text of nodes, each with a move and at most clocks and comments; None for any other text.

        b";B[pd]BL[59];W[]"   -->   uint8 (2, 6), b";B[pd]" and b";W[tt]"

    Most games are such a text, and it is read many times as fast as by `parse_game`.
    """
    for moves_alone in text.rstrip(), _BESIDES_MOVES.sub(b"", text).replace(b"[]", b"[tt]"):
        if len(moves_alone) % len(_MOVE) == 0:
            moves = np.frombuffer(moves_alone, np.uint8).reshape(-1, len(_MOVE))
            marks, colours = moves[:, [0, 2, 5]], moves[:, 1]
            if (marks == _MOVE[[0, 2, 5]]).all() and ((colours == ord("B")) | (colours == ord("W"))).all():
                return moves
    return None


def _plain_root(text: bytes) -> Properties:
    """The properties of a text that _ROOT matches."""
    properties: Properties = {}
    values: list[bytes] = []
    for ident, value in _PROPERTY.findall(text):
        if ident:
            values = properties.setdefault((ident.translate(None, LOWER_CASE) or ident).decode(), [])
        values.append(value)
    return properties


_MOVE = np.frombuffer(b";B[aa]", np.uint8)


SETUP = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}
_INFO = INFO.keys() | {"GN", "KM", "HA", "PL", "AP", "TC"}


def _interpret_nodes(nodes: list[Properties], plain: np.ndarray | None, gomoku: bool, setup_anywhere: bool,
                     cut_off: bool) -> Record:
    """The Record of a main line.  plain: the moves after these nodes (`_plain_moves`).  Raises BadRecord."""
    root = nodes[0]
    game = root.get("GM", [GM_GO])[0].strip() or GM_GO
    if game != GM_GO and not (gomoku and game == GM_GOMOKU):
        raise BadRecord("not Go", f"GM[{property_text(root, 'GM')}] is another game; Go is GM[1]"
                                  + ", Gomoku GM[4]" * gomoku)
    is_go = game == GM_GO
    shape = _interpret_size(root, "19" if is_go else "")
    info = _collect_info(nodes)
    setup, moves, has_later_setup = _collect(nodes, shape, setup_anywhere, cut_off)
    if plain is not None:
        moves += _encoded(plain, shape, len(moves) + 1, cut_off)
    stones = [index + (WHITE_BIT if colour == WHITE else 0) for index, colour in sorted(setup.items())]
    handicap = interpret_handicap(info, stones, moves, shape) if is_go else 0
    if moves:
        first_player = WHITE if moves[0] >= WHITE_BIT else BLACK
    else:
        to_play = property_text(info, "PL")[:1].upper()
        first_player = WHITE if to_play == "W" or to_play != "B" and handicap and stones else BLACK
    texts = {name: property_text(info, ident) for ident, name in INFO.items()}
    texts |= {"result": interpret_result(texts["result"], shape), "date": interpret_date(texts["date"]),
              "event": texts["event"] or property_text(info, "GN")}
    k, exactly = (0, False) if is_go else interpret_row(texts["rules"]) or (default_row(shape), False)
    return Record(
        shape=shape, setup=np.array(stones, np.int16), moves=np.array(moves, np.int16), first_player=first_player,
        komi=interpret_komi(info) if is_go else None, handicap=handicap,
        **texts, k=k, exactly=exactly, opening_moves=min(interpret_opening_moves(root), len(moves)),
        has_later_setup=has_later_setup)


# In the root of a file of Sina and other Chinese sites, which has a komi in KO.  In SGF these are properties of moves.
_SINA = {"KO": "KM", "TE": "EV", "RD": "DT"}


def _collect_info(nodes: Sequence[Properties]) -> Properties:
    """The game-info properties of a main line.  If one is given twice, the first value that is not empty or ?."""
    info: Properties = {}
    if nodes[0].get("KO", [b""])[0].strip():
        info = {name: nodes[0][ident] for ident, name in _SINA.items() if ident in nodes[0]}
        nodes = [{ident: values for ident, values in nodes[0].items() if ident not in _SINA}, *nodes[1:]]
    for node in nodes:
        if len(node) > 1 or "B" not in node and "W" not in node:
            for ident in node.keys() & _INFO:
                if ident not in info or not _says_something(info[ident][0]):
                    values = node[ident]
                    info[ident] = next((values[i:] for i, value in enumerate(values) if _says_something(value)), values)
    return info


def _says_something(value: bytes) -> bool:
    return bool(value.strip(b" \t\r\n?-"))


def _collect(nodes: list[Properties], size: BoardSize, setup_anywhere: bool, cut_off: bool
             ) -> tuple[dict[int, int], list[int], bool]:
    """({move index: colour} of the setup stones, encoded moves, whether stones are set up after the first move)."""
    index_of = _index_table(size)
    setup: dict[int, int] = {}
    moves: list[int] = []
    has_later_setup = False
    for node in nodes:
        if (len(node) > 1 or "B" not in node and "W" not in node) and not node.keys().isdisjoint(SETUP):
            stones = interpret_setup(node, size)
            if stones and moves and not setup_anywhere:
                ident = next(ident for ident in SETUP if any(value.strip() for value in node.get(ident, ())))
                raise BadRecord("setup after the first move", f"after move {len(moves)}: {ident} edits the board")
            has_later_setup |= bool(stones and moves)
            if not moves:
                setup |= stones
        if "B" in node:
            values, bit, several = node["B"], 0, "W" in node
        elif "W" in node:
            values, bit, several = node["W"], WHITE_BIT, False
        else:
            continue
        if several or len(values) > 1:
            played = [(WHITE_BIT if ident == "W" else 0, raw) for ident, raw in moves_in(node)]
            if not setup_anywhere:
                raise BadRecord("several moves in a node", f"after move {len(moves)}: a node with {len(played)} moves")
        else:
            played = ((bit, values[0]),)
        for bit, raw in played:
            index = index_of.get(raw, index_of.get(raw.strip()))
            if index is None and cut_off:
                continue
            if index is None:
                index = _interpret_index(raw.strip(), size, "move outside the board", f"move {len(moves) + 1}")
            moves.append(index + bit)
    return {index: colour for index, colour in setup.items() if colour != EMPTY}, moves, has_later_setup


def _interpret_size(root: Properties, default: str) -> tuple[int, int]:
    """(rows, columns) of SZ: "19", or "13:9", columns and rows; "9:9", which SGF forbids, and "13x9" are read too."""
    text = property_text(root, "SZ") or default
    match = re.fullmatch(r"(\d{1,3})(?:\s*[:x]\s*(\d{1,3}))?", text, re.ASCII)
    cols, rows = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not coords.MIN_SIZE <= min(cols, rows) <= max(cols, rows) <= coords.MAX_SIZE:
        raise BadRecord("unsupported board size", f"SZ[{text}]; boards of {coords.MIN_SIZE} to {coords.MAX_SIZE} "
                                                  "columns and rows are supported")
    return rows, cols


@functools.cache
def _index_table(size: BoardSize) -> dict[bytes, int]:
    """{SGF move value: move index} for all points and passes."""
    table = {coords.format_sgf(coords.point_of_index(index, size), size).encode(): index
             for index in range(coords.area_of(size) + 1)}
    return table | {value.encode(): coords.area_of(size) for value in coords.sgf_passes(size)}


@functools.cache
def _letter_table(size: BoardSize) -> np.ndarray:
    """int16 (256, 256): the move index of two letters; -1 for those that are no point."""
    table = np.full((256, 256), -1, np.int16)
    for raw, index in _index_table(size).items():
        if raw:
            table[raw[0], raw[1]] = index
    return table


def _encoded(plain: np.ndarray, size: BoardSize, number: int, cut_off: bool) -> list[int]:
    """What `_plain_moves` gives as encoded moves, the first of which has this number.  Raises BadRecord for one that is
    not on the board, which cut_off leaves out."""
    indices = _letter_table(size)[plain[:, 3], plain[:, 4]]
    if cut_off:
        plain, indices = plain[indices >= 0], indices[indices >= 0]
    for k in np.flatnonzero(indices < 0):
        indices[k] = _interpret_index(plain[k, 3:5].tobytes().strip(), size, "move outside the board",
                                      f"move {number + k}")
    return (indices + (plain[:, 1] == ord("W")) * np.int16(WHITE_BIT)).tolist()


def _interpret_index(raw: bytes, size: BoardSize, reason: str, place: str) -> int:
    """The move index of an SGF value.  Raises BadRecord with `reason`, and `place` in its details."""
    try:
        return _index_table(size)[raw]
    except KeyError:
        value = raw[:20].decode("utf-8", "replace")
        raise BadRecord(reason, f"{place}: {value!r} is not a point on {coords.format_size(size)} "
                                f"(aa-{coords.last_sgf_point(size)})") from None


def interpret_setup(node: Properties, size: BoardSize) -> dict[int, int]:
    """{move index: BLACK, WHITE or EMPTY} of AB, AW and AE of a node; a later stone replaces an earlier one.

    Raises BadRecord for a point that is not on the board.
    """
    rows, cols = coords.shape_of(size)
    setup: dict[int, int] = {}
    for ident in SETUP:
        for raw in node.get(ident, ()):
            if not raw.strip():
                continue            # AB[] sets up nothing
            corners = [divmod(_interpret_index(corner.strip(), size, "setup outside the board", f"setup {ident}"), cols)
                       for corner in raw.split(b":", 1)]
            (top, left), (bottom, right) = corners[0], corners[-1]
            if max(top, bottom) == rows:
                raise BadRecord("setup outside the board", f"setup {ident}: a pass is not a point")
            for row in range(min(top, bottom), max(top, bottom) + 1):
                for col in range(min(left, right), max(left, right) + 1):
                    setup[row * cols + col] = SETUP[ident]
    return setup

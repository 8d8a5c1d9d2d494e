"""SGF bytes -> Records (FF[1] to FF[4]; GM[1] Go, on request GM[4] Gomoku).

    bytes of a file
       | encoding.to_utf8          byte-order marks, character sets, truncated characters
       | collection.main_lines     the games of a collection, variations left out
       | sgfmill's grammar         a list of nodes: {'B': [b'pd'], 'C': [b'Hello']}
       | properties                komi, result, date, handicap
       v
    Record or BadRecord

Legality is not checked here: it needs a board.  In Gomoku the rules say what wins: RU[exactly 5 in a row].
"""
import functools
import re
from collections.abc import Iterator

import numpy as np
from sgfmill import sgf_grammar

from mugo.games import coords
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import WHITE_BIT
from mugo.games.gomoku import default_row, interpret_row
from mugo.sgf.collection import main_lines
from mugo.sgf.encoding import to_utf8
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
from mugo.sgf.record import BadRecord, Record

MAX_BYTES = 32 << 20                # of one file; the largest commented joseki dictionaries have 5 MB
MAX_GAMES, GAME_BYTES = 100_000, 64  # of one file: so many games, and one for each so many bytes; a real game has 300
MAX_TREE_BYTES = 4 << 20            # of a file whose variations are kept (read_trees)

Node = dict[str, list[bytes]]


def read_records(data: bytes, gomoku: bool = False) -> Iterator[Record | BadRecord]:
    """The games of an SGF file, in order; a BadRecord in the place of an unusable one.  Never raises.

    gomoku: read Gomoku too; otherwise a game of Gomoku is a BadRecord.
    """
    if len(data) > MAX_BYTES:
        yield BadRecord("too large", f"{len(data):,} bytes of SGF; the limit is {MAX_BYTES:,}")
        return
    found, most = False, min(MAX_GAMES, 100 + len(data) // GAME_BYTES)
    for number, game in enumerate(main_lines(to_utf8(data))):
        found = True
        if number == most:
            yield BadRecord("too many games", f"a file of this size may have {most:,} games; what follows was not read")
            return
        if isinstance(game, BadRecord):
            yield game
            continue
        try:
            yield _interpret_nodes(sgf_grammar.parse_sgf_game(game).sequence, gomoku)
        except BadRecord as bad:
            yield bad
        except ValueError as error:
            yield BadRecord("malformed SGF", str(error))
    if not found:
        yield BadRecord("not SGF", "no game found: an SGF game begins with '(;'")


def read_trees(data: bytes) -> Iterator[tuple[Record | BadRecord, sgf_grammar.Coarse_game_tree | None]]:
    """As `read_records`, each game with its whole tree in UTF-8: variations, comments, all properties.

    The tree is the main line alone if the file's brackets do not match or it is larger than MAX_TREE_BYTES;
    None for a BadRecord.
    """
    records = list(read_records(data))
    if len(data) > MAX_BYTES:
        yield records[0], None
        return
    text = to_utf8(data)
    try:
        trees = sgf_grammar.parse_sgf_collection(text) if len(text) <= MAX_TREE_BYTES else []
    except ValueError:
        trees = []
    if len(trees) != len(records):
        trees = [None if isinstance(game, BadRecord) or isinstance(record, BadRecord)
                 else sgf_grammar.parse_sgf_game(game)
                 for record, game in zip(records, main_lines(text), strict=False)] or [None]
    for record, tree in zip(records, trees, strict=True):
        if isinstance(record, BadRecord) or tree is None:
            yield record, None
            continue
        tree.sequence[0].update(CA=[b"UTF-8"], SZ=[str(record.size).encode()])
        yield record, tree


_SETUP = {"AB": BLACK, "AW": WHITE, "AE": 0}
_INFO = frozenset("PB PW BR WR DT EV GN PC RU RE KM HA PL AP TC".split())


def _interpret_nodes(nodes: list[Node], gomoku: bool) -> Record:
    """The Record of a main line.  Raises BadRecord."""
    root = nodes[0]
    game = root.get("GM", [GM_GO])[0].strip() or GM_GO
    if game != GM_GO and not (gomoku and game == GM_GOMOKU):
        raise BadRecord("not Go", f"GM[{property_text(root, 'GM')}] is another game; Go is GM[1]"
                                  + ", Gomoku GM[4]" * gomoku)
    is_go = game == GM_GO
    size = _interpret_size(root, "19" if is_go else "")
    info, setup, moves = _collect(nodes, size)
    stones = [index + (WHITE_BIT if colour == WHITE else 0) for index, colour in sorted(setup.items())]
    handicap = interpret_handicap(info, stones, moves) if is_go else 0
    if moves:
        first_player = WHITE if moves[0] >= WHITE_BIT else BLACK
    else:
        to_play = property_text(info, "PL")[:1].upper()
        first_player = WHITE if to_play == "W" or to_play != "B" and handicap and stones else BLACK
    rules = property_text(info, "RU")
    k, exactly = (0, False) if is_go else interpret_row(rules) or (default_row(size), False)
    return Record(
        size=size, setup=np.array(stones, np.int16), moves=np.array(moves, np.int16), first_player=first_player,
        komi=interpret_komi(info) if is_go else None, handicap=handicap,
        result=interpret_result(property_text(info, "RE"), size),
        black=property_text(info, "PB"), white=property_text(info, "PW"),
        black_rank=property_text(info, "BR"), white_rank=property_text(info, "WR"),
        date=interpret_date(property_text(info, "DT")),
        event=property_text(info, "EV") or property_text(info, "GN"), place=property_text(info, "PC"),
        rules=rules, k=k, exactly=exactly, opening_moves=min(interpret_opening_moves(root), len(moves)))


def _collect(nodes: list[Node], size: int) -> tuple[Node, dict[int, int], list[int]]:
    """(game-info properties, {move index: colour} of the setup stones, encoded moves) of a main line."""
    index_of = _index_table(size)
    info: Node = {}
    setup: dict[int, int] = {}
    moves: list[int] = []
    for node in nodes:
        if len(node) > 1 or "B" not in node and "W" not in node:
            for ident in node.keys() & _INFO:
                info.setdefault(ident, node[ident])
            if not node.keys().isdisjoint(_SETUP):
                _add_setup(node, size, moves, setup)
        # A node has one move.  If it has more, Black's first one counts, as in sgfmill.
        if "B" in node:
            raw, bit = node["B"][0], 0
        elif "W" in node:
            raw, bit = node["W"][0], WHITE_BIT
        else:
            continue
        index = index_of.get(raw)
        if index is None:
            index = _interpret_index(raw.strip(), size, "move outside the board", f"move {len(moves) + 1}")
        moves.append(index + bit)
    return info, setup, moves


def _interpret_size(root: Node, default: str) -> int:
    text = property_text(root, "SZ") if "SZ" in root else default
    match = re.fullmatch(r"(\d{1,3})(?:\s*[:x]\s*(\d{1,3}))?", text, re.ASCII)
    if not match or match[2] and int(match[1]) != int(match[2]) \
            or not coords.MIN_SIZE <= int(match[1]) <= coords.MAX_SIZE:
        raise BadRecord("unsupported board size", f"SZ[{text}]; square boards of {coords.MIN_SIZE} to "
                                                  f"{coords.MAX_SIZE} are supported")
    return int(match[1])


@functools.cache
def _index_table(size: int) -> dict[bytes, int]:
    """{SGF move value: move index} for all points and passes."""
    table = {coords.format_sgf(coords.point_of_index(index, size), size).encode(): index
             for index in range(size * size + 1)}
    return table | {b"tt": size * size}


def _interpret_index(raw: bytes, size: int, reason: str, place: str) -> int:
    """The move index of an SGF value.  Raises BadRecord with `reason`, and `place` in its details."""
    try:
        return _index_table(size)[raw]
    except KeyError:
        last = coords.SGF_LETTERS[size - 1]
        value = raw[:20].decode("utf-8", "replace")
        raise BadRecord(reason, f"{place}: {value!r} is not a point on {size}x{size} (aa-{last}{last})") from None


def _add_setup(node: Node, size: int, moves: list[int], setup: dict[int, int]) -> None:
    """Apply AB, AW and AE of a node to `setup`, {move index: colour}; a later stone replaces an earlier one."""
    for ident in node.keys() & _SETUP.keys():
        for raw in node[ident]:
            if not raw.strip():
                continue            # AB[] sets up nothing
            if moves:
                raise BadRecord("setup after the first move", f"after move {len(moves)}: {ident} edits the board")
            corners = [divmod(_interpret_index(corner.strip(), size, "setup outside the board", f"setup {ident}"), size)
                       for corner in raw.split(b":", 1)]
            (top, left), (bottom, right) = corners[0], corners[-1]
            if max(top, bottom) == size:
                raise BadRecord("setup outside the board", f"setup {ident}: a pass is not a point")
            for row in range(min(top, bottom), max(top, bottom) + 1):
                for col in range(min(left, right), max(left, right) + 1):
                    if ident == "AE":
                        setup.pop(row * size + col, None)
                    else:
                        setup[row * size + col] = _SETUP[ident]

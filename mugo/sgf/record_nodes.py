"""Nodes of a tree, of the properties of a record in another format: what gib, ngf and ugf share."""
from mugo.games.coords import MAX_SIZE, MIN_SIZE, format_sgf, point_at
from mugo.games.go import fixed_handicap, format_points
from mugo.sgf.nodes import Node, escaped
from mugo.sgf.record import BadRecord

MAX_HANDICAP = 9                         # stones of these formats


def decode(data: bytes, codec: str) -> str:
    """The text of a record: in UTF-8, else by this codec."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(codec, "replace")


def root_node(size: int, komi: float | None = None, handicap: int = 0, stones: list[bytes] | None = None, **info: str
              ) -> Node:
    """The root of a game of Go.

    stones: of a handicap, as SGF values; None: if there are two or more, those on the fixed points.  info: properties
    by their identifiers, of which the empty ones are left out.  Raises BadRecord for a size or a handicap out of range.
    """
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise BadRecord("unsupported board size", f"{size}; boards of {MIN_SIZE} to {MAX_SIZE} are supported")
    properties = {"FF": [b"4"], "GM": [b"1"], "CA": [b"UTF-8"], "SZ": [str(size).encode()]}
    if komi is not None:
        properties["KM"] = [format_points(komi).encode()]
    if handicap >= 2:
        properties["HA"] = [str(handicap).encode()]
    properties |= {ident: [escaped(text.strip())] for ident, text in info.items() if text.strip()}
    if stones is None and handicap >= 2:
        try:
            stones = [format_sgf(point, size).encode() for point in fixed_handicap(size, handicap)]
        except ValueError as error:
            raise BadRecord("handicap stones missing", str(error)) from None
    return Node(-1, properties | ({"AB": stones} if stones else {}))


def move_value(col: int, row: int, size: int, place: str) -> bytes:
    """The SGF value of a move, counted from 0 at the upper left.  Raises BadRecord, which names the place."""
    if not (0 <= col < size and 0 <= row < size):
        raise BadRecord("move outside the board", f"{place}: column {col + 1}, row {row + 1} of {size}x{size}")
    return format_sgf(point_at(row, col, size), size).encode()


def with_comments(nodes: list[Node], texts: list[tuple[int, str]]) -> list[Node]:
    """The nodes with these comments, (index, text) each; of several on one node each is a paragraph."""
    of_node: dict[int, list[str]] = {}
    for index, text in texts:
        if text:
            of_node.setdefault(index, []).append(text)
    for index, paragraphs in of_node.items():
        nodes[index] = nodes[index].with_values(C=escaped("\n".join(paragraphs)))
    return nodes

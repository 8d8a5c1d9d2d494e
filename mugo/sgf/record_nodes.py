"""Nodes of a tree, of the properties of a record in another format: what gib, ngf and ugf share."""
from mugo.games.coords import MAX_SIZE, MIN_SIZE, format_sgf, point_at
from mugo.games.go import fixed_handicap, format_points
from mugo.sgf.nodes import Node, escaped
from mugo.sgf.record import BadRecord

MAX_NODES = 100_000                      # of one game, as many as an SGF main line may have
MAX_HANDICAP = 9                         # stones of these formats, which stand on the fixed points


def root_node(size: int, komi: float | None = None, handicap: int = 0, **info: str) -> Node:
    """The root of a game of Go.

    handicap: stones on the fixed points, if there are two or more.  info: properties by their identifiers, of which
    the empty ones are left out.  Raises BadRecord for a size or a handicap out of range.
    """
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise BadRecord("unsupported board size", f"{size}; boards of {MIN_SIZE} to {MAX_SIZE} are supported")
    properties = {"FF": [b"4"], "GM": [b"1"], "CA": [b"UTF-8"], "SZ": [str(size).encode()]}
    if komi is not None:
        properties["KM"] = [format_points(komi).encode()]
    if handicap >= 2:
        properties["HA"] = [str(handicap).encode()]
    properties |= {ident: [escaped(text.strip())] for ident, text in info.items() if text.strip()}
    return Node(-1, properties)


def with_fixed_handicap(root: Node, size: int, handicap: int) -> Node:
    """The root with the stones of a handicap on their fixed points, which these formats do not record.

    Raises BadRecord if there are none for so many stones on this board.
    """
    if handicap < 2:
        return root
    try:
        points = fixed_handicap(size, handicap)
    except ValueError as error:
        raise BadRecord("handicap stones missing", str(error)) from None
    return Node(-1, root.properties | {"AB": [format_sgf(point, size).encode() for point in points]})


def move_value(col: int, row: int, size: int, place: str) -> bytes:
    """The SGF value of a move, counted from 0 at the upper left.  Raises BadRecord, which names the place."""
    if not (0 <= col < size and 0 <= row < size):
        raise BadRecord("move outside the board", f"{place}: column {col + 1}, row {row + 1} of {size}x{size}")
    return format_sgf(point_at(row, col, size), size).encode()


def check_count(nodes: int) -> None:
    """Raises BadRecord for more nodes than MAX_NODES."""
    if nodes > MAX_NODES:
        raise BadRecord("too large", f"more than {MAX_NODES:,} moves")


def with_comments(nodes: list[Node], texts: list[tuple[int, str]]) -> list[Node]:
    """The nodes with these comments, (index, text) each; of several on one node each is a paragraph."""
    of_node: dict[int, list[str]] = {}
    for index, text in texts:
        if text:
            of_node.setdefault(index, []).append(text)
    for index, paragraphs in of_node.items():
        nodes[index] = nodes[index].with_values(C=escaped("\n".join(paragraphs)))
    return nodes

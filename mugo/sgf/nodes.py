"""The nodes of a game's tree with all their properties: SGF text <-> nodes.  Nothing is lost or interpreted here.

    (;SZ[9]C[a](;B[aa])(;B[bb];W[cc]))

    index   parent   properties                          raw values: escapes and line breaks as in the file
    0       -1       {"SZ": [b"9"], "C": [b"a"]}         the root
    1       0        {"B": [b"aa"]}                      the first child is the main line
    2       0        {"B": [b"bb"]}
    3       2        {"W": [b"cc"]}

A node stands behind its parent.  Properties and their values keep the order of the file; a property that a node has
twice has the values of both.  In the long names of FF[1] to FF[3] lower-case letters do not count: "AddBlack" is "AB".
"""
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mugo.games.coords import MAX_SIZE, MIN_SIZE, format_sgf, point_at
from mugo.games.go import fixed_handicap, format_points
from mugo.sgf.record import BadRecord

Properties = dict[str, list[bytes]]

# A node that is only a move, as most are, is one match.  A bracket that closes nothing, as OGS writes, is passed over.
_NODE = re.compile(rb"\s*+(?P<mark>;)(?:(?P<name>[BW])\[(?P<value>[A-Za-z]{0,2})\](?=\s*+[;()]))?+")
_TOKEN = re.compile(rb"\s*+(?:\[(?P<value>[^\\\]]*+(?:\\.[^\\\]]*+)*+)\]|(?P<name>[A-Za-z]{1,64})|(?P<mark>[()])|\])",
                    re.DOTALL)
LOWER_CASE = bytes(range(ord("a"), ord("z") + 1))
_LIKE_A_ROOT = re.compile(rb"\((?=\s{0,9};\s{0,9}[A-Z]{2}\s{0,9}\[[^\\\]]{0,40}\Z)")
_ROOT_PROPERTIES = ("FF", "GM", "CA", "AP", "SZ")
_BLANKS = b" " * 10                      # more than stand between `)` and the beginning of another game
MAX_HANDICAP = 9                         # stones of other formats (root_node)
LINE_LENGTH = 79                         # of a file that is written; a longer node is a longer line


class Node(NamedTuple):
    """A node of a tree.  parent: its index, -1 for the root."""
    parent: int
    properties: Properties

    def text(self, ident: str) -> str | None:
        """The first value of a property as text, without escapes and soft line breaks; None if it is missing."""
        if not self.properties.get(ident):
            return None
        from sgfmill import sgf_grammar  # here, as in properties.py, so that players start without it
        return sgf_grammar.text_value(self.properties[ident][0]).decode("utf-8", "replace")

    def in_utf_8(self) -> "Node":
        """This node, a root, of a file that is written in UTF-8: with CA[UTF-8], or another spelling that it has."""
        return self if (self.text("CA") or "").strip().upper() == "UTF-8" else self.with_values(CA=b"UTF-8")

    def with_values(self, **values: bytes | None) -> "Node":
        """This node with one raw value for each of these properties; without the property for None."""
        kept = {ident: old for ident, old in self.properties.items() if values.get(ident, b"") is not None}
        return Node(self.parent, kept | {ident: [value] for ident, value in values.items() if value is not None})


def escaped(text: str) -> bytes:
    """The raw value of a text.  A lone surrogate, which UTF-8 cannot encode, becomes '?'.

    A bracket is escaped that the value's end would make the beginning of another game (collection.split_games).
    """
    from sgfmill import sgf_grammar
    return _LIKE_A_ROOT.sub(rb"\\(", sgf_grammar.escape_text(text.encode("utf-8", "replace")))


# ---- reading

def parse_game(text: bytes, most: int | None = None) -> list[Node]:
    """The nodes of the game with which an SGF text begins, variations included, in the order of the file.

    most: nodes that are read.  Raises ValueError if the text is malformed.
    """
    nodes: list[Node] = []
    parents: list[int] = []                              # the node before each bracket that is open
    current, may_begin = -1, False                       # the node being read; whether another may begin here
    properties: Properties | None = None
    values: list[bytes] | None = None
    is_empty = False                                     # whether a property has no value yet
    position = 0
    while match := _NODE.match(text, position) or _TOKEN.match(text, position):
        position = match.end()
        ident, value, mark = match.group("name", "value", "mark")
        if mark == b";":
            if is_empty:
                raise ValueError("property with no values")
            if not may_begin:
                raise ValueError("unexpected node")
            if len(nodes) == most:
                return nodes
            properties, values = {} if ident is None else {ident.decode(): [value]}, None
            nodes.append(Node(current, properties))
            current = len(nodes) - 1
        elif ident is None and value is None and mark is None:
            continue                                     # a stray bracket
        elif value is not None:
            if values is None:
                raise ValueError("unexpected value")
            values.append(value)
            is_empty = False
        elif is_empty:
            raise ValueError("property with no values")
        elif ident is not None:
            if properties is None:
                raise ValueError("property value outside a node")
            values = properties.setdefault((ident.translate(None, LOWER_CASE) or ident).decode(), [])
            is_empty = True
        elif may_begin and properties is None:
            raise ValueError("empty sequence")
        else:
            may_begin, properties, values = mark == b"(", None, None
            if may_begin:
                parents.append(current)
                continue
            if not parents:
                raise ValueError("a bracket that closes nothing")
            current = parents.pop()
            if not parents:
                return nodes
    rest = text[position:].lstrip()[:20].decode("utf-8", "replace")[:1]
    raise ValueError("unexpected end of SGF data" if rest in ("", "[") else f"unexpected {rest!r}")


# ---- the tree

def moves_in(node: Properties) -> list[tuple[str, bytes]]:
    """("B" or "W", SGF value) of each move in a node; SGF allows one."""
    return [(ident, value) for ident in node if ident in ("B", "W") for value in node[ident]]


def one_move_each(nodes: list[Node]) -> list[Node]:
    """The nodes, with those that have several moves as a line of nodes with a move each."""
    moved: list[Node] = []
    last: list[int] = [-1]                               # of the nodes -1, 0, 1, ...: the index of its last move
    for node in nodes:
        moves = moves_in(node.properties)
        properties = node.properties
        if len(moves) > 1:
            kept, value = moves[0]
            properties = {ident: [value] if ident == kept else values for ident, values in properties.items()
                          if ident == kept or ident not in ("B", "W")}
        moved.append(Node(last[node.parent + 1], properties))
        for letter, value in moves[1:]:
            moved.append(Node(len(moved) - 1, {letter: [value]}))
        last.append(len(moved) - 1)
    return moved


def line_of_nodes(root: Node, moves: list[tuple[str, bytes]]) -> list[Node]:
    """The root and one node for each ("B" or "W", SGF value)."""
    return [root] + [Node(index, {colour: [value]}) for index, (colour, value) in enumerate(moves)]


def children_of(nodes: Sequence[Node]) -> list[list[int]]:
    """For each node the indices of its children, the main line first."""
    children: list[list[int]] = [[] for _ in nodes]
    for index, node in enumerate(nodes):
        if node.parent >= 0:
            children[node.parent].append(index)
    return children


def main_line(nodes: Sequence[Node]) -> list[int]:
    """The indices of the root, its first child, that one's first child, and so on."""
    children, line = children_of(nodes), [0]
    while children[line[-1]]:
        line.append(children[line[-1]][0])
    return line


# ---- nodes of records in other formats: what gib, ngf and ugf share

def decode(data: bytes, codec: str) -> str:
    """The text of a record: in UTF-8, else by this codec."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(codec, "replace")


def root_node(size: int, komi: float | None = None, handicap: int = 0, stones: list[bytes] | None = None, **info: str
              ) -> Node:
    """The root of a game of Go.

    stones: handicap stones as SGF values; None: two or more stand on the fixed points.  info: properties by their
    identifiers; empty ones are left out.  Raises BadRecord for a size or a handicap out of range.
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


# ---- writing

def format_properties(properties: Mapping[str, list[bytes]]) -> bytes:
    """The text of a node's properties: 'B[pd]C[Hello]'."""
    return b"".join(ident.encode() + b"".join(b"[" + value + b"]" for value in values)
                    for ident, values in properties.items())


def format_nodes(nodes: Sequence[Node]) -> bytes:
    """The tree as SGF text.  parse_game(format_nodes(nodes)) has the same nodes, if they are in the order of a file.

    No variation looks like the beginning of another game, which split_games in collection.py would take it for.
    """
    children = children_of(nodes)
    pieces: list[bytes] = []
    length = 0
    stack: list[int] = [0]                               # -1 closes a bracket
    while stack:
        index = stack.pop()
        if index < 0:
            pieces.append(b")")
            continue
        node = nodes[index]
        text = b";" + format_properties(node.properties)
        if node.parent < 0 or len(children[node.parent]) > 1:
            text = b"(" + text
            if pieces and pieces[-1] == b")" and next(iter(node.properties), "") in _ROOT_PROPERTIES:
                pieces.append(_BLANKS)
            stack.append(-1)
        elif length + len(text) > LINE_LENGTH:           # never before a bracket: `(;SZ[` there would begin a game
            text, length = b"\n" + text, 0
        pieces.append(text)
        length += len(text)
        stack += reversed(children[index])
    return b"".join(pieces) + b"\n"

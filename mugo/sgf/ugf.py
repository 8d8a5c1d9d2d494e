"""UGF (.ugf, .ugi), the records of Pandanet (IGS) and of Japanese newspapers' sites.

    [Header]
    Lang=SJIS                             the character set
    Size=19
    Hdcp=2,0.50                           handicap stones, komi
    CoordinateType=IGS                    rows are counted from below; without this line from above
    Winner=B,7.50                         or C: by resignation
    PlayerB=name,7d,,address
    [Data]
    DP,B0,0,0                             handicap stones have the number 0
    QP,B1,1,0                             column and row (A is the first), colour and clock, number of the move, seconds
    YA,W1,2,0                             a point off the board is a pass
    [Figure]
    .Text,2                               a comment on a move, up to .EndText
    [ReviewNode]                          the tree of a review: number, colour (1 Black, 2 White), column, row from 1
    NODE,1,0,0,0                          the root
      VARIATION,                          of the node before, up to VARIATIONEND
    [ReviewComment]
    .Comment,55                           a comment on a node of the review

Follows https://homepages.cwi.nl/~aeb/go/misc/ugf.html and files of Pandanet.  A review's tree, whose main line is the
game, replaces the moves of [Data].  Addresses of players are left out.
"""
import re

from mugo.sgf.nodes import MAX_HANDICAP, Node, decode, line_of_nodes, main_line, move_value, root_node, with_comments
from mugo.sgf.properties import interpret_date, interpret_result, points_in
from mugo.sgf.record import BadRecord

_CODECS = {"SJIS": "cp932", "EUC": "euc_jp", "BIG5": "big5", "GB": "gb18030", "KSC": "cp949"}
_SECTIONS = {"header", "remote", "files", "data", "figure", "messageline", "reviewnode", "reviewcomment"}
_RULES = {"JPN": "Japanese", "CHN": "Chinese"}
_POINT = re.compile(r"([A-Z])([A-Z]),([BW])\d*(?:,(\d{1,5}))?")
_REVIEW_NODE = re.compile(r"NODE,(\d{1,6}),([0-2]),(\d{1,3}),(\d{1,3})")


def is_ugf(data: bytes) -> bool:
    return bool(re.match(rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*\[Header\]", data[:4096], re.IGNORECASE))


def read_ugf(data: bytes) -> list[Node]:
    """The nodes of a game.  Raises BadRecord."""
    language = re.search(rb"^\s*Lang=(\w+)", data[:4096], re.MULTILINE | re.IGNORECASE)
    sections = _sections(decode(data, _CODECS.get(language[1].decode().upper() if language else "", "cp932")))
    header = {name.strip().lower(): value.strip()
              for name, separator, value in (line.partition("=") for line in sections.get("header", [])) if separator}
    if not re.fullmatch(r"\d{1,2}", header.get("size", "")):
        raise BadRecord("malformed UGF", f"Size={header.get('size', '')[:20]}: expected the board size")
    size, is_from_below = int(header["size"]), header.get("coordinatetype", "").upper() == "IGS"
    hdcp, _, komi = header.get("hdcp", "").partition(",")
    if hdcp and (not re.fullmatch(r"\d{1,2}", hdcp) or int(hdcp) > MAX_HANDICAP):
        raise BadRecord("malformed UGF", f"Hdcp={hdcp[:20]}: expected the handicap stones, at most {MAX_HANDICAP}")
    handicap = int(hdcp or 0)
    root = root_node(size, points_in(komi), handicap, [], **_info(header, size))
    stones, moves = _read_moves(sections.get("data", []), size, handicap, is_from_below)
    if stones:
        root.properties["AB"] = stones
    nodes, numbers = line_of_nodes(root, moves), {}
    if "reviewnode" in sections:
        reviewed, numbers = _read_review(sections["reviewnode"], root, size, is_from_below)
        nodes = reviewed if len(reviewed) > 1 else nodes             # a review without a move is none
    line = main_line(nodes)
    texts = [(line[number], text) for number, text in _comments(sections.get("figure", []), ".text,", ".endtext")
             if number < len(line)]
    texts += [(numbers[number], text)
              for number, text in _comments(sections.get("reviewcomment", []), ".comment,", None) if number in numbers]
    return with_comments(nodes, texts)


def _sections(text: str) -> dict[str, list[str]]:
    """The lines of each section by its name in lower case; of a name that occurs twice, of both."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        match = re.fullmatch(r"\s*\[([A-Za-z]{1,40})\]\s*", line)
        if match and match[1].lower() in _SECTIONS:
            lines = sections.setdefault(match[1].lower(), [])
        else:
            lines.append(line)
    return sections


def _info(header: dict[str, str], size: int) -> dict[str, str]:
    players = {colour: [*header.get(f"player{colour}", "").split(","), "", ""] for colour in "bw"}
    minutes = re.match(r"\w;(\d{1,5});", header.get("ptime", ""))
    return {"PB": players["b"][0], "BR": players["b"][1], "PW": players["w"][0], "WR": players["w"][1],
            "RE": _result(header.get("winner", ""), size), "EV": header.get("title", "").strip(","),
            "PC": header.get("place", ""), "DT": interpret_date(header.get("date", "")),
            "RU": _RULES.get(header.get("rule", ""), header.get("rule", "")), "CP": header.get("copyright", ""),
            "GC": header.get("comment", ""), "TM": str(60 * int(minutes[1])) if minutes and int(minutes[1]) else ""}


def _result(text: str, size: int) -> str:
    winner, rest = (part.strip() for part in (text.partition(",")[::2]))
    if winner not in ("B", "W"):
        return "0" if winner == "D" else ""
    return interpret_result(f"{winner}+{'R' if rest[:1].upper() == 'C' else rest}", size)


def _read_moves(lines: list[str], size: int, handicap: int, is_from_below: bool
                ) -> tuple[list[bytes], list[tuple[str, bytes]]]:
    """(handicap stones, moves)."""
    moves: list[tuple[str, bytes]] = []
    stones: list[bytes] = []
    for line in lines:
        if not line.strip():
            continue
        match = _POINT.match(line.strip().upper())
        if not match:
            raise BadRecord("malformed UGF", f"move {len(moves) + 1}: {line.strip()[:20]!r}: expected 'QP,B1,1,0'")
        value = _value(ord(match[1]) - ord("A"), ord(match[2]) - ord("A"), size, is_from_below)
        if match[4] == "0" and match[3] == "B" and not moves and len(stones) < handicap and value:
            stones.append(value)
        else:
            moves.append((match[3], value))
    return stones, moves


def _value(col: int, row: int, size: int, is_from_below: bool) -> bytes:
    """The SGF value of a point counted from 0; a point off the board is a pass."""
    if not (0 <= col < size and 0 <= row < size):
        return b""
    return move_value(col, size - 1 - row if is_from_below else row, size, "")


def _comments(lines: list[str], begin: str, end: str | None) -> list[tuple[int, str]]:
    """(number, text) of each comment: the lines between `begin`NUMBER and the next such line or `end`."""
    comments: list[tuple[int, list[str]]] = []
    is_open = False
    for line in lines:
        lower = line.strip().lower()
        match = re.match(re.escape(begin) + r"(\d{1,6})", lower)
        if match:
            comments.append((int(match[1]), []))
            is_open = True
        elif lower == end:
            is_open = False
        elif is_open:
            comments[-1][1].append(line.rstrip())
    return [(number, "\n".join(text).strip()) for number, text in comments]


def _read_review(lines: list[str], root: Node, size: int, is_from_below: bool) -> tuple[list[Node], dict[int, int]]:
    """(the nodes of a review, their indices by its numbers)."""
    nodes, numbers = [root], {}
    children: list[list[int]] = [[]]                     # of each node: the next one in its own line, then variations
    goes_on: set[int] = set()                            # the nodes that are not the last of their line
    last, begins_variation = 0, False                    # the index of the node before
    branches: list[int] = []                             # the nodes that open variations begin at
    for line in (line.strip() for line in lines):
        if line.startswith("VARIATIONEND"):
            if not branches:
                raise BadRecord("malformed UGF", "VARIATIONEND without a variation")
            last, begins_variation = branches.pop(), False
        elif line.startswith("VARIATION"):
            branches.append(last)
            begins_variation = True
        elif line:
            match = _REVIEW_NODE.match(line)
            if not match:
                raise BadRecord("malformed UGF", f"{line[:30]!r}: expected 'NODE,number,colour,column,row'")
            number, colour, col, row = (int(text) for text in match.groups())
            if colour:
                if begins_variation:
                    children[last].append(len(nodes))
                else:
                    children[last].insert(0, len(nodes))
                    goes_on.add(last)
                nodes.append(Node(last, {"BW"[colour - 1]: [_value(col - 1, row - 1, size, is_from_below)]}))
                children.append([])
                last, begins_variation = len(nodes) - 1, False
            numbers[number] = last
    return _in_order(nodes, children, goes_on, numbers)


def _in_order(nodes: list[Node], children: list[list[int]], goes_on: set[int], numbers: dict[int, int]
              ) -> tuple[list[Node], dict[int, int]]:
    """The same tree in the order of a file.

    Where a line ends and has variations, an empty node goes on with it, as the first child is the main line in SGF.
    """
    moved: list[Node] = []
    new_index: dict[int, int] = {-1: -1}
    stack = [0]
    while stack:
        index = stack.pop()
        new_index[index] = len(moved)
        moved.append(Node(new_index[nodes[index].parent], nodes[index].properties))
        if children[index] and index not in goes_on:
            moved.append(Node(new_index[index], {}))
        stack += reversed(children[index])
    return moved, {number: new_index[index] for number, index in numbers.items()}

"""Game records: SGF text in, a Record out, and back.

sgfmill does the grammar; this file says what its properties mean, and forgives what real
archives get wrong.  Whether the moves are legal is not asked here: that takes a board.

    bytes of a file
       | _to_utf8      byte-order marks, the file's character set, text cut in mid-character
       | _games        the games of a collection, each cut at the end of its own brackets
       | _main_line    the first variation, up to the first ')'
       v sgfmill       a list of nodes: {'B': [b'pd'], 'C': [b'Hello']}
    Record  or  BadRecord, which says why not

Every step is linear in the length of the text, and what sgfmill gets to see is bounded, so no
text of whatever nonsense makes it slow or large.
Go is GM[1].  Gomoku, for who asks for it, is GM[4], and the rules tell its row: RU[exactly 5 in a row].

A *coded move* is an int16: the move index of coords.py, plus 512 if White plays.
"""
import codecs
import functools
import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from sgfmill import sgf_grammar

from mugo import __version__
from mugo.games import coords
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import WHITE_BIT
from mugo.games.gomoku import interpret_row, say_row, usual_row

MAX_BYTES = 32 << 20                # of one file; the largest commented joseki dictionaries have 5 MB
MAX_EDITED = 4 << 20                # of a file whose variations are kept when it is written again
MAX_DEPTH = 200_000                 # of variations in variations
MAX_VALUES = 100_000                # of properties in one line of play; games have fewer than 1,000 moves
GO, GOMOKU = b"1", b"4"             # of SGF's property GM


class BadRecord(ValueError):
    """A game that cannot be used.  `reason` is a few words to count by; str() tells the details."""

    def __init__(self, reason: str, details: str):
        super().__init__(details)
        self.reason = reason

    def __reduce__(self):
        return BadRecord, (self.reason, str(self))      # or it would not travel between processes


@dataclass(frozen=True, slots=True)
class Record:
    """One game, as it was recorded."""

    size: int
    setup: np.ndarray               # int16 (k,): stones on the board before the first move, coded, sorted
    moves: np.ndarray               # int16 (n,): coded moves, passes included
    first: int = BLACK              # who plays the first move
    komi: float | None = None       # in points; None if unknown
    handicap: int = 0               # 0 for an even game
    result: str = ""                # 'B+3.5', 'W+R', 'B+T', 'B+F', 'W+' (margin unknown), '0' (drawn), ''
    black: str = ""
    white: str = ""
    black_rank: str = ""            # as written: '6d', 'P9段'; rank_number reads it
    white_rank: str = ""
    date: str = ""                  # '2016-03-09', '2016-03', '2016' or ''
    event: str = ""
    place: str = ""
    rules: str = ""
    k: int = 0                      # in Gomoku, how many in a row win, and whether more do not; 0 in Go
    exactly: bool = False

    @property
    def winner(self) -> int:
        """1 for Black, -1 for White, 0 if nobody won or nobody knows."""
        return {"B": BLACK, "W": WHITE}.get(self.result[:1], 0)


def read_records(data: bytes, gomoku: bool = False) -> Iterator[Record | BadRecord]:
    """The games of an SGF file, one by one; a bad one is a BadRecord in its place, and so is one of Gomoku unless
    `gomoku` asks for those too.  Never raises."""
    if len(data) > MAX_BYTES:
        yield BadRecord("too large", f"{len(data):,} bytes of SGF; the limit is {MAX_BYTES:,}")
        return
    found = False
    for game in _games(_to_utf8(data)):
        found = True
        if isinstance(game, BadRecord):
            yield game
            continue
        try:
            yield _interpret(sgf_grammar.parse_sgf_game(game).sequence, gomoku)
        except BadRecord as bad:
            yield bad
        except ValueError as error:
            yield BadRecord("broken SGF", str(error))
    if not found:
        yield BadRecord("not SGF", "no game begins here: an SGF game begins with '(;'")


def read_trees(data: bytes) -> Iterator[tuple[Record | BadRecord, sgf_grammar.Coarse_game_tree | None]]:
    """As read_records, each game with its whole tree, in UTF-8: variations, comments, everything.

    Where a file's brackets do not close as they should, it is the main line alone; None for a bad game.
    """
    records = list(read_records(data))
    if len(data) > MAX_BYTES:
        yield records[0], None
        return
    text = _to_utf8(data)
    try:
        trees = sgf_grammar.parse_sgf_collection(text) if len(text) <= MAX_EDITED else []
    except ValueError:
        trees = []
    if len(trees) != len(records):
        trees = [None if isinstance(record, BadRecord) else sgf_grammar.parse_sgf_game(game)
                 for record, game in zip(records, _games(text), strict=False)] or [None]
    for record, tree in zip(records, trees, strict=True):
        if isinstance(record, BadRecord):
            yield record, None
            continue
        tree.sequence[0].update(CA=[b"UTF-8"], SZ=[str(record.size).encode()])
        yield record, tree


# ---- bytes -------------------------------------------------------------------------------------

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"(\0;\0", "utf-16-le"), (b"\0(\0;", "utf-16-be"),
)
_CHARSET = re.compile(rb"CA\s{0,9}\[\s{0,9}([A-Za-z0-9_.:-]{1,40})\s{0,9}\]")
# Python also has codecs that unpack archives or take quadratic time; these only decode text.
_TEXT_CODEC = re.compile(r"ascii|gb.*|hz|big5.*|euc.*|shift_jis.*|johab|iso.*|cp\d+|koi8.*|mac_.*|tis_620")
# What people call by the smaller name is often the larger set.
_LARGER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
# Characters of two to four bytes; the Fox server wrote '?' for every byte that cp1252 lacks.
_NEARLY_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf?]|[\xe0-\xef][\x80-\xbf?]{2}|[\xf0-\xf4][\x80-\xbf?]{3}")
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")


def _to_utf8(data: bytes) -> bytes:
    """The same text in UTF-8, in which no part of a character looks like a bracket or a backslash.

    (In GBK, Big5 and Shift_JIS the second byte of a character may be 0x5B to 0x5D.)
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").lstrip("\ufeff").encode()
    try:
        data.decode()
        return data
    except UnicodeDecodeError:
        pass
    named = _CHARSET.search(data)
    encoding = _codec(named[1].decode()) if named else None
    if encoding is None:
        bytes_in = [sum(map(len, _NOT_ASCII.findall(text)))
                    for text in (data, b" ".join(_NEARLY_UTF8.findall(data)))]
        encoding = "utf-8" if 2 * bytes_in[1] >= bytes_in[0] else "gb18030"
    return data.decode(encoding, "replace").encode()


@functools.lru_cache(maxsize=256)
def _codec(name: str) -> str | None:
    """Python's name of a character set other than UTF-8; None if it knows no such."""
    try:
        found = codecs.lookup(name).name.replace("-", "_")
    except LookupError:
        return None
    return _LARGER.get(found, found) if _TEXT_CODEC.fullmatch(found) else None


# ---- text --------------------------------------------------------------------------------------

_VALUE = re.compile(rb"\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]", re.DOTALL)
_BEGIN = re.compile(rb"\(\s*;")
# Root properties stand in no other node: where a line begins so, a new game begins, even if the
# brackets of the one before were never closed.
_ROOT = re.compile(rb"(?<=[\r\n)])[ \t]{0,9}\(\s{0,9};\s{0,9}(?:FF|GM|CA|AP|SZ)\s{0,9}\[[^\\\]]{0,40}\]")
_NODE = re.compile(rb";\s{0,9}[A-Za-z]{1,20}\s{0,9}\[")
_UP_TO_BRACKET = re.compile(rb"([^()\[]*+(?:" + _VALUE.pattern + rb"[^()\[]*+)*+)([()])", re.DOTALL)
_VALUE_OR_BRANCH = re.compile(rb"(" + _VALUE.pattern + rb")|\(", re.DOTALL)


def _games(text: bytes) -> Iterator[bytes | BadRecord]:
    """The main lines of all games in a text, each as an SGF game without variations."""
    if _NODE.match(text.lstrip()):
        text = b"(" + text          # the Fox server forgot it in some games
    roots = (match.start() for match in _ROOT.finditer(text))
    for start, stop in itertools.pairwise(itertools.chain([0], roots, [len(text)])):
        part = text[start:stop]
        position = 0
        while begin := _BEGIN.search(part, position):
            try:
                if _NODE.search(part, position, begin.start()):
                    raise BadRecord("broken SGF", "a variation without its game: there is a ')' too many")
                game, position = _main_line(part, begin.start())
            except BadRecord as bad:
                yield bad
                break
            yield game


def _main_line(text: bytes, start: int) -> tuple[bytes, int]:
    """The main line of the game that begins at `start`, and where the game ends.

    The first variations are all that comes before the first ')', so no tree needs to be built.
    """
    depth = deepest = 0
    leaf = None                     # where the main line ends
    position = start
    while True:
        match = _UP_TO_BRACKET.match(text, position)
        if match is None:
            raise BadRecord("broken SGF", "the game is cut off: its brackets are never closed")
        if text[position - 1:position] == b")" and match[1].strip():
            raise BadRecord("broken SGF", "nodes follow a variation that is closed already")
        position = match.end()
        if match[2] == b"(":
            depth += 1
            deepest = max(depth, deepest)
            if depth > MAX_DEPTH:
                raise BadRecord("too large", f"more than {MAX_DEPTH:,} variations inside each other")
        else:
            depth -= 1
            leaf = leaf or position
            if depth == 0:
                break
    line = text[start:leaf]
    if deepest > 1:
        line = b"(" + _VALUE_OR_BRANCH.sub(rb"\1", line[1:])
    if len(line) > 100_000:
        line = _bounded(line)
    return line, position


def _bounded(line: bytes) -> bytes:
    """A long main line without its longest texts, so that sgfmill needs little memory for it."""
    values = rest = end = 0
    for value in _VALUE.finditer(line):
        values += 1
        rest += value.start() - end
        end = value.end()
        if values > MAX_VALUES:
            break
    if values > MAX_VALUES or rest + len(line) - end > 10 * MAX_VALUES:
        raise BadRecord("too large", f"more than {MAX_VALUES:,} property values in one line of play")
    return _VALUE.sub(lambda value: value[0] if len(value[0]) <= 50_000 else b"[...]", line)


# ---- properties --------------------------------------------------------------------------------

_SETUP = {"AB": BLACK, "AW": WHITE, "AE": 0}
_INFO = frozenset("PB PW BR WR DT EV GN PC RU RE KM HA PL AP TC".split())


def _interpret(nodes: list[dict[str, list[bytes]]], gomoku: bool) -> Record:
    """What the main line of a game means."""
    info: dict[str, list[bytes]] = {}
    root = nodes[0]
    game = root.get("GM", [GO])[0].strip() or GO
    if game != GO and not (gomoku and game == GOMOKU):
        raise BadRecord("not Go", f"GM[{_text(root, 'GM')}] is another game; Go is GM[1]"
                                  + ", Gomoku GM[4]" * gomoku)
    size = _interpret_size(root, "19" if game == GO else "")         # where it is not said
    index_of = _index_table(size)
    setup: dict[int, int] = {}
    moves: list[int] = []
    for node in nodes:
        if len(node) > 1 or "B" not in node and "W" not in node:
            for ident in node.keys() & _INFO:
                info.setdefault(ident, node[ident])
            if not node.keys().isdisjoint(_SETUP):
                _add_setup(node, size, moves, setup)
        # A node has one move.  Of more than one, the first of Black's counts, as sgfmill reads it.
        if "B" in node:
            raw, bit = node["B"][0], 0
        elif "W" in node:
            raw, bit = node["W"][0], WHITE_BIT
        else:
            continue
        index = index_of.get(raw)
        if index is None:
            index = _index(raw.strip(), size, f"move {len(moves) + 1}")
        moves.append(index + bit)

    stones = [index + (WHITE_BIT if colour == WHITE else 0) for index, colour in sorted(setup.items())]
    handicap = _handicap(info, stones, moves) if game == GO else 0
    if moves:
        first = WHITE if moves[0] >= WHITE_BIT else BLACK
    else:
        to_play = _text(info, "PL")[:1].upper()
        first = WHITE if to_play == "W" or to_play != "B" and handicap and stones else BLACK
    rules = _text(info, "RU")
    k, exactly = (0, False) if game == GO else interpret_row(rules) or (usual_row(size), False)
    return Record(
        size=size, setup=np.array(stones, np.int16), moves=np.array(moves, np.int16), first=first,
        komi=_komi(info) if game == GO else None, handicap=handicap, result=_result(_text(info, "RE"), size),
        black=_text(info, "PB"), white=_text(info, "PW"),
        black_rank=_text(info, "BR"), white_rank=_text(info, "WR"), date=_date(_text(info, "DT")),
        event=_text(info, "EV") or _text(info, "GN"), place=_text(info, "PC"), rules=rules, k=k, exactly=exactly,
    )


def _text(info: dict[str, list[bytes]], ident: str) -> str:
    """A property as one printable line; '' if it is missing."""
    if ident not in info:
        return ""
    raw = info[ident][0][:2000]
    if b"\\" in raw or b"\n" in raw or b"\r" in raw:
        raw = sgf_grammar.simpletext_value(raw)
    text = raw.decode("utf-8", "replace")[:200]
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text.strip()


def _interpret_size(root: dict[str, list[bytes]], usual: str) -> int:
    text = _text(root, "SZ") if "SZ" in root else usual
    match = re.fullmatch(r"(\d{1,3})(?:\s*[:x]\s*(\d{1,3}))?", text, re.ASCII)
    if not match or match[2] and int(match[1]) != int(match[2]) \
            or not coords.MIN_SIZE <= int(match[1]) <= coords.MAX_SIZE:
        raise BadRecord("board size", f"SZ[{text}]; square boards of {coords.MIN_SIZE} to {coords.MAX_SIZE}"
                                      " can be used")
    return int(match[1])


@functools.cache
def _index_table(size: int) -> dict[bytes, int]:
    """The move index of every SGF move value."""
    table = {coords.format_sgf(coords.point_of_index(index, size), size).encode(): index
             for index in range(size * size + 1)}
    return table | {b"tt": size * size}


def _index(raw: bytes, size: int, what: str) -> int:
    """The move index of a value with blanks around it; or else it is none."""
    try:
        return _index_table(size)[raw]
    except KeyError:
        last = coords.SGF_LETTERS[size - 1]
        value = raw[:20].decode("utf-8", "replace")
        raise BadRecord("move off the board" if what.startswith("move") else "setup off the board",
                        f"{what}: {value!r} is no point on {size}x{size} (aa-{last}{last})") from None


def _add_setup(node: dict[str, list[bytes]], size: int, moves: list[int], setup: dict[int, int]) -> None:
    """Put the stones of a node into `setup`, {move index: colour}; a later stone replaces an earlier."""
    for ident in node.keys() & _SETUP.keys():
        for raw in node[ident]:
            if not raw.strip():
                continue            # AB[] sets up nothing
            if moves:
                raise BadRecord("setup after the first move",
                                f"after move {len(moves)}: {ident} changes the board by hand")
            corners = [divmod(_index(corner.strip(), size, f"setup {ident}"), size)
                       for corner in raw.split(b":", 1)]
            (top, left), (bottom, right) = corners[0], corners[-1]
            if max(top, bottom) == size:
                raise BadRecord("setup off the board", f"setup {ident}: a pass is no point")
            for row in range(min(top, bottom), max(top, bottom) + 1):
                for col in range(min(left, right), max(left, right) + 1):
                    if ident == "AE":
                        setup.pop(row * size + col, None)
                    else:
                        setup[row * size + col] = _SETUP[ident]


def _handicap(info: dict[str, list[bytes]], stones: list[int], moves: list[int]) -> int:
    """How many stones Black has ahead: set up, or played as the first moves; 0 in an even game."""
    declared = re.match(r"\d{1,2}", _text(info, "HA"), re.ASCII)
    handicap = int(declared[0]) if declared else 0
    set_up = sum(stone < WHITE_BIT for stone in stones)
    white_first = bool(moves) and moves[0] >= WHITE_BIT
    if handicap >= 2:
        if not set_up and white_first:
            raise BadRecord("handicap stones missing",
                            f"HA[{handicap}], and White moves first, but no stones are set up")
        return handicap
    return set_up if white_first and set_up == len(stones) >= 2 else 0


def _komi(info: dict[str, list[bytes]]) -> float | None:
    text = _text(info, "KM")
    match = re.match(r"[+-]?\d{1,6}(?:[.,]\d{1,6})?", text, re.ASCII)
    if not match:
        return None
    komi = float(match[0].replace(",", ".")) + ("½" in text or "1/2" in text) / 2
    if abs(komi) >= 200:
        komi /= 100                 # the Fox server writes 650, or 325 in Chinese counting
    if komi % 0.5 == 0.25 or "子" in text:
        komi *= 2                   # counted in stones, as 3.75 is under Chinese rules
    fox = "TC" in info or any(b"foxwq" in program for program in info.get("AP", ()))
    if komi == 0 and fox and _text(info, "HA") == "0":
        return None                 # the Fox server's way to say nothing
    return komi if abs(komi) <= 361 and komi % 0.5 == 0 else None


_WINS = re.compile(r"\s*(?:(b|black|w|white)(?:\s*\+|\s+w[io]ns?\b|\s*$)"
                   r"|(?:([黑黒흑])|[白백]).*?[胜勝승贏赢])", re.IGNORECASE)
_HOW = (
    ("R", re.compile(r"\br\b|resign|中盘|中盤|中押|불계", re.IGNORECASE)),
    ("T", re.compile(r"\bt\b|time|超时|超時|时间|時間|시간", re.IGNORECASE)),
    ("F", re.compile(r"\bf\b|forfeit|offline|反则|反則|弃权|棄權|반칙|기권", re.IGNORECASE)),
)
_WHOLE = re.compile(r"(?<![\d/])\d{1,4}(?:[.,]\d{1,4})?(?!\d*/)", re.ASCII)
_FRACTION = re.compile(r"(\d)/([24])", re.ASCII)
_DRAWN = re.compile(r"0|draw|jigo|tie|和棋|和局|持碁|ジゴ|무승부", re.IGNORECASE)


def _result(text: str, size: int) -> str:
    """A result in the form of Record.result."""
    if _DRAWN.fullmatch(text.strip()):
        return "0"
    match = _WINS.match(text)
    if not match:
        return ""
    winner = "B" if match[2] or (match[1] or "").lower().startswith("b") else "W"
    told = text[match.end(1):] if match[1] else text
    for letter, words in _HOW:
        if words.search(told):
            return f"{winner}+{letter}"
    whole, fraction = _WHOLE.search(told), _FRACTION.search(told)
    margin = float(whole[0].replace(",", ".")) if whole else 0.0
    margin += int(fraction[1]) / int(fraction[2]) if fraction else 0.0
    margin += 0.5 * bool(re.search("[半½반]", told))
    if margin % 0.5 == 0.25 or "子" in told:
        margin *= 2                 # counted in stones
    # The Fox server writes +0.0 and +0.02 in games that were not counted, and KGS +8194.
    return f"{winner}+{margin:g}" if 0 < margin <= 2 * size * size and margin % 0.5 == 0 else f"{winner}+"


def _date(text: str) -> str:
    match = re.search(r"(?<!\d)(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?(?!\d)", text, re.ASCII)
    if not match:
        return ""
    date = match[1]
    for part, most in ((match[2], 12), (match[3], 31)):
        if not part or not 1 <= int(part) <= most:
            break
        date += f"-{int(part):02}"
    return date


_NUMERALS = {numeral: value for value, numeral in enumerate("一二三四五六七八九", 1)} | {"初": 1}
_RANK = re.compile(r"(?P<pro>p|pro|职业|職業|프로)?\s*(?P<number>\d{1,2}|[初一二三四五六七八九])\s*-?\s*"
                   r"(?P<unit>dan|kyu|gup|[dkp段级級단급])(?P<rest>.*)", re.IGNORECASE)


def rank_number(text: str) -> float:
    """A rank on one scale: 1k is 0, 2k -1; 1d is 1, 9d 9; professional 1p is 10, 9p 18; nan if unknown."""
    match = _RANK.match(text.strip())
    if not match:
        return math.nan
    number = _NUMERALS.get(match["number"]) or int(match["number"])
    unit = match["unit"].lower()
    if unit in ("k", "kyu", "gup", "级", "級", "급"):
        return float(1 - number) if 1 <= number <= 40 else math.nan
    if not 1 <= number <= 9:
        return math.nan
    professional = match["pro"] or unit == "p" or "pro" in match["rest"].lower()
    return float(number + 9 if professional else number)


# ---- writing -----------------------------------------------------------------------------------

def format_record(record: Record, comments: Mapping[int, str] | None = None) -> str:
    """The game as SGF.  `comments` has a text for some of the moves, counted from 1; 0 is the root's."""
    comments = comments or {}
    size = record.size
    root = {"FF": [b"4"], "GM": [GOMOKU if record.k else GO], "CA": [b"UTF-8"], "AP": [f"MuGo:{__version__}".encode()],
            "SZ": [str(size).encode()]}
    texts = {"PB": record.black, "PW": record.white, "BR": record.black_rank, "WR": record.white_rank,
             "RE": record.result, "DT": record.date, "EV": record.event, "PC": record.place,
             "RU": say_row(record.k, record.exactly) if record.k else record.rules,
             "KM": "" if record.komi is None else f"{record.komi:g}",
             "HA": str(record.handicap) if record.handicap else ""}
    root.update({ident: [_escaped(text)] for ident, text in texts.items() if text})
    for coded in record.setup.tolist():
        root.setdefault("AW" if coded & WHITE_BIT else "AB", []).append(_format_move(coded, size))
    if len(record.setup) or record.first == WHITE:
        root["PL"] = [b"W" if record.first == WHITE else b"B"]
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = [root] + [{"W" if coded & WHITE_BIT else "B": [_format_move(coded, size)]}
                              for coded in record.moves.tolist()]
    for number, text in comments.items():
        tree.sequence[number]["C"] = [_escaped(text)]
    return sgf_grammar.serialise_game_tree(tree).decode()


def _format_move(coded: int, size: int) -> bytes:
    return coords.format_sgf(coords.point_of_index(coded & WHITE_BIT - 1, size), size).encode()


def _escaped(text: str) -> bytes:
    return sgf_grammar.escape_text(text.encode("utf-8", "replace"))

"""The values of SGF's game-info properties: komi, result, date, handicap, rank, numbers of points.

Each function takes what real archives have (KGS, Tygem, the Fox server, professional collections; English, Chinese,
Japanese, Korean) and returns the one form that Record uses.  An unreadable value counts as unknown.
"""
import calendar
import itertools
import math
import re
from collections.abc import Mapping

from mugo.games.coords import WHITE_BIT, BoardSize, area_of
from mugo.sgf.record import BadRecord

Properties = Mapping[str, list[bytes]]

GM_GO, GM_GOMOKU = b"1", b"4"       # values of the property GM (game)
MAX_KOMI = 200                      # larger numbers are hundredths, or no komi
MAX_KOMI_STONES = 4.75              # a komi with a quarter counts stones, if there are no more; 7.25 is no komi


def property_text(properties: Properties, ident: str) -> str:
    """The first value of a property as one printable line of at most 200 characters; '' if it is missing."""
    if ident not in properties:
        return ""
    raw = properties[ident][0][:2000]
    if b"\\" in raw or b"\n" in raw or b"\r" in raw:
        from sgfmill import sgf_grammar
        raw = sgf_grammar.simpletext_value(raw)
    text = raw.decode("utf-8", "replace")[:200]
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text.strip()


_FULL_WIDTH = {letter: letter - 0xFEE0 for letter in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_NUMERALS = {numeral: value for value, numeral in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_UNITS = {"十": 10, "百": 100}
_IN_WORDS = re.compile("([〇零一二两兩三四五六七八九十百]{1,8})(?:分[之の]([一二三四]))?")


def plain_digits(text: str) -> str:
    """A text with full-width letters and Chinese numerals as ASCII.

        １目半, 一目半 -> 1目半       三又四分之三子 -> 3又3/4子
    """
    if text.isascii():
        return text
    text = text.translate(_FULL_WIDTH)
    return _IN_WORDS.sub(lambda match: f"{_value_of(match[2])}/{_value_of(match[1])}" if match[2] else
                         str(_value_of(match[1])), text)


def _value_of(numerals: str) -> int:
    total = digits = 0
    for numeral in numerals:
        if numeral in _UNITS:
            total, digits = total + (digits or 1) * _UNITS[numeral], 0
        else:
            digits = 10 * digits + _NUMERALS[numeral]
    return total + digits


_NUMBER = re.compile(r"""
    (?P<sign>[+-]?)\s*
    (?: (?P<fraction>[13]/[24])
      | (?P<decimal>\d{1,20}(?:[.,]\d{1,20})?|\.\d{1,20})  (?:\s*[又-]?\s*(?P<and_fraction>[13]/[24]))?
      | (?=[半반½¼¾]) )
    \s*(?P<symbol>[¼½¾]?)
    \s*(?P<half>[半반]?)
    \s*(?P<unit>[目子집점点點]|points?\b|pts?\b|moku\b)?
    \s*(?P<half_after>[半반]?)
    (?![.,/]?\w*[0-9])""", re.VERBOSE | re.ASCII | re.IGNORECASE)
_FRACTIONS = {"1/4": 0.25, "¼": 0.25, "1/2": 0.5, "2/4": 0.5, "½": 0.5, "3/4": 0.75, "¾": 0.75, "半": 0.5, "반": 0.5}


def points_in(text: str, position: int = 0, with_unit: bool = False) -> float | None:
    """The number at a position of a text, in points; None if there is none.  with_unit: only one that has a unit.

        6.5   .5   6,5   6½   1/2   6 1/2          decimals and fractions
        6目半   半目   2.5집                         with a unit: points, in Chinese, Japanese, Korean
        3.75子   3又3/4子   3¾子                     stones: with area scoring a stone more is two points more
        1e3   6.5.1   1/3                          none
    """
    match = _NUMBER.match(text, position)
    if not match or with_unit and not (match["unit"] or match["half"]):
        return None
    number = float((match["decimal"] or "0").replace(",", "."))
    number += sum(_FRACTIONS.get(match[name] or "", 0)
                  for name in ("fraction", "and_fraction", "symbol", "half", "half_after"))
    return (-number if match["sign"] == "-" else number) * (2 if match["unit"] == "子" else 1)


def interpret_handicap(properties: Properties, stones: list[int], moves: list[int], size: BoardSize) -> int:
    """The handicap stones of Black, set up or played as the first moves; 0 in an even game.

    stones, moves: the game's encoded setup stones and moves.  Without HA, two or more black setup stones before a first
    move of White count.  Raises BadRecord if HA declares stones, and Black has fewer than two when White places one.
    """
    declared = re.match(r"\d{1,2}", property_text(properties, "HA"), re.ASCII)
    handicap = int(declared[0]) if declared else 0
    black_stones = sum(stone < WHITE_BIT for stone in stones)
    white_first = bool(moves) and moves[0] >= WHITE_BIT
    if handicap >= 2:
        pass_index = area_of(size)
        played = list(itertools.islice((move for move in moves if move % WHITE_BIT != pass_index), 2))
        first_moves = sum(1 for _ in itertools.takewhile(lambda move: move < WHITE_BIT, played))
        if not black_stones and first_moves < len(played):
            raise BadRecord("handicap stones missing", f"HA[{handicap}], but Black has {first_moves or 'no'} stone"
                            f"{'s' * (not first_moves)} when White places the first one")
        return handicap
    return black_stones if white_first and black_stones == len(stones) >= 2 else 0


_BEFORE_KOMI = re.compile(r"(?:黑?[贴貼]|덤|コミ)\s*")             # 黑贴3又3/4子, 덤 6집반


def interpret_komi(properties: Properties) -> float | None:
    """Komi in points below MAX_KOMI, a multiple of 0.5 but in files that MuGo wrote; None if unknown."""
    komi = points_in(_BEFORE_KOMI.sub("", plain_digits(property_text(properties, "KM"))))
    if komi is None:
        return None
    programs = properties.get("AP", ())
    if any(program.startswith(b"MuGo:") for program in programs):
        return komi if abs(komi) < MAX_KOMI else None    # writer: in points, as the game was played
    if komi % 100 in (25, 50, 75) and abs(komi) >= MAX_KOMI:
        komi /= 100                 # the Fox server writes 650, or 325 for Chinese counting
    if komi % 0.5 == 0.25 and abs(komi) <= MAX_KOMI_STONES:
        komi *= 2                   # counted in stones: 3.75 under Chinese rules
    fox = "TC" in properties or any(b"foxwq" in program for program in programs)
    if komi == 0 and fox and property_text(properties, "HA") == "0":
        return None                 # how the Fox server writes an unknown komi
    return komi if abs(komi) < MAX_KOMI and komi % 0.5 == 0 else None


def interpret_opening_moves(root: Properties) -> int:
    """How many first moves are an opening that the players did not choose: startTurnIdx=N in the root's comment, as in
    KataGo's games; else 0."""
    match = re.search(rb"\bstartTurnIdx=(\d{1,4})\b", root.get("C", [b""])[0][:2000])
    return int(match[1]) if match else 0


_WINNER = re.compile(r"\s*(?:(b|black|w|white)(?:\s*\+|\s+w[io]ns?\b|\s*$)"
                     r"|(?:([黑黒흑先])|[白백])[^黑黒흑白백]*?[胜勝승贏赢])", re.IGNORECASE)
_LOSER = re.compile(r"\s*(?:(?:(b|black)|w|white)\s+(?:resign(?:s|ed)?|los(?:es|t)|forfeit(?:s|ed)?|ran out of time)\b"
                    r"|(?:([黑黒흑])|[白백])[^黑黒흑白백胜勝승贏赢]*?(?:认输|認輸|投了|負|负|패))", re.IGNORECASE)
_WIN_BY = (
    ("R", re.compile(r"\br\b|resign|中盘|中盤|中押|불계|认输|認輸|投了", re.IGNORECASE)),
    ("T", re.compile(r"\bt\b|time|超时|超時|时间|時間|시간|時間切", re.IGNORECASE)),
    ("F", re.compile(r"\bf\b|forfeit|offline|反则|反則|弃权|棄權|반칙|기권", re.IGNORECASE)),
)
# The winner that a moderator of OGS names, also of a game that is cancelled, says nothing of the board.
_NOT_PLAYED = re.compile(r"[bw]\+(?:m|moderator.*|cancel.*)", re.IGNORECASE)
# A point right behind a word, or a comma before a number, separates them: 黑胜,3.5.  In W+.5 the point is the number's.
_BEFORE_MARGIN = re.compile(r"(?:\+|(?:\bby\b|\bw[io]ns?\b|[胜勝승贏赢负負패])\.?)[\s+(,]*", re.IGNORECASE)
_START_OF_NUMBER = re.compile(r"(?<![\d/又目子집점点點])(?<!\d[.,])(?=[0-9½¼¾半반])|(?<![\w.,/])(?=\.[0-9])")
_DRAW = re.compile(r"0|draw|jigo|tie|和|和棋|和局|平局|持碁|ジゴ|무승부|빅", re.IGNORECASE)


def interpret_result(text: str, size: BoardSize) -> str:
    """A result (RE) in the form of Record.result; size: the board's, which limits the margin."""
    text = plain_digits(text).strip()
    if _DRAW.fullmatch(text):
        return "0"
    lost = _LOSER.match(text)
    match = lost or _WINNER.match(text)
    if not match or _NOT_PLAYED.fullmatch(text):
        return ""
    is_black = bool(match[2] or (match[1] or "").lower().startswith("b"))
    winner = "B" if is_black != bool(lost) else "W"
    rest = text[match.end(1):] if match[1] else text
    margin = _margin(rest, size, _BEFORE_MARGIN, False)
    if not margin:
        for letter, pattern in _WIN_BY:
            if pattern.search(rest):
                return f"{winner}+{letter}"
        margin = _margin(rest, size, _START_OF_NUMBER, True)
    return f"{winner}+{margin:g}" if margin else f"{winner}+"


def _margin(text: str, size: BoardSize, start: re.Pattern, with_unit: bool) -> float:
    """The first margin of victory in points, of the numbers behind matches of `start`; 0 if there is none.

    In games that did not end by scoring the Fox server writes +0.0 or +0.02, KGS +8194.
    """
    for match in start.finditer(text):
        margin = points_in(text, match.end(), with_unit) or 0.0
        if margin % 0.5 == 0.25:
            margin *= 2             # counted in stones
        if 0 < margin <= 2 * area_of(size) and margin % 0.5 == 0:
            return margin
    return 0.0


def interpret_date(text: str) -> str:
    """A date (DT) as '2016-03-09', '2016-03' or '2016': the first one in the text; '' if there is none."""
    text = plain_digits(text)
    if match := re.search(r"(?<!\d)(?!0000)(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)", text, re.ASCII):
        return "-".join(match.groups())
    match = re.search(r"(?<!\d)(?!0000)(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?(?!\d)", text, re.ASCII)
    if not match:
        return ""
    year, month, day = (int(part or 0) for part in match.groups())
    if not 1 <= month <= 12:
        return match[1]
    has_day = 1 <= day <= calendar.monthrange(year, month)[1]
    return f"{match[1]}-{month:02}" + f"-{day:02}" * has_day


LOWEST_RANK = -39                        # of rank_number: 40 kyu
_RANK = re.compile(r"[(\[]?\s*(?:(?P<pro>p|pro|职业|職業|プロ|프로)|a|ama|amateur|业余|業余|業餘|アマ|아마)?\s*"
                   r"(?P<number>\d{1,2}|[初초])\s*-?\s*(?P<unit>dan|kyu|gup|[dkp段级級단급])(?P<rest>.*)",
                   re.IGNORECASE)
SOURCES = "kgs", "tygem", "fox"          # servers that source_number knows


def source_number(source: str) -> float:
    """The number in SOURCES of the server whose name is in the name of an archive or folder; NaN for another one."""
    return next((float(i) for i, name in enumerate(SOURCES) if name in source.lower()), math.nan)


def rank_number(text: str) -> float:
    """A rank as a number: 2k is -1, 1k 0, 1d 1, 9d 9, professional 1p 10, 9p 18; NaN if unknown."""
    match = _RANK.match(plain_digits(text).strip())
    if not match:
        return math.nan
    number = int(match["number"]) if match["number"].isdigit() else 1
    unit = match["unit"].lower()
    if unit in ("k", "kyu", "gup", "级", "級", "급"):
        return float(1 - number) if 1 <= number <= 1 - LOWEST_RANK else math.nan
    if not 1 <= number <= 9:
        return math.nan
    professional = match["pro"] or unit == "p" or re.match("p|.*pro", match["rest"], re.IGNORECASE)
    return float(number + 9 if professional else number)


_OF_PROFESSIONALS = re.compile("gogod|(?<!non)(?<!non-)(?<!un)professional", re.IGNORECASE)


def rank_in(text: str, file: str) -> float:
    """rank_number of a player in a file of an archive, 'GoGoD.zip/1996/1.sgf'.  If 'gogod' or 'professional' is in the
    name, 9d is the rank of a professional, as GoGoD writes it."""
    rank = rank_number(text)
    return rank + 9 if 1 <= rank <= 9 and _OF_PROFESSIONALS.search(file) else rank

"""The character set of an SGF file: bytes in any encoding -> UTF-8.

SGF is parsed byte by byte, so the text is converted first: in GBK, Big5 and Shift_JIS the second byte of a
character may be 0x5B to 0x5D, the bytes of `[`, `\\` and `]`.  In UTF-8 no part of a character is ASCII.
"""
import codecs
import functools
import itertools
import re

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"(\0;\0", "utf-16-le"), (b"\0(\0;", "utf-16-be"),
)
_CHARSET = re.compile(rb"CA\s{0,9}\[\s{0,9}([A-Za-z0-9_.:-]{1,40})\s{0,9}\]")
# Codecs that decode text.  Python has others, which unpack archives or take quadratic time.
_TEXT_CODEC = re.compile(r"ascii|gb.*|hz|big5.*|euc.*|shift_jis.*|johab|iso.*|cp\d+|koi8.*|mac_.*|tis_620")
# Files that declare the smaller character set often use the larger one.
_SUPERSET = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
# UTF-8 characters of two to four bytes, in which the Fox server wrote '?' for every byte that cp1252 lacks.
_DAMAGED_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf?]|[\xe0-\xef][\x80-\xbf?]{2}|[\xf0-\xf4][\x80-\xbf?]{3}")
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
# An accented letter stands alone between letters of ASCII.  GB18030 would take the next one, or a bracket, with it.
# The marks excluded here do not follow a letter: they are second bytes of Big5.
_LONE_LETTER = re.compile(rb"(?<![\x80-\xff])[\xa1-\xff](?![\x80-\xff@[\\^_`{|}~])")
_SAMPLE = 100_000                        # bytes by which an encoding is guessed
# Lead bytes of the characters that a text mostly has: level 1 of GB 2312, Big5 and JIS X 0208, and kana.
_USUAL_LEADS = {"gb18030": range(0xB0, 0xD8), "big5": range(0xA4, 0xC7),
                "cp932": [*range(0x82, 0x84), *range(0x88, 0x98)]}
# Of the 2,350 Hangul that EUC-KR has at the places of GB 2312's level 1: those in names and records of games.
_USUAL_HANGUL = frozenset(
    "가각간감강갑개거건격견결경계고공관광교구국군권귀규균그근금급기길김나난남내네노녀년능다단달담대덕도동두드라란래려"
    "력련로록루류륜리림마만말매명모목무문미민바박반발방배백범변별병보복본봉부북분불비빈사산삼상서석선설성세소손송수순"
    "숙숭스승시식신실심아안애양어언엄여연열염영예오옥온완왕요용우욱운원월위유육윤율은을음응의이인일임자장재전점정제조"
    "종주준중지진질집차찬창채척천철청초최추춘충치탁탄태택판팔평포표필하학한함해행향허헌혁현협형혜호홍화환황회효후훈휘희흑"
    "에와과는")
_LETTERS = re.compile(r"[^\x00-\x7f\u3000-\u303f\uff00-\uff60·]")


def to_utf8(data: bytes) -> bytes:
    """The text of an SGF file in UTF-8; undecodable bytes become U+FFFD.

    The encoding is, in this order: that of a byte-order mark; UTF-8 if all is valid; the one that the property CA
    names, unless it is Latin; UTF-8 if most non-ASCII bytes belong to (damaged) UTF-8 characters, and no Asian codec
    fits well, as a name of three Hangul may look like two such characters; else guessed_codec.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").lstrip("\ufeff").encode()
    try:
        data.decode()
        return data
    except UnicodeDecodeError:
        pass
    declared = _CHARSET.search(data)
    encoding = _codec(declared[1].decode()) if declared else None
    if encoding in (None, "ascii", "iso8859_1", "cp1252"):           # programs declare Latin and write GBK
        damaged = sum(map(len, _NOT_ASCII.findall(b" ".join(_DAMAGED_UTF8.findall(data)))))
        is_damaged = 2 * damaged >= _count_not_ascii(data) and max(_shares(data).values()) < 0.8
        encoding = "utf-8" if is_damaged else guessed_codec(data, encoding or "gb18030")
    return data.decode(encoding, "replace").encode()


def guessed_codec(data: bytes, default: str = "gb18030") -> str:
    """The codec of a text that is not UTF-8 and names no character set: that in which most letters are usual ones.

    Chinese (GB18030 or Big5), Japanese (Shift_JIS) or Korean (EUC-KR); Windows-1252 if most bytes outside ASCII are
    lone letters.  default: if no codec fits.
    """
    data = data[:_SAMPLE]
    shares = _shares(data)
    if shares.pop("cp949") >= 0.6:           # of Chinese letters a tenth would be usual Hangul
        return "cp949"
    best = max(shares, key=shares.__getitem__)                       # the first of equal ones
    if shares[best] >= 0.8:
        return best
    if 2 * len(_LONE_LETTER.findall(data)) >= _count_not_ascii(data):
        return "cp1252"
    return best if shares[best] >= 0.5 else default


def _count_not_ascii(data: bytes) -> int:
    return sum(map(len, _NOT_ASCII.findall(data)))


def _shares(data: bytes) -> dict[str, float]:
    """Of each Asian codec, _share."""
    return {codec: _share(data[:_SAMPLE], codec) for codec in (*_USUAL_LEADS, "cp949")}


def _share(data: bytes, codec: str) -> float:
    """The share of usual letters among those outside ASCII, with data in this codec.  A letter next to one of ASCII
    does not count as usual: mostly it begins with an accented letter."""
    text = data.decode(codec, "replace")
    usual, letters = _usual_letters(codec), 0
    found = 0
    for match in _LETTERS.finditer(text):
        letters += 1
        place = match.start()
        found += match[0] in usual and not _is_latin(text[place - 1:place]) and not _is_latin(text[place + 1:place + 2])
    return found / letters if letters else 0.0


def _is_latin(letter: str) -> bool:
    return letter.isascii() and letter.isalpha()


@functools.cache
def _usual_letters(codec: str) -> frozenset[str]:
    if codec == "cp949":
        return _USUAL_HANGUL
    pairs = (bytes(pair) for pair in itertools.product(_USUAL_LEADS[codec], range(0x40, 0xFF)))
    trails = range(0xA1, 0xFF) if codec == "gb18030" else range(0x40, 0xFF)
    return frozenset(pair.decode(codec, "ignore") for pair in pairs if pair[1] in trails)


@functools.lru_cache(maxsize=256)
def _codec(name: str) -> str | None:
    """Python's codec for the name of a character set; None for UTF-8 (already tried) and unknown names."""
    try:
        found = codecs.lookup(name).name.replace("-", "_")
    except LookupError:
        return None
    return _SUPERSET.get(found, found) if _TEXT_CODEC.fullmatch(found) else None

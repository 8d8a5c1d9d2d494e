"""The character set of an SGF file: bytes in any encoding -> UTF-8.

SGF is parsed byte by byte, so the text is converted first: in GBK, Big5 and Shift_JIS the second byte of a
character may be 0x5B to 0x5D, the bytes of `[`, `\\` and `]`.  In UTF-8 no part of a character is ASCII.
"""
import codecs
import functools
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


def to_utf8(data: bytes) -> bytes:
    """The text of an SGF file in UTF-8; undecodable bytes become U+FFFD.

    The encoding is, in this order: that of a byte-order mark; UTF-8 if all is valid; the one that the property CA
    names; UTF-8 if most non-ASCII bytes belong to (damaged) UTF-8 characters; Windows-1252, which has all letters of
    ISO 8859-1, SGF's own default, if most of them are lone letters; GB18030.
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
    if encoding is None:
        all_bytes, utf8_bytes = (sum(map(len, _NOT_ASCII.findall(text)))
                                 for text in (data, b" ".join(_DAMAGED_UTF8.findall(data))))
        encoding = ("utf-8" if 2 * utf8_bytes >= all_bytes else
                    "cp1252" if 2 * len(_LONE_LETTER.findall(data)) >= all_bytes else "gb18030")
    return data.decode(encoding, "replace").encode()


@functools.lru_cache(maxsize=256)
def _codec(name: str) -> str | None:
    """Python's codec for the name of a character set; None for UTF-8 (already tried) and unknown names."""
    try:
        found = codecs.lookup(name).name.replace("-", "_")
    except LookupError:
        return None
    return _SUPERSET.get(found, found) if _TEXT_CODEC.fullmatch(found) else None

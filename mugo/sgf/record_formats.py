"""Records in other formats than SGF -> SGF text, so that everything that reads SGF reads them.

    format   suffixes      written by                                    module
    GIB      .gib          Tygem                                         gib
    NGF      .ngf          CyberOro, Wbaduk                              ngf
    UGF      .ugf, .ugi    Pandanet (IGS), newspapers' sites of Japan    ugf

A format is recognised by a file's text, not by its name.  None has a published specification; each module says what it
follows.  What is not understood is a BadRecord, never a guess: a move off the board, a colour that is not B or W.
"""
from collections.abc import Callable

from mugo.sgf import gib, ngf, ugf
from mugo.sgf.nodes import Node, format_nodes
from mugo.sgf.record import BadRecord

SUFFIXES = (".gib", ".ngf", ".ugf", ".ugi")
MAX_RECORD_BYTES = 1 << 20               # of such a record; its nodes take 50 times as much memory

_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], list[Node]]], ...] = (
    (gib.is_gib, gib.read_gib), (ngf.is_ngf, ngf.read_ngf), (ugf.is_ugf, ugf.read_ugf))


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

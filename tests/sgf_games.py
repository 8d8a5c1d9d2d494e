"""Helpers of the SGF tests: the one record of a text, and encoded moves from letters."""
from mugo.games.coords import WHITE_BIT, interpret_sgf, move_index
from mugo.sgf.parser import read_records
from mugo.sgf.record import BadRecord, Record


def read(sgf: str | bytes) -> Record:
    """The only game of an SGF text.  Raises BadRecord."""
    record, = read_records(sgf.encode() if isinstance(sgf, str) else sgf)
    if isinstance(record, BadRecord):
        raise record
    return record


def encoded(moves: str, size: int = 19) -> list[int]:
    """'Bpd Wdp W--' as encoded moves; -- is a pass."""
    return [move_index(interpret_sgf(move[1:].replace("--", ""), size), size) + WHITE_BIT * (move[0] == "W")
            for move in moves.split()]

"""A collection in UTF-8 -> each of its games, and its main line, as SGF text that nodes.py can parse.

    (;GM[1];B[aa](;W[bb])(;W[cc]))(;GM[1]...)   ->   (;GM[1];B[aa];W[bb])   (;GM[1]...)

The main line is the first variation at every branch: all nodes before the first `)`, so no tree is built.  Every step
is linear in the length of the text.
"""
import contextlib
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from mugo.sgf.record import BadRecord

_VALUE = re.compile(rb"\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]", re.DOTALL)
_GAME_START = re.compile(rb"\(\s*;")
# Root properties occur in the root node only: a line that begins with one begins a new game, even if the
# brackets of the game before were never closed.
_ROOT_NODE = re.compile(rb"(?<=[\r\n)])[ \t]{0,9}\(\s{0,9};\s{0,9}(?:FF|GM|CA|AP|SZ)\s{0,9}\[[^\\\]]{0,40}\]")
_NODE = re.compile(rb";\s{0,9}[A-Za-z]{1,20}\s{0,9}\[")
_ROOT_WITHOUT_MARK = re.compile(rb"\(\s{0,9}(?=[A-Z]{2}\s{0,9}\[)")
_UP_TO_BRACKET = re.compile(rb"([^()\[]*+(?:" + _VALUE.pattern + rb"[^()\[]*+)*+)([()])", re.DOTALL)
_VALUE_OR_OPENING_BRACKET = re.compile(rb"(" + _VALUE.pattern + rb")|\(", re.DOTALL)


# A value that is complete, or a mark: the bracket alone if the value is not complete.
_VALUE_OR_MARK = re.compile(_VALUE.pattern + rb"|[()\[]", re.DOTALL)


class GameText(NamedTuple):
    """A game of a collection: its main line, and all of it.  is_cut_off: whether its end was missing; `whole` is closed
    then."""
    main_line: bytes
    whole: bytes
    is_cut_off: bool = False


class _CutOff(BadRecord):
    """A game whose end is missing."""


def split_games(text: bytes, cut_off: bool = False) -> Iterator[GameText | BadRecord]:
    """Each game of a collection, or a BadRecord in its place.  cut_off: read a game whose end is missing up to its last
    complete value or variation."""
    if _NODE.match(text.lstrip()):
        text = b"(" + text          # some games of the Fox server lack it
    elif root := _ROOT_WITHOUT_MARK.match(text.lstrip()):
        text = b"(;" + text.lstrip()[root.end():]        # those of Sina
    roots = (match.start() for match in _ROOT_NODE.finditer(text))
    for start, stop in itertools.pairwise(itertools.chain([0], roots, [len(text)])):
        part = text[start:stop]
        end = 0
        try:
            for line, begin, end in _games(part):
                yield GameText(line, part[begin:end])
        except _CutOff as bad:
            found = _GAME_START.search(part, end)
            closed = _closed(part[found.start():]) if cut_off and found else b""
            yield _closed_game(closed) if closed else BadRecord(bad.reason, str(bad))
        except BadRecord as bad:
            yield bad


def _games(text: bytes) -> Iterator[tuple[bytes, int, int]]:
    """(main line, start, end) of each game.  Raises BadRecord for one that cannot be read to its end."""
    position = 0
    while begin := _GAME_START.search(text, position):
        if _NODE.search(text, position, begin.start()):
            raise BadRecord("malformed SGF", "a variation outside any game: one ')' too many")
        line, position = _main_line(text, begin.start())
        yield line, begin.start(), position


def _closed_game(text: bytes) -> GameText | BadRecord:
    """The game of a text of `_closed`."""
    try:
        return GameText(_main_line(text, 0)[0], text, True)
    except BadRecord as bad:
        return bad


def _closed(text: bytes) -> bytes:
    """The text of a game whose end is missing up to its last complete value or variation, with the brackets that close
    it; b"" if nothing is complete."""
    depth = end = depth_at_end = 0
    for item in _VALUE_OR_MARK.finditer(text):
        mark = item[0]
        if mark == b"[":
            break
        depth += (mark == b"(") - (mark == b")")
        if mark != b"(":
            end, depth_at_end = item.end(), depth
    return text[:end] + b")" * depth_at_end if end else b""


def last_game_start(text: bytes) -> int:
    """Where the last game of a collection begins whose root looks like one (_ROOT_NODE); else where the last complete
    game ends, or begins if nothing follows; 0 if there is none behind the beginning."""
    start = 0
    for match in _ROOT_NODE.finditer(text):
        start = match.start()
    if start:
        return start
    with contextlib.suppress(BadRecord):                 # of the game that is cut
        for _, begin, end in _games(text):
            start = end if end < len(text) else begin
    return start


def _main_line(text: bytes, start: int) -> tuple[bytes, int]:
    """The main line of the game that begins at `start`, and the index after the end of the game."""
    depth, has_variations = 0, False
    leaf = None                     # end of the main line
    position = start
    while True:
        match = _UP_TO_BRACKET.match(text, position)
        if match is None:
            raise _CutOff("malformed SGF", "the game is truncated: its brackets are never closed")
        if text[position - 1:position] == b")" and match[1].strip():
            raise BadRecord("malformed SGF", "nodes follow a variation that is already closed")
        position = match.end()
        if match[2] == b"(":
            depth += 1
            has_variations |= depth > 1
        else:
            depth -= 1
            leaf = leaf or position
            if depth == 0:
                break
    line = text[start:leaf]
    if has_variations:
        line = b"(" + _VALUE_OR_OPENING_BRACKET.sub(rb"\1", line[1:])
    return line, position

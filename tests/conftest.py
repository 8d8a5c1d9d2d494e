"""What the tests share: real games, where there are some.

    pytest             the quick suite
    pytest -m slow     thousands of real games and other things of minutes
"""
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from mugo.archives import Text, sources, texts
from mugo.records import Record, read_records

ROOT = Path(__file__).parents[1]
GAMES = (ROOT.parent / "shared" / "games", ROOT / "data")     # the first that is there is used


@pytest.fixture
def real_games():
    """real_games(n): about n Records that people (or GNU Go) played, the same number from each archive."""
    return _real_games


def _real_games(count: int) -> Iterator[Record]:
    for folder in GAMES:
        archives = sources([folder]) if folder.is_dir() else []
        if archives:
            each = -(-count // len(archives))
            for archive in archives:
                yield from islice(_records(archive), each)
            return
    pytest.skip("no game records here")


def _records(archive) -> Iterator[Record]:
    for text in texts(archive):
        if isinstance(text, Text):
            for record in read_records(text.data):
                if isinstance(record, Record) and len(record.moves) > 20:
                    yield record

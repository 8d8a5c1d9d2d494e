"""Eye spaces, capturing races and sekis whose answers are known, drawn in life_and_death.txt."""
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing import draw

from mugo.games import scoring
from mugo.games.coords import board_points, format_gtp

STONES = {"X": "X", "x": "X", "B": "X", "O": "O", "o": "O", "W": "O", ".": "."}
STATUSES = {"X": "alive", "O": "alive", "x": "dead", "o": "dead", "B": "seki", "W": "seki"}
SWAPPED = str.maketrans("XOxoBW", "OXoxWB")


def drawings() -> Iterator:
    """The drawings of the file, each with its name."""
    for block in Path(__file__).with_name("life_and_death.txt").read_text().split("\n\n")[1:]:
        name, *rows = block.strip().splitlines()
        yield pytest.param("\n".join(rows), id=name)


@pytest.mark.parametrize("swapped", [False, True], ids=["as drawn", "colours swapped"])
@pytest.mark.parametrize("picture", list(drawings()))
def test_the_statuses_of_chains(picture, swapped):
    if swapped:
        picture = picture.translate(SWAPPED)
    position, _ = draw("\n".join(" ".join(STONES[cell] for cell in line.split()) for line in picture.splitlines()))
    points = board_points(position.shape).tolist()
    expected = {format_gtp(point, position.shape): STATUSES[cell]
                for point, cell in zip(points, picture.split(), strict=True) if cell != "."}
    found = {format_gtp(point, position.shape): status
             for status, chains in scoring.final_statuses(position).items() for chain in chains for point in chain}
    assert found == expected

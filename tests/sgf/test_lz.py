"""The property LZ: its text is that of the vectors, which the page's JavaScript is tested with too."""
import json
from pathlib import Path

import pytest

from mugo.games.coords import interpret_size
from mugo.games.position import COLOUR_OF
from mugo.sgf.lz import READ_MOVES, READ_PLIES, format_analysis, interpret_analysis

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "lz_vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["written"], ids=lambda vector: vector["name"])
def test_an_analysis_is_written_as_lizzie_does(vector):
    to_play = COLOUR_OF[vector["to_play"].lower()]
    assert format_analysis(vector["analysis"], to_play) == vector["text"]
    assert interpret_analysis(vector["text"], interpret_size(vector["size"]), to_play) == vector["read_again"]


@pytest.mark.parametrize("vector", VECTORS["read"], ids=lambda vector: vector["name"])
def test_texts_of_other_programs_are_read_and_damaged_ones_ignored(vector):
    to_play = COLOUR_OF[vector["to_play"].lower()]
    assert interpret_analysis(vector["text"], interpret_size(vector["size"]), to_play) == vector["analysis"]


def test_every_beginning_of_a_text_and_every_damaged_byte_is_read_without_an_error():
    for vector in VECTORS["written"] + VECTORS["read"]:
        text = vector["text"][:300]
        for end in range(len(text)):
            interpret_analysis(text[:end], 19, 1)
            interpret_analysis(text[:end] + "\ud800x" + text[end + 1:], 19, -1)


def test_a_long_text_is_read_up_to_a_number_of_moves_and_plies():
    moves = " info ".join(["move D4 visits 40 winrate 5340 pv" + 500 * " D4"] * 100)
    analysis = interpret_analysis("Lizzie 50.0 4.0k\n" + moves, 19, 1)
    assert analysis is not None
    assert len(analysis["moves"]) == READ_MOVES and {len(move["pv"]) for move in analysis["moves"]} == {READ_PLIES}

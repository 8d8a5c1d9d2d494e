"""The property LZ: its text is that of the vectors, which the page's JavaScript is tested with too."""
import json
from pathlib import Path

import pytest

from mugo.games.position import COLOUR_OF
from mugo.reviews.annotated_sgf import format_analysis

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "lz_vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["written"], ids=lambda vector: vector["name"])
def test_an_analysis_is_written_as_lizzie_does(vector):
    assert format_analysis(vector["analysis"], COLOUR_OF[vector["to_play"].lower()]) == vector["text"]

"""Inputs of networks besides the planes: who plays, and a bias for each point.

Who plays, after KataGo's SGF metadata encoder (github.com/lightvector/KataGo, docs/) and GoNN:

    numbers    float32 (n, 4)     rank of the side to move | of its opponent | source | year          NaN: unknown
      | encode_people
    inputs     float32 (n, 75)    thermometer of 30        | of 30           | 1 of 3 | thermometer of 12

A thermometer has a 1 for each threshold that the number reaches, the first of which every known number does; so zeros
say that nothing is known.  20k or weaker is 1 0 0 0 ..., 19k is 1 1 0 0 ..., a professional all ones.
"""
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mugo.core.files import BadInput
from mugo.games.coords import BoardSize, shape_of
from mugo.sgf.properties import SOURCES, rank_number

GLOBAL_FEATURES = "global_features"      # an input of networks whose value depends on komi and colour
PEOPLE = "people"                        # an input of networks with a metadata encoder (People)
COMPONENTS = "components"                # an input of networks that pool over chains and empty regions
POINT_BIAS = "point_bias"                # an input of the ONNX graph, as it depends on the size of the board

PROFESSIONAL = 10                        # rank_number of the weakest
RANKS = np.array([-math.inf, *range(-18, PROFESSIONAL + 1)])         # up to 20k, 19k ... 1k, 1d ... 9d, professional
YEARS = np.array([-math.inf, 1950, 1980, 2000, 2005, 2010, 2013, 2016, 2017, 2018, 2020, 2023])
INPUTS = 2 * len(RANKS) + len(SOURCES) + len(YEARS)
RANK_NAMES = (*(f"{kyu}k" for kyu in range(20, 0, -1)), *(f"{dan}d" for dan in range(1, 10)), "pro")
RANK_NUMBERS = np.arange(PROFESSIONAL - len(RANK_NAMES) + 1, PROFESSIONAL + 1)


@dataclass(frozen=True)
class People:
    """Who plays, for Network.evaluate; None is unknown.

    rank, opponent_rank: for the side to move and for its opponent, "5k", "3d", "9p"; "pro" is any professional.
    source: one of sgf.properties.SOURCES.  Raises BadInput for a rank or source that is none.
    """

    rank: str | None = None
    opponent_rank: str | None = None
    source: str | None = None
    year: int | None = None

    def __post_init__(self):
        self.numbers()

    def of_other_side(self) -> "People":
        """The same two, when the other side is to move."""
        return replace(self, rank=self.opponent_rank, opponent_rank=self.rank)

    def numbers(self) -> np.ndarray:
        """float32 (1, 4), as encode_people takes them."""
        if self.source is not None and self.source not in SOURCES:
            raise BadInput(f"source {self.source!r:.40}: must be one of {', '.join(SOURCES)}")
        return np.array([[*(math.nan if rank is None else parse_rank(rank) for rank in (self.rank, self.opponent_rank)),
                          math.nan if self.source is None else SOURCES.index(self.source),
                          math.nan if self.year is None else self.year]], np.float32)


def parse_rank(text: str) -> float:
    """The number of a rank, "5k", "3d", "9p" or "pro".  Raises BadInput."""
    number = PROFESSIONAL if text == "pro" else rank_number(text)
    if math.isnan(number):
        raise BadInput(f"rank {text!r:.40}: must be such as 5k, 3d, 9p or pro")
    return number


def format_rank(number: float) -> str:
    """The name of the rank nearest to a number: "5k", "3d", "pro"."""
    return RANK_NAMES[round(min(max(number, RANK_NUMBERS[0]), RANK_NUMBERS[-1])) - RANK_NUMBERS[0]]


def ranks_of(metadata: dict) -> np.ndarray:
    """Numbers of the ranks of a network's training games, in order; all ranks where its file does not say."""
    low, high = (metadata.get("data") or {}).get("ranks") or (-math.inf, math.inf)
    ranks = RANK_NUMBERS[(low <= RANK_NUMBERS) & (high >= RANK_NUMBERS)]
    return ranks if len(ranks) > 2 else RANK_NUMBERS


def encode_people(numbers: np.ndarray) -> np.ndarray:
    """The input of a network, float32 (n, INPUTS), for People.numbers, float (n, 4)."""
    rank, opponent_rank, source, year = (column[:, None] for column in numbers.T)
    return np.concatenate([rank >= RANKS, opponent_rank >= RANKS, source == np.arange(len(SOURCES)), year >= YEARS],
                          axis=1).astype(np.float32)


def fit_bias(bias: np.ndarray, size: BoardSize) -> np.ndarray:
    """The bias of each point, float32 (trained size²,), for boards of another size: float32 (rows * columns,).

    A point takes the bias of the one at the same distance from its nearest edges.  Lines in the middle are left out or
    repeated; a line at the same distance from both edges gets the mean of two.  So the lines a b c d e become
    a (b+d)/2 e of a board of three lines, a b d e of four, and a b c c c d e of seven.
    """
    trained = math.isqrt(len(bias))
    first_rows, last_rows = _fit_lines(trained, shape_of(size)[0])
    first_cols, last_cols = _fit_lines(trained, shape_of(size)[1])
    square = bias.reshape(trained, trained)
    rows = (square[first_rows] + square[last_rows]) / 2
    return ((rows[:, first_cols] + rows[:, last_cols]) / 2).ravel()


def _fit_lines(trained: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each of `count` lines the two trained ones whose mean it takes: int64 (count,) each."""
    lines = np.arange(count)
    near = np.minimum(lines, (trained - 1) // 2)
    far = np.maximum(lines + trained - count, trained // 2)
    return np.where(2 * lines <= count - 1, near, far), np.where(2 * lines >= count - 1, far, near)


def model_inputs(packed: np.ndarray, global_features: np.ndarray | None, with_components: bool = False,
                 people: np.ndarray | None = None) -> Any:
    """What a Keras model takes: packed planes, uint8 (n, size², bytes); a dict of inputs if there are others.

    global_features: float32 (n, 2), NaN for an unknown komi.  with_components: whether the model takes COMPONENTS.
    people: float32 (n, INPUTS).
    """
    inputs = {"packed": packed}
    if global_features is not None:
        inputs[GLOBAL_FEATURES] = np.nan_to_num(global_features)
    if people is not None:
        inputs[PEOPLE] = people
    if with_components:
        from mugo.games.planes import connected_components  # compiled
        inputs[COMPONENTS] = connected_components(packed, math.isqrt(packed.shape[1]))
    return inputs if len(inputs) > 1 else packed

"""Who plays: the ranks of both players, the source of the game and its year, for networks with a metadata encoder.

    numbers    float32 (n, 4)     rank of the side to move | of its opponent | source | year          NaN: unknown
      | encode_people
    inputs     float32 (n, 75)    thermometer of 30        | of 30           | 1 of 3 | thermometer of 12
      | blocks.ConvBlock
    a bias for each filter of the first convolution

After KataGo's SGF metadata encoder, of its human SL networks (github.com/lightvector/KataGo, docs/), and GoNN
(github.com/lightvector/GoNN, 2018).  A rank is a number as sgf.properties.rank_number gives it, a source one of
sgf.properties.SOURCES.  A thermometer has a 1 for each threshold that the number reaches, the first of which every
known number does:

    unknown               0 0 0 0 ... 0 0
    20k or weaker         1 0 0 0 ... 0 0
    19k                   1 1 0 0 ... 0 0
    a professional        1 1 1 1 ... 1 1

So zeros say that nothing is known.  No Keras here.
"""
import math
from dataclasses import dataclass

import numpy as np

from mugo.core.files import BadInput
from mugo.sgf.properties import SOURCES, rank_number

PROFESSIONAL = 10                        # rank_number of the weakest
RANKS = np.array([-math.inf, *range(-18, PROFESSIONAL + 1)])         # up to 20k, 19k ... 1k, 1d ... 9d, professional
YEARS = np.array([-math.inf, 1950, 1980, 2000, 2005, 2010, 2013, 2016, 2017, 2018, 2020, 2023])
INPUTS = 2 * len(RANKS) + len(SOURCES) + len(YEARS)


@dataclass(frozen=True)
class People:
    """Who plays, for Network.evaluate; None is unknown.

    rank, opponent_rank: of the side to move and of its opponent, "5k", "3d", "9p"; "pro" is any professional.
    source: one of SOURCES.
    Raises BadInput for a rank or source that is none.
    """

    rank: str | None = None
    opponent_rank: str | None = None
    source: str | None = None
    year: int | None = None

    def __post_init__(self):
        self.numbers()

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


def encode_people(numbers: np.ndarray) -> np.ndarray:
    """float32 (n, INPUTS), the inputs of a network, for float (n, 4): see above."""
    rank, opponent_rank, source, year = (column[:, None] for column in numbers.T)
    return np.concatenate([rank >= RANKS, opponent_rank >= RANKS, source == np.arange(len(SOURCES)), year >= YEARS],
                          axis=1).astype(np.float32)

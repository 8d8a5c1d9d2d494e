"""Record: one game as a file has it.  BadRecord: a game that cannot be used, and why.

An *encoded move* is an int16: the move index of games/coords.py, plus WHITE_BIT (512) if White plays.
Whether the moves are legal is not checked here; record_positions and convert replay a record.
"""
from dataclasses import dataclass

import numpy as np

from mugo.core.files import MugoError
from mugo.games.coords import BLACK, WHITE, WHITE_BIT, square_size


# The SGF properties that are fields of Record as texts.
INFO = {"PB": "black", "PW": "white", "BR": "black_rank", "WR": "white_rank", "RE": "result", "DT": "date",
        "EV": "event", "PC": "place", "RU": "rules", "TM": "main_time", "OT": "overtime"}


class BadRecord(MugoError, ValueError):
    """A game that cannot be used.  reason: a short category ("malformed SGF", "illegal move"), by which `preprocess`
    counts; str(): the details, one line."""

    def __init__(self, reason: str, details: str):
        super().__init__(details)
        self.reason = reason

    def __reduce__(self):
        return BadRecord, (self.reason, str(self))      # pickled with both arguments


@dataclass(frozen=True, slots=True)
class Record:
    """One game of Go or Gomoku as it was recorded."""

    shape: tuple[int, int]          # (rows, columns) of the board
    setup: np.ndarray               # int16 (k,): setup stones before the first move, encoded, sorted by move index
    moves: np.ndarray               # int16 (n,): encoded moves, passes included
    first_player: int = BLACK       # BLACK or WHITE: who plays the first move
    komi: float | None = None       # points; None if unknown
    handicap: int = 0               # stones; 0 for an even game
    result: str = ""                # 'B+3.5', 'W+R', 'B+T', 'B+F', 'W+' (margin unknown), '0' (draw), '' (unknown)
    black: str = ""                 # name of the player
    white: str = ""
    black_rank: str = ""            # as written: '6d', 'P9段'; see properties.rank_number
    white_rank: str = ""
    date: str = ""                  # '2016-03-09', '2016-03', '2016' or ''
    event: str = ""
    place: str = ""
    rules: str = ""
    main_time: str = ""             # seconds, as written: '600'
    overtime: str = ""              # as written: '5x30 byo-yomi'
    k: int = 0                      # Gomoku: stones in a row that win; 0 in Go
    exactly: bool = False           # Gomoku: whether more than k in a row do not win
    opening_moves: int = 0          # first moves that the players did not choose: KataGo's startTurnIdx
    has_later_setup: bool = False   # stones are set up after the first move: setup and moves are not the whole game

    @property
    def size(self) -> int:
        """The number of rows of a square board, for what has no other.  Raises BadInput for a rectangle."""
        return square_size(self.shape)

    @property
    def winner(self) -> int:
        """BLACK (1), WHITE (-1), or 0 for a draw or an unknown result."""
        return {"B": BLACK, "W": WHITE}.get(self.result[:1], 0)

    @property
    def placed_stones(self) -> int:
        """How many first moves place handicap stones: Black's before the first of White, if they are two or more.
        KGS and others write free placement so."""
        is_white = self.moves >= WHITE_BIT
        first = int(np.argmax(is_white)) if is_white.any() else 0
        return first if self.k == 0 and first >= 2 else 0

    @property
    def score(self) -> float | None:
        """Black's points more than White's, komi included: 3.5 for 'B+3.5', 0 for '0'.  None if the game did not
        end by scoring, or its margin is unknown."""
        if self.result == "0":
            return 0.0
        margin = self.result[2:]
        return self.winner * float(margin) if margin[:1].isdigit() else None

"""A recorded game, move by move: what was expected, what was better, what each move cost.

    game 1:  12 Black E5: 3rd choice, 8.1 % expected; 54.0 % -> 31.2 %, a blunder; better D3 (54 %): D3 C4 C3

    Record -- review --> Review(moves: one Row each) -- report.py --> text, CSV, SGF, PNG and SVG

The network is asked for all positions of the game at once.  Win rates are a search's, whose tree is kept along
the game, so that what was found before a move is not searched again after it; or the network's own.  A move is
compared with a better one by looking as hard at what follows either: a search is too hopeful about the side that
moves first in it, so the win rates before and after a move do not compare.
"""
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mugo.files import BadInput
from mugo.games import scoring
from mugo.games.board import BLACK
from mugo.games.coords import PASS, move_index
from mugo.games.go import IllegalMove, Position, positions_of
from mugo.players.evaluator import Evaluation, SearchEvaluator
from mugo.search.search import PV_LENGTH
from mugo.sgf.record import Record

BATCH = 32                # positions that the network is asked for at once
# The win rate lost from which on a move is called so.
VERDICTS = (("blunder", 0.20), ("mistake", 0.10), ("inaccuracy", 0.05), ("good", -1.0))


@dataclass(frozen=True)
class Row:
    """One move.  Win rates are from 0 to 1, of the side that plays it; None where nobody judged.

    rank, prior: among the moves the network expects, the likeliest being 1st, and how likely it thought it was;
    without a network, by the search's visits.
    before: once the best move is played; after: once this one is.  lost: before - after, 0 for the best move itself.
    best: the move to play instead, or this one; pv: how that might go on, it first.
    """
    number: int
    colour: int
    point: int
    rank: int
    prior: float
    before: float | None
    after: float | None
    lost: float | None
    best: int
    best_prior: float
    pv: tuple[int, ...]

    @property
    def verdict(self) -> str:
        """The word for what it cost; '' where nobody judged."""
        return "" if self.lost is None else next(word for word, least in VERDICTS if self.lost >= least)


@dataclass(frozen=True)
class Review:
    """A game's rows, the record it is of, its positions (one more than rows), and why it ends before the record
    does, '' if it does not."""
    record: Record
    rows: tuple[Row, ...]
    positions: tuple[Position, ...]
    stopped: str

    def black_rates(self) -> list[float | None]:
        """Black's win rate before the first move, and after each one."""
        first = self.rows[0]
        rates = [(first.colour, first.before)] + [(row.colour, row.after) for row in self.rows]
        return [None if rate is None else rate if colour == BLACK else 1 - rate for colour, rate in rates]

    def swings(self, most: int = 10) -> list[Row]:
        """The moves that cost the most; where nobody judged, those that the network expected the least."""
        if any(row.lost is not None for row in self.rows):
            costly = [row for row in self.rows if row.lost is not None and row.verdict != "good"]
            return sorted(costly, key=lambda row: (-row.lost, row.number))[:most]
        return sorted((row for row in self.rows if row.rank > 1), key=lambda row: (row.prior, row.number))[:most]


class Reviewer:
    """Reviews games.

    network: as network.Network has it, or None.  judges: for the game and for what might have been played, each
    with a tree of its own; None leaves win rates to the network, if it has a value.
    tta: test-time augmentation of the network's outputs.  komi: of games that name none.
    """

    def __init__(self, network=None, judges: tuple[SearchEvaluator, SearchEvaluator] | None = None, *,
                 tta: bool = True,
                 komi: float = 7.5):
        if network is None and judges is None:
            raise ValueError("somebody has to judge")
        self._network = network
        self._judges = judges
        self._tta = tta
        self._komi = komi

    def review(self, record: Record, tick: Callable[[], object] = lambda: None) -> Review:
        """The review of a game; tick() is called after each move.

        Raises BadInput for a game without a legal move, or a board that the network does not play.
        """
        positions, stopped = [], ""
        try:
            for position in positions_of(record, komi=self._komi):
                positions.append(position)
        except IllegalMove as illegal:
            stopped = str(illegal)
        if len(positions) < 2:
            raise BadInput(stopped or "there are no moves in this game")
        # As they were to be played in, whoever the board thinks is next.
        asked = [before.with_turn(after.mover) for before, after in zip(positions[:-1], positions[1:], strict=True)]
        asked.append(positions[-1])
        priors, values = self._ask(asked)
        rows = self._by_network(asked, priors, values, tick) if self._judges is None \
            else self._by_search(asked, priors, tick)
        return Review(record, tuple(rows), tuple(positions), stopped)

    def _ask(self, positions: Sequence[Position], tta: bool | None = None
             ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The network's priors and win rates, float (n, size² + 1) and (n,); None for what there is not."""
        if self._network is None:
            return None, None
        tta = self._tta if tta is None else tta
        answers = [self._network.evaluate(list(positions[i:i + BATCH]), tta=tta)
                   for i in range(0, len(positions), BATCH)]
        priors = np.concatenate([p for p, _ in answers])
        return priors, None if answers[0][1] is None else np.concatenate([(1 + v) / 2 for _, v in answers])

    def _by_search(self, asked: list[Position], priors: np.ndarray | None, tick: Callable[[], object]) -> list[Row]:
        found, kept, rows = self._search(0, asked[0], 0), 0, []
        for i, (position, after) in enumerate(zip(asked[:-1], asked[1:], strict=True)):
            point, choices, best = after.last, found.moves, found.moves[0]
            # The tree counts two passes as the end, dead stones included, and gives turns as they come.
            follows = after.to_play == -position.to_play and PASS not in (point, position.last)
            kept = next((info.visits for info in choices if info.point == point), 0) if follows else 0
            found = self._search(0, after, kept)
            rate = _for(position, after, found.win_rate)
            before = rate
            if best.point != point and not _is_agreed(position, point):
                other = position.play(best.point)
                before = _for(position, other, self._search(1, other, 0).win_rate)
            visits = sum(info.visits for info in choices) or 1
            shares = {info.point: info.visits / visits for info in choices}
            if priors is None:
                rank, prior = 1 + sum(share > shares.get(point, 0) for share in shares.values()), shares.get(point, 0)
                best_prior = shares[best.point]
            else:
                rank, prior = _expected(position, priors[i], point)
                best_prior = float(priors[i][move_index(best.point, position.size)])
            rows.append(Row(i + 1, position.to_play, point, rank, prior, before, rate, before - rate, best.point,
                            best_prior, best.pv))
            tick()
        return rows

    def _search(self, which: int, position: Position, kept: int) -> Evaluation:
        """What one of the judges says.  A pass is among the moves only when a game is about to end, and not as an
        answer to one."""
        may_pass = position.last != PASS and scoring.is_nearly_over(position)
        return self._judges[which].evaluate(position, may_pass=may_pass, kept=kept)

    def _by_network(self, asked: list[Position], priors: np.ndarray, values: np.ndarray | None,
                    tick: Callable[[], object]) -> list[Row]:
        lines = self._favourite_lines(asked[:-1], priors)
        best_rates = None
        if values is not None:                           # as far from the end as the values they are compared to
            best_rates = 1 - self._ask([before.play(line[0]) for before, line in zip(asked, lines, strict=False)])[1]
        rows = []
        for i, (position, after) in enumerate(zip(asked[:-1], asked[1:], strict=True)):
            point, best = after.last, lines[i][0]
            rank, prior = _expected(position, priors[i], point)
            played = before = lost = None
            if values is not None:
                played = _for(position, after, float(values[i + 1]))
                before = played if best == point or _is_agreed(position, point) else max(float(best_rates[i]), played)
                lost = before - played
            rows.append(Row(i + 1, position.to_play, point, rank, prior, before, played, lost, best,
                            float(priors[i][move_index(best, position.size)]), lines[i]))
            tick()
        return rows

    def _favourite_lines(self, positions: list[Position], priors: np.ndarray) -> list[tuple[int, ...]]:
        """From each position the moves that the network likes best, one after the other, PV_LENGTH of them."""
        lines: list[tuple[int, ...]] = [() for _ in positions]
        for step in range(PV_LENGTH):
            favourites = [_favourite(position, prior) for position, prior in zip(positions, priors, strict=False)]
            lines = [line if PASS in line[-1:] else (*line, point)
                     for line, point in zip(lines, favourites, strict=True)]
            if step < PV_LENGTH - 1:
                positions = [position.play(point) for position, point in zip(positions, favourites, strict=True)]
                priors = self._ask(positions, tta=False)[0]
        return lines


def _for(position: Position, after: Position, win_rate: float) -> float:
    """The win rate in a later position, for the side to move in this one."""
    return win_rate if after.to_play == position.to_play else 1 - win_rate


def _is_agreed(position: Position, point: int) -> bool:
    """Whether a move is a pass at the end, where both sides know the rest: it costs nothing."""
    return point == PASS and scoring.is_nearly_over(position)


def _favourite(position: Position, priors: np.ndarray) -> int:
    points = np.append(position.sensible_points(), PASS)
    return int(points[np.argmax(priors[[move_index(int(point), position.size) for point in points]])])


def _expected(position: Position, priors: np.ndarray, point: int) -> tuple[int, float]:
    """The rank of a move among the legal ones, the likeliest being 1, and its prior."""
    legal = [*position.legal_points().tolist(), PASS]
    prior = float(priors[move_index(point, position.size)])
    return 1 + int(np.sum(priors[[move_index(other, position.size) for other in legal]] > prior)), prior

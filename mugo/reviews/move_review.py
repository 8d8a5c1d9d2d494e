"""A reviewed game and its moves, as `Reviewer` makes them and report and annotated_sgf show them.

The verdict of a move is by the points that it loses, or by win rate where no network has scores; a move that the
network's policy likes better than the best one is no mistake (docs/lab/benchmarks.md, "Mistakes that a review lists").

    level              1          2             3          4          5
    verdict            good       good          mistake    blunder    blunder
    lead, in points    0.5        1.5           3          6          12
    win rate           2.5 %      5 %           10 %       20 %       40 %
"""
from dataclasses import dataclass

from mugo.games.board import BLACK
from mugo.games.go import GoPosition
from mugo.players.evaluation import Evaluation
from mugo.sgf.record import Record

LEVELS = {"lead": (0.5, 1.5, 3, 6, 12), "win_rate": (0.025, 0.05, 0.1, 0.2, 0.4)}      # the least losses
VERDICTS = ("good", "mistake", "blunder")
_VERDICT_OF_LEVEL = ("good", "good", "good", "mistake", "blunder", "blunder")


def verdict(points_lost: float | None, win_rate_lost: float | None) -> str:
    """One of VERDICTS, by points where there are scores; "" without a win rate."""
    unit, lost = ("win_rate", win_rate_lost) if points_lost is None else ("lead", points_lost)
    return "" if lost is None else _VERDICT_OF_LEVEL[sum(lost >= least for least in LEVELS[unit])]


@dataclass(frozen=True)
class MoveReview:
    """A reviewed move.  Win rates are from 0 to 1, of the side that plays it; None without search and value head.

    number: from 1.  colour: BLACK or WHITE.  point: the move (PASS for a pass).
    rank, prior: by the network, 1 for its first choice; without a network, by the search's visits.
    pv: the principal variation, the best move first.
    win_rate_before, lead_before: after the best move; win_rate_after, lead_after: after this move.  Leads are in
    points, komi included; None without scores.
    is_placed: whether the move places a handicap stone (Record.placed_stones), which has no loss and no verdict.
    """
    number: int
    colour: int
    point: int
    rank: int
    prior: float
    best_prior: float
    pv: tuple[int, ...]
    win_rate_before: float | None = None
    win_rate_after: float | None = None
    lead_before: float | None = None
    lead_after: float | None = None
    is_placed: bool = False

    @property
    def best_move(self) -> int:
        return self.pv[0]

    @property
    def loss(self) -> float | None:
        """The win rate that the move loses; 0 for the best move itself."""
        return None if self.is_placed else difference(self.win_rate_before, self.win_rate_after)

    @property
    def points_lost(self) -> float | None:
        return None if self.is_placed else difference(self.lead_before, self.lead_after)

    @property
    def verdict(self) -> str:
        """As the function of this name says; "good" where the best move has a lower prior."""
        found = verdict(self.points_lost, self.loss)
        return "good" if found and self.prior > self.best_prior else found


def difference(one: float | None, other: float | None) -> float | None:
    """one - other; None where one of them is."""
    return None if one is None or other is None else one - other


@dataclass(frozen=True)
class Review:
    """A reviewed game.

    moves: (n,) MoveReview.  positions: (n + 1,), the start first.
    stop_reason: the error of the illegal move at which the review ends; "" if it reaches the end of the record.
    evaluations: (n + 1,) of the positions, with their best moves; None where there is none.
    """
    record: Record
    moves: tuple[MoveReview, ...]
    positions: tuple[GoPosition, ...]
    stop_reason: str
    evaluations: tuple[Evaluation | None, ...] = ()

    @property
    def judged_moves(self) -> list[MoveReview]:
        """The moves without those that place handicap stones."""
        return [move for move in self.moves if not move.is_placed]

    @property
    def has_win_rates(self) -> bool:
        return any(move.loss is not None for move in self.moves)

    @property
    def has_leads(self) -> bool:
        return any(move.points_lost is not None for move in self.moves)

    def black_win_rates(self) -> list[float | None]:
        """Black's win rate before the first move and after each move."""
        first = self.moves[0]
        rates = [(first.colour, first.win_rate_before)] + [(move.colour, move.win_rate_after) for move in self.moves]
        return [rate if rate is None or colour == BLACK else 1 - rate for colour, rate in rates]

    def black_leads(self) -> list[float | None]:
        """Black's lead in points before the first move and after each move."""
        first = self.moves[0]
        leads = [(first.colour, first.lead_before)] + [(move.colour, move.lead_after) for move in self.moves]
        return [lead if lead is None else lead * colour for colour, lead in leads]

    def worst_moves(self, count: int = 10) -> list[MoveReview]:
        """The moves that are not good, by their loss in points, without scores by that of win rate, the largest first.

        Without win rates: the moves that are not the network's first choice, the lowest prior first.
        """
        if self.has_win_rates:
            costly = [move for move in self.moves if move.loss is not None and move.verdict != "good"]
            lost = {move: move.points_lost if self.has_leads else move.loss for move in costly}
            return sorted(costly, key=lambda move: (-(lost[move] or 0.0), move.number))[:count]
        unexpected = [move for move in self.judged_moves if move.rank > 1]
        return sorted(unexpected, key=lambda move: (move.prior, move.number))[:count]

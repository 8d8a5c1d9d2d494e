"""review: what each move of a game lost, as `mugo review` finds it."""
from dataclasses import dataclass
from typing import Unpack

from mugo.api.game import Game
from mugo.api.keywords import SearchKeywords
from mugo.api.position import check_number, python_errors
from mugo.api.network import Network, load_network, opened_of
from mugo.api.search import settings_of
from mugo.core.files import MugoError
from mugo.core.progress import progress_bar
from mugo.games.coords import format_gtp
from mugo.games.position import COLOUR_LETTERS
from mugo.mcts.search import Search
from mugo.players.evaluation import SearchEvaluator
from mugo.reviews import move_review
from mugo.reviews.annotated_sgf import annotated_sgf
from mugo.reviews.tasks import REVIEWED_BY
from mugo.reviews.options import SIMULATIONS
from mugo.reviews.report import text_report
from mugo.reviews.review import Reviewer


@dataclass(frozen=True)
class ReviewedMove:
    """A move of a game, and what it lost.  Win rates, from 0 to 1, and leads, in points, are for its side.

    number: from 1.  colour: 'B' or 'W'.  rank, prior: by the network, 1 for its first choice.  best: the best move, and
    pv the principal variation that begins with it.  win_rate_before, lead_before: after the best move; win_rate_after,
    lead_after: after this one.  points_lost, win_rate_lost: the differences.  verdict: 'good', 'mistake' or
    'blunder'.  What the network has no head for is None.
    """
    number: int
    colour: str
    move: str
    verdict: str
    points_lost: float | None
    win_rate_lost: float | None
    best: str
    pv: list[str]
    rank: int
    prior: float
    win_rate_before: float | None
    win_rate_after: float | None
    lead_before: float | None
    lead_after: float | None


class GameReview:
    """A reviewed game, as `review` returns it.  game: that was reviewed.  moves: a ReviewedMove for each of its moves;
    `pandas.DataFrame(review.moves)` is a table of them."""

    def __init__(self, game: Game, found: move_review.Review):
        self.game, self._found = game, found
        self.moves = [self._reviewed(move) for move in found.moves]

    def _reviewed(self, move: move_review.MoveReview) -> ReviewedMove:
        shape = self._found.record.shape
        pv = [format_gtp(point, shape) for point in move.pv]
        return ReviewedMove(move.number, COLOUR_LETTERS[move.colour], format_gtp(move.point, shape), move.verdict,
                            move.points_lost, move.loss, pv[0], pv, move.rank, move.prior, move.win_rate_before,
                            move.win_rate_after, move.lead_before, move.lead_after)

    def worst_moves(self, n: int = 10) -> list[ReviewedMove]:
        """The n moves that lost most, the worst first, without those that are good."""
        return [self.moves[move.number - 1] for move in self._found.worst_moves(check_number("n", n, 0))]

    def to_sgf(self) -> str:
        """The game as SGF with a comment on every move and the better variations.  Raises MugoError as Game.to_sgf."""
        self.game.to_sgf()
        return annotated_sgf(self._found, self.game._tree.nodes, REVIEWED_BY).decode()

    def __repr__(self) -> str:
        counts = [f"{sum(move.verdict == verdict for move in self.moves)} {verdict}s"
                  for verdict in ("blunder", "mistake")]
        return f"<GameReview of {len(self.moves)} moves: {', '.join(counts)}>"

    def __str__(self) -> str:
        """The report that `mugo review` prints."""
        return "\n".join(text_report(self._found))


@python_errors()
def review(game: Game, network: Network | None = None, *, simulations: int | None = SIMULATIONS,
           **options: Unpack[SearchKeywords]) -> GameReview:
    """Review a game of Go: for each move, what it lost against the best move that a search finds.

    network: by default the bundled one for the board.  simulations: for each position; None: no search, the network
    alone, which takes a second.  options: of `mugo help search`, as threads=2, seed=1.
    Raises MugoError for a game without moves, a board that the network does not play, and options out of range.
    """
    if not isinstance(game, Game):
        raise MugoError(f"a mugo.Game was expected, not a {type(game).__name__}")
    # Without early stop: the best move may be known long before its win rate is.
    settings = settings_of("review", "mcts", "go", options, early_stop=False)
    opened, evaluators = opened_of(network) or load_network()._opened, None
    if simulations is not None:
        check_number("simulations", simulations, 1)
        evaluators = (SearchEvaluator(Search(settings, opened), simulations, None),
                      SearchEvaluator(Search(settings, opened), simulations, None))
    with progress_bar("moves", len(game) - 1) as bar:
        return GameReview(game, Reviewer(opened, evaluators).review(game._record, lambda: bar.update(1)))

"""search: Monte Carlo tree search of a position, and what it found."""
import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from mugo.api.keywords import SearchKeywords
from mugo.api.network import Evaluation, Network, opened_of
from mugo.api.position import Position, base_of, check_number, point_of, python_errors
from mugo.core.config import suggestion
from mugo.core.options import check_player, options_of
from mugo.core.progress import progress_bar
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import format_gtp
from mugo.games.position import BasePosition
from mugo.players.evaluation import SECONDS, analyze, score_estimate
from mugo.players.player import SearchControl
from mugo.players.registry import default_select_by, default_settings
from mugo.plots.svg import board_svg
from mugo.mcts import result as results
from mugo.mcts.root import AvoidedMoves
from mugo.mcts.records import MAX_DEPTH
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

TABLE_MOVES = 10                         # that print() shows
PROGRESS_SECONDS = 0.5                   # between two reports


@dataclass(frozen=True)
class SearchedMove:
    """What a search found of a move.  win_rate, from 0 to 1, and lead, in points, are for the side that plays it.

    prior: the network's probability.  visits: simulations through it.  pv: the principal variation, this move first.
    proven: 'win', 'draw' or 'loss' where that is certain, else None.  symmetry_of: the move that was searched in its
    stead, None for most moves.
    """
    move: str
    visits: int
    win_rate: float
    lead: float | None
    prior: float
    pv: list[str]
    proven: str | None
    symmetry_of: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(Evaluation):
    """What a search found: an Evaluation by its leaves, those of the network and of rollouts, and the moves.

    best: the move to play.  moves: all that were considered, the best first.  visits: the position's.  simulations,
    seconds: that it took.  is_full: whether the tree has no room for another node, so that more simulations do not read
    deeper: a larger max_edges gives it room.
    """
    best: str
    moves: list[SearchedMove]
    visits: int
    simulations: int
    seconds: float
    is_full: bool

    def __repr__(self) -> str:
        return f"<SearchResult for {self.position.to_move}: {self.best}, {self._words()}, {self.visits} visits>"

    def __str__(self) -> str:
        """A table of the best moves."""
        lines = [f"{'move':>5} {'visits':>7} {'win rate':>9} {'prior':>6}  principal variation"]
        lines += [f"{each.move:>5} {each.visits:7} {each.win_rate:9.1%} {each.prior:6.1%}  {' '.join(each.pv)}"
                  for each in [each for each in self.moves if each.visits and not each.symmetry_of][:TABLE_MOVES]]
        return "\n".join([*lines, repr(self)[1:-1]])

    def _repr_svg_(self) -> str:
        base, visits = base_of(self.position), max(1, sum(each.visits for each in self.moves))
        return board_svg(base, shares={point_of(each.move, base.shape): each.visits / visits for each in self.moves},
                         caption=f"visits, %; {repr(self)[1:-1]}")


@python_errors()
def search(position: Position, network: Network | None = None, *, simulations: int | None = None,
           seconds: float | None = None, progress: Callable[[SearchResult], object] | None = None,
           allow: Iterable[str] | None = None, avoid: Iterable[str] = (), depth: int | None = None,
           **options: Unpack[SearchKeywords]) -> SearchResult:
    """Search a position: with a network as the player `mcts` does, without one as `uct`, by rollouts.

    simulations, seconds: limits; without either 2 seconds.  A search ends before them where nothing can change the
    choice, unless early_stop=False.  Ctrl-C ends it by KeyboardInterrupt.
    progress: called with the result so far twice a second; by default a bar is drawn in a terminal or a notebook.
    allow, avoid: moves that both sides may play, by default all, and moves that they may not, for the first `depth`
    moves of a variation, by default all.  A pass is searched below the root in any case; at the root near the end of
    the game, or where it is among the moves that `allow` and `avoid` leave.
    options: of `mugo help search`, as threads=2, seed=1, c=1.5, rollout='none'.
    Raises MugoError for a position without a move, one that the network does not play, options out of range or of the
    other player, and where no move is left.

    >>> search(Position(5, komi=0).play("C3"), simulations=100, seed=1).simulations
    100
    """
    opened_of(network)
    base, player = base_of(position), "uct" if network is None else "mcts"
    settings, opened = settings_of("search", player, base.game, options), network and network._opened_for(position)
    select_by = default_select_by(player, base.game)
    simulations = None if simulations is None else check_number("simulations", simulations, 1)
    if seconds is not None or simulations is None:
        seconds = check_number("seconds", SECONDS if seconds is None else seconds, 0.001, is_whole=False)

    avoided = _avoided(base, allow, avoid, MAX_DEPTH if depth is None else check_number("depth", depth, 1))
    unit, total = ("simulations", simulations) if simulations else ("s", seconds or 0)
    bars: list[Any] = []

    def show(found: results.SearchResult) -> None:
        if progress is not None:
            progress(_result(position, found, select_by))
            return
        done = found.simulations if simulations else found.seconds
        if not bars:                     # drawn from here on: the first simulations may have compiled for a minute
            bars.append(stack.enter_context(progress_bar(unit, total, initial=done, delay=PROGRESS_SECONDS)))
        bars[0].update(done - bars[0].n)

    with contextlib.ExitStack() as stack:
        found = analyze(Search(settings, opened), base, simulations=simulations, seconds=seconds, select_by=select_by,
                        is_choice=True, control=SearchControl(on_progress=show, progress_interval=PROGRESS_SECONDS,
                                                              avoided=avoided))
    return _result(position, found, select_by)


def settings_of(function: str, player: str, game: str, options: Mapping[str, Any], **defaults: Any) -> Settings:
    """The settings of a search with the options of a library function.  Raises TypeError for one that does not exist,
    and BadInput for one that is out of range or only another player's."""
    if unknown := options.keys() - options_of(Settings).keys():
        hint = suggestion(min(unknown), options_of(Settings)) or ": `mugo help search` lists them"
        raise TypeError(f"{function}() has no option {min(unknown)!r}{hint}")
    check_player(Settings, options, player)
    return replace(default_settings(player, game), **(defaults | dict(options)))


def _avoided(base: BasePosition, allow: Iterable[str] | None, avoid: Iterable[str], depth: int) -> AvoidedMoves:
    size, depth = base.shape, min(depth, MAX_DEPTH)
    allowed = None if allow is None else [point_of(move, size) for move in allow]
    left_out, avoided = [point_of(move, size) for move in avoid], AvoidedMoves()
    for colour in BLACK, WHITE:
        if allowed is not None:
            avoided.allow(colour, allowed, depth, size)
        avoided.avoid(colour, left_out, depth)
    return avoided


def _result(position: Position, found: results.SearchResult, select_by: str) -> SearchResult:
    base = base_of(position)
    moves = {info.point: SearchedMove(format_gtp(info.point, base.shape), info.visits, info.win_rate, info.score_lead,
                                      info.prior, [format_gtp(point, base.shape) for point in info.pv],
                                      None if info.proven is None else results.OUTCOMES[info.proven],
                                      info.symmetry_of and format_gtp(info.symmetry_of.point, base.shape))
             for info in found.moves}
    lead, stdev = score_estimate(found) or (None, None)
    return SearchResult(position, found.win_rate, lead, stdev,
                        None if found.ownership is None else found.ownership * base.to_play,
                        moves[found.best(select_by).point].move, list(moves.values()), found.visits, found.simulations,
                        found.seconds, found.is_full)

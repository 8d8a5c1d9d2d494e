"""The analysis of a position by a search, as GTP, the analysis protocol, the page, the library and reviews have it."""
from mugo.core.files import BadInput
from mugo.games.position import BasePosition
from mugo.mcts.result import SearchResult
from mugo.mcts.search import Search
from mugo.players.passing import may_search_pass
from mugo.players.player import FREE, SearchControl

SECONDS = 2.0             # of a search that nothing else limits


def analyze(search: Search, position: BasePosition, *, simulations: int | None = None, seconds: float | None = None,
            control: SearchControl = FREE, select_by: str = "visits", is_choice: bool = False,
            may_end_game: bool = True) -> SearchResult:
    """Search a position; the first of the result's moves is the one to play.

    simulations, seconds: limits; without either, SECONDS.
    select_by: how that move is chosen, as in SearchResult.best.  is_choice: whether only this choice matters, so that
    the search ends once it is made.
    may_end_game: whether a pass that ends the game is looked at, by which dead stones count as alive.
    Raises BadInput as Search.check, and where no legal move is allowed.
    """
    if control.avoided.allowed_at(position) == []:
        raise BadInput("no legal move is allowed")
    if simulations is None and seconds is None:
        seconds = SECONDS
    report = control.on_progress
    result = search.search(
        position, simulations=simulations, seconds=seconds, avoided=control.avoided,
        may_pass=may_search_pass(position, control.avoided, may_end_game), should_stop=control.should_stop,
        on_progress=None if report is None else lambda result: report(result.ordered(select_by)),
        progress_interval=control.progress_interval, select_by=select_by if is_choice else None)
    return result.ordered(select_by)

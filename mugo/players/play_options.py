"""Options by which a searcher plays: how long it searches, how it chooses, when it resigns."""
from dataclasses import dataclass

from mugo.core.options import check, option

SECONDS = 2.0             # of a search that nothing else limits
SELECT_BY = ("visits", "value", "lcb")


@dataclass(frozen=True)
class PlayOptions:
    """How a searcher turns search results into moves.  Raises BadInput for values out of range."""
    simulations: int | None = option(None, "limit of simulations for a move", least=1, most=10**9, common=True,
                                     shown_default="no limit", katago="maxPlayouts")
    visits: int | None = option(None, "limit of the visits of a position: simulations for a move, and those of the "
                                "reused tree", least=1, most=10**9, shown_default="no limit", katago="maxVisits")
    seconds: float | None = option(None, "limit of seconds for a move", above=0, common=True, metavar="SECONDS",
                                   shown_default=f"{SECONDS:g} without --simulations, --visits or a clock",
                                   katago="maxTime")
    select_by: str = option(
        "visits", "play the most visited move, the one with the highest mean value, or the one with the highest lower "
        "confidence bound of its value (KataGo's useLcbForSelection)", choices=SELECT_BY,
        shown_default="lcb of mcts in Go, else visits")
    human_move_prop: float = option(
        0.0, "probability that a move is sampled from the network's priors instead of the search's, which still "
        "decides when to pass and to resign: with --rank, --style or --human-profile, moves as those people play them",
        least=0, most=1, player="mcts", katago="humanSLChosenMoveProp")
    dynamic_komi: bool = option(True, "in a handicap game, search with the komi that makes the position about even")
    resign: float = option(0.05, "resign when the win rate has been below this for --resign-moves moves; in a "
                           "handicap game not before move 20 for each stone; 0: never", least=0, below=1, common=True)
    resign_moves: int = option(3, "moves in a row with a win rate below --resign before the player resigns", least=1)

    def __post_init__(self):
        check(self)


DEFAULT_PLAY_OPTIONS = PlayOptions()

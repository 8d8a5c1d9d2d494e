"""The rank of a player of the games that are reviewed, pooled over all of them: `mugo review --rank-of NAME`."""
import contextlib

import numpy as np

from mugo.core.files import BadInput
from mugo.core.progress import progress_bar
from mugo.games.board import BLACK, WHITE
from mugo.games.position import BasePosition, IllegalMove
from mugo.players.options import open_network
from mugo.players.rank_estimate import RankEstimate, check_games, estimate_rank, game_likelihoods, known_ranks
from mugo.reviews.options import ReviewOptions
from mugo.reviews.tasks import ReviewTask
from mugo.sgf.archives import printable_name
from mugo.sgf.record import Record
from mugo.sgf.record_positions import positions_of

NAMES_SHOWN = 8           # of an error


class RankOfPlayer:
    """An estimate that is checked when it is made, and run when the games have been reviewed.

    name: the player's, as the records have it, in upper or lower case; the attribute can be printed.
    Raises BadInput for a network that takes no people, a name in no game, and too few games.
    """

    def __init__(self, name: str, tasks: list[ReviewTask], options: ReviewOptions):
        self.name, opened = printable_name(name), options.opened
        self._network = open_network(options.network, options.settings.threads, opened.precision, opened.provider)
        self._ranks = known_ranks(self._network)
        self._komi = options.komi
        self._games: list[tuple[Record, int]] = []
        names: dict[str, None] = {}
        for task in tasks:
            record = task.tree().record
            names |= dict.fromkeys(each for each in (record.black, record.white) if each)
            colours = [colour for colour, each in ((BLACK, record.black), (WHITE, record.white))
                       if each and each.casefold() == name.casefold()]
            self._games += [(record, colour) for colour in colours[:1]]
        if not self._games:
            shown = ", ".join(list(names)[:NAMES_SHOWN]) + (", ..." if len(names) > NAMES_SHOWN else "")
            raise BadInput(f"--rank-of {self.name}: no game has a player of this name"
                           + (f" (players: {printable_name(shown)})" if names else ""))
        check_games(len(self._games))

    def run(self) -> RankEstimate:
        """The estimate.  Raises BadInput for games that the network does not play."""
        found = []
        with progress_bar("games for the rank", len(self._games)) as bar:
            for record, colour in self._games:
                positions: list[BasePosition] = []
                with contextlib.suppress(IllegalMove):   # the review has said so; the moves before it count
                    for position in positions_of(record, komi=self._komi):
                        positions.append(position)
                found.append(game_likelihoods(self._network, positions[record.placed_stones:], colour, self._ranks))
                bar.update()
        return estimate_rank(np.array([row for row, _ in found]), np.array([moves for _, moves in found]), self._ranks)

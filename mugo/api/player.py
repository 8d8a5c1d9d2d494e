"""player: a player to ask for moves, with the options of the command line."""
from typing import Any

from mugo.api.commands import parsed
from mugo.api.moves import check_number, python_errors
from mugo.api.network import Network, opened_of
from mugo.api.position import Position, base_of
from mugo.core.files import MugoError
from mugo.games.coords import format_gtp
from mugo.games.game import GAMES
from mugo.players import options as players
from mugo.players.player import RESIGN
from mugo.players.player import Player as AnyPlayer


class Player:
    """A player, made by the function `player`.  name: 'mcts', 'policy', ..."""

    def __init__(self, made: AnyPlayer):
        self.name, self._made = made.name, made

    @python_errors()
    def select_move(self, position: Position, *, seconds: float | None = None) -> str:
        """The move of the side to move: 'Q16', 'pass' or 'resign'.

        seconds: that it may take; by default what the player's options say.  Raises MugoError for a board that the
        player does not play, and for a position without a move.
        """
        base = base_of(position)
        base.check_has_moves()
        limit = None if seconds is None else check_number("seconds", seconds, 0.001, is_whole=False)
        point = self._made.select_move(base, seconds=limit)
        return "resign" if point == RESIGN else format_gtp(point, base.shape)

    def __repr__(self) -> str:
        return f"<Player {self.name}>"


@python_errors()
def player(name: str = "mcts", *, network: Network | None = None, game: str = "go", **options: Any) -> Player:
    """A player: 'mcts' or 'uct', 'policy', 'randompolicy', 'random'.

    network: of mcts and the policies; by default the bundled one for each board.  game: 'go' or 'gomoku'.  options: of
    `mugo help player` and `mugo help search`, as simulations=400, rank='2d', seed=1.
    Raises MugoError for another name, and options out of range or of another player.

    >>> player("policy").select_move(Position(9))
    'E5'
    """
    if game not in GAMES:
        raise MugoError(f"game is 'go' or 'gomoku', not {game!r:.40}")
    arguments = parsed(players.add_arguments, [name], options)
    return Player(players.player_from_arguments(arguments, game, opened_of(network)))

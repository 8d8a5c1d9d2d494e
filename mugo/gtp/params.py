"""The options of a player and of the engine, read and changed by name while the program runs.

    Parameters(arguments).change("simulations", "800", player, position)  -->  a player with --simulations 800

The names are the command line's without the dashes.  The GTP commands are param_commands.py's.
"""
import argparse

from mugo.core.options import given, options_of
from mugo.games.position import BasePosition
from mugo.gtp.options import GtpOptions
from mugo.nn.inputs import People
from mugo.players.options import PLAYERS_DEFAULTS, PlayerOptions, player_from_arguments
from mugo.players.player import Player
from mugo.players.play_options import PlayOptions
from mugo.mcts.settings import Settings

DEFAULT = "default"
# Options with which a network is opened: a change opens it again.
NETWORK_OPTIONS = ("network", "threads", "precision", "provider")


class Parameters:
    """The options of an engine and its player by their names on the command line, without the dashes.

    arguments: parsed by a parser with GtpOptions and, if the player's can be changed, players.options.add_arguments.
    game: "go" or "gomoku".
    """

    def __init__(self, arguments: argparse.Namespace | None = None, game: str = "go"):
        self._game = game
        self._arguments = arguments or argparse.Namespace()
        options = options_of(GtpOptions)
        if "player" in self._arguments:
            for kind in PlayerOptions, PlayOptions, Settings:
                options |= options_of(kind, self._arguments.player)
        self._options = {each.name: (field, each) for field, each in options.items()}

    @property
    def of_engine(self) -> GtpOptions:
        """The options of the engine itself.  Raises BadInput for values out of range."""
        return GtpOptions(**given(GtpOptions, self._arguments))

    def names(self) -> list[str]:
        """The names of all options."""
        return list(self._options)

    def is_bool(self, name: str) -> bool:
        """Whether the option is a flag."""
        return self._options[name][1].kind is bool

    def value(self, name: str) -> str:
        """The value of an option as `change` reads it; DEFAULT if none is set."""
        field, each = self._options[name]
        value = getattr(self._arguments, field, None)
        if value is None and field not in PLAYERS_DEFAULTS and not each.shown_default:
            value = each.default
        return DEFAULT if value is None else each.format(value)

    def change(self, name: str, text: str, player: Player, position: BasePosition) -> Player:
        """The player with this value of an option, DEFAULT for its default; the same player for one of the engine.

        player: the current one, whose open network is kept where the option allows.  position: the game's.
        Raises BadInput, without the name of the option, for a value that it cannot have and a network that does not
        play the position; then nothing is changed.
        """
        field, each = self._options[name]
        value = None if text == DEFAULT else each.parse(text)
        arguments = argparse.Namespace(**vars(self._arguments) | {field: value})
        if field not in options_of(GtpOptions):
            network = None if name in NETWORK_OPTIONS else player.network
            if network is not None and network.takes_people:
                network = network.with_people(People())          # the options say who plays
            player = player_from_arguments(arguments, self._game, network)
            if name == "network" and value is not None and player.network is not None:
                player.network.for_position(position)
        self._arguments = arguments
        return player

"""The options of a player, read and changed by name while the program runs.

    Parameters(arguments).change("simulations", "800", player, position)  -->  a player with --simulations 800

The names are those of the command line without the dashes.  The GTP commands are param_commands.py's.
"""
import argparse

from mugo.core.files import BadInput
from mugo.games.position import BasePosition
from mugo.gtp.protocol import parse_bool
from mugo.core.options import options_of
from mugo.core.limits import NumberParser
from mugo.players import options as player_options
from mugo.players.player import Player
from mugo.players.searcher import PlayOptions
from mugo.search.settings import Settings

DEFAULT = "default"
# Options with which a network is opened: a change opens it again.
NETWORK_OPTIONS = ("network", "threads", "precision", "provider")


class _Parser(NumberParser):
    def error(self, message: str):
        raise BadInput(message)


class Parameters:
    """The options of a player by their names on the command line, without the dashes.

    arguments: parsed by a parser with players.options.add_arguments.  game: "go" or "gomoku".
    """

    def __init__(self, arguments: argparse.Namespace, game: str = "go"):
        self._game = game
        self._parser = _Parser(add_help=False, allow_abbrev=False)
        player_options.add_arguments(self._parser)
        self._arguments = arguments
        self._defaults = {field: each.default for kind in (PlayOptions, Settings)
                          for field, each in options_of(kind).items()
                          if field not in player_options.PLAYERS_DEFAULTS and not each.shown_default}
        self._actions = {action.option_strings[0].removeprefix("--"): action
                         for action in self._parser._actions if action.option_strings}

    def names(self) -> list[str]:
        """The names of all options."""
        return list(self._actions)

    def is_bool(self, name: str) -> bool:
        """Whether the option is a flag."""
        return isinstance(self._actions[name], argparse.BooleanOptionalAction)

    def value(self, name: str) -> str:
        """The value of an option as `change` reads it; DEFAULT if none is set."""
        value = getattr(self._arguments, self._actions[name].dest)
        if value is None:
            value = self._defaults.get(self._actions[name].dest)
        if value is None:
            return DEFAULT
        return str(int(value)) if isinstance(value, bool) else str(value)

    def change(self, name: str, text: str, player: Player, position: BasePosition) -> Player:
        """A new player with this value of the option, DEFAULT for its default; a searcher starts a new tree.

        player: the current one, whose open network is kept where the option allows.  position: of the game that goes
        on, which a network that is named must play.
        Raises BadInput for a value out of range and GtpError for a malformed flag; then nothing is changed.
        """
        action = self._actions[name]
        if text == DEFAULT:
            value = action.default
        elif self.is_bool(name):
            value = parse_bool(text)
        else:
            value = getattr(self._parser.parse_args([f"--{name}={text}"]), action.dest)
        arguments = argparse.Namespace(**vars(self._arguments) | {action.dest: value})
        network = player.network
        if network is None or name in NETWORK_OPTIONS:
            network = arguments.network
        changed = player_options.player_from_arguments(
            argparse.Namespace(**vars(arguments) | {"network": network}), self._game)
        if name == "network" and arguments.network is not None and changed.network is not None:
            changed.network.for_position(position)
        self._arguments = arguments
        return changed

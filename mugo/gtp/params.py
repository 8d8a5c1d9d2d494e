"""The options of a player and of the engine, read and changed by name while the program runs.

    mugo-param                      =
                                    simulations default
                                    [bool] early-stop 1
                                    ...
    mugo-param simulations 800      =
    kata-set-param maxVisits 800    =                    KataGo's name of `visits`: option(..., katago="maxVisits")

The names are the command line's without the dashes.  The list is in the format of GoGui's `param` analyze command,
which makes a dialog of it.  A change takes effect with the next move; its search starts a new tree.

https://github.com/Remi-Coulom/gogui/blob/master/doc/manual/xml/analyze.xml     the format `param`
"""
from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mugo.analysis.parameters import DONE_ANYWAY, is_done_anyway, unquoted
from mugo.core.files import BadInput
from mugo.core.options import given, options_of
from mugo.games.position import BasePosition
from mugo.gtp.options import GtpOptions
from mugo.gtp.protocol import SYNTAX_ERROR, GtpError, command
from mugo.mcts.settings import Settings
from mugo.nn.inputs import People
from mugo.players.options import PLAYERS_DEFAULTS, PlayerOptions, player_from_arguments
from mugo.players.play_options import PlayOptions
from mugo.players.player import Player

if TYPE_CHECKING:                        # the engine imports its commands
    from mugo.gtp.engine import GtpEngine

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

    def of_katago(self, name: str) -> str | None:
        """The name of the option that KataGo calls so; None if there is none."""
        return next((option for option, (_, each) in self._options.items() if each.katago == name), None)

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


# ---- the commands

def _set(engine: GtpEngine, name: str, text: str, shown: str) -> None:
    """Change a parameter.  shown: its name in errors.  Raises GtpError."""
    if name not in options_of(GtpOptions):
        engine.wait_until_ready()
    try:
        engine.player = engine.parameters.change(name, text, engine.player, engine.position)
    except BadInput as error:
        raise GtpError(f"{shown}: {error}") from None
    for clock in engine.clocks.values():
        clock.lag = engine.parameters.of_engine.lag


@command("mugo-param")
def _param(engine: GtpEngine, *words: str) -> str | None:
    """All parameters; or the value of one; or a new value for one."""
    parameters = engine.parameters
    if not words:
        return "\n".join(f"{'[bool] ' * parameters.is_bool(name)}{name} {parameters.value(name)}"
                         for name in parameters.names())
    name, *values = words
    if name not in parameters.names():
        raise GtpError("unknown parameter", f"{name!r}; mugo-param without arguments lists all")
    if len(values) > 1:
        raise GtpError(SYNTAX_ERROR, "expected a name and one value")
    return _set(engine, name, values[0], name) if values else parameters.value(name)


@command("kata-get-param")
def _kata_get_param(engine: GtpEngine, name: str) -> str:
    """The value of KataGo's parameter; empty where it is not set."""
    if name in DONE_ANYWAY:
        return f"{DONE_ANYWAY[name][0]:g}"
    network = engine.player.network
    if name == "humanSLProfile" and (network is None or not network.takes_people):       # LizGoban asks for it
        raise GtpError("unknown parameter", "the network does not take who plays")
    return engine.parameters.value(_option_of(engine, name)).replace(DEFAULT, "")


@command("kata-set-param")
def _kata_set_param(engine: GtpEngine, name: str, value: str = "") -> None:
    if name not in DONE_ANYWAY:
        return _set(engine, _option_of(engine, name), value, name)
    if not is_done_anyway(name, unquoted(value)):
        least, most = DONE_ANYWAY[name]
        raise GtpError(f"{name}: must be {least:g}" + (f" to {most:g}" if most > least else ""))


def _option_of(engine: GtpEngine, name: str) -> str:
    """The option here of KataGo's parameter.  Raises GtpError."""
    option = engine.parameters.of_katago(name)
    if option is None:
        raise GtpError("unknown parameter", f"KataGo's {name!r} has no option here; mugo-param lists what there is")
    return option

"""The options of the command line, looked at and changed over GTP while the program runs.

    mugo-param                      =
                                    simulations default
                                    [bool] early-stop 1
                                    ...
    mugo-param simulations 800      =
    mugo-param simulations default  =

The next move is made by a player with the new options; its search begins a new tree.  The lines are those that
GoGui makes a dialog of.  KataGo's commands set those few that it has too.
"""
import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass

from mugo.files import BadInput
from mugo.gtp.protocol import SYNTAX_ERROR, Failure, answers, read_bool, read_float
from mugo.players import options as player_options
from mugo.players.player import Player

DEFAULT = "default"
KATA = {"maxVisits": "simulations", "maxPlayouts": "simulations", "maxTime": "seconds", "numSearchThreads": "threads"}
REOPENS = ("network", "threads")           # what a network is opened with
# Rules by which a game is counted as here, by area; superko, or suicide, decides next to no game.
AREA_RULES = ("aga", "aga-button", "bga", "chinese", "chinese-kgs", "chinese-ogs", "new-zealand", "new_zealand",
              "tromp-taylor")
OUR_RULES = {"hasButton": False, "ko": "POSITIONAL", "scoring": "AREA", "suicide": False, "tax": "NONE",
             "whiteHandicapBonus": "0"}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):
        raise BadInput(message)


class Parameters:
    """The options of a player by their names on the command line, without the dashes.

    arguments: what `players.add_arguments` has read.  game: that the player plays.
    """

    def __init__(self, arguments: argparse.Namespace, game: str = "go"):
        self._game = game
        self._parser = _Parser(add_help=False, allow_abbrev=False)
        player_options.add_arguments(self._parser)
        self._arguments = arguments
        self._actions = {action.option_strings[0].removeprefix("--"): action
                         for action in self._parser._actions if action.option_strings}

    def names(self) -> list[str]:
        return list(self._actions)

    def is_bool(self, name: str) -> bool:
        return isinstance(self._actions[name], argparse.BooleanOptionalAction)

    def value(self, name: str) -> str:
        value = getattr(self._arguments, self._actions[name].dest)
        if value is None:
            return DEFAULT
        return str(int(value)) if isinstance(value, bool) else str(value)

    def change(self, name: str, text: str, player: Player) -> Player:
        """A player with another value of this option.  Raises BadInput, and then nothing is changed."""
        action = self._actions[name]
        if text == DEFAULT:
            value = action.default
        elif self.is_bool(name):
            value = read_bool(text)
        else:
            value = getattr(self._parser.parse_args([f"--{name}={text}"]), action.dest)
        arguments = argparse.Namespace(**vars(self._arguments) | {action.dest: value})
        network = player.network
        if network is None or name in REOPENS:
            network = arguments.network
        changed = player_options.player_from_arguments(
            argparse.Namespace(**vars(arguments) | {"network": network}), self._game)
        self._arguments = arguments
        return changed


# ---- the program's own

@dataclass(frozen=True)
class _Own:
    is_bool: bool
    get: Callable[[object], str]
    set: Callable[[object, str], None]


def _set_lag(engine, text: str) -> None:
    lag = read_float(text)
    if not 0 <= lag < math.inf:
        raise Failure(SYNTAX_ERROR, f"a lag is 0 seconds or more, not {lag}")
    engine.lag = lag
    for clock in engine.clocks.values():
        clock.lag = lag


def _set_ponder(engine, text: str) -> None:
    engine.ponder = read_bool(text)


def _set_cleanup(engine, text: str) -> None:
    engine.cleanup = read_bool(text)


OWN = {
    "lag": _Own(False, lambda engine: f"{engine.lag:g}", _set_lag),
    "ponder": _Own(True, lambda engine: str(int(engine.ponder)), _set_ponder),
    "cleanup": _Own(True, lambda engine: str(int(engine.cleanup)), _set_cleanup),
}


def _names(engine) -> list[str]:
    return [*OWN, *(engine.options.names() if engine.options else ())]


def _get(engine, name: str) -> str:
    return OWN[name].get(engine) if name in OWN else engine.options.value(name)


def _set(engine, name: str, text: str) -> None:
    if name in OWN:
        OWN[name].set(engine, text)
        return
    engine.wait_until_ready()
    try:
        engine.player = engine.options.change(name, text, engine.player)
    except BadInput as bad:
        raise Failure(f"{name}: {bad}") from None


@answers("mugo-param")
def _param(engine, *words: str) -> str | None:
    """All options; the value of one; or another value for it."""
    known = _names(engine)
    if not words:
        return "\n" + "\n".join(f"{'[bool] ' * _is_bool(engine, name)}{name} {_get(engine, name)}" for name in known)
    if words[0] not in known:
        raise Failure("unknown parameter", f"{words[0]!r} is none of {', '.join(known)}")
    if len(words) == 1:
        return _get(engine, words[0])
    if len(words) > 2:
        raise Failure(SYNTAX_ERROR, "a name and one value")
    return _set(engine, *words)


def _is_bool(engine, name: str) -> bool:
    return OWN[name].is_bool if name in OWN else engine.options.is_bool(name)


# ---- KataGo's and KGS's

@answers("kata-list-params")
def _kata_list(engine) -> str:
    return " ".join(name for name, ours in KATA.items() if ours in _names(engine))


@answers("kata-get-param")
def _kata_get(engine, name: str) -> str:
    return _get(engine, _of_kata(engine, name))


@answers("kata-set-param")
def _kata_set(engine, name: str, value: str) -> None:
    _set(engine, _of_kata(engine, name), value)


def _of_kata(engine, name: str) -> str:
    if KATA.get(name) not in _names(engine):
        raise Failure("unknown parameter", f"{name!r} is none of {', '.join(KATA)}")
    return KATA[name]


@answers("kata-get-rules", "go")
def _get_rules(engine) -> str:
    return json.dumps(OUR_RULES, separators=(",", ":"))


@answers("kata-set-rules", "go")
def _set_rules(engine, *words: str) -> None:
    """Games are counted by area, always: other rules are refused."""
    text = " ".join(words)
    if text.startswith("{"):
        try:
            fits = json.loads(text).get("scoring") == "AREA"
        except ValueError as error:
            raise Failure(SYNTAX_ERROR, str(error)) from None
    else:
        fits = text.lower() in AREA_RULES
    if not fits:
        raise Failure("unsupported rules", "games are counted by area here, as the Chinese do")


@answers("kgs-rules", "go")
def _kgs_rules(engine, name: str) -> None:
    _set_rules(engine, name)

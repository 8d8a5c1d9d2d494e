"""Commands that list and change parameters: MuGo's mugo-param, KataGo's kata-*-param, rules.

    mugo-param                      =
                                    simulations default
                                    [bool] early-stop 1
                                    ...
    mugo-param simulations 800      =
    mugo-param simulations default  =

The list is in the format of GoGui's `param` analyze command, which makes a dialog of it.  A change takes effect with
the next move; its search starts a new tree.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md    kata-list-params, kata-set-rules ...
https://github.com/Remi-Coulom/gogui/blob/master/doc/manual/xml/analyze.xml     the format `param`
http://www.weddslist.com/kgs/how/kgsGtp.html                                    kgs-rules
"""
import json
import math
from collections.abc import Callable
from dataclasses import dataclass

from mugo.files import BadInput
from mugo.games.rules import DECISIVE, Rules, parse_rules
from mugo.gtp.protocol import SYNTAX_ERROR, GtpError, command, parse_bool, parse_float
from mugo.gtp.state import EngineState

KATAGO_NAMES = {"maxVisits": "simulations", "maxPlayouts": "simulations", "maxTime": "seconds",
                "numSearchThreads": "threads"}


# ---- parameters of the engine itself

@dataclass(frozen=True)
class EngineParameter:
    """A parameter of the engine.  set: raises GtpError for a value that is malformed or out of range."""
    is_bool: bool
    get: Callable[[EngineState], str]
    set: Callable[[EngineState, str], None]


def _set_lag(engine: EngineState, text: str) -> None:
    lag = parse_float(text)
    if not 0 <= lag < math.inf:
        raise GtpError(SYNTAX_ERROR, f"a lag is 0 seconds or more, not {lag}")
    engine.lag = lag
    for clock in engine.clocks.values():
        clock.lag = lag


def _set_ponder(engine: EngineState, text: str) -> None:
    engine.ponder = parse_bool(text)


def _set_cleanup(engine: EngineState, text: str) -> None:
    engine.cleanup = parse_bool(text)


ENGINE_PARAMETERS = {
    "lag": EngineParameter(False, lambda engine: f"{engine.lag:g}", _set_lag),
    "ponder": EngineParameter(True, lambda engine: str(int(engine.ponder)), _set_ponder),
    "cleanup": EngineParameter(True, lambda engine: str(int(engine.cleanup)), _set_cleanup),
}


# ---- parameters of both, by name

def _names(engine: EngineState) -> list[str]:
    return [*ENGINE_PARAMETERS, *(engine.parameters.names() if engine.parameters else ())]


def _is_bool(engine: EngineState, name: str) -> bool:
    if name in ENGINE_PARAMETERS or engine.parameters is None:
        return ENGINE_PARAMETERS[name].is_bool
    return engine.parameters.is_bool(name)


def _get(engine: EngineState, name: str) -> str:
    if name in ENGINE_PARAMETERS or engine.parameters is None:
        return ENGINE_PARAMETERS[name].get(engine)
    return engine.parameters.value(name)


def _set(engine: EngineState, name: str, text: str) -> None:
    if name in ENGINE_PARAMETERS or engine.parameters is None:
        ENGINE_PARAMETERS[name].set(engine, text)
        return
    engine.wait_until_ready()
    try:
        engine.player = engine.parameters.change(name, text, engine.player)
    except BadInput as error:
        raise GtpError(f"{name}: {error}") from None


@command("mugo-param")
def _param(engine: EngineState, *words: str) -> str | None:
    """All parameters; or the value of one; or a new value for one."""
    names = _names(engine)
    if not words:
        return "\n" + "\n".join(f"{'[bool] ' * _is_bool(engine, name)}{name} {_get(engine, name)}" for name in names)
    if words[0] not in names:
        raise GtpError("unknown parameter", f"{words[0]!r} is none of {', '.join(names)}")
    if len(words) == 1:
        return _get(engine, words[0])
    if len(words) > 2:
        raise GtpError(SYNTAX_ERROR, "expected a name and one value")
    return _set(engine, *words)


# ---- KataGo's parameters and rules, KGS's rules

@command("kata-list-params")
def _kata_list_params(engine: EngineState) -> str:
    return " ".join(name for name, option in KATAGO_NAMES.items() if option in _names(engine))


@command("kata-get-param")
def _kata_get_param(engine: EngineState, name: str) -> str:
    return _get(engine, _option_of(engine, name))


@command("kata-set-param")
def _kata_set_param(engine: EngineState, name: str, value: str) -> None:
    _set(engine, _option_of(engine, name), value)


def _option_of(engine: EngineState, katago_name: str) -> str:
    """The option that KataGo has under this name.  Raises GtpError."""
    option = KATAGO_NAMES.get(katago_name)
    if option not in _names(engine):
        raise GtpError("unknown parameter", f"{katago_name!r} is none of {', '.join(KATAGO_NAMES)}")
    return option


@command("kata-get-rules", "go")
def _kata_get_rules(engine: EngineState) -> str:
    """The rules that are followed."""
    return json.dumps((engine.rules or Rules()).as_json(), separators=(",", ":"))


@command("kata-set-rules", "go")
def _kata_set_rules(engine: EngineState, *words: str) -> None:
    """Rules by name or as KataGo's JSON.  Those with another way to decide who wins are refused; the log has what else
    is not followed."""
    text = " ".join(words)
    try:
        rules = parse_rules(text)
    except ValueError as error:
        raise GtpError(SYNTAX_ERROR if text.startswith("{") else "unsupported rules",
                       f"could not parse rules: {error}") from None
    different = rules.unlike(rules.followed())
    if set(different) & set(DECISIVE):
        raise GtpError("unsupported rules", f"not followed: {rules.describe(different)}; scoring is by area")
    if different:
        engine.log(f"kata-set-rules: not followed: {rules.describe(different)}")
    engine.rules = rules.followed()
    engine.set_position(engine.position)


@command("kgs-rules", "go")
def _kgs_rules(engine: EngineState, name: str) -> None:
    """KGS's Chinese rules have positional superko."""
    _kata_set_rules(engine, "chinese-kgs" if name.lower() == "chinese" else name)

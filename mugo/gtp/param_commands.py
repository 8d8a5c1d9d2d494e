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
from mugo.gtp.protocol import SYNTAX_ERROR, GtpError, command, parse_bool, parse_float
from mugo.gtp.state import EngineState

KATAGO_NAMES = {"maxVisits": "simulations", "maxPlayouts": "simulations", "maxTime": "seconds",
                "numSearchThreads": "threads"}
# Rules with area scoring.  How they differ in superko and suicide hardly ever decides a game.
AREA_RULES = ("aga", "aga-button", "bga", "chinese", "chinese-kgs", "chinese-ogs", "new-zealand", "new_zealand",
              "tromp-taylor")
RULES = {"hasButton": False, "ko": "POSITIONAL", "scoring": "AREA", "suicide": False, "tax": "NONE",
         "whiteHandicapBonus": "0"}


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
    return json.dumps(RULES, separators=(",", ":"))


@command("kata-set-rules", "go")
def _kata_set_rules(engine: EngineState, *words: str) -> None:
    """Accepts rules with area scoring, by name or as KataGo's JSON; others are refused."""
    text = " ".join(words)
    if text.startswith("{"):
        try:
            is_area = json.loads(text).get("scoring") == "AREA"
        except (ValueError, RecursionError) as error:
            raise GtpError(SYNTAX_ERROR, str(error)) from None
    else:
        is_area = text.lower() in AREA_RULES
    if not is_area:
        raise GtpError("unsupported rules", "only area scoring (Chinese rules) is supported")


@command("kgs-rules", "go")
def _kgs_rules(engine: EngineState, name: str) -> None:
    _kata_set_rules(engine, name)

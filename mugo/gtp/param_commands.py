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
from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mugo.core.files import BadInput
from mugo.core.options import options_of
from mugo.games.rules import ALIASES, Rules, parse_rules
from mugo.gtp.params import DEFAULT, GtpOptions
from mugo.gtp.protocol import SYNTAX_ERROR, GtpError, command, fails_as, parse_bool, parse_float
from mugo.analysis.parameters import (
    FIXED_OF_SEARCHES, FIXED_PARAMETERS, KATAGO_PARAMETERS, NO_TIME_LIMIT, KatagoParameter, katago_parameters)
from mugo.players.options import PlayerOptions
from mugo.players.searcher import SECONDS, PlayOptions
from mugo.players.registry import default_settings
from mugo.mcts.settings import ROOT_FPU_SHARE

if TYPE_CHECKING:                        # the engine imports its commands
    from mugo.gtp.engine import GtpEngine

KATAGO = dict(sorted((KATAGO_PARAMETERS | katago_parameters(GtpOptions) | katago_parameters(PlayOptions)
                      | katago_parameters(PlayerOptions)).items()))


def _set(engine: GtpEngine, name: str, text: str, shown: str = "") -> None:
    """Change a parameter.  shown: its name in errors.  Raises GtpError."""
    if name not in options_of(GtpOptions):
        engine.wait_until_ready()
    try:
        engine.player = engine.parameters.change(name, text, engine.player, engine.position)
    except BadInput as error:
        raise GtpError(f"{shown or name}: {error}") from None
    for clock in engine.clocks.values():
        clock.lag = engine.parameters.of_engine.lag


@command("mugo-param")
def _param(engine: GtpEngine, *words: str) -> str | None:
    """All parameters; or the value of one; or a new value for one."""
    parameters = engine.parameters
    if not words:
        return "\n".join(f"{'[bool] ' * parameters.is_bool(name)}{name} {parameters.value(name)}"
                         for name in parameters.names())
    if words[0] not in parameters.names():
        raise GtpError("unknown parameter", f"{words[0]!r}; mugo-param without arguments lists all")
    if len(words) == 1:
        return parameters.value(words[0])
    if len(words) > 2:
        raise GtpError(SYNTAX_ERROR, "expected a name and one value")
    return _set(engine, *words)


# ---- KataGo's parameters and rules, KGS's rules

# Of the parameters without a default of their own, and not of default_settings: functions of the engine.
_DEFAULTS = {
    "rootFpuReductionMax": lambda engine: ROOT_FPU_SHARE * float(_katago_value(engine, "fpuReductionMax")),
    "dynamicScoreUtilityFactor": lambda engine: default_settings(
        engine.player.name, engine.position.game).score_utility_factor(engine.position.area),
    "humanSLProfile": lambda engine: "",
    "chosenMoveTemperature": lambda engine: float(engine.player.temperature),
    "maxTime": lambda engine: SECONDS if {engine.parameters.value("simulations"), engine.parameters.value("visits")}
    == {DEFAULT} else NO_TIME_LIMIT}

command("kata-list-params")(lambda engine: " ".join(_katago_names(engine)))


@command("kata-get-param")
def _kata_get_param(engine: GtpEngine, name: str) -> str:
    value = FIXED_PARAMETERS[name][0] if _is_fixed(engine, name) else _katago_value(engine, name)
    return value if isinstance(value, str) else json.dumps(value)


@command("kata-get-params")
def _kata_get_params(engine: GtpEngine) -> str:
    """All of them as an object of JSON."""
    values: dict[str, bool | float | str] = {name: _katago_value(engine, name) for name in _katago_names(engine)}
    if "ponderingEnabled" in values:                     # KataGo has a text here
        values["ponderingEnabled"] = json.dumps(values["ponderingEnabled"])
    return json.dumps(values, separators=(",", ":"))


@command("kata-set-param")
def _kata_set_param(engine: GtpEngine, name: str, value: str = "") -> None:
    """KataGo's parameters are set to texts, which may be empty."""
    network = engine.player.network
    if _is_fixed(engine, name):
        return _check_fixed(name, value)
    if network is not None and name == "humanSLProfile":         # one that takes no people says so
        parameter = KATAGO[name]
    else:
        parameter = _katago_parameter(engine, name)
    if parameter.no_limit is not None and parse_float(value) >= parameter.no_limit:
        value = DEFAULT
    _set(engine, parameter.option, value, name)


def _is_fixed(engine: GtpEngine, name: str) -> bool:
    """Whether the player has a parameter of KataGo's without an option for it."""
    return name in FIXED_PARAMETERS and engine.player.network is not None or (
        name in FIXED_OF_SEARCHES and engine.player.search is not None)


def _check_fixed(name: str, text: str) -> None:
    """Raise GtpError unless the value of one of FIXED_PARAMETERS says what is done in any case."""
    least, most = FIXED_PARAMETERS[name]
    value = {"true": 1.0, "false": 0.0}.get(text.lower())
    if not least <= (parse_float(text) if value is None else value) <= most:
        raise GtpError(f"{name}: must be {least:g}" + (f" to {most:g}" if most > least else ""))


def _katago_names(engine: GtpEngine) -> list[str]:
    """KataGo's parameters that the player has, by its search and its network, and the engine's own."""
    known, player = engine.parameters.names(), engine.player
    of_all, of_network = ({each.name for each in options_of(kind).values()} for kind in (GtpOptions, PlayerOptions))
    return [name for name, parameter in KATAGO.items()
            if parameter.option in known and (player.name == "mcts" or not parameter.of_puct)
            and (player.search is not None or parameter.option in of_all | of_network)
            and (player.network is not None or parameter.option not in of_network)
            and (name != "humanSLProfile" or player.network is not None and player.network.takes_people)]


def _katago_parameter(engine: GtpEngine, name: str) -> KatagoParameter:
    names = _katago_names(engine)
    if name not in names:
        raise GtpError("unknown parameter", f"{name!r} is none of {', '.join(names)}")
    return KATAGO[name]


def _katago_value(engine: GtpEngine, name: str) -> bool | int | float | str:
    """The value of KataGo's parameter.  Raises GtpError for one that is not there."""
    parameter = _katago_parameter(engine, name)
    text = engine.parameters.value(parameter.option)
    if text == DEFAULT:
        if parameter.default is not None:
            return parameter.default
        if name in _DEFAULTS:
            return _DEFAULTS[name](engine)
        return getattr(default_settings(engine.player.name, engine.position.game), parameter.field)
    return parse_bool(text) if engine.parameters.is_bool(parameter.option) else parameter.kind(text)


command("kata-get-rules", "go")(lambda engine: json.dumps(engine.current_rules().as_json(), separators=(",", ":")))


@command("kata-set-rules", "go")
def _kata_set_rules(engine: GtpEngine, *words: str) -> str:
    """Rules by name or as KataGo's JSON; the reply names what of them is not supported.

    Raises GtpError for rules with a button or a tax on all groups.
    """
    text = " ".join(words)
    with fails_as(SYNTAX_ERROR if text.startswith("{") else "unsupported rules", ValueError):
        rules = parse_rules(text)
    return _set_rules(engine, rules)


def _set_rules(engine: GtpEngine, rules: Rules) -> str:
    """Set these rules as far as they are supported; returns what is not.  Raises GtpError where that decides who wins.
    """
    if rules.ignored(decisive=True):
        raise GtpError("unsupported rules", f"ignored: {rules.ignored()}")
    engine.rules = rules.supported()
    engine.set_position(engine.position)
    return f"ignored: {rules.ignored()}" if rules.ignored() else ""


@command("kata-set-rule", "go")
def _kata_set_rule(engine: GtpEngine, field: str, value: str) -> str:
    """Change one field of the rules in force."""
    fields = engine.current_rules().as_json() | {ALIASES.get(field, field): {"true": True, "false": False}.get(
        value.lower(), value)}
    with fails_as(SYNTAX_ERROR, ValueError):
        rules = parse_rules(fields)
    return _set_rules(engine, rules)


@command("kgs-rules", "go")
def _kgs_rules(engine: GtpEngine, name: str) -> None:
    """KGS's Chinese rules have positional superko.  The log has what is ignored."""
    if ignored := _kata_set_rules(engine, "chinese-kgs" if name.lower() == "chinese" else name):
        engine.log(f"kgs-rules: {ignored}")

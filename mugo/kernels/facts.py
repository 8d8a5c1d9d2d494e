"""What the server of the page knows, as JSON for the page without a server: facts.json.

Opponents, rules, settings of searches, limits and names have their place in Python; static/worker/ reads them here.
"""
import math
import re
from dataclasses import asdict
from typing import Any

import numpy as np

from mugo.games import area, rollouts, rules, scoring, tsumego
from mugo.games.game import GAMES, plane_names
from mugo.games.gomoku import DEFAULT_K
from mugo.games.life_and_death import CLEAR_SURVIVAL, DEEP, QUICK
from mugo.mcts import growth, records, result, search, settings
from mugo.players import passing, searcher, time_control
from mugo.players.registry import PLAYERS, SEARCHERS, default_select_by, default_settings
from mugo.reviews.move_review import LEVELS
from mugo.sgf import encoding, properties, record_positions, tree
from mugo.sgf.record import INFO
from mugo.web import handlers, opponents, positions, requests


class _Network:
    """To resolve settings: the networks that come with the page have value heads."""
    name, has_value = "bundled", True


def _params(name: str, game: str) -> dict[str, Any]:
    """The numbers in records.PARAMS of a player's search, by field, without arrays and zeros; null: NaN."""
    params: Any = np.zeros(1, records.PARAMS)[0]
    network = _Network() if PLAYERS[name].needs_network else None
    settings.set_params(params, default_settings(name, game).resolved(network), network is not None)
    values = {field: params[field].item() for field in params.dtype.names if not params[field].shape}
    return {field: None if value != value else "inf" if value == math.inf else value
            for field, value in values.items() if value}


def _pattern(pattern: re.Pattern) -> str:
    """A regular expression as JavaScript has it."""
    text = re.sub(r"\s+", "", pattern.pattern) if pattern.flags & re.VERBOSE else pattern.pattern
    return text.replace("(?P<", "(?<")


def facts() -> dict[str, Any]:
    """The content of facts.json."""
    constants = {
        passing: ("MARGIN", "FINISHED_MARGIN", "ROLLOUT_MARGIN", "MAX_UNCLEAR", "MIN_VISITS"),
        scoring: ("ROLLOUTS", "MOVE_ROLLOUTS", "SETTLED"),
        searcher: ("SECONDS", "BRIEF_EDGES", "MOVES_PER_POINT", "KOMI_STEP", "MAX_KOMI_SHARE"),
        search: ("CHECK_EVERY",), growth: ("LOOK_SECONDS", "BATCH", "VISITS_FOR_EACH"),
        result: ("PV_LENGTH", "PV_MOVES"), tsumego: ("MARGIN", "SNAP", "WIN_BY"), area: ("FIRST_MOVE",),
        time_control: ("FULL_BOARD", "SAFETY_MARGIN", "LAG", "LATE_SHARES", "MIN_SECONDS"),
        settings: ("SCORE_UTILITY", "SCORE_UTILITY_AREA"), tree: ("MAX_NODES", "MAX_LISTED"),
        handlers: ("MAX_SECONDS", "MAX_TIME", "PROGRESS_INTERVAL", "EVALUATION_BATCH"),
        opponents: ("MAX_EDGES",), positions: ("SEARCH_MOVES",), requests: ("MAX_ITEMS",)}
    return {
        "hello": {"hello": "MuGo", "planes": {game: plane_names(game) for game in GAMES}, "levels": LEVELS,
                  "game": None},
        "opponents": [{"key": each.key, "group": each.group, "player": each.player} | asdict(each.play_options)
                      for each in opponents.OPPONENTS],
        "strengths": [[key, shape, strength] for (key, shape), strength in opponents.STRENGTHS.items()],
        "network_players": [name for name, entry in PLAYERS.items() if entry.needs_network],
        "searches": {name: {game: {"params": _params(name, game), "settings": asdict(default_settings(name, game)),
                                   "select_by": default_select_by(name, game)} for game in GAMES}
                     for name in SEARCHERS},
        "rules": {
            "own": rules.Rules().as_json(), "named": {name: each.as_json() for name, each in rules.NAMED_RULES.items()},
            "fields": {name: known for name, (_, known) in rules.FIELDS.items()}, "textKeys": rules.TEXT_KEYS,
            "textField": rules._TEXT_FIELD.pattern, "spellings": record_positions._SPELLINGS,
            "beginnings": {name: pattern.pattern for name, pattern in record_positions._BEGINNINGS.items()},
            "wordForRules": record_positions._WORD_FOR_RULES.pattern},
        "constants": {module.__name__.rpartition(".")[2]: {name: getattr(module, name) for name in names}
                      for module, names in constants.items()},
        "sgf": {
            "patterns": {name.lstrip("_"): _pattern(getattr(properties, name))
                         for name in ("_NUMBER", "_BEFORE_KOMI", "_WINNER", "_LOSER", "_NOT_PLAYED", "_BEFORE_MARGIN",
                                      "_START_OF_NUMBER", "_DRAW")},
            "win_by": [[letter, _pattern(pattern)] for letter, pattern in properties._WIN_BY],
            "fractions": properties._FRACTIONS, "info": INFO, "listed": tree.LISTED,
            "default_row": DEFAULT_K, "win_rate": _pattern(tree.WIN_RATE),
            "usual_hangul": "".join(sorted(encoding._USUAL_HANGUL)),
            "usual_leads": {codec: list(leads) for codec, leads in encoding._USUAL_LEADS.items()}},
        "reading": {"CLEAR_SURVIVAL": CLEAR_SURVIVAL, "QUICK": QUICK, "DEEP": DEEP, "SEED": str(rollouts.SEED)},
    }

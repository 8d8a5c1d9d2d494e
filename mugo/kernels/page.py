"""What the page needs without a server: the compiled functions, with the types of their arguments, and facts.json.

    EXPORTED      called by static/worker/: name -> (kernel, types of its arguments)
    CALLED        called by the kernels through a table, in place of addresses: name -> (function, signature)
    facts()       what the page's server knows, as JSON: opponents, rules, settings of searches, limits and names
"""
import math
import re
from dataclasses import asdict
from typing import Any

import numba                             # so: with `from numba`, it would count among the sources of the cache's key
import numpy as np

from mugo.games import (
    area, board, coords, game, go, gomoku, gomoku_threats, history, planes, rollouts, rules, scoring, tsumego)
from mugo.games.board import BOARD_TYPE
from mugo.games.game import GAMES, plane_names
from mugo.games.life_and_death import CLEAR_SURVIVAL, DEEP, QUICK
from mugo.games.light_board import LIGHT_BOARD
from mugo.games.planes import SCRATCH_TYPE, new_scratch
from mugo.games.reading import new_reader
from mugo.games.rollouts import MOGO, UNIFORM
from mugo.mcts import expansion, growth, records, result, search, selection, settings, solver, tree, tree_arrays
from mugo.mcts.records import EDGE_TYPE, NODE_TYPE, TREE_TYPE
from mugo.nn import int8_kernels
from mugo.players import passing, searcher, time_control
from mugo.players.registry import PLAYERS, SEARCHERS, default_select_by, default_settings
from mugo.reviews.move_review import LEVELS
from mugo.sgf import encoding, properties, record_positions
from mugo.sgf import tree as sgf_tree
from mugo.sgf.record import INFO
from mugo.web import handlers, opponents, positions, requests

types = numba.types
_INT, _FLOAT, _FLAG = types.int64, types.float64, types.boolean
_BOARDS, _TREES, _NODES, _EDGES, _LEAVES, _LIGHT_BOARDS = (
    types.Array(kind, 1, "C") for kind in (BOARD_TYPE, TREE_TYPE, NODE_TYPE, EDGE_TYPE, numba.from_dtype(records.LEAF),
                                           numba.from_dtype(LIGHT_BOARD)))
_BYTES, _FLAGS, _KEYS = types.int8[::1], types.boolean[::1], types.uint64[::1]
_TABLE, _PATH, _SUMS, _MOVES = types.int32[::1], types.int32[:, ::1], types.int32[::1], types.int16[::1]
_ARRAYS = (_TREES, _NODES, _EDGES, _TABLE)
_STEPS, _ENTRIES, _REALS, _REAL = types.int16[::1], types.int32[::1], types.float32[::1], types.float32
_ROWS = types.float32[:, ::1]
_READER, _SCORES = numba.typeof(new_reader()), numba.typeof(tree.NO_SCORES)

EXPORTED: dict[str, tuple[Any, tuple]] = {
    # boards and rules
    "clear": (board.clear, (BOARD_TYPE, _INT, _INT)),
    "set_to_play": (board.set_to_play, (BOARD_TYPE, _INT)),
    "legality": (board.legality, (BOARD_TYPE, _INT, _INT)),
    "hash_after": (board.hash_after, (BOARD_TYPE, _INT, _INT)),
    "play_go": (board.play, (BOARD_TYPE, _INT, _INT)),
    "play_gomoku": (gomoku.play, (BOARD_TYPE, _INT, _INT)),
    "set_up_go": (history.set_up, (BOARD_TYPE, _MOVES)),
    "set_up_gomoku": (gomoku.set_up, (BOARD_TYPE, _MOVES)),
    "replay": (history.replay, (BOARD_TYPE, _KEYS, _MOVES, _INT, _INT)),
    "repeats": (history.repeats, (BOARD_TYPE, _KEYS, _INT, _INT, _INT)),
    "is_no_result": (history.is_no_result, (BOARD_TYPE, _KEYS)),
    "legal_points": (history.legal_points, (BOARD_TYPE, _KEYS, _FLAG, _INT, types.int64[::1])),
    "is_over": (game.is_over, (BOARD_TYPE,)),
    "position_hash": (game.position_hash, (BOARD_TYPE,)),
    "forced_move_gomoku": (gomoku.forced_move, (BOARD_TYPE, _FLAG)),
    "win_by_fours": (gomoku_threats.win_by_fours, (BOARD_TYPE, _INT)),
    # scores
    "points": (go._points, (_BOARDS,)),
    "area_ownership": (area.area_ownership, (BOARD_TYPE, _BYTES)),
    "area_komi": (area.area_komi, (BOARD_TYPE, _FLOAT)),
    "expected_gain": (area.expected_gain, (_INT, _FLOAT, _FLOAT)),
    "counts_all_alive": (game.counts_all_alive, (BOARD_TYPE,)),
    "pass_value": (game.pass_value, (BOARD_TYPE, _FLOAT)),
    "roll_outs_ownership": (rollouts.roll_outs_ownership, (_BOARDS, _INT, _INT, _SUMS, _LIGHT_BOARDS, _BYTES)),
    "mark": (scoring._mark, (BOARD_TYPE, types.float64[::1], _READER, _INT, _FLAGS, _FLAGS)),
    # inputs of networks
    "write_planes": (game._write_planes, (_INT, _BOARDS, _KEYS, SCRATCH_TYPE, types.int64[::1], types.uint8[:, ::1])),
    "write_components": (planes._write_components, (types.uint8[:, :, ::1], _INT, types.int32[:, ::1])),
    # networks
    "convolve": (int8_kernels.convolve, (
        _STEPS, _ENTRIES, _ENTRIES, _STEPS, _INT, _ENTRIES, _REALS, _REAL, _REAL, _STEPS)),
    "convolve_tiles": (int8_kernels.convolve_tiles, (
        _STEPS, _ENTRIES, _STEPS, _INT, _ENTRIES, _REALS, _REAL, _REAL, _STEPS, _ENTRIES, _STEPS)),
    "quantize": (int8_kernels.quantize, (_REALS, _REAL, _REAL, _REAL, _STEPS)),
    "dequantize": (int8_kernels.dequantize, (_STEPS, _REAL, _REALS)),
    "add": (int8_kernels.add, (_ROWS, _ROWS, _REAL, _ROWS)),
    "pool": (int8_kernels.pool, (_ROWS, _REALS, _REALS)),
    "pool_chains": (int8_kernels.pool_chains, (_ROWS, _ENTRIES, _REALS, _ROWS)),
    "plane": (int8_kernels.plane, (_ROWS, _REALS, _REAL, _REALS)),
    "dense": (int8_kernels.dense, (_REALS, _ROWS, _REALS)),
    # the tree
    "reset": (tree_arrays.reset, (TREE_TYPE, _NODES, _TABLE, types.uint64)),
    "find": (tree_arrays.find, (_NODES, _TABLE, types.uint64)),
    "fill_table": (tree_arrays.fill_table, (TREE_TYPE, _NODES, _TABLE)),
    "advance_root": (tree_arrays.advance_root, (*_ARRAYS, _INT)),
    "expand_root": (expansion.expand_root, (TREE_TYPE, _NODES, _EDGES, BOARD_TYPE, SCRATCH_TYPE)),
    "open_root": (expansion.open_root, (TREE_TYPE, _NODES, _EDGES, BOARD_TYPE)),
    "bound_root": (solver.bound_root, (_NODES, _EDGES, _INT)),
    "proof_lengths": (solver.proof_lengths, (_NODES, _EDGES, _INT, _INT)),
    "simulate": (tree.simulate, (*_ARRAYS, _BOARDS, _KEYS, _PATH, _SUMS, SCRATCH_TYPE)),
    "select_batch": (tree.select_batch, (*_ARRAYS, _BOARDS, _KEYS, types.int32[:, :, ::1], _LEAVES, SCRATCH_TYPE,
                                         types.int64[:, ::1], types.uint8[:, :, ::1])),
    "evaluate_leaves": (tree.evaluate_leaves, (_TREES, _BOARDS, _LEAVES, _INT, _INT, _INT, _SUMS, SCRATCH_TYPE)),
    "expand_and_backup": (tree.expand_and_backup, (
        _TREES, _NODES, _EDGES, _BOARDS, types.int32[:, :, ::1], _LEAVES, _INT, types.float32[:, ::1],
        types.float32[::1], _SCORES)),
    "take_back": (tree._remove_virtual_losses, (TREE_TYPE, _NODES, _EDGES, _INT, _INT, _PATH)),
    "recenter": (tree.recenter, (_TREES, _NODES, _EDGES, _FLOAT, _INT, _FLOAT, _FLOAT)),
}


def _called() -> dict[str, tuple[Any, Any]]:
    """By the name of the field of records.PARAMS, and where there are several, the game and the kind of rollouts."""
    called: dict[str, tuple[Any, Any]] = {
        name: (getattr(selection, name), selection.SELECT_CHILD) for name in ("puct_child", "rave_child", "ucb_child")}
    called |= {"write_edges": (expansion.write_edges, expansion.WRITE_EDGES),
               "expand": (expansion.expand_by_rollouts, expansion.EXPAND)}
    for name in game.SIGNATURES:
        for of in game.GAMES:
            kinds = {"_uniform": UNIFORM, "_mogo": MOGO} if name == "roll_out" else {"": UNIFORM}
            called |= {f"{name}_{of}{suffix}": game.function_of(of, name, kind) for suffix, kind in kinds.items()}
    return called


CALLED = _called()
RECORDS = {"BOARD": board.BOARD, "TREE": records.TREE, "NODE": records.NODE, "EDGE": records.EDGE,
           "LEAF": records.LEAF, "REGION": new_reader().region.dtype}
# Working memory: the bytes of an item and the shape of each of its arrays.
SCRATCH = {name: [(array.dtype.itemsize, array.shape) for array in arrays]
           for name, arrays in (("scratch", new_scratch()), ("reader", new_reader()))}
CONSTANTS = {"POINTS": board.POINTS, "MAX_DEPTH": records.MAX_DEPTH, "MAX_MOVES": coords.MAX_MOVES}


# ---- facts.json

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
        settings: ("SCORE_UTILITY", "SCORE_UTILITY_AREA"), sgf_tree: ("MAX_NODES", "MAX_LISTED"),
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
            "fractions": properties._FRACTIONS, "info": INFO, "listed": sgf_tree.LISTED,
            "default_row": gomoku.DEFAULT_K, "win_rate": _pattern(sgf_tree.WIN_RATE),
            "usual_hangul": "".join(sorted(encoding._USUAL_HANGUL)),
            "usual_leads": {codec: list(leads) for codec, leads in encoding._USUAL_LEADS.items()}},
        "reading": {"CLEAR_SURVIVAL": CLEAR_SURVIVAL, "QUICK": QUICK, "DEEP": DEEP, "SEED": str(rollouts.SEED)},
    }

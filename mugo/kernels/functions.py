"""The compiled functions that the page needs without a server, with the types of their arguments.

    EXPORTED      called by static/worker/: name -> (kernel, types of its arguments)
    CALLED        called by the kernels through a table, in place of addresses: name -> (function, signature)
"""
from typing import Any

import numba                             # so: with `from numba`, it would count among the sources of the cache's key

from mugo.games import area, board, coords, game, go, gomoku, gomoku_threats, history, rollouts, scoring
from mugo.games.board import BOARD_TYPE
from mugo.games.light_board import LIGHT_BOARD
from mugo.games.planes import SCRATCH_TYPE, new_scratch
from mugo.games.reading import new_reader
from mugo.games.rollouts import MOGO, UNIFORM
from mugo.mcts import expansion, records, selection, solver, tree, tree_arrays
from mugo.mcts.records import EDGE_TYPE, NODE_TYPE, TREE_TYPE
from mugo.nn import components, int8_kernels

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
    "write_components": (components._write_components, (types.uint8[:, :, ::1], _INT, types.int32[:, ::1])),
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

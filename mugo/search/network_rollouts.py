"""Rollouts in which the network plays both sides, as in MuGo (2016): all games side by side, moves drawn by prior."""
import numpy as np

from mugo.games import game, rollouts
from mugo.games.coords import MAX_SIZE, BoardSize, area_of, symmetries
from mugo.games.planes import MAX_PLIES, Scratch, network_input
from mugo.games.position import global_features

# Rollouts do not check superko: no hash repeats.  For the moves of the game, the tree and the rollout.
NO_HISTORY = np.zeros(MAX_PLIES + 1024 + rollouts.MOVES_PER_POINT * MAX_SIZE**2, np.uint64)


def roll_out(network, boards: np.ndarray, game_name: str, size: BoardSize, komi: np.ndarray,
             scratch: Scratch) -> None:
    """Play boards (n,) to their ends, in place.

    network: with `evaluate_packed`.  boards: records of board.BOARD; their random states decide what is drawn.
    komi: float64 (n,), White's points against the area (game.area_komis).
    A game is cut after rollouts.MOVES_PER_POINT moves for each point, as it stands then.
    """
    running = range(len(boards))
    for _ in range(rollouts.MOVES_PER_POINT * area_of(size)):
        running = [k for k in running if not game.is_over(boards[k])]
        if not running:
            break
        packed = np.empty((len(running), area_of(size), game.packed_bytes(game_name)), np.uint8)
        for k, out in zip(running, packed, strict=True):
            game.write_board_planes(boards[k:k + 1], NO_HISTORY, scratch, symmetries(size)[0], out)
        priors = network.evaluate_packed(network_input(packed, size),
                                         global_features(komi[running], boards["to_play"][running])).priors
        for k, weights in zip(running, priors, strict=True):
            game.play_sampled(boards[k], weights)

"""The positions that a network is trained on: those of the newest games of the replay buffer, encoded."""
import numpy as np

from mugo.core.files import BadInput
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import encode
from mugo.games.position import BasePosition, IllegalMove
from mugo.selfplay.parallel import SelfPlayGame
from mugo.selfplay.replay_buffer import ReplayBuffer


class ReplayWindow:
    """The positions of the newest games, encoded for training.

    The window holds as many games as have `positions` positions, but at most half of all games, because the first
    ones were played by a network that knew nothing.

    packed: uint8 (n, size², bytes).  policy: float32 (n, size² + 1), the fraction of visits of every move.
    outcome: float32 (n,), 1 where the side to move has won, -1 where it has lost, 0 for a draw.
    first, end: the games in the window are buffer[first:end].
    """

    def __init__(self, buffer: ReplayBuffer, start: BasePosition, positions: int):
        self.first = self.end = 0
        self._buffer, self._start, self._positions = buffer, start, positions
        self._encoded: dict[int, tuple[np.ndarray, ...]] = {}            # (packed, policy, outcome) of each game
        self._symmetries = symmetries(start.size)

    def slide_to(self, end: int) -> None:
        """Let the window end before game number `end`.  Raises BadInput for a game with an illegal move."""
        first, positions, encoded = end, 0, {}
        while first > end // 2 and positions < self._positions:
            first -= 1
            encoded[first] = self._encoded.get(first) or encode_game(self._buffer[first], self._start)
            positions += len(encoded[first][2])
        self._encoded = dict(reversed(encoded.items()))
        self.first, self.end = first, end
        self.packed, self.policy, self.outcome = map(np.concatenate, zip(*self._encoded.values(), strict=True))

    def __len__(self) -> int:
        """How many positions there are in the window."""
        return len(self.outcome)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A batch of n random positions, each in a random one of the 8 symmetries: (packed, policy, outcome)."""
        chosen = rng.integers(0, len(self), n)
        symmetry = self._symmetries[rng.integers(0, 8, n)]
        drawn = self.packed[chosen], self.policy[chosen]
        packed, policy = map(np.empty_like, drawn)
        np.put_along_axis(packed, symmetry[:, :-1, None], drawn[0], 1)
        np.put_along_axis(policy, symmetry, drawn[1], 1)
        return packed, policy, self.outcome[chosen]


def encode_game(game: SelfPlayGame, start: BasePosition) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(packed, policy, outcome) of the position before each move of a game, as ReplayWindow has them.

    Raises BadInput for an illegal move.
    """
    positions, position = [], start
    try:
        for move in game.moves.tolist():
            positions.append(position)
            position = position.play(point_of_index(move, start.size))
    except IllegalMove as error:
        raise BadInput(f"a game of the replay buffer has an illegal move {len(positions)}: {error}") from None
    policy = game.visits / game.visits.sum(1, keepdims=True)
    to_play = np.array([position.to_play for position in positions], np.float32)
    return encode(positions), policy.astype(np.float32), game.outcome * to_play

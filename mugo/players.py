"""Players: an object with a name that chooses a point in a position.

    random         any sensible point, all equally likely
    policy         the sensible point that a network likes best
    randompolicy   a sensible point drawn from a network's priors

A sensible point is legal, superko included, and fills no own true eye.  Nobody here searches and
nobody resigns.  `worth_playing` decides when a policy passes.  Which stones are dead when a game is
over is asked of rollouts (`without_dead`), for the players here and for GTP's scores.
"""
from pathlib import Path
from typing import Protocol

import numpy as np

from mugo.board import BLACK, BORDER, EMPTY, WHITE, new_boards
from mugo.coords import PASS, board_points, move_index
from mugo.files import BadInput
from mugo.go import Position
from mugo.rollouts import roll_out

NAMES = ("random", "policy", "randompolicy")
TEMPERATURE = 0.5         # squares the priors: a hundred moves of 0.1 % no longer add up to one of 10 %
ROLLOUTS = 200            # for `owners`: 10 ms on 19x19
SETTLED = 0.9             # a point that one colour owns after 95 % of the rollouts


class Player(Protocol):
    """What gtp.py, and everything else that plays, asks of a player."""
    name: str
    size: int | None      # the only board size it plays; None: all of them

    def choose(self, position: Position) -> int:
        """A point for the side to move, or PASS.  Raises BadInput for a board it does not play."""

    def warm_up(self) -> None:
        """Load what the first `choose` needs, compiled code above all; changes nothing else."""


def make_player(name: str, *, network=None, seed: int | None = None,
                temperature: float = TEMPERATURE) -> Player:
    """The player of this name.

    network: what network.Network opens (None: the bundled one), or an open one.
    seed: the same seed plays the same moves.  temperature: of `randompolicy` only.
    Raises BadInput for an unknown name, a temperature below 0 or a network that cannot be opened.
    """
    if name not in NAMES:
        raise BadInput(f"{name!r} is no player ({', '.join(NAMES)})")
    if name == "random":
        return RandomPlayer(seed)
    if network is None or isinstance(network, str | Path):
        from mugo.network import BUNDLED, Network      # here, so that `random` starts without it
        network = Network(network or BUNDLED)
    return PolicyPlayer(network, temperature=temperature if name == "randompolicy" else 0, seed=seed)


class RandomPlayer:
    """Plays any sensible point, all equally likely; passes when none is left."""
    name = "random"
    size = None

    def __init__(self, seed: int | None = None):
        self._rng = np.random.default_rng(seed)

    def choose(self, position: Position) -> int:
        points = position.sensible_points()
        return int(self._rng.choice(points)) if len(points) else PASS

    def warm_up(self) -> None:
        Position(9).sensible_points()


class PolicyPlayer:
    """Plays the point that a network likes best, or draws one from its priors.

    network: anything with `name`, `size` and `evaluate(positions)`, as network.Network has them.
    temperature: 0 takes the best point; 1 draws by the priors as they are; between, the better
    points more often than that.
    """

    def __init__(self, network, *, temperature: float = 0, seed: int | None = None):
        if not 0 <= temperature < np.inf:
            raise BadInput(f"a temperature is 0 or more, not {temperature}")
        self.name = "randompolicy" if temperature else "policy"
        self.size = network.size
        self._network = network
        self._temperature = temperature
        self._rng = np.random.default_rng(seed)

    def choose(self, position: Position) -> int:
        if position.size != self.size:
            raise BadInput(f"the network {self._network.name} plays {self.size}x{self.size}; "
                           f"this board is {position.size}x{position.size}")
        priors = self._network.evaluate([position])[0][0]
        points = worth_playing(position, priors)
        if not len(points):
            return PASS
        weights = priors[_indices(points, self.size)].astype(np.float64)
        if self._temperature == 0:
            return int(points[np.argmax(weights)])
        # In logarithms, so that a low temperature does not underflow to all zeros.
        logs = np.log(np.maximum(weights, 1e-30)) / self._temperature
        weights = np.exp(logs - logs.max())
        return int(self._rng.choice(points, p=weights / weights.sum()))

    def warm_up(self) -> None:
        position = Position(self.size)
        position.sensible_points()
        self._network.evaluate([position])


def worth_playing(position: Position, priors: np.ndarray) -> np.ndarray:
    """int64 (n,): the sensible points that a policy chooses from; none where it had better pass.

    priors: float32 (size² + 1,).  A network learns passes badly, or not at all (many records end
    without them), so its pass is not the only one:

    - While stones cover less than a quarter of the board, it plays.
    - Where its network likes a pass better than every point, it plays only points that are not settled
      and that the network likes at least a tenth as much as the pass (not those of a seki), and
      passes when there are none.
    - When the opponent has just passed, it passes too if the board as it stands is won (Tromp and
      Taylor's count, dead stones included).  If it is won only once dead stones are off, it plays
      on and takes them.  If it is lost, it plays only points that are not settled.
    - After two moves a point, it passes.  So every game ends.
    """
    points = position.sensible_points()
    none = points[:0]
    area = position.size ** 2
    if position.plies >= 2 * area or not len(points):
        return none
    if np.count_nonzero(position.stones) < area / 4:
        return points
    liked = priors[_indices(points, position.size)]
    likes_to_pass = priors[-1] > liked.max()
    if position.last == PASS:
        if position.score() * position.to_play > 0:
            return none
        if without_dead(position).score() * position.to_play > 0:
            return points
    elif not likes_to_pass:
        return points
    is_open = np.abs(owners(position).ravel()[_indices(points, position.size)]) < SETTLED
    return points[is_open & (liked > priors[-1] / 10)] if likes_to_pass else points[is_open]


def _indices(points: np.ndarray, size: int) -> list[int]:
    return [move_index(int(point), size) for point in points]


def owners(position: Position, n: int = ROLLOUTS) -> np.ndarray:
    """float32 (size, size): who has each point when `n` rollouts end, 1 always Black, -1 White.

    Black begins half of them and White half, whoever is to play.  The same position always gives
    the same answer.  Uniform rollouts judge finished positions well, fights badly, and no seki.
    """
    points = board_points(position.size)
    neighbours = points[:, None] + np.array([-1, 1, -position.size - 1, position.size + 1])
    boards = new_boards(1)
    random = np.uint64(20160920)
    total = np.zeros(len(points), np.int64)
    for i in range(n):
        boards[0] = position.board[0]
        for field, value in ("random", random), ("to_play", (BLACK, WHITE)[i % 2]), ("ko", 0), ("passes", 0):
            boards[0][field] = value
        roll_out(boards[0])
        random = boards[0]["random"]
        colour = boards[0]["colour"]
        around = colour[neighbours]
        # What is empty in the end is an eye, and all stones around it are of one colour.
        eyes = np.sign(np.where(around == BORDER, 0, around).sum(1))
        total += np.where(colour[points] == EMPTY, eyes, colour[points])
    return (total / n).astype(np.float32).reshape(position.size, position.size)


def chains(position: Position) -> list[list[int]]:
    """The points of every chain on the board."""
    board = position.board[0]
    points = board_points(position.size)
    found: dict[int, list[int]] = {}
    for point in points[board["colour"][points] != EMPTY].tolist():
        found.setdefault(int(board["head"][point]), []).append(point)
    return list(found.values())


def without_dead(position: Position) -> Position:
    """The board of a finished game with its dead stones taken off, ready to be counted.

    Dead is a chain that stands where the opponent owns more.  The clear cases go first: rollouts
    are surer of the rest without them.
    """
    size, komi, points = position.size, position.komi, board_points(position.size)
    while True:
        stones = position.stones.ravel().copy()
        kept = owners(position).ravel() * stones       # per stone: 1 always stays its owner's, -1 never
        cells = [_indices(chain, size) for chain in chains(position)]
        worst = min((kept[chain].mean() for chain in cells), default=0)
        if worst >= 0:
            return position
        limit = -0.2 if worst < -0.2 else 0
        for chain in cells:
            if kept[chain].mean() < limit:
                stones[chain] = EMPTY
        position = Position(size, komi, position.to_play).with_stones(
            points[stones == BLACK], points[stones == WHITE])

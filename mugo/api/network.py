"""Network: what a network says of a position, as a Policy and an Evaluation; the planes that it sees."""
import os
import warnings
from dataclasses import dataclass

import numpy as np

from mugo.api.moves import check_number, point_of, python_errors
from mugo.api.position import Position, base_of
from mugo.games.coords import format_gtp, format_size
from mugo.games.game import encode, plane_names
from mugo.games.planes import unpack
from mugo.nn import inference
from mugo.nn.metadata import format_game
from mugo.players.estimates import moves_by_prior
from mugo.players.options import PlayerOptions, open_network
from mugo.plots.svg import board_svg
from mugo.plots.terminal import heatmap_lines


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Who is winning a position, and by how much; None for what a network has no head for.

    win_rate: from 0 to 1, and lead: points, komi included, are those of the side to move; black_win_rate and black_lead
    are Black's.  lead_stdev: the standard deviation of the lead.
    ownership: float32 (rows, columns), 1 where the side to move owns the point at the end, -1 where the opponent does;
    black_ownership: 1 Black's, -1 White's.
    """
    position: Position
    win_rate: float | None
    lead: float | None
    lead_stdev: float | None
    ownership: np.ndarray | None

    @property
    def black_win_rate(self) -> float | None:
        """Black's win rate, from 0 to 1."""
        return self.win_rate if self.win_rate is None or self.position.to_move == "B" else 1 - self.win_rate

    @property
    def black_lead(self) -> float | None:
        """Points by which Black leads, komi included."""
        return None if self.lead is None else self.lead * base_of(self.position).to_play

    @property
    def black_ownership(self) -> np.ndarray | None:
        """float32 (rows, columns): 1 Black's point at the end, -1 White's."""
        return None if self.ownership is None else self.ownership * np.float32(base_of(self.position).to_play)

    def _words(self) -> str:
        rate = [] if self.win_rate is None else [f"win rate {100 * self.win_rate:.1f} %"]
        return ", ".join(rate + ([] if self.lead is None else [f"lead {self.lead:+.1f}"])) or "no value"

    def __repr__(self) -> str:
        return f"<Evaluation for {self.position.to_move}: {self._words()}>"

    def _repr_svg_(self) -> str:
        return board_svg(base_of(self.position), ownership=self.black_ownership, caption=repr(self)[1:-1])


class Policy(dict[str, float]):
    """The probability that a network gives to each legal move, the most likely one first.

    position: that it is of.  array: float32 (rows, columns), the same by point, without the pass; all of it, with what
    the network gives to illegal moves and the pass, sums to 1.
    """

    def __init__(self, position: Position, priors: np.ndarray):
        """priors: float32 (points + 1,), by move index."""
        base = base_of(position)
        self.position, self.array = position, priors[:-1].reshape(base.shape)
        super().__init__((format_gtp(point, base.shape), prior) for point, prior in moves_by_prior(base, priors))

    def __missing__(self, move: str) -> float:
        """A move in lower case; 0 for an illegal one.  Raises MugoError for what is not a point of the board."""
        shape = base_of(self.position).shape
        return self.get(format_gtp(point_of(move, shape), shape), 0.0)

    def top(self, n: int = 5) -> list[tuple[str, float]]:
        """The n most likely moves with their probabilities: [('D4', 0.31), ...]."""
        return list(self.items())[:check_number("n", n, 0)]

    def __repr__(self) -> str:
        return f"<Policy {', '.join(f'{move} {100 * prior:.1f} %' for move, prior in self.top())}>"

    def __str__(self) -> str:
        """The board with percentages; X Black, O White."""
        return "\n".join(heatmap_lines(base_of(self.position), self.array))

    def _repr_svg_(self) -> str:
        base = base_of(self.position)
        return board_svg(base, shares={point_of(move, base.shape): prior for move, prior in self.items()},
                         caption=repr(self)[1:-1])


class Network:
    """A trained network, opened by load_network.  name: of a bundled network, or of the run that trained it."""

    def __init__(self, opened: inference.Network | inference.BundledNetworks):
        self.name, self._opened = opened.name, opened

    @python_errors()
    def policy(self, position: Position, *, symmetries: bool = False) -> Policy:
        """How likely each move is.  symmetries: the mean over the symmetries of the board, in each of which equivariant
        networks, as the bundled ones for Go, say the same.

        A warning for a board of another size than the network was trained on, if it was opened by name.  Raises
        MugoError for a game or board that the network does not play, and where there is no move.
        """
        base_of(position).check_has_moves()
        output = self._opened_for(position).evaluate([base_of(position)], symmetries)
        return Policy(position, output.priors[0])

    @python_errors()
    def evaluate(self, position: Position, *, symmetries: bool = False) -> Evaluation:
        """Who is winning, and by how much.  symmetries, warning, errors: as in `policy`."""
        base = base_of(position)
        output = self._opened_for(position).evaluate([base], symmetries)
        ownership = output.board_ownership(0, base)
        return Evaluation(position, None if output.values is None else (1 + float(output.values[0])) / 2,
                          *output.score(0), None if ownership is None else ownership * np.float32(base.to_play))

    def _opened_for(self, position: Position) -> inference.Network | inference.BundledNetworks:
        """What evaluates a position.  A warning if the network was opened by name and trained on another size; those of
        Gomoku refuse one."""
        opened, shape = self._opened, base_of(position).shape
        if isinstance(opened, inference.Network) and opened.game == "go" and shape != (opened.size, opened.size):
            warnings.warn(f"{opened.name} was trained on {format_size(opened.size)} only, so what it says of "
                          f"{format_size(shape)} is an extrapolation; load_network() without a name takes the network "
                          "for each board", stacklevel=4)       # python_errors is a level
        return opened

    def __repr__(self) -> str:
        opened = self._opened
        return "<Network: the bundled ones, by board>" if isinstance(opened, inference.BundledNetworks) else (
            f"<Network {opened.describe()}: {format_game(opened.game, opened.k, opened.exactly)}, trained on "
            f"{format_size(opened.size)}>")


@python_errors()
def load_network(name: str | os.PathLike[str] | None = None, *, threads: int | None = None, precision: str = "auto",
                 provider: str = "cpu") -> Network:
    """Open a network: a file, the folder of a training run, or one that comes with MuGo.

    name: 'run', 'net.safetensors', 'policy-19'; None: for each board the bundled network for it.  threads: by default
    one for each core.  precision: 'int8', 'float32', or 'auto', int8 where it is faster.  provider: of ONNX Runtime:
    'cpu', 'cuda', ...  Raises MugoError, which names the bundled ones.
    """
    threads = None if threads is None else check_number("threads", threads, 1)
    PlayerOptions(precision=precision, provider=provider)           # raises for a value that it cannot have
    return Network(open_network(None if name is None else os.fspath(name), threads, precision, provider))


def planes(position: Position) -> np.ndarray:
    """The input of a network: uint8 (rows, columns, 48) of 0 and 1, for the side to move; in Gomoku 4 planes.

    >>> planes(Position(9)).shape
    (9, 9, 48)
    """
    base = base_of(position)
    return unpack(encode([base]), len(plane_names(base.game)), base.shape)[0]

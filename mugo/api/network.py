"""Network: what a network says of a position, as a Policy and an Evaluation; the planes that it sees."""
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

import numpy as np

from mugo.api.position import Position, base_of, check_number, point_of, python_errors
from mugo.core.files import MugoError
from mugo.games.coords import format_gtp, format_size
from mugo.games.game import encode, plane_names
from mugo.games.planes import unpack
from mugo.nn import bundled, inference
from mugo.nn.network_file import format_game
from mugo.nn.output import NetworkOutput
from mugo.players.evaluation import moves_by_prior
from mugo.players.options import PlayerOptions
from mugo.players.registry import open_network
from mugo.plots.svg import board_svg
from mugo.plots.terminal import heatmap_lines

BATCH = 32                               # positions that a network evaluates at once
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Who is winning a position, and by how much; None for what a network has no head for.

    win_rate: from 0 to 1, and lead: points, komi included, are for the side to move; black_win_rate and black_lead
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

    position: that it is of.  array: float32 (rows, columns), the same by point, illegal ones included; it sums to 1
    with the pass.
    """

    def __init__(self, position: Position, priors: np.ndarray):
        """priors: float32 (points + 1,), by move index."""
        base = base_of(position)
        self.position, self.array = position, priors[:-1].reshape(base.shape)
        super().__init__((format_gtp(point, base.shape), prior) for point, prior in moves_by_prior(base, priors))

    def _name(self, move: str) -> str:
        """A move as the keys have it.  Raises MugoError for what is not a point of the board."""
        shape = base_of(self.position).shape
        return format_gtp(point_of(move, shape), shape)

    def __missing__(self, move: str) -> float:
        """A move in lower case; 0 for an illegal one.  Raises MugoError for what is not a point of the board."""
        return super().get(self._name(move), 0.0)

    def __contains__(self, move: object) -> bool:
        """Whether a move, in either case, is legal."""
        try:
            return super().__contains__(self._name(move))       # type: ignore[arg-type]
        except MugoError:
            return False

    def get(self, move: str, default: float | None = None) -> float | None:     # type: ignore[override]
        """The probability of a legal move, in either case, and the default for anything else."""
        return self[move] if move in self else default

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
    """A trained network, opened by load_network.  name: a bundled network's, or its run's.  A pickle of it holds
    the arguments of load_network, and opens it again where it is read."""

    def __init__(self, opened: inference.Network | bundled.BundledNetworks, arguments: tuple):
        """arguments: of load_network, in order."""
        self.name, self._opened, self._arguments = opened.name, opened, arguments

    def __reduce__(self) -> tuple:
        return _open, self._arguments

    @overload
    def policy(self, positions: Position, *, symmetries: bool = False) -> Policy: ...

    @overload
    def policy(self, positions: Sequence[Position], *, symmetries: bool = False) -> list[Policy]: ...

    @python_errors()
    def policy(self, positions: Position | Sequence[Position], *, symmetries: bool = False) -> Policy | list[Policy]:
        """How likely each move is, in a position or in each of several, which are evaluated in batches.

        symmetries: the mean over the symmetries of the board, in each of which equivariant networks, as the bundled
        ones for Go, say the same.
        A warning for a board of another size than the network was trained on, if it was opened by name.  Raises
        MugoError for a game or board that the network does not play, and where there is no move.
        """
        for position in _listed(positions):
            base_of(position).check_has_moves()
        return self._of_each(positions, symmetries, lambda position, output, k: Policy(position, output.priors[k]))

    @overload
    def evaluate(self, positions: Position, *, symmetries: bool = False) -> Evaluation: ...

    @overload
    def evaluate(self, positions: Sequence[Position], *, symmetries: bool = False) -> list[Evaluation]: ...

    @python_errors()
    def evaluate(self, positions: Position | Sequence[Position], *, symmetries: bool = False
                 ) -> Evaluation | list[Evaluation]:
        """Who is winning, and by how much, in a position or in each of several, which are evaluated in batches.
        symmetries, warning, errors: as in `policy`."""
        return self._of_each(positions, symmetries, _evaluation)

    def _of_each(self, positions: Position | Sequence[Position], symmetries: bool,
                 make: Callable[[Position, NetworkOutput, int], _T]) -> _T | list[_T]:
        """make(position, output, row) for a position, or for each of several."""
        of_shape: dict[tuple[int, int], list[int]] = {}         # a batch is of one board size
        listed = _listed(positions)
        for k, position in enumerate(listed):
            of_shape.setdefault(base_of(position).shape, []).append(k)
        found: dict[int, _T] = {}
        for indices in of_shape.values():
            opened = self._opened_for(listed[indices[0]], 5)
            for start in range(0, len(indices), BATCH):
                batch = indices[start:start + BATCH]
                output = opened.evaluate([base_of(listed[k]) for k in batch], symmetries)
                found |= {k: make(listed[k], output, row) for row, k in enumerate(batch)}
        return found[0] if isinstance(positions, Position) else [found[k] for k in range(len(listed))]

    def _opened_for(self, position: Position, stacklevel: int = 4) -> inference.Network | bundled.BundledNetworks:
        """What evaluates a position.  A warning if the network was opened by name and trained on another size; those of
        Gomoku refuse one."""
        opened, shape = self._opened, base_of(position).shape
        if isinstance(opened, inference.Network) and opened.game == "go" and shape != (opened.size, opened.size):
            warnings.warn(f"{opened.name} was trained on {format_size(opened.size)} only, so what it says of "
                          f"{format_size(shape)} is an extrapolation; load_network() without a name takes the network "
                          "for each board", stacklevel=stacklevel)      # python_errors is a level
        return opened

    def __repr__(self) -> str:
        opened = self._opened
        return "<Network: the bundled ones, by board>" if isinstance(opened, bundled.BundledNetworks) else (
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
    return _open(None if name is None else os.fspath(name), threads, precision, provider)


def _open(name: str | None, threads: int | None, precision: str, provider: str) -> Network:
    """The network of these arguments of load_network."""
    file = os.path.abspath(name) if name is not None and os.path.exists(name) else name     # a process may be elsewhere
    return Network(open_network(name, threads, precision, provider), (file, threads, precision, provider))


def opened_of(network: "Network | None") -> inference.Network | bundled.BundledNetworks | None:
    """The network of the packages below.  Raises MugoError for anything but a Network or None."""
    if network is not None and not isinstance(network, Network):
        raise MugoError(f"a network of mugo.load_network was expected, not a {type(network).__name__}")
    return network and network._opened


def _listed(positions: Position | Sequence[Position]) -> Sequence[Position]:
    """The positions of a call with one or several.  Raises MugoError for anything else."""
    if isinstance(positions, Position):
        return [positions]
    if isinstance(positions, Sequence) and not isinstance(positions, str):
        return list(positions)
    raise MugoError(f"a mugo.Position or a list of them was expected, not a {type(positions).__name__}")


def _evaluation(position: Position, output: NetworkOutput, row: int) -> Evaluation:
    """What a row of a network's output says of a position."""
    base = base_of(position)
    ownership = output.board_ownership(row, base)
    return Evaluation(position, output.win_rate(row),
                      *output.score(row), None if ownership is None else ownership * np.float32(base.to_play))


def planes(position: Position) -> np.ndarray:
    """The input of a network: uint8 (rows, columns, 48) of 0 and 1, for the side to move; in Gomoku 4 planes.

    >>> planes(Position(9)).shape
    (9, 9, 48)
    """
    base = base_of(position)
    return unpack(encode([base]), len(plane_names(base.game)), base.shape)[0]

"""How to start fake_engine.py and GNU Go, whether a process runs, and networks that follow a rule."""
import contextlib
import copy
import math
import os
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np

from mugo.games.board import WHITE
from mugo.games.coords import format_gtp, move_index
from mugo.games.game import encode
from mugo.games.position import BasePosition, global_features
from mugo.match.gtp_client import GtpClient, participant_of
from mugo.nn.inputs import People
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.mcts.search import Search

FAKE_ENGINE = shlex.join([sys.executable, "-S", str(Path(__file__).with_name("fake_engine.py"))])
GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")      # None: not installed


@contextlib.contextmanager
def gnugo(*options: str):
    """GNU Go, running.

        with gnugo("--level", "1") as client:
            client.send_command("genmove b")              # 'Q16'
    """
    client = GtpClient(participant_of(shlex.join([GNUGO, "--mode", "gtp", *options])))
    try:
        yield client
    finally:
        client.close()


class WorkClock:
    """The clock of searches: 0.1 ms pass with every simulation and look at it, whatever the machine does."""

    def __init__(self):
        self._work = 0

    def search(self, settings, network=None) -> Search:
        """A search with this clock."""
        return self.follow(Search(settings, network, self))

    def follow(self, search: Search) -> Search:
        """Let time pass with the simulations of a search."""
        def grow(n, *goes_on, grow=search.growth.grow):
            done = grow(n)
            self._work += done
            return done

        search.growth.grow = grow
        return search

    def __call__(self) -> float:
        self._work += 1
        return 1e-4 * self._work


class LevelNetwork(NetworkProtocol):
    """A network with a value head: every move is as likely as another, and every position is even."""
    name = "level"
    has_value = True
    has_ownership = False

    def evaluate_packed(self, packed, features=None):
        n, *shape, _ = packed.shape
        points = math.prod(shape)
        return NetworkOutput(np.full((n, points + 1), 1 / (points + 1), np.float32), np.zeros(n, np.float32))

    def evaluate(self, positions, symmetries=False):
        return self.evaluate_packed(np.zeros((len(positions), positions[0].area, 1), np.uint8))


class Likes(LevelNetwork):
    """A network without a value head that gives these priors to named moves, and a little to every other point."""
    name = "likes"
    has_value = False

    def __init__(self, size, likes):
        self.priors = np.full(size * size + 1, 1e-6, np.float32)
        for point, prior in likes.items():
            self.priors[move_index(point, size)] = prior

    def evaluate(self, positions, symmetries=False):
        return NetworkOutput(np.stack([self.priors] * len(positions)))


class TiltedNetwork(LevelNetwork):
    """A network that takes who plays: the rank of the side to move tilts its priors and its value.

    Points have qualities that depend on the number of moves alone, normally distributed.  Priors are in proportion to
    exp(tilt * rank * quality), so that all moves are equally likely where the rank is unknown; the value is rank / 20,
    the lead the rank.
    """
    name = "tilted"
    takes_people = True
    equivariant = True

    def __init__(self, tilt=0.1):
        self.tilt, self.size, self.metadata = tilt, 9, {}
        self._people = People(), People()

    def with_people(self, people, when_white=None):
        told = copy.copy(self)
        told._people = people, when_white or people
        return told

    def evaluate(self, positions, symmetries=False, people=None):
        numbers = [(people or self._people[position.to_play == WHITE]).numbers()[0] for position in positions]
        return self.outputs([position.plies for position in positions], positions[0].area, np.array(numbers))

    def evaluate_packed(self, packed, features=None):
        """Of nobody in particular: the planes do not have the number of moves."""
        level, zeros = super().evaluate_packed(packed), np.zeros(len(packed), np.float32)
        return level._replace(score_mean=zeros, score_stdev=zeros + 4)

    def outputs(self, plies, area, numbers):
        """The outputs after so many moves, for encode_people's numbers (n, 4)."""
        ranks = np.nan_to_num(numbers[:, 0])
        qualities = np.stack([np.random.default_rng(number).normal(size=area + 1) for number in plies])
        weights = np.exp(self.tilt * ranks[:, None] * qualities)
        return NetworkOutput((weights / weights.sum(1, keepdims=True)).astype(np.float32),
                             (ranks / 20).astype(np.float32), None, ranks.astype(np.float32),
                             np.full(len(ranks), 4, np.float32))


class StoneCounter(NetworkProtocol):
    """A network with ownership and score to which the owner of a point is the colour of its stone.

    Every move is as likely as another; the standard deviation of the score is 3, komi included.
    """
    name = "stone-counter"
    has_value = has_ownership = True

    def forget(self):
        """It remembers nothing."""

    def evaluate_packed(self, packed, features=None):
        own = (packed[:, :, 0] & 1).astype(np.float32) - (packed[:, :, 0] >> 1 & 1)
        score = (own.sum(1) + features[:, 0]).astype(np.float32)
        n, moves = len(packed), packed.shape[1] + 1
        return NetworkOutput(np.full((n, moves), 1 / moves, np.float32), np.tanh(score / 10), own, score,
                             np.full(n, 3, np.float32))

    def evaluate(self, positions, symmetries=False):
        return self.evaluate_packed(encode(positions), global_features(
            [position.white_points for position in positions], [position.to_play for position in positions]))


def is_running(pid: int) -> bool:
    """Whether a process with this number runs; a zombie does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def vertices(position: BasePosition) -> list[str]:
    """The moves of a game as GTP vertices."""
    return [format_gtp(point, position.shape) for _, point in position.moves]

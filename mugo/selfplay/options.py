"""The options of self-play: how games are played, and how a run trains on them."""
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.games.coords import MAX_MOVES, MAX_SIZE, MIN_SIZE
from mugo.core.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, POSITIVE, PRECISIONS, SEED, check_choice, check_limits
from mugo.core.schema import ANYTHING, BOOLEAN, TEXT, Object, check_value, integer, number, object_of, optional
from mugo.search.settings import Settings

MAY_CHANGE = "games", "threads", "learning_rate"         # when a run is resumed
MAX_PARALLEL_GAMES, MAX_THREADS, MAX_BATCH_SIZE, MAX_WINDOW = 65_536, 1024, 65_536, 10**8
MAX_KOMI = 361
MIN_ARENA_GAMES = 24                     # with fewer, arena.PROMOTION is undecided even if all are won


@dataclass(frozen=True)
class SelfPlayOptions:
    """How games of self-play are played (Silver et al. 2017, 2018).

    simulations: new ones for each move, beside those of the reused tree.
    c: the exploration constant of PUCT.
    dirichlet_weight, dirichlet_alpha: priors at the root become (1 - weight) prior + weight Dirichlet(alpha); AlphaZero
    has the weight 0.25, alpha 0.3 in chess and 0.03 in Go on 19x19.
    temperature_moves: so many moves of a game are sampled in proportion to visits^(1 / temperature); then the most
    visited move is played.
    max_moves: a game that lasts longer is scored as it stands; 0 is three moves a point.
    gumbel: the search is Gumbel AlphaZero's (Danihelka et al. 2022), for 16 to 50 simulations.  Its noise takes the
    place of Dirichlet noise and of sampled moves, its tree is new for every move, and the target of the policy is the
    improved policy; the arena searches by PUCT.  max_num_considered_actions: moves in the first round of sequential
    halving.  c_visit, c_scale: the weight of values; see search.gumbel (the names of mctx).
    Raises BadInput for values out of their limits.
    """
    simulations: int = 400
    c: float = 2.0
    dirichlet_weight: float = 0.25
    dirichlet_alpha: float = 0.3
    temperature_moves: int = 10
    temperature: float = 1.0
    max_moves: int = 0
    gumbel: bool = False
    max_num_considered_actions: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0

    def __post_init__(self):
        check_limits(self, {
            "simulations": (2, math.inf), "c": POSITIVE, "dirichlet_weight": FRACTION, "dirichlet_alpha": POSITIVE,
            "temperature_moves": NON_NEGATIVE, "temperature": POSITIVE, "max_moves": (0, MAX_MOVES),
            "max_num_considered_actions": (1, 1024), "c_visit": NON_NEGATIVE, "c_scale": NON_NEGATIVE})

    def search_settings(self) -> Settings:
        """The settings of the search in the arena: PUCT without noise."""
        return Settings(c=self.c)


DEFAULT_SELFPLAY_OPTIONS = SelfPlayOptions()


@dataclass(frozen=True)
class RunOptions:
    """The options of a run; kept in its checkpoints, so that it is resumed with the same.

    Raises BadInput for values out of their limits.
    """

    games: int                           # of self-play, in all; of these, full updates are played
    selfplay: SelfPlayOptions = DEFAULT_SELFPLAY_OPTIONS
    parallel_games: int = 32             # for each thread
    threads: int = 1
    update_games: int = 16               # between two updates of the network
    steps: int = 40                      # of training in an update
    batch_size: int = 512
    window: int = 20_000                 # positions of the newest games to train on; at most half of all games
    learning_rate: float = 2e-3          # the peak
    decay_start: float = 0.5             # the fraction of the games after which the learning rate decays linearly
    final_lr_fraction: float = 0.1       # of the peak, at the end
    l2: float = 1e-4                     # c of c ||theta||^2 in the loss
    precision: str = "float32"           # or 'mixed_bfloat16'
    arena_every: int = 128               # games of self-play between two evaluations in the arena
    arena_games: int = 200               # of a match in the arena, at most
    warm_start_games: int = 0            # the first ones, which UCT plays (warm_start)
    warm_start_simulations: int = 1000   # of UCT, for a move
    int8: bool = True                    # int8 where the processor multiplies it fast, else float32, as in play
    seed: int = 0

    def __post_init__(self):
        check_choice("precision", self.precision, PRECISIONS)
        names = "games", "update_games", "steps", "arena_every", "warm_start_simulations"
        check_limits(self, {name: AT_LEAST_1 for name in names})
        check_limits(self, {"parallel_games": (1, MAX_PARALLEL_GAMES), "threads": (1, MAX_THREADS),
                            "batch_size": (1, MAX_BATCH_SIZE), "window": (1, MAX_WINDOW)})
        check_limits(self, {"games": (self.update_games, math.inf), "arena_games": (MIN_ARENA_GAMES, math.inf),
                            "warm_start_games": NON_NEGATIVE, "seed": SEED, "l2": NON_NEGATIVE,
                            "decay_start": FRACTION, "final_lr_fraction": FRACTION,
                            "learning_rate": (POSITIVE[0], 1)})

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> "RunOptions":
        """The options that dataclasses.asdict made the dictionary of."""
        selfplay: Any = SelfPlayOptions(**options["selfplay"])
        return cls(**(options | {"selfplay": selfplay}))

    @property
    def updates(self) -> int:
        """How many updates of the network the run has."""
        return self.games // self.update_games

    def learning_rate_of(self, update: int) -> float:
        """The learning rate of an update, counted from 1: constant, then linear decay."""
        progress = update * self.update_games / self.games
        decay = (progress - self.decay_start) / max(1e-9, 1 - self.decay_start)
        return self.learning_rate * (1 - (1 - self.final_lr_fraction) * min(max(decay, 0.0), 1.0))

    def has_arena(self, update: int) -> bool:
        """Whether the network is evaluated in the arena after this update: when it is due, and after the last one."""
        before = (update - 1) * self.update_games // self.arena_every
        after = update * self.update_games // self.arena_every
        return after > before or update == self.updates


_ROW = Object({"update": integer(0)}, others=number())
# The metadata of a run's checkpoint, beside those that every network has.
_RUN = Object({
    "rules": Object({"game": TEXT, "size": integer(MIN_SIZE, MAX_SIZE)},
                    {"komi": number(-MAX_KOMI, MAX_KOMI), "k": integer(1, MAX_SIZE), "exactly": BOOLEAN}),
    "options": object_of(RunOptions), "update": integer(0), "arena_update": integer(0), "seconds": number(0),
    "uct_level": integer(0), "uct_attempts": integer(0), "best": optional(_ROW), "history": [_ROW],
    "arena": [Object({"games": integer(0), "seconds": number(0), "opponent": TEXT, "simulations": integer(0),
                      "score": number(0, 1)}, others=ANYTHING)],
    "openings": [Object({"games": integer(0), "value": number(-1, 1), "priors": [number(0, 1)]})]}, others=ANYTHING)


def check_run(metadata: dict[str, Any], path: Path) -> None:
    """Raise BadInput, which names the field, unless these are the metadata of a checkpoint of `mugo selfplay`."""
    if "rules" not in metadata:
        raise BadInput(f"{path} is no checkpoint of `mugo selfplay`")
    check_value(metadata, _RUN, str(path))
    rules, size = metadata["rules"], metadata["size"]
    try:
        RunOptions.from_dict(metadata["options"])
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    if (rules["size"], rules["game"]) != (size, metadata.get("game", "go")):
        raise BadInput(f"{path} has rules of {rules['game'][:40]} on {rules['size']}x{rules['size']}, which its "
                       "network does not play")
    if metadata["arena_update"] > metadata["update"]:
        raise BadInput(f"{path} is of update {metadata['update']}, and evaluated at {metadata['arena_update']}")
    if any(len(row["priors"]) != size ** 2 + 1 for row in metadata["openings"]):
        raise BadInput(f"{path} has priors of another board than {size}x{size}")

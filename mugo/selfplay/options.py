"""The options of self-play: the game, how games are played, and how a run trains on them.

A field of GameOptions, SelfPlayOptions, RunOptions or nn.architectures.AlphaZeroNetConfig is an option of `mugo
selfplay`, a line of its help and of docs/reference/options.md, a value in the run's metadata and options.toml, and is
compared by --resume.
"""
import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.core.limits import SEED, TRAINING_PRECISIONS
from mugo.core.machine import available_cores
from mugo.core.options import REQUIRED, add_options, check, format_names, may_change, option, provider_option
from mugo.core.parallel import add_scheduler_argument
from mugo.games.coords import MAX_MOVES, MAX_SIZE, MIN_SIZE
from mugo.games.rules import KOMI
from mugo.nn.architectures import AlphaZeroNetConfig
from mugo.mcts.settings import MOST

MAX_KOMI = 361
MAX_SIMULATIONS = 10**9
MIN_ARENA_GAMES = 24                     # with fewer, arena.PROMOTION is undecided even if all are won
GAMES = 2000                             # of a run, by default
SIZES = {"gomoku": 8, "go": 7}           # of the board, by default


@dataclass(frozen=True)
class GameOptions:
    """The rules of the game; None: by default.  Raises BadInput for values out of their limits."""
    size: int | None = option(None, "board size", least=MIN_SIZE, most=MAX_SIZE, common=True,
                              shown_default=f"{SIZES['gomoku']}, of Go {SIZES['go']}")
    k: int | None = option(None, "number of stones in a row that wins", common=True,
                           shown_default="3 on 3x3, 4 up to 6x6, else 5", player="Gomoku")
    exactly: bool | None = option(None, "more than k in a row do not win", shown_default="off", player="Gomoku")
    komi: float | None = option(None, "White's points", least=-MAX_KOMI, most=MAX_KOMI, common=True,
                                shown_default=f"{KOMI:g}", player="Go")

    def __post_init__(self):
        check(self)


@dataclass(frozen=True)
class CommandOptions:
    """What a command line of `mugo selfplay` says besides, which the run does not keep.  Raises BadInput."""
    resume: bool = option(False, "continue the run with its own options", common=True)
    init_from: str = option("", "initialise from this network's weights", metavar="NETWORK", common=True)

    def __post_init__(self):
        check(self)


@dataclass(frozen=True)
class SelfPlayOptions:
    """How games of self-play are played (Silver et al. 2017, 2018).

    Priors at the root become (1 - weight) prior + weight Dirichlet(alpha); AlphaZero has the weight 0.25, alpha 0.3 in
    chess and 0.03 in Go on 19x19.
    Raises BadInput for values out of their limits.
    """
    simulations: int = option(400, "simulations for a move", least=2, most=MAX_SIMULATIONS, common=True)
    c: float = option(2.0, "exploration constant of PUCT", above=0, most=MOST)
    dirichlet_weight: float = option(0.25, "weight of Dirichlet noise in the priors of the root", least=0, most=1)
    dirichlet_alpha: float = option(0.3, "alpha of the Dirichlet noise; smaller for larger boards", above=0,
                                    most=MOST)
    temperature_moves: int = option(10, "moves of a game that are sampled by visits^(1 / temperature); those proven to "
                                    "be worse than another count as unvisited", least=0)
    temperature: float = option(1.0, "temperature of the moves that are sampled", above=0, most=MOST)
    max_moves: int = option(0, "a longer game is scored as it stands; 0: three moves for each point", least=0,
                            most=MAX_MOVES)

    def __post_init__(self):
        check(self)


DEFAULT_SELFPLAY_OPTIONS = SelfPlayOptions()


@dataclass(frozen=True)
class RunOptions:
    """The options of a run; kept in its checkpoints, so that it is resumed with the same.

    threads, provider: this machine's; on a cluster each worker's, with one thread where the provider is cpu.
    Raises BadInput for values out of their limits.
    """

    games: int = option(REQUIRED, "games of self-play in all; full updates are played: with --update-games 16, 1,000 "
                        "means 992", least=1, shown_default=str(GAMES), common=True, may_change=True)
    selfplay: SelfPlayOptions = DEFAULT_SELFPLAY_OPTIONS
    threads: int = option(available_cores(), "threads of self-play", least=1, most=1024, common=True,
                          shown_default="one for each core", may_change=True)
    games_per_thread: int = option(32, "games at once in each thread, whose positions the network evaluates together",
                                   least=1, most=65_536)
    precision: str = option("auto", "precision of the network in self-play and arena: auto is int8 where this "
                            "processor multiplies int8 faster", choices=("auto", "float32"), common=True)
    provider: str = provider_option(may_change=True)
    warm_start_games: int = option(0, "the first games, which UCT plays with RAVE and heuristic priors", least=0,
                                   common=True)
    warm_start_simulations: int = option(1000, "simulations of UCT for a move of the warm start", least=1,
                                        most=MAX_SIMULATIONS)
    update_games: int = option(16, "games between two updates of the network", least=1)
    steps: int = option(40, "training steps in an update", least=1)
    batch_size: int = option(512, "positions in a batch", least=1, most=65_536)
    window: int = option(20_000, "newest positions to train on, of at most half of all games", least=1,
                         most=10**8)
    learning_rate: float = option(2e-3, "peak learning rate", above=0, most=1, common=True, may_change=True)
    decay_start: float = option(0.5, "fraction of the games after which the learning rate decays", least=0, most=1)
    final_lr_fraction: float = option(0.1, "final learning rate, as a fraction of the peak", least=0, most=1)
    l2: float = option(1e-4, "weight decay: c of c ||theta||^2 in the loss", least=0)
    training_precision: str = option("auto", "precision of training: auto is bfloat16 where this machine multiplies it "
                                     "faster", choices=("auto", *TRAINING_PRECISIONS))
    arena_every: int = option(128, "games of self-play between two evaluations in the arena", least=1)
    arena_games: int = option(200, "most games of a match in the arena", least=MIN_ARENA_GAMES)
    seed: int = option(0, "random seed", least=SEED[0], most=SEED[1], common=True)

    def __post_init__(self):
        check(self)
        if self.games < self.update_games:
            raise BadInput(f"--games {self.games}: must be at least --update-games {self.update_games}")

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> "RunOptions":
        """The options that dataclasses.asdict made the dictionary of."""
        selfplay: Any = SelfPlayOptions(**options.get("selfplay", {}))
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
        return after > before or update >= self.updates


MAY_CHANGE = may_change(RunOptions)      # when a run is resumed

def check_selfplay_run(metadata: dict[str, Any], path: Path) -> None:
    """Raise BadInput unless these are the metadata of a checkpoint of `mugo selfplay` that this version resumes."""
    if "rules" not in metadata:
        raise BadInput(f"{path} is not a checkpoint of `mugo selfplay`")
    try:
        RunOptions.from_dict(metadata["options"])
    except (BadInput, TypeError) as error:
        raise BadInput(f"{path}: {error}") from None


def add_selfplay_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo selfplay`."""
    parser.epilog = f"{parser.epilog}  With --resume, {format_names(MAY_CHANGE)} can change."
    parser.add_argument("game", choices=("gomoku", "go"), help="the game")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    add_options(parser, CommandOptions)
    add_scheduler_argument(parser)
    add_options(parser.add_argument_group("the game"), GameOptions)
    add_options(parser.add_argument_group("the network"), AlphaZeroNetConfig)
    group = parser.add_argument_group("self-play and training")
    add_options(group, RunOptions)
    add_options(group, SelfPlayOptions)

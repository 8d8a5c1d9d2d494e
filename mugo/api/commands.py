"""preprocess, train, evaluate, play_match: the commands of these names as functions, with the same options; and player.

Dataset: what preprocess makes of archives, as a table of games and as batches for training with any library.

    mugo train games -o run --learning-rate 0.003     train("games", "run", learning_rate=0.003)
    mugo gtp mcts --simulations 400                   player("mcts", simulations=400)
"""
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

import numpy as np

from mugo.api.keywords import EvaluateKeywords, MatchKeywords, PlayerKeywords, PreprocessKeywords, TrainKeywords
from mugo.api.network import Network, load_network, opened_of
from mugo.api.position import Position, base_of, check_number, python_errors
from mugo.core.files import BadInput, MugoError
from mugo.core.config import UnknownOption, set_values
from mugo.core.limits import SEED
from mugo.core.options import Parser, given
from mugo.games.coords import format_gtp
from mugo.games.game import GAMES
from mugo.games.planes import unpack
from mugo.players import options as players
from mugo.players.player import RESIGN
from mugo.players.player import Player as AnyPlayer

if TYPE_CHECKING:                        # pandas takes a second
    import pandas as pd

    from mugo.data.dataset import DataSet
    from mugo.data.positions import Batch

PathLike = str | os.PathLike[str]
SPLITS = "train", "validation", "test"
TARGETS: "dict[str, Callable[[Batch, int], np.ndarray]]" = {
    "moves": lambda batch, size: batch.targets.astype(np.int64),
    "outcomes": lambda batch, size: batch.outcomes.astype(np.float32),
    "ownership": lambda batch, size: batch.ownership.reshape(-1, size, size),
}


class Dataset:
    """A data set, opened by load_dataset.  Games are read when they are needed.  folder: that it is in."""

    def __init__(self, opened: "DataSet"):
        self._opened, self.folder = opened, opened.folder

    @property
    def games(self) -> "pd.DataFrame":
        """A row for every game that was found: players, ranks, result, date, num_moves, split, ...; 2 kB per game.  One
        that is not used has no split, and a reject_reason."""
        return self._opened.games

    @python_errors()
    def batches(self, batch_size: int = 128, *, split: str | None = "train", targets: Sequence[str] = ("moves",),
                size: int | None = None, where: str = "", augment: bool = False, epochs: int | None = 1, seed: int = 0
                ) -> Iterator[tuple[np.ndarray, ...]]:
        """Positions in random order, (planes, moves) or (planes, *targets), at most batch_size in a batch.

        planes: uint8 (n, size, size, 48), for the side to move, as mugo.planes has them.
        targets: 'moves', int64 (n,): what was played, by move index (see move_name); 'outcomes', float32 (n,): 1 the
        side to move won, -1 it lost, 0 unknown; 'ownership', int8 (n, size, size): 1 its point at the end, -1 the
        opponent's, 0 nobody's, or not known.
        split: 'train', 'validation', 'test', None for all.  size: the board's; None: the most frequent.  where: a
        query on the columns of `games`, as "komi > 6".  augment: random symmetries of the board.  epochs: how often
        each position comes; None: without end.  Raises MugoError if there are no such positions.
        """
        n = check_number("batch_size", batch_size, 1)
        epochs_or_endless = math.inf if epochs is None else check_number("epochs", epochs, 0)
        if not set(targets) <= TARGETS.keys():
            raise MugoError(f"targets are of {', '.join(TARGETS)}, not {', '.join(targets):.60}")
        if split not in (None, *SPLITS):
            raise MugoError(f"split is one of {', '.join(SPLITS)}, or None for all, not {split!r:.40}")
        if check_number("seed", seed, SEED[0]) > SEED[1]:
            raise MugoError(f"seed is at most {SEED[1]}, not {seed}")
        positions = self._opened.positions(split, None if size is None else check_number("size", size, 1), where)

        def read() -> Iterator[tuple[np.ndarray, ...]]:
            end = epochs_or_endless * len(positions)
            for start in itertools.takewhile(lambda start: start < end, itertools.count(0, n)):
                batch = positions.shuffled(start, int(min(n, end - start)), seed, augment)
                yield unpack(batch.packed), *(TARGETS[name](batch, positions.size) for name in targets)

        return read()

    def __repr__(self) -> str:
        counts, sizes = self._opened.meta["counts"], self._opened.board_sizes()
        return (f"<Dataset {self.folder}: {counts['used']:,} games, {counts['positions']:,} positions, "
                f"{', '.join(f'{size}x{size}' for size in sizes)}>")


def load_dataset(folder: PathLike) -> Dataset:
    """Open the data set in a folder, which preprocess made.  Raises MugoError, which names the file that is missing or
    damaged."""
    from mugo.data import dataset

    return Dataset(dataset.load_dataset(Path(folder)))


class _Parser(Parser):
    """The parser of a command's arguments, whose errors are exceptions."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(message)


def parsed(add_arguments: Callable[[Any], None], words: Iterable[PathLike], options: Mapping[str, Any]) -> Any:
    """What a command gets of these words and options, of which None is the default.  Raises BadInput, and
    TypeError for an option that it does not have."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    add_arguments(parser)
    try:
        set_values(parser, {name: value for name, value in options.items() if value is not None})
    except UnknownOption as error:
        raise TypeError(str(error).replace("-", "_")) from None
    return parser.parse_args(["--", *(os.fspath(word) for word in words)])


@python_errors()
def preprocess(paths: PathLike | Iterable[PathLike], folder: PathLike, *, jobs: int = 1,
               **options: Unpack[PreprocessKeywords]) -> Dataset:
    """Read SGF files, folders and archives into a data set, print what was found, and open it.  A data set that exists
    gets the games that are new.

    jobs: processes; with more than 1 a script calls this under `if __name__ == "__main__":`.  options: of `mugo
    preprocess`: where, min_moves, validation, test, seed.  Raises MugoError for paths without games, options out of
    range, and, after the others, for an archive that could not be read to its end.
    """
    from mugo.data import options as data, preprocess as module

    words = [paths] if isinstance(paths, str | os.PathLike) else paths
    module.command(parsed(data.add_preprocess_arguments, words, {"output": folder, "jobs": jobs, **options}))
    return load_dataset(folder)


@python_errors()
def train(dataset: PathLike, run: PathLike, *, positions: float | None = None, **options: Unpack[TrainKeywords]
          ) -> Network:
    """Train a network on a data set, and open it.  The run's folder has checkpoints, log.csv and a curve.

    positions: to train on, with repeats; by default each once.  options: of `mugo help train`: value_head=True,
    filters, layers, batch_size, learning_rate, minutes, init_from, ...; resume=True continues a run with its own.
    Needs TensorFlow or JAX.  Raises MugoError for options out of range, a folder with a run, and a loss that becomes
    infinite.  Ctrl-C ends it between two steps, and resume=True goes on.
    """
    from mugo.training import options as training, train as module

    module.command(parsed(training.add_train_arguments, [dataset], {"output": run, "positions": positions, **options}))
    return load_network(run)


@python_errors()
def evaluate(network: Network | PathLike, dataset: PathLike, **options: Unpack[EvaluateKeywords]) -> "pd.DataFrame":
    """The accuracy of a network on a data set: a row for all positions, and for each phase, rank and source.

    Columns: by, subset, positions, games; top1, top5 and the other measures, accuracies from 0 to 1, and with `_se`
    after the name the standard error, clustered by game.  options: of `mugo evaluate`: split, where, size, sample,
    symmetries, seed.  Raises MugoError.
    """
    from mugo.data import dataset as data
    from mugo.nn import bundled
    from mugo.training import evaluate as module, options as training

    arguments = parsed(training.add_evaluate_arguments, ["", dataset], options)
    chosen = training.EvaluateOptions(**given(training.EvaluateOptions, arguments))
    games = data.load_dataset(arguments.dataset)
    opened = (network if isinstance(network, Network) else load_network(network, precision=chosen.precision[0]))._opened
    if isinstance(opened, bundled.BundledNetworks):
        opened = opened.for_board(chosen.size or games.board_sizes()[0])
    split = None if chosen.split == "all" else chosen.split
    return module.evaluate(opened, games, split=split, where=chosen.where, count=chosen.sample,
                           symmetries=chosen.symmetries, seed=chosen.seed, size=chosen.size)


@python_errors()
def play_match(*participants: str, games: int = 100, folder: PathLike | None = None, **options: Unpack[MatchKeywords]
               ) -> dict[str, Any]:
    """Play a match between players and GTP programs, each in a process of its own; print and return its summary.

    participants: a player with its options, 'mcts --simulations 100', or a command line, 'gnugo --mode gtp'.  games:
    for each pair.  folder: where the games are written; a match that was stopped goes on from there.  options: of `mugo
    match`: size (9), komi, rules, handicap, openings, time, jobs, ...
    Raises MugoError for a participant that does not work, and options out of range.
    """
    from mugo.match import options as match, tournament as module

    values = {"games": games, "output": folder, **options}
    summary = module.play(parsed(match.add_match_arguments, participants, values))
    print(module.format_summary(summary))
    return summary


# ---- a player to ask for moves

class Player:
    """A player, made by the function `player`.  name: 'mcts', 'policy', ..."""

    def __init__(self, made: AnyPlayer):
        self.name, self._made = made.name, made

    @python_errors()
    def select_move(self, position: Position, *, seconds: float | None = None) -> str:
        """The move of the side to move: 'Q16', 'pass' or 'resign'.

        seconds: that it may take; by default what the player's options say.  Raises MugoError for a board that the
        player does not play, and for a position without a move.
        """
        base = base_of(position)
        base.check_has_moves()
        limit = None if seconds is None else check_number("seconds", seconds, 0.001, is_whole=False)
        point = self._made.select_move(base, seconds=limit)
        return "resign" if point == RESIGN else format_gtp(point, base.shape)

    def __repr__(self) -> str:
        return f"<Player {self.name}>"


@python_errors()
def player(name: str = "mcts", *, network: Network | None = None, game: str = "go", **options: Unpack[PlayerKeywords]
           ) -> Player:
    """A player: 'mcts' or 'uct', 'policy', 'randompolicy', 'random'.

    network: of mcts and the policies; by default the bundled one for each board.  game: 'go' or 'gomoku'.  options: of
    `mugo help player` and `mugo help search`, as simulations=400, rank='2d', seed=1.
    Raises MugoError for another name, and options out of range or of another player.

    >>> player("policy").select_move(Position(9))
    'E5'
    """
    if game not in GAMES:
        raise MugoError(f"game is 'go' or 'gomoku', not {game!r:.40}")
    arguments = parsed(players.add_arguments, [name], options)
    return Player(players.player_from_arguments(arguments, game, opened_of(network)))

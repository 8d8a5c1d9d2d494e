"""What a teacher says of the positions of a data set:  mugo label DATASET --engine "COMMAND" -o NAME

    positions of training and validation games, shuffled --> teacher --> DATASET/teachers/NAME.labels

The order is random, so the first positions that are labelled are a uniform sample of all.  Test games are not
labelled.  Half of the positions are shown with another komi, drawn around the game's, because networks learn the value
for every komi.  After Ctrl-C or kill -9 `--resume` continues; so it does after games were added to the data set.
`mugo train --teacher NAME` learns from the file.
"""
import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mugo.core.files import BadInput
from mugo.core.options import add_options, check, given, option
from mugo.core.progress import progress_bar
from mugo.data import game_hash
from mugo.data.dataset import load_dataset
from mugo.data.shards import DATASET_HELP
from mugo.data.positions import Positions
from mugo.data.teacher_labels import LabelWriter, find_positions, labels_path
from mugo.training.loader import KOMI_STDEV, OTHER_KOMI
from mugo.training.teachers import Asked, EngineTeacher, NetworkTeacher, Teacher

SEED = 0
CHUNK = 64                               # positions
MAX_KOMI = 150                           # points: the most that KataGo takes
NOT_TEST = "split != 'test'"


def asked_positions(positions: Positions, is_labelled: np.ndarray, count: int, kind: np.dtype) -> Iterator[Asked]:
    """Positions to label, in random order, until so many are labelled.  is_labelled: bool (len(positions),).

    The komi of a position depends on its place in the order alone.
    """
    left = count - int(is_labelled.sum())
    hashes = positions.games.column("content_hash")
    for start in range(0, len(positions), CHUNK):
        if left <= 0:
            return
        indices = game_hash.shuffled_positions(start, min(CHUNK, len(positions) - start), len(positions), SEED)[0]
        rng = np.random.default_rng((SEED, start))
        drawn, shifts = rng.random(CHUNK)[:len(indices)], rng.standard_normal(CHUNK)[:len(indices)]
        rows, moves_played = positions.locate(indices)
        komi = np.nan_to_num(positions.games.take(rows).column("white_points").astype(np.float64))
        komi = np.where(drawn < OTHER_KOMI, np.floor(komi + KOMI_STDEV * shifts) + 0.5, np.round(2 * komi) / 2)
        new = np.flatnonzero(~is_labelled[indices])[:left]
        records = np.zeros(len(new), kind)
        records["content_hash"], records["moves_played"] = hashes[rows[new]], moves_played[new]
        records["komi"], records["win_rate"] = np.clip(komi[new], -MAX_KOMI, MAX_KOMI), np.nan
        left -= len(new)
        if len(new):
            yield Asked(indices[new], records)


# ---- the command

@dataclass(frozen=True)
class LabelOptions:
    """The options of `mugo label`.  Raises BadInput for values out of their limits."""
    network: str = option("", "the teacher: a network of MuGo, by its name or file", metavar="NETWORK", common=True,
                          shown_default="none")
    engine: str = option("", "the teacher: a program that speaks KataGo's analysis protocol, say \"katago analysis "
                         "-config analysis.cfg -model net.bin.gz\"; its own configuration says how many visits it "
                         "searches", metavar="COMMAND", common=True, shown_default="none")
    positions: int | None = option(None, "how many positions to label", least=1, shown_default="all", common=True)
    ownership: bool = option(False, "also keep who owns each point, a byte a point", common=True)
    jobs: int | None = option(None, "threads of a network, or programs that run at a time", least=1, common=True,
                              shown_default="one thread for each core, or one program")
    resume: bool = option(False, "continue the labels of this name", common=True)

    def __post_init__(self):
        check(self)
        if bool(self.network) == bool(self.engine):
            raise BadInput("give one teacher: --network NETWORK or --engine COMMAND")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("-o", "--output", required=True, metavar="NAME", help="the labels' name: they are written to "
                        "DATASET/teachers/NAME.labels")
    add_options(parser, LabelOptions)


def command(args: argparse.Namespace) -> int:
    """Label; returns the exit status."""
    options = LabelOptions(**given(LabelOptions, args))
    positions = load_dataset(args.dataset).positions(None, where=NOT_TEST)
    path = labels_path(args.dataset, args.output)
    if path.exists() and not options.resume:
        raise BadInput(f"{path} exists: --resume continues it, or give -o another name")
    path.parent.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        if options.network:
            teacher = NetworkTeacher(options.network, options.jobs)
        else:
            teacher = EngineTeacher(options.engine, options.jobs)
            stack.callback(teacher.close)
        if options.ownership and not teacher.has_ownership:
            raise BadInput(f"--ownership: {options.network} has no ownership")
        header = {"size": positions.size, "ownership": options.ownership, "teacher": teacher.description}
        count = label(positions, teacher, stack.enter_context(LabelWriter(path, header, options.resume)),
                      options.positions or len(positions))
    refused = teacher.refusals
    print(f"{path}: {count:,} positions"
          + (f", {sum(refused.values()):,} of which were refused now, for example {next(iter(refused))}" if refused
             else ""))
    return 0


def label(positions: Positions, teacher: Teacher, writer: LabelWriter, count: int) -> int:
    """Have a teacher label positions until so many are labelled; returns how many are."""
    is_labelled = np.zeros(len(positions), bool)
    found = find_positions(writer.labels.records, positions)
    is_labelled[found[found >= 0]] = True
    before, count = int(is_labelled.sum()), min(count, len(positions))
    with progress_bar("positions", count, before) as bar:
        for records in teacher.label(positions, asked_positions(positions, is_labelled, count,
                                                                writer.labels.records.dtype)):
            writer.append(records)
            bar.update(len(records))
    return max(before, count)

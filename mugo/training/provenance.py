"""What a network was trained on, and whether other games are unseen by it.  No Keras here.

    metadata["data"]    "fingerprint"               of the data set
                        "split"                     the options of its split: seed, validation, test
                        "training", "validation"    fingerprints of the positions, which --where and --moves select
                        "seed"                      of the order of the training positions
                        "sources", "games", "positions"
                        "ranks"                     of the training positions, from the weakest to the strongest

The split is a function of a game's first 40 moves and of these options, so for any game of any data set it is known
whether it can have been a training game.
"""
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mugo.data.dataset import DataSet
from mugo.data.game_hash import assign_splits
from mugo.data.positions import Positions
from mugo.data.selection import GameSelection
from mugo.core.files import BadInput
from mugo.nn.architectures import PolicyNetConfig


def describe_data(data: DataSet, training: Positions, validation: Positions, seed: int) -> dict[str, Any]:
    """metadata["data"] of a network that is trained on these positions of a data set, in the order of this seed."""
    return {"fingerprint": data.fingerprint,
            "split": {name: data.meta["options"][name] for name in ("seed", "validation", "test")},
            "training": training.fingerprint, "seed": seed, "validation": validation.fingerprint,
            "sources": [source["label"] for source in data.meta["sources"]],
            "games": data.meta["counts"]["used"], "positions": data.meta["counts"]["positions"],
            "ranks": rank_range(training)}


def rank_range(training: Positions) -> list[float] | None:
    """The 1 % and 99 % quantiles of the ranks of the side to move, by weight where positions have weights; None if no
    position has a rank."""
    table, counts = training.games.table(["black_rank", "white_rank"]), np.diff(training.first_index)
    mass = np.tile(counts if training.weights is None else counts * training.weights, 2)
    ranks = np.concatenate([table["black_rank"], table["white_rank"]]).astype(np.float64)
    known = ~np.isnan(ranks) & (mass > 0)
    if not known.any():
        return None
    order = np.argsort(ranks[known], kind="stable")
    shares = np.cumsum(mass[known][order]) / mass[known].sum()
    return [float(ranks[known][order][min(np.searchsorted(shares, share), len(order) - 1)])
            for share in (0.01, 0.99)]


def check_same_data(run: Path, recorded: dict[str, Any], data: DataSet, training: Positions, validation: Positions
                    ) -> None:
    """Raise BadInput unless a run with this metadata["data"] would get the same batches from these positions."""
    if recorded.get("fingerprint") != data.fingerprint:
        raise BadInput(f"{run} was trained on other games than {data.folder} has now, or on another split of them: its "
                       f"data set has fingerprint {str(recorded.get('fingerprint'))[:40]}, this one {data.fingerprint}")
    for split, positions in (("training", training), ("validation", validation)):
        if recorded.get(split) != positions.fingerprint:
            raise BadInput(f"{run}: --where selects other {split} games in {data.folder}, or --sample-weight weights "
                           "them otherwise, than when the run began; have its sources other names now?")


def training_records(metadata: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    """metadata["data"] of a network and its ancestors (--init-from), for boards of this size; {}: none."""
    while metadata:
        if metadata.get("size") == size:
            yield metadata.get("data") or {}
        metadata = metadata.get("init_from") or {}


def may_have_seen(metadata: dict[str, Any], games: GameSelection) -> np.ndarray | None:
    """Which games, all of one board size, are in the training split of a network's data: bool (n,).  None if it does
    not record its split."""
    seen = np.zeros(len(games), bool)
    for data in training_records(metadata, int(games.column("size")[0])):
        if "split" not in data:
            return None
        seen |= assign_splits(games.column("opening_hash"), **data["split"]) == "train"
    return seen


def unseen_notes(name: str, metadata: dict[str, Any], games: GameSelection) -> list[str]:
    """A line about whether a network was trained on the games that it is evaluated on; none if it was not trained on
    records of games."""
    if "data" not in metadata:
        return []
    return [_seen_note(name, may_have_seen(metadata, games), f"these {len(games):,} games")]


def _seen_note(name: str, seen: np.ndarray | None, games: str) -> str:
    if seen is None:
        return (f"whether {name} was trained on some of {games} cannot be checked: it does not record how its training "
                "games were split")
    if not seen.any():
        return f"none of {games} is in the training split of {name}"
    return f"{seen.sum():,} of {games} are in the training split of {name}, so it may have been trained on them"


def init_notes(name: str, metadata: dict[str, Any], seed: int, training: Positions, validation: Positions) -> list[str]:
    """Lines about which positions a run repeats that is initialised from a network with this metadata; none if its
    batches continue the network's, and no validation game is in the network's training split.

    seed, training, validation: the seed, training and validation of the run.
    """
    lines = []
    streams = [(data.get("training"), data.get("seed")) for data in training_records(metadata, training.size)]
    if (None, None) in streams:
        lines.append(f"{name} does not record on which positions it was trained: this run may repeat some of them")
    elif set(streams) - {(training.fingerprint, seed)}:
        lines.append(f"{name} was trained on positions of other games, of other moves or in another order: this run "
                     "may repeat some of them")
    seen = may_have_seen(metadata, validation.games)
    if seen is None or seen.any():
        lines.append(_seen_note(name, seen, f"the {len(validation.games):,} validation games"))
    return lines


def training_notes(training: Positions, validation: Positions, config: PolicyNetConfig) -> list[str]:
    """Lines about a run's positions: their weights, and whether the value learns or is measured from nothing."""
    notes = []
    if training.weights is not None:
        counts, weights = np.diff(training.first_index), training.weights
        effective = (weights @ counts) ** 2 / (weights ** 2 @ counts)        # Kish, Survey Sampling, 1965
        notes.append(f"--sample-weight: weights {weights.min():g} to {weights.max():g}; {counts[weights > 0].sum():,} "
                     f"of {len(training):,} positions are drawn, of {(weights > 0).sum():,} of {len(weights):,} games, "
                     f"worth {effective:,.0f} positions of equal weights")
    if config.value_head:
        without = [split for split, positions in (("training", training), ("validation", validation))
                   if not _has_outcome(positions.games)]
        if without:
            notes.append(f"no {' or '.join(without)} game has a known winner and komi: the value "
                         + ("learns nothing" if "training" in without else "is not measured"))
    return notes


def _has_outcome(games: GameSelection) -> bool:
    """Whether the winner of a game is known with its komi, or by its score."""
    won = (games.column("winner") != 0) & ~np.isnan(games.column("white_points"))
    return bool((won | (games.column("ownership_start") >= 0)).any())

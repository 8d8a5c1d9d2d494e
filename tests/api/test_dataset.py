"""Data sets of the library: batches whose planes and moves are those of the games."""
from pathlib import Path

import numpy as np
import pytest

import mugo

ARCHIVE = Path(__file__).parents[2] / "data" / "gnugo-9x9.zip"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return mugo.preprocess(ARCHIVE, tmp_path_factory.mktemp("data") / "games", validation=0.1, test=0.1)


def test_the_games_are_a_table(dataset):
    used = dataset.games[dataset.games["reject_reason"] == ""]
    assert len(used) == 39 and set(used["split"]) == {"train", "validation", "test"}
    assert repr(dataset) == f"<Dataset {dataset.folder}: 39 games, 1,649 positions, 9x9>"


def test_an_epoch_has_each_position_once(dataset):
    for split in "train", "validation", "test":
        expected = dataset.games.loc[dataset.games["split"] == split, "num_moves"].sum()
        batches = list(dataset.batches(100, split=split))
        assert sum(len(moves) for _, moves in batches) == expected
        assert {len(moves) for _, moves in batches[:-1]} <= {100}
    assert sum(len(moves) for _, moves in dataset.batches(500, split=None)) == 1649
    planes = np.concatenate([planes for planes, _ in dataset.batches(100, split="test", epochs=2)])
    _, counts = np.unique(planes.reshape(len(planes), -1), axis=0, return_counts=True)
    assert (counts % 2 == 0).all()


def test_planes_and_moves_are_those_of_the_games(dataset):
    expected = set()
    for game in mugo.read_archive(ARCHIVE):
        for position, (_, move) in zip(game, game.moves):                 # noqa: B905  (one position more)
            expected.add((mugo.planes(position).tobytes(), mugo.move_index(move, 9)))
    planes, moves = next(dataset.batches(256))
    assert planes.shape == (256, 9, 9, 48) and planes.dtype == np.uint8 and moves.dtype == np.int64
    assert all((each.tobytes(), int(move)) in expected for each, move in zip(planes, moves, strict=True))


def test_targets_are_those_of_the_side_to_move(dataset):
    planes, outcomes, ownership = next(dataset.batches(64, targets=("outcomes", "ownership")))
    assert outcomes.dtype == np.float32 and set(outcomes) <= {-1, 0, 1} and ownership.shape == (64, 9, 9)
    mine, theirs = (planes[..., mugo.plane_names().index(f"stone colour {whose}")] for whose in ("mine", "theirs"))
    assert ownership[mine == 1].mean() > 0.3 > -0.3 > ownership[theirs == 1].mean()


def test_batches_depend_on_the_seed_alone(dataset):
    def first(**options) -> bytes:
        return b"".join(array.tobytes() for array in next(dataset.batches(32, **options)))

    assert first() == first() != first(seed=1)
    assert first(augment=True) == first(augment=True) != first()


def test_positions_are_selected_by_a_query_and_repeated_without_end(dataset):
    moves = sum(len(moves) for _, moves in dataset.batches(where="num_moves > 45", split=None))
    assert moves == dataset.games.loc[(dataset.games["num_moves"] > 45) & (dataset.games["reject_reason"] == ""),
                                      "num_moves"].sum() < 1649
    endless = dataset.batches(1000, split="test", epochs=None)
    assert [len(next(endless)[1]) for _ in range(3)] == [1000] * 3

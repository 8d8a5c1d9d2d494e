"""What a network's metadata says of the games that it was trained on: see also test_train.py and test_evaluate.py."""

import numpy as np
import pytest
from damaged_data import copy_of, rewrite
from random_records import write_games

from mugo.data.dataset import load_dataset
from mugo.data.preprocess import preprocess
from mugo.core.files import BadInput
from mugo.training import provenance

SPLITS = {"validation": 0.2, "test": 0.3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("provenance")
    write_games(folder / "sgf", range(30), plies=45)
    return folder


@pytest.fixture(scope="module")
def data(folder):
    return preprocess([str(folder / "sgf")], folder / "set", jobs=1, **SPLITS)


@pytest.fixture(scope="module")
def other_seed(folder):
    return preprocess([str(folder / "sgf")], folder / "other", jobs=1, seed=1, **SPLITS)


def trained_on(data, where: str = "", seed: int = 0, init_from: dict | None = None) -> dict:
    """The metadata of a network trained on a data set."""
    record = provenance.describe_data(data, *selected(data, where), seed)
    return {"size": 9, "data": record} | ({"init_from": init_from} if init_from else {})


def selected(data, where: str = "") -> list:
    return [data.positions(split, 9, where) for split in ("train", "validation")]


def games_of(data, split: str):
    return data.selection(split)


def files_of(games) -> list[str]:
    return games.table(["file"])["file"].tolist()


def test_no_game_of_another_split_can_have_been_a_training_game(data):
    assert provenance.unseen_notes("net", trained_on(data), games_of(data, "test")) == [
        f"none of these {len(games_of(data, 'test'))} games is in the training split of net"]
    assert provenance.may_have_seen(trained_on(data), games_of(data, "train")).all()


def test_test_games_by_another_seed_may_have_been_training_games(data, other_seed):
    test = games_of(data, "test")
    training = set(files_of(games_of(other_seed, "train")))
    seen = provenance.may_have_seen(trained_on(other_seed), test)
    assert seen.tolist() == [file in training for file in files_of(test)]
    line, = provenance.unseen_notes("net", trained_on(other_seed), test)
    assert line == (f"{seen.sum()} of these {len(test)} games are in the training split of net, so it may have been "
                    "trained on them")
    assert 0 < seen.sum() < len(test)


def test_the_games_of_the_network_that_it_was_initialised_from_count_too(data, other_seed):
    source, test = trained_on(other_seed), games_of(data, "test")
    seen = provenance.may_have_seen(trained_on(data, init_from=source), test)
    assert seen.tolist() == provenance.may_have_seen(source, test).tolist()
    on_other_boards = trained_on(data, init_from=source | {"size": 19})
    assert not provenance.may_have_seen(on_other_boards, test).any()


def test_of_a_network_that_does_not_record_its_split_nothing_is_claimed(data):
    before = {"size": 9, "data": {"fingerprint": "282323a839af4160", "sources": []}}
    for metadata in (before, trained_on(data, init_from=before), trained_on(data, init_from={"size": 9})):
        assert provenance.may_have_seen(metadata, games_of(data, "test")) is None
        line, = provenance.unseen_notes("net", metadata, games_of(data, "test"))
        assert line.startswith("whether net was trained on some of these") and "cannot be checked" in line
    assert provenance.unseen_notes("net", {"size": 9}, games_of(data, "test")) == []      # trained by self-play


def test_a_run_is_resumed_with_the_same_batches_only(data, other_seed, folder):
    where = "source == 'sgf'"
    recorded = trained_on(data, where)["data"]
    provenance.check_same_data(folder / "run", recorded, data, *selected(data, where))
    with pytest.raises(BadInput, match="run was trained on other games than .*, or on another split of them"):
        provenance.check_same_data(folder / "run", recorded, other_seed, *selected(other_seed, where))
    copied = copy_of(data.folder, folder / "renamed")
    rewrite(copied, data.games.assign(source=np.where(data.games.index % 2, "sgf", "kgs")))
    renamed = load_dataset(copied)
    assert renamed.fingerprint == data.fingerprint
    with pytest.raises(BadInput, match="--where selects other training games in .* than when the run began"):
        provenance.check_same_data(folder / "run", recorded, renamed, *selected(renamed, where))


def test_a_run_that_continues_another_s_batches_needs_no_note(data):
    source = trained_on(data, init_from=trained_on(data))
    assert provenance.init_notes("net", source, 0, *selected(data)) == []
    assert provenance.init_notes("net", source | {"init_from": {"size": 19}}, 0, *selected(data)) == []


@pytest.mark.parametrize(("where", "seed"), [("black_rank > 4", 0), ("", 1)])
def test_a_run_on_other_positions_than_the_network_may_repeat_some(data, where, seed):
    for source in (trained_on(data), trained_on(data, where, seed, init_from=trained_on(data))):
        assert provenance.init_notes("net", source, seed, *selected(data, where)) == [
            "net was trained on positions of other games, of other moves or in another order: this run may repeat some "
            "of them"]


def test_validation_games_that_the_network_was_trained_on_are_counted(data, other_seed):
    _, line = provenance.init_notes("net", trained_on(data), 0, *selected(other_seed))
    of_validation = games_of(other_seed, "validation")
    shared = len({*files_of(of_validation)} & {*files_of(games_of(data, "train"))})
    assert shared
    assert line.startswith(f"{shared} of the {len(of_validation)} validation games are in the training split of net")

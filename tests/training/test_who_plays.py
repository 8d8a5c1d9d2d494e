"""Who plays, from a data set to a trained network: batches, dropping, resuming, evaluating."""
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from networks import checkpoint, policy_file, random_model, tensors_of
from random_records import finished_record, random_record
from small_runs import CONFIG, OPTIONS, train

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.data.preprocess import preprocess
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.inputs import encode_people
from mugo.nn.network_file import new_metadata
from mugo.sgf.properties import rank_number
from mugo.sgf.convert import format_record
from mugo.training import evaluate
from mugo.training.loop import Checkpoints
from mugo.training.loader import TrainingStream, calibration_positions, examples, people_kept, select_positions
from mugo.training.predictions import with_people
from mugo.training.provenance import rank_range, training_notes

WITH_ENCODER = replace(CONFIG, metadata_encoder=True)


def record_of(seed: int):
    """A game whose ranks and date follow from the seed; some of them are not known."""
    make = finished_record if seed % 3 else random_record
    return make(seed, black_rank=f"{seed % 9 + 1}d", white_rank=["", "2k", "9p"][seed % 3],
                date=["", f"{1990 + seed}-05", f"{1990 + seed}"][seed % 3], black=f"player {seed % 4}", white="Bot")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Games from three servers, another source and two archives of KGS."""
    folder = tmp_path_factory.mktemp("people")
    names = "KGS-2003", "kgs_4d", "tygem-9d", "foxwq", "friends"
    for seed in range(30):
        path = folder / names[seed % 5] / f"{seed}.sgf"
        path.parent.mkdir(exist_ok=True)
        path.write_text(format_record(record_of(seed)), encoding="utf-8")
    return preprocess([str(folder / name) for name in names], folder / "set", jobs=1, validation=0.2, test=0.2)


def known_of(seed: int, to_play: int) -> list[float]:
    """The slow way: by the properties of the game's record."""
    record = record_of(seed)
    ranks = [rank_number(record.black_rank), rank_number(record.white_rank)][::to_play]
    return [*ranks, [0, 0, 1, 2, math.nan][seed % 5], float(record.date[:4] or "nan")]


@pytest.mark.parametrize("part", ["all", "endgame"])
def test_a_batch_says_who_plays_for_the_side_to_move(data, part):
    positions = data.positions().with_people()
    positions = positions if part == "all" else positions.endgame(10)
    numbers = np.arange(0, len(positions), 7)
    batch, (rows, _) = positions.batch(numbers), positions.locate(numbers)
    seeds = positions.games.table(["file"])["file"].str.extract(r"(\d+)\.sgf")[0].astype(int)
    expected = [known_of(seeds[row], colour) for row, colour in zip(rows, batch.colours, strict=True)]
    assert np.array_equal(batch.people, np.array(expected, np.float32), equal_nan=True)
    assert (~np.isnan(batch.people)).any(0).all()
    assert np.isnan(data.positions().batch(numbers).people).all()


def test_all_is_dropped_in_some_samples_and_each_by_itself_in_others():
    kept = people_kept(40_000, 0.3, np.random.default_rng(0))
    assert abs((~kept).all(1).mean() - (0.3 + 0.7 * 0.3 ** 4)) < 0.01
    assert np.abs(kept.mean(0) - 0.7 ** 2).max() < 0.01 and abs(kept.all(1).mean() - 0.7 ** 5) < 0.01
    both = (kept[:, :, None] & kept[:, None]).mean(0)    # where all are not dropped, each is by itself
    assert np.abs(both[np.triu_indices(4, 1)] - 0.7 ** 3).max() < 0.01
    assert people_kept(100, 0, np.random.default_rng(0)).all() and not people_kept(9, 1, np.random.default_rng(0)).any()


def test_a_batch_drops_by_its_number_and_each_process_gets_its_slice(data):
    stream = TrainingStream(data.positions("train").with_people(), replace(OPTIONS, endgame_fraction=0.25))
    batch = stream.batch(3, 16, 0)
    whole, again = (examples(batch, WITH_ENCODER, np.random.default_rng(3), people_dropout=0.5)[0] for _ in range(2))
    encoded = encode_people(batch.people)
    assert np.array_equal(whole["people"], again["people"]) and not np.array_equal(whole["people"], encoded)
    assert (whole["people"] <= encoded).all() and whole["people"].any()
    plain = examples(batch, CONFIG, np.random.default_rng(3))[0]         # draws the same komi
    assert np.array_equal(plain["global_features"], whole["global_features"])
    halves = [examples(stream.batch(3, 16, 0, i, 2), WITH_ENCODER, np.random.default_rng(3), i, 2, 0.5)[0]["people"]
              for i in range(2)]
    assert np.array_equal(np.concatenate(halves), whole["people"])


def test_validation_knows_who_plays_in_every_second_position(data):
    batch = data.positions().with_people().batch(np.arange(40))
    inputs, targets = examples(batch, WITH_ENCODER)
    assert np.array_equal(inputs["people"][::2], encode_people(batch.people[::2])) and not inputs["people"][1::2].any()
    calibrated = calibration_positions(inputs, targets).people
    assert calibrated is not None and sorted(calibrated.sum(1)) == sorted(inputs["people"].sum(1))


@pytest.mark.slow
def test_a_run_resumed_after_an_interrupt_ends_as_one_without(data, tmp_path, monkeypatch, eagerly):
    options, saved = replace(OPTIONS, positions=256, people_dropout=0.4), Checkpoints.save
    train.train(data, tmp_path / "whole", WITH_ENCODER, options)

    def interrupted(self):
        saved(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train.train(data, tmp_path / "broken", WITH_ENCODER, options)
    monkeypatch.setattr(Checkpoints, "save", saved)
    train.train(data, tmp_path / "broken", WITH_ENCODER, options, resume=True)
    ours, theirs = (tensors_of(tmp_path / run / "checkpoint.safetensors") for run in ("broken", "whole"))
    assert all(np.allclose(ours[name], theirs[name], atol=1e-6) for name in theirs)
    assert np.abs(ours["metadata_bias/kernel"]).max() > 1e-3


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = tmp_path_factory.mktemp("networks") / "people.safetensors"
    config = replace(WITH_ENCODER, auxiliary_heads=False)
    checkpoint.export(random_model(config), path, new_metadata(config))
    return path


@pytest.mark.slow
def test_evaluate_compares_what_a_network_knows_of_who_plays(data, network, tmp_path):
    """The cross-entropy is that of the network's own outputs with these inputs."""
    from mugo.nn.inference import Network
    opened = Network(network, 1, "float32")
    positions = data.positions("test").with_people()
    batch, ce = positions.batch(np.arange(len(positions))), {}
    for people in "unknown", "true", "3d":
        known = {"unknown": np.full_like(batch.people, np.nan), "true": batch.people,
                 "3d": np.column_stack([np.full((len(positions), 2), 3), batch.people[:, 2:]])}[people]
        priors = opened.evaluate_packed(batch.packed, batch.global_features(), encode_people(known)).priors
        ce[people] = -np.log(priors[np.arange(len(priors)), batch.targets]).mean()
        arguments = ["evaluate", str(network), str(data.folder), "--sample", "0", "-o", str(tmp_path / people)]
        assert cli.main(arguments + ["--people", people] * (people != "unknown")) == 0
        assert pd.read_csv(tmp_path / f"{people}.csv")["ce"][0] == pytest.approx(ce[people], rel=1e-5)
    assert len({round(value, 5) for value in ce.values()}) == 3


@pytest.mark.slow
def test_evaluate_compares_what_who_plays_is_worth(data, network, tmp_path, capsys):
    """The rows are those of evaluations by themselves."""
    arguments = ["evaluate", str(network), str(data.folder), "--split", "all", "--sample", "600"]
    assert cli.main([*arguments, "--people", "compare", "-o", str(tmp_path / "both")]) == 0
    out = capsys.readouterr().out
    table = pd.read_csv(tmp_path / "both.csv")
    ce = table[table["by"] == "all"].set_index("network")["ce"]
    assert list(ce.index) == ["true", "source and year", "unknown", "wrong rank"] and ce.nunique() == 4
    for people in "true", "unknown":
        assert cli.main([*arguments, "--people", people, "-o", str(tmp_path / people), "--no-symmetries"]) == 0
        assert pd.read_csv(tmp_path / f"{people}.csv")["ce"][0] == pytest.approx(ce[people], rel=1e-5)
    assert "source and year minus true" in out and "wrong rank minus true" in out


def test_wrong_ranks_are_five_off_and_the_network_records_those_of_its_games(data):
    true, wrong, partly = (with_people(data.positions(), people).people for people in (
        "true", "wrong rank", "source and year"))
    ranks = true[:, :2]
    assert np.array_equal(np.abs(wrong[:, :2] - ranks), np.where(np.isnan(ranks), np.nan, 5), equal_nan=True)
    assert (np.nanmax(wrong[:, :2]) - np.nanmin(wrong[:, :2])) < np.nanmax(ranks) - np.nanmin(ranks) + 5
    assert np.isnan(partly[:, :2]).all() and np.array_equal(partly[:, 2:], true[:, 2:], equal_nan=True)
    positions = data.positions("train")
    low, high = rank_range(positions)
    table = positions.games.table(["black_rank", "white_rank"])
    assert (low, high) == (np.nanmin(table.to_numpy()), np.nanmax(table.to_numpy()))
    assert rank_range(data.positions().weighted("(black_rank == 4) * white_rank.isna()")) == [4, 4]


def test_evaluate_refuses_people_for_networks_that_take_none_and_ranks_that_are_none(data, network, tmp_path, capsys):
    plain = policy_file(tmp_path)
    assert cli.main(["evaluate", str(plain), str(data.folder), "--people", "true"]) == 2
    assert "--people true: none of these networks was trained with --metadata-encoder" in capsys.readouterr().err
    with pytest.raises(BadInput, match="rank 'strong': must be such as 5k"):
        evaluate.evaluate(evaluate.Network(network, 1, "float32"), data, people="strong")


def test_weights_are_those_of_training_games_and_the_log_says_so(data):
    options = replace(OPTIONS, sample_weight="3 * (black_rank > 4) + (black_rank <= 4) * (white_rank > 9)")
    training, validating = (select_positions(data, split, WITH_ENCODER, options) for split in ("train", "validation"))
    table, counts = training.games.table(["black_rank", "white_rank"]), np.diff(training.first_index)
    weights = np.where(table["black_rank"] > 4, 3, np.where(table["white_rank"] > 9, 1, 0))
    assert validating.weights is None and np.array_equal(training.weights, weights) and set(weights) == {0, 1, 3}
    effective = (weights @ counts) ** 2 / (weights ** 2 @ counts)
    note, = training_notes(training, validating, PolicyNetConfig(9))
    assert note.startswith("--sample-weight: weights 0 to 3; ") and note.endswith(
        f"{(weights > 0).sum()} of {len(weights)} games, worth {effective:,.0f} positions of equal weights")
    stream = TrainingStream(training, options)
    whole, halves = stream.batch(5, 32, 1), [stream.batch(5, 32, 1, i, 2) for i in range(2)]
    assert np.array_equal(whole.packed, np.concatenate([half.packed for half in halves]))
    assert not (whole.people[:, 0] == whole.people[:, 1]).all() and whole.packed.any()
    with pytest.raises(BadInput, match="--sample-weight rank: name 'rank' is not defined"):
        select_positions(data, "train", WITH_ENCODER, replace(OPTIONS, sample_weight="rank"))

"""`mugo train --teacher`: targets that mix what a teacher says with moves and results, and runs that learn so."""
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("keras")
from small_runs import CONFIG, OPTIONS, train  # noqa: E402

from mugo.core.files import BadInput  # noqa: E402
from mugo.data.dataset import load_dataset  # noqa: E402
from mugo.data.teacher_labels import (  # noqa: E402
    LabelWriter, find_positions, label_type, labels_path, open_labels, taught_positions)
from mugo.nn.heads import UNKNOWN_OWNER  # noqa: E402
from mugo.nn.inference import Network  # noqa: E402
from mugo.nn.keras import losses  # noqa: E402
from mugo.nn.network_file import read_metadata  # noqa: E402
from mugo.training.label import asked_positions  # noqa: E402
from mugo.training.loader import examples, select_positions, taught_targets  # noqa: E402
from mugo.training.options import TrainingOptions  # noqa: E402

SMALL = replace(CONFIG, auxiliary_heads=False, context_layers=1)
TAUGHT = replace(OPTIONS, positions=640, checkpoint_positions=640, keep_checkpoint_every=None, learning_rate=0.03,
                 teacher="sure", teacher_weight=1.0)


def labels_of(n: int) -> np.ndarray:
    labels = np.zeros(n, label_type(3, True))
    labels["moves"], labels["stdev"] = -1, np.nan
    return labels


@pytest.fixture
def taught(data, tmp_path):
    """A data set with a teacher who says of every position: a pass or move 7, 90 %, 20 points, all points are mine."""
    folder = Path(shutil.copytree(data.folder, tmp_path / "set"))
    dataset = load_dataset(folder)
    positions = dataset.positions(None, where="split != 'test'")
    path = labels_path(folder, "sure")
    path.parent.mkdir()
    with LabelWriter(path, {"size": 9, "ownership": True, "teacher": {"version": "1"}}, False) as writer:
        for asked in asked_positions(positions, np.ones(len(positions), bool), 600, label_type(9, True)):
            asked.records["moves"], asked.records["win_rate"], asked.records["lead"] = -1, 0.9, 20
            asked.records["moves"][:, :2], asked.records["probabilities"][:, :2] = [81, 7], [0.5, 0.25]
            asked.records["stdev"], asked.records["ownership"] = 10, 127
            writer.append(asked.records)
    return dataset


def test_targets_are_the_mixture_of_what_happened_and_what_a_teacher_says():
    labels = labels_of(3)
    labels["moves"][:, :2], labels["probabilities"][:, :2] = [4, 9], [0.5, 0.25]
    labels["win_rate"], labels["lead"], labels["stdev"] = [0.9, 0.2, 0.5], [7, -3, 0], [2, np.nan, 1]
    labels["ownership"] = [[127] * 9, [-127] * 9, [0] * 9]
    targets = {"policy": np.array([2, 9, 0]), "value": np.array([[1.], [0], [-1]]),
               "ownership": np.array([[-1] * 9, [UNKNOWN_OWNER] * 9, [1] * 9], np.int8),
               "score": np.array([[11.], [np.nan], [-2]]), "policy_reply": np.array([[1], [2], [3]])}
    mixed = taught_targets(targets, [labels], 0.25, True, np.array([0.2, 0.9, 0.9]))
    moves, weights = mixed["policy"][:, :17], mixed["policy"][:, 17:]
    assert moves[:, :3].tolist() == [[2, 4, 9], [9, 4, 9], [0, 4, 9]] and (moves[:, 3:] == -1).all()
    assert weights[:, :3] == pytest.approx(np.tile([0.75, 0.25 * 2 / 3, 0.25 / 3], (3, 1))) and not weights[:, 3:].any()
    assert mixed["value"][:, 0] == pytest.approx([0.75 + 0.25 * 0.8, -0.6, -0.75])       # the second is not known
    assert mixed["ownership"][:, 0] == pytest.approx([-0.75 + 0.25, -1, 0.75])
    first, second, third = mixed["score"]
    assert first.mean() == pytest.approx(7) and first.std() == pytest.approx(2)          # drawn
    assert second == pytest.approx([-3] * 5) and third == pytest.approx([-2] * 5)
    assert (mixed["policy_reply"] == targets["policy_reply"]).all()
    assert taught_targets(targets, [labels], 0.25, False, np.zeros(3))["policy"] is targets["policy"]

    other = labels_of(3)
    other["moves"][:, :2], other["probabilities"][:, :2], other["win_rate"] = [4, 1], [0.5, 0.5], 0
    both = taught_targets(targets, [labels, other], 0.6, True, np.array([0.2, 0.9, 0.9]))
    assert both["value"][1] == pytest.approx(-0.6)                                       # the first teacher's
    moves, weights = both["policy"][:, :33], both["policy"][:, 33:]
    policy = [sum(weights[0][moves[0] == move]) for move in (2, 4, 9, 1)]
    assert policy == pytest.approx([0.4, 0.2 + 0.15, 0.1, 0.15])


def test_losses_of_a_teachers_targets():
    score = np.array([[0.3], [-1.2], [2.0], [0.7]], np.float32)
    values = np.array([[1.0], [-1.0], [0.6], [0.0]], np.float32)
    wins, win = (1 + values[:3, 0]) / 2, (1 + np.tanh(score[:3, 0])) / 2
    expected = -wins * np.log(win) - (1 - wins) * np.log(1 - win)
    assert np.asarray(losses.outcome_loss(values, score)) == pytest.approx([*expected, 0], abs=1e-6)

    points, said = np.array([[3, 5, 10.]], np.float32), np.array([[4, 2.]], np.float32)
    one = [float(np.asarray(losses.score_loss(points[:, i:i + 1], said))[0]) for i in range(3)]
    assert float(np.asarray(losses.score_loss(points, said))[0]) == pytest.approx(np.mean(one), rel=1e-5)

    logits = np.random.default_rng(0).normal(size=(2, 6)).astype(np.float32)
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    targets = np.array([[1, 5, -1, 0.5, 0.5, 0], [2, 0, 3, 0.7, 0.2, 0.1]], np.float32)
    expected = [-0.5 * np.log(p[0, 1]) - 0.5 * np.log(p[0, 5]),
                -0.7 * np.log(p[1, 2]) - 0.2 * np.log(p[1, 0]) - 0.1 * np.log(p[1, 3])]
    assert np.asarray(losses.weighted_moves_loss(targets, logits)) == pytest.approx(expected, rel=1e-5)
    ce, top1, top5 = losses.policy_metrics(True)
    for metric in ce, top1, top5:
        metric.update_state(targets, logits)
    assert float(ce.result()) == pytest.approx(-np.log([p[0, 1], p[1, 2]]).mean(), rel=1e-5)
    assert float(top1.result()) == np.mean([logits[0].argmax() == 1, logits[1].argmax() == 2])
    assert float(top5.result()) == np.mean([(logits[0] > logits[0, 1]).sum() < 5, (logits[1] > logits[1, 2]).sum() < 5])


def test_a_position_has_the_komi_of_its_label(taught):
    options = TrainingOptions(positions=1, teacher="sure", teacher_weight=0.0)
    positions = select_positions(taught, "train", CONFIG, options)
    batch = positions.batch(np.arange(len(positions)))
    assert batch.teachers is not None and len(positions) < len(taught.positions("train"))
    inputs, targets = examples(batch, CONFIG)
    komi = -batch.colours * batch.teachers[0]["komi"]
    assert (inputs["global_features"][:, 0] == komi).all()
    other, scored = komi != batch.komi, ~np.isnan(batch.scores)
    assert 0.3 < other.mean() < 0.7 and (other & scored).any()
    # The winner at another komi than the game's is known by a score only; elsewhere the teacher says it.
    expected = np.where(scored, np.sign(batch.results(komi).scores), np.where(other | (batch.outcomes == 0), 0.8,
                                                                              batch.outcomes))
    nearly = batch.is_nearly_even & (expected != 0)
    assert targets["value"][nearly, 0] == pytest.approx(expected[nearly])


def test_a_run_learns_what_a_teacher_says_and_then_its_value_alone(taught, tmp_path):
    path = train.train(taught, tmp_path / "run", SMALL, TAUGHT)
    positions = select_positions(taught, "validation", CONFIG, TAUGHT)
    batch = positions.batch(np.arange(len(positions)))
    network = Network(path)
    output = network.evaluate_packed(batch.packed, batch.global_features(-batch.colours * batch.teachers[0]["komi"]))
    assert output.priors[:, 81].mean() > 0.4 and output.priors[:, [7, 81]].sum(1).mean() > 0.5
    assert output.values.mean() == pytest.approx(0.8, abs=0.2) and output.ownership.mean() > 0.8
    row = read_metadata(path)["best"]
    # The teacher's value is 0.8, 0.64 from an untrained one's; moves are those that people played.
    assert row["validation_value_mse"] < 0.2 < 3 < row["validation_ce"]
    assert read_metadata(path)["teachers"] == [{"version": "1"}]

    frozen = replace(TAUGHT, positions=160, checkpoint_positions=160, freeze_policy=True, teacher_weight=0.0)
    again = Network(train.train(taught, tmp_path / "frozen", SMALL, frozen, init=str(path)), precision="float32")
    before, after = (network.evaluate_packed(batch.packed, batch.global_features())
                     for network in (Network(path, precision="float32"), again))
    assert (before.priors == after.priors).all() and (before.values != after.values).any()


def test_two_teachers_teach_what_both_have_labelled(taught):
    labels = open_labels(labels_path(taught.folder, "sure"))
    header = {name: labels.header[name] for name in ("size", "ownership")} | {"teacher": {"network": "own"}}
    some = np.random.default_rng(0).permutation(len(labels.records))[:200]
    with LabelWriter(labels_path(taught.folder, "own"), header, False) as writer:
        records = labels.records[some]
        records["moves"][:, 0] = 5
        writer.append(records)
    positions = select_positions(taught, "train", CONFIG, replace(TAUGHT, teacher="sure,own"))
    first, second = positions.batch(np.arange(len(positions))).teachers
    assert 100 < len(positions) <= 200
    assert (first["content_hash"] == second["content_hash"]).all()
    assert (first["moves_played"] == second["moves_played"]).all()
    assert (first["moves"][:, 0] == 81).all() and (second["moves"][:, 0] == 5).all()


@pytest.mark.parametrize("changes, said", [
    ({"teacher": "nobody"}, "nobody.labels: `mugo label` makes it"),
    ({"teacher": "../sure"}, "'../sure' is no name of a teacher"),
    ({"where": "num_moves > 1e6"}, "no training games"),
    ({"sample_weight": "1"}, "--teacher: the positions are those that it has labelled"),
    ({"endgame_fraction": 0.5}, "--teacher: the positions are those that it has labelled")])
def test_a_teacher_that_cannot_be_used_is_named(taught, changes, said):
    with pytest.raises(BadInput) as caught:
        select_positions(taught, "train", CONFIG, replace(TAUGHT, **changes))
    assert said in str(caught.value)


def test_labels_of_other_games_are_of_none_of_these_positions(taught):
    other = taught.positions("test")
    labels = open_labels(labels_path(taught.folder, "sure"))
    assert (find_positions(labels.records, other) == -1).all()
    with pytest.raises(BadInput, match="labels of none of these positions"):
        taught_positions(other, [labels])
    with pytest.raises(BadInput, match="labels positions on 9x9, not on 5x5"):
        taught_positions(replace(other, size=5), [labels])

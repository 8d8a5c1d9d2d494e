"""The prefetching loader: batches in their order, errors where their batch was due; targets; validation positions."""
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from small_runs import OPTIONS

from mugo.data.positions import Batch
from mugo.core.files import BadInput
from mugo.games import planes
from mugo.nn.architectures import PolicyNetConfig

loader = pytest.importorskip("mugo.training.loader")


def test_batches_come_in_their_order_however_long_each_takes():
    batches = loader.PrefetchLoader(lambda step: (step, time.sleep(0.003 * (step % 3))), 5, threads=4)
    assert [next(batches)[0] for _ in range(40)] == list(range(5, 45))
    batches.close()
    assert len(list(batches)) <= 4 + 16                   # what was prefetched; then it ends


def test_an_error_in_making_a_batch_is_raised_where_the_batch_was_due():
    batches = loader.PrefetchLoader(lambda step: 1 // (3 - step), 1, threads=2)
    assert next(batches) == 0
    assert next(batches) == 1
    with pytest.raises(ZeroDivisionError):
        next(batches)
    batches.close()


def test_closing_waits_for_the_threads():
    before = threading.active_count()
    batches = loader.PrefetchLoader(lambda step: time.sleep(0.02), 0, threads=3)
    next(batches)
    assert threading.active_count() == before + 3
    batches.close()
    assert threading.active_count() == before


def three_positions(**fields) -> Batch:
    """Three positions on 3x3: of games ended by scoring, by resignation, and without a known komi or winner."""
    known = Batch(np.zeros((3, 9, 6), np.uint8), np.array([4, 8, 9], np.int32), np.array([1, -1, 0], np.int8),
                  np.array([1, -1, 1], np.int8), np.array([-6.5, 6.5, np.nan], np.float32),
                  np.array([[3, 2], [5, -1], [-1, -1]], np.int32),
                  np.array([[1] * 9, [0] * 9, [0] * 9], np.int8), np.array([9, np.nan, np.nan], np.float32),
                  np.zeros(3, np.float32), np.full((3, 4), np.nan, np.float32))
    return known._replace(**fields)


class GamesOwnKomi:
    """A random generator that leaves every game its komi."""

    def random(self, n):
        return np.ones(n)

    def standard_normal(self, n):
        return np.zeros(n)


PLAIN = PolicyNetConfig(size=3, value_head=True)
FULL = replace(PLAIN, komi_input=True, auxiliary_heads=True)


def test_targets_are_what_the_heads_of_a_network_predict():
    inputs, targets = loader.examples(three_positions(), FULL)
    assert inputs["packed"].shape == (3, 9, 6) and inputs["global_features"].tolist() == [[-6.5, 1], [6.5, -1], [0, 1]]
    assert targets["policy"].tolist() == [4, 8, 9] and targets["value"].tolist() == [[1], [-1], [0]]
    assert targets["policy_reply"].tolist() == [[3], [5], [-1]] and targets["policy_next"].tolist() == [[2], [-1], [-1]]
    assert targets["ownership"].tolist() == [[1] * 9, [2] * 9, [2] * 9]
    assert targets["score"][0].tolist() == [2.5] and np.isnan(targets["score"][1:]).all()
    inputs, targets = loader.examples(three_positions(), PLAIN)
    assert isinstance(inputs, np.ndarray) and targets.keys() == {"policy", "value"}
    assert list(loader.examples(three_positions(), PolicyNetConfig(size=3))[1]) == ["policy"]


def test_a_game_whose_score_is_known_is_won_or_lost_by_every_komi():
    """White, to move, is 9 points ahead on the board; the games' own komi stays in half of the positions."""
    n = 4000
    many = Batch(*(np.repeat(field[:1], n, axis=0) for field in three_positions(komi=np.array([6.5] * 3, np.float32),
                                                                        scores=np.array([9.0] * 3, np.float32))[:-1]))
    inputs, targets = loader.examples(many, FULL, np.random.default_rng(1))
    komi, score = inputs["global_features"][:, 0], targets["score"][:, 0]
    assert np.array_equal(score, 9 + komi) and np.all(komi % 1 == 0.5)
    assert np.array_equal(targets["value"][:, 0], np.sign(score)) and 0.45 < (komi == 6.5).mean() < 0.55
    assert komi.min() < -25 and komi.max() > 40 and 10 < komi.std() < 12          # 15 of half of them
    again, _ = loader.examples(many, FULL, np.random.default_rng(1))
    assert np.array_equal(again["global_features"], inputs["global_features"])


def test_some_positions_are_learned_from_without_their_last_moves():
    """All planes but those of the last eight moves stay; to validate on, all stay."""
    every_plane = three_positions(packed=np.full((3, 9, 6), 255, np.uint8))
    many = Batch(*(np.repeat(field[:1], 4000, axis=0) for field in every_plane[:-1]))
    packed = loader.examples(many, PolicyNetConfig(size=3), np.random.default_rng(1))[0]
    names = np.repeat([plane.name for plane in planes.PLANES], [plane.depth for plane in planes.PLANES])
    unpacked = np.unpackbits(packed, axis=2, bitorder="little")
    without = ~unpacked[:, 0, names == "turns since"].any(1)
    assert 0.04 < without.mean() < 0.06 and unpacked[:, :, names != "turns since"].all()
    assert unpacked[~without].all() and not unpacked[without][:, :, names == "turns since"].any()
    assert (loader.examples(many, PolicyNetConfig(size=3))[0] == 255).all() and (many.packed == 255).all()


def test_targets_of_handicap_games_are_those_between_players_of_equal_strength():
    """Black is expected to lose 30 points, White to gain 30 and 3.  To learn from, scores are known all the same; to
    validate on, only where 3 points at most are expected to be gained."""
    batch = three_positions(scores=np.array([9, 20, 20], np.float32), handicap_gains=np.array([-30, 30, 3], np.float32),
                            komi=np.array([-0.5, 0.5, 0.5], np.float32))
    learned, measured = (loader.examples(batch, FULL, rng)[1] for rng in (GamesOwnKomi(), None))
    assert learned["score"].tolist() == [[38.5], [-9.5], [17.5]] and learned["value"].tolist() == [[1], [-1], [1]]
    assert measured["score"][2] == 17.5 and measured["value"].tolist() == [[0], [0], [1]]
    assert np.isnan(measured["score"][:2]).all()
    resigned = batch._replace(scores=np.full(3, np.nan, np.float32), outcomes=np.array([1, 1, 1], np.int8))
    for rng in GamesOwnKomi(), None:
        assert loader.examples(batch, FULL, rng)[1]["ownership"].tolist() == [[2] * 9, [2] * 9, [0] * 9]
        assert loader.examples(resigned, FULL, rng)[1]["value"].tolist() == [[0], [0], [1]]
        assert loader.examples(resigned, PLAIN, rng)[1]["value"].tolist() == [[0], [0], [1]]


def test_the_winner_is_the_one_by_area():
    """By territory rules Black won by half a point, which White's last neutral point takes."""
    close = three_positions(scores=np.array([6, np.nan, np.nan], np.float32))
    assert close.outcomes[0] == 1 and loader.examples(close, FULL)[1]["value"].tolist() == [[-1], [-1], [0]]
    assert loader.examples(close, PLAIN)[1]["value"].tolist() == [[-1], [-1], [0]]


def test_a_winner_by_a_komi_that_is_not_known_teaches_no_value():
    unknown = three_positions(komi=np.array([np.nan] * 3, np.float32), scores=np.array([np.nan] * 3, np.float32))
    assert loader.examples(unknown, FULL)[1]["value"].tolist() == [[0], [0], [0]]
    assert loader.examples(unknown, PLAIN)[1]["value"].tolist() == [[0], [0], [0]]


def test_validation_positions_are_the_same_for_every_run(data):
    """Whatever its seed and symmetries; of fewer positions than are asked for, all, each once and as it was played."""
    validation, config = data.positions("validation"), PolicyNetConfig(size=9, value_head=True)
    packed, targets = loader.validation_batch(validation, OPTIONS, config)
    again, _ = loader.validation_batch(validation, replace(OPTIONS, seed=7, augment=False, batch_size=3), config)
    assert len(packed) == OPTIONS.validation_positions == len(targets["value"]) and np.array_equal(packed, again)
    whole, _ = loader.validation_batch(validation, replace(OPTIONS, validation_positions=10**6), config)
    assert np.array_equal(whole, validation.batch(np.arange(len(validation))).packed)


def test_a_fraction_of_each_batch_is_of_endgames_and_the_rest_is_as_without(data):
    positions = data.positions("train")
    plain = loader.TrainingStream(positions, OPTIONS)
    mixed = loader.TrainingStream(positions, replace(OPTIONS, endgame_fraction=0.25))
    endgame = positions.endgame(loader.ENDGAME_MOVES)
    for number in 0, 7:
        everywhere, with_endgames = plain.batch(number, 16, 3), mixed.batch(number, 16, 3)
        last = endgame.shuffled_batch(number, 4, 3)
        for a, b, c in zip(everywhere[:-1], with_endgames[:-1], last[:-1], strict=True):
            assert np.array_equal(b, np.concatenate([a[:12], c]), equal_nan=a.dtype == np.float32)
    assert not np.isnan(with_endgames.scores[12:]).any() and np.isnan(everywhere.scores).any()


def test_a_fraction_of_endgames_without_a_scored_game_is_refused(data):
    with pytest.raises(BadInput, match="--endgame-fraction 0.5: no training game ended by scoring"):
        loader.TrainingStream(data.positions("train", where="ownership_start < 0"),
                              replace(OPTIONS, endgame_fraction=0.5))


def test_a_fraction_that_is_no_position_of_a_batch_is_refused(data):
    with pytest.raises(BadInput, match="--endgame-fraction 0.02: is less than one position of --batch-size 16"):
        loader.TrainingStream(data.positions("train"), replace(OPTIONS, endgame_fraction=0.02))

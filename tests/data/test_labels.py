"""The labels of positions, against replaying the games: komi, the moves that follow, final ownership, score."""
import numpy as np
import pytest
from damaged_data import copy_of, index_of, rewrite
from random_records import dataset_of, finished_record, random_record

from mugo.data.dataset import load_dataset
from mugo.data.labels import white_points
from mugo.data.game_hash import shuffled_positions
from mugo.games.area import area_score
from mugo.games.coords import symmetries
from mugo.sgf.record_positions import position_of
from mugo.sgf.record_rules import record_bonus


@pytest.fixture(scope="module")
def records():
    handicap = finished_record(2, rules="Chinese", komi=0.5, handicap=(20, 24, 56))
    return [finished_record(0), finished_record(1, komi=None), handicap, random_record(3, result="B+R"),
            random_record(4, result="W+0.5")]


@pytest.fixture(scope="module")
def data(records, tmp_path_factory):
    return dataset_of(tmp_path_factory.mktemp("labels"), records)


def test_every_label_of_every_position_is_what_replaying_its_game_says(data, records):
    positions = data.positions(None)
    numbers, turns = shuffled_positions(0, len(positions), len(positions), 5)
    batch = positions.batch(numbers, turns)
    rows, plies = positions.locate(numbers)
    labelled = set()
    for i in range(len(numbers)):
        record, turn = records[rows[i]], symmetries(9)[turns[i]]
        position, end = position_of(record, int(plies[i])), position_of(record)
        assert batch.outcomes[i] == record.winner * position.to_play and batch.colours[i] == position.to_play
        if record.komi is None:
            assert np.isnan(batch.komi[i])
        else:
            bonus = record_bonus(record.rules, record.handicap)
            assert batch.komi[i] == -position.to_play * (record.komi + bonus)
        following = [turn[move & 511] for move in record.moves[plies[i] + 1:plies[i] + 3]]
        assert batch.next_moves[i].tolist() == (following + [-1, -1])[:2]
        turned = np.zeros(81, int)
        if rows[i] in (0, 2):
            turned[turn[:-1]] = position.to_play * final_area(end)
            assert batch.scores[i] == turned.sum() == position.to_play * area_score(end.board[0])
            assert np.sign(batch.scores[i] + batch.komi[i]) == batch.outcomes[i]
            labelled.add(int(rows[i]))
        else:
            assert np.isnan(batch.scores[i])
        assert batch.ownership[i].tolist() == turned.tolist()
        gain = (35 - 0.5 - 3) * (1 - plies[i] / len(record.moves)) if rows[i] == 2 else 0    # three stones, komi, bonus
        assert batch.handicap_gains[i] == pytest.approx(-position.to_play * gain)
    assert labelled == {0, 2}
    assert [field.dtype for field in batch[1:10]] == [np.int32, np.int8, np.int8, np.float32, np.int32, np.int8,
                                                    np.float32, np.float32, np.float32]
    known = batch.global_features()
    assert np.array_equal(known, np.stack([batch.komi, batch.colours], 1), equal_nan=True) and known.dtype == np.float32


def final_area(position) -> np.ndarray:
    """The ownership of the points at a rollout's end: an empty point is an eye of the colour around it."""
    stones = np.pad(position.stones, 1)
    around = stones[:-2, 1:-1] + stones[2:, 1:-1] + stones[1:-1, :-2] + stones[1:-1, 2:]
    return np.where(position.stones == 0, np.sign(around), position.stones).ravel()


def test_two_moves_of_one_colour_are_no_move_and_its_reply(tmp_path):
    """Black plays two handicap stones as moves; a pass is a reply."""
    text = "(;GM[1]SZ[5]HA[2]RE[B+R];B[bb];B[dd];W[cc];B[];W[aa];B[ee])"
    batch = dataset_of(tmp_path, [text], min_moves=1).positions(None).batch(np.arange(6))
    assert batch.next_moves.tolist() == [[-1, -1], [12, 25], [25, 0], [0, 24], [24, -1], [-1, -1]]


@pytest.mark.parametrize(("setup", "gain"), [
    ("KM[0.5];B[aa];W[bb];B[cc];W[dd]", 0),              # no handicap
    ("KM[0.5];W[bb];B[cc];W[dd]", 0),
    ("KM[0.5]HA[2]AB[aa][ee];W[bb];B[cc];W[dd]", 20.5),
    ("HA[2]KM[0.5];B[aa];B[ee];W[bb];B[cc];W[dd]", 20.5),                # as moves
    ("HA[2]KM[0.5];B[];B[aa];B[ee];W[bb];B[cc];W[dd]", 20.5),            # a pass is no stone
    ("KM[0.5];B[];W[bb];B[cc];W[dd]", 0),
    ("WR[3d]BR[2d]KM[0.5];B[];W[bb];B[cc];W[dd]", 0),
    ("HA[6]KM[0]AB[aa][ea][ae][ee][ac][ec];W[bb];B[cc];W[dd]", 77),
    ("HA[2]KM[30]AB[aa][ee];W[bb];B[cc];W[dd]", 0),      # komi makes up for it
    ("KM[0.5]AB[aa][ee]AW[ea][ae];B[bb];W[cc];B[dd]", 0),                # a position, not a handicap
    ("KM[0.5]AB[aa][ee][ea][ec]AW[ac];B[bb];W[cc];B[dd]", 0),            # after captures
    ("WR[3d]BR[2d]KM[0.5];B[aa];W[bb];B[cc];W[dd]", 6.5),                # White gives the first move
    ("WR[3d]BR[2d]KM[-10];B[aa];W[bb];B[cc];W[dd]", 17),                 # and ten points
    ("WR[3d]BR[3d]KM[0.5];B[aa];W[bb];B[cc];W[dd]", 0),  # as strong as Black
    ("WR[3d]KM[0.5];B[aa];W[bb];B[cc];W[dd]", 0),        # perhaps
    ("WR[3d]BR[2d]KM[6.5];B[aa];W[bb];B[cc];W[dd]", 0),  # an even game
    ("WR[3d]BR[2d];B[aa];W[bb];B[cc];W[dd]", 0),
    ("WR[3d]BR[2d]KM[0.5];W[bb];B[cc];W[dd]", 0),
])
def test_a_handicap_is_what_white_is_expected_to_gain(tmp_path, setup, gain):
    """14 points per stone, without the 7 of the first move; the same part with every move, whoever is to move."""
    positions = dataset_of(tmp_path, [f"(;GM[1]SZ[5]RE[W+R]{setup})"], min_moves=1).positions(None)
    n = len(positions)
    batch = positions.batch(np.arange(n))
    assert batch.handicap_gains.tolist() == pytest.approx([-batch.colours[i] * gain * (1 - i / n) for i in range(n)])


@pytest.mark.parametrize(("result", "outcomes"), [("W+R", [0] * 7 + [-1]), ("B+R", [0] * 7 + [1])])
def test_results_between_players_of_equal_strength(tmp_path, result, outcomes):
    """A win is one only near the end; a score is known.

    White, to move first, is expected to gain 20.5 points, and 2.6 with the last move."""
    moves = ";W[bb];B[cc];W[dd];B[db];W[bd];B[cb];W[bc];B[dc]"
    text = f"(;GM[1]SZ[5]HA[2]KM[0.5]RE[{result}]AB[aa][ee]{moves})"
    batch = dataset_of(tmp_path, [text], min_moves=1).positions(None).batch(np.arange(8))
    assert batch.is_nearly_even.tolist() == [False] * 7 + [True]
    assert batch.results().outcomes.tolist() == batch.results(estimated=True).outcomes.tolist() == outcomes
    scored = batch._replace(scores=np.full(8, 3, np.float32))
    measured, estimated = scored.results(), scored.results(estimated=True)
    assert estimated.scores == pytest.approx([3 + sign * (0.5 - 20.5 * (8 - i) / 8) for i, sign in
                                              enumerate([1, -1] * 4)])
    assert np.isnan(measured.scores[:7]).all() and measured.scores[7] == estimated.scores[7]
    assert estimated.outcomes.tolist() == np.sign(estimated.scores).tolist()
    assert measured.outcomes.tolist() == [0] * 7 + [estimated.outcomes[7]]
    assert measured.has_ownership.tolist() == estimated.has_ownership.tolist() == [False] * 7 + [True]
    assert np.isnan(scored.results(komi=np.full(8, np.nan, np.float32)).scores).all()


def test_whites_points_are_komi_and_those_for_handicap_stones_by_the_rules_of_the_record(data):
    games = data.games.iloc[[0] * 6].assign(
        komi=np.float32([0.5, 0.5, 0.5, 0.5, 6.5, np.nan]), handicap=[4, 4, 4, 4, 0, 3],
        rules=["Chinese", "AGA", "New Zealand", "Japanese", "Chinese", "Chinese"])
    assert np.array_equal(white_points(games), [4.5, 3.5, 0.5, 4.5, 6.5, np.nan], equal_nan=True)


def test_the_fingerprint_covers_the_labels(data, tmp_path):
    folder, ownership = copy_of(data.folder, tmp_path / "set"), data.selection().arrays().ownership
    whole = index_of(folder)
    first = int(whole["ownership_start"].max())
    changed = ownership.copy()
    changed[first] ^= 1 if ownership[first] & 3 == 0 else ownership[first] & 3         # Black's or White's to neutral
    assert whole["ownership_start"][0] == 0 and whole["ownership_start"][1] == -1
    variants = [(whole, ownership), (whole, changed)]
    for field, values in (("ownership_start", -1), ("white_points", 3.5), ("winner", 0)):
        variants.append((whole.copy(), ownership))
        variants[-1][0][field] = values
    variants.append((whole.copy(), ownership))
    variants[-1][0]["ownership_start"][:2] = whole["ownership_start"][1::-1]
    fingerprints: dict[str, list[str]] = {"data": [], "positions": []}
    for index, words in variants:
        rewrite(folder, index=index, ownership=words)
        again = load_dataset(folder)
        fingerprints["data"].append(again.fingerprint)
        fingerprints["positions"].append(again.positions(None).fingerprint)
    assert [len(set(of_kind)) for of_kind in fingerprints.values()] == [6, 6]
    moved = whole.copy()
    moved["ownership_start"] += 3 * (whole["ownership_start"] >= 0)
    rewrite(folder, index=moved, ownership=np.concatenate([np.zeros(3, np.int16), ownership]))
    assert load_dataset(folder).fingerprint == data.fingerprint == fingerprints["data"][0]

"""The labels of positions, against replaying the games: komi, the moves that follow, final ownership, score."""
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from damaged_data import copy_of, index_of, rewrite
from drawing import DEAD_STONES, draw, SEKI
from random_records import dataset_of, finished_record, random_record

from mugo.data import labels
from mugo.data.dataset import load_dataset
from mugo.data.game_hash import shuffled_positions
from mugo.data.games_table import with_final_passes
from mugo.data.labels import (
    confirmed_ownership, count, count_difference, owner_at, pack_ownership, white_points, words_per_game)
from mugo.games.area import area_score
from mugo.games.board import WHITE
from mugo.games.coords import MAX_MOVES, symmetries, WHITE_BIT
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of, record_bonus
from mugo.sgf.sources import find_sources, read_files


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


def drawn_record(picture: str, result: str, komi: float | None = 0.0, rules: str = "Chinese", handicap: int = 0
                 ) -> Record:
    """A record that sets a drawn board up and has two passes."""
    position, _ = draw(picture)
    stones = position.stones.ravel()
    setup = np.flatnonzero(stones) + WHITE_BIT * (stones[stones != 0] == WHITE)
    passes = np.array([49, 49 | WHITE_BIT], np.int16)
    return Record((7, 7), setup.astype(np.int16), passes, komi=komi, result=result, rules=rules, handicap=handicap)


def owners_of(record: Record) -> np.ndarray | None:
    ownership = confirmed_ownership(record, position_of(record).board)
    return None if ownership is None else ownership.reshape(record.size, record.size)


def pictured(ownership: np.ndarray) -> list[str]:
    return [" ".join(".XO"[owner] for owner in row) for row in ownership]


def test_dead_stones_are_the_opponents_points():
    assert pictured(owners_of(drawn_record(DEAD_STONES, "B+7"))) == ["X X X X O O O"] * 7


def test_the_points_between_two_colours_and_those_of_a_seki_are_nobodys(monkeypatch):
    """The seki is two fifths of this small board."""
    monkeypatch.setattr(labels, "MAX_UNSETTLED", 0.5)
    assert pictured(owners_of(drawn_record(SEKI, "B+1"))) == [
        "O O X . O X X", "O O X X O X X", "O O X X O X X", "O O X X O X X", "O O X O O X X", "O O X O O X X",
        "O O X . O X X"]


@pytest.mark.parametrize("result, komi, rules, handicap, is_kept", [
    ("B+7", 0.0, "Chinese", 0, True), ("B+6.5", 0.5, "Chinese", 0, True), ("W+0.5", 7.5, "Chinese", 0, True),
    ("0", 7.0, "Chinese", 0, True), ("B+4.5", 0.5, "Chinese", 2, True), ("B+5.5", 0.5, "AGA", 2, True),
    ("B+6.5", 0.5, "NZ", 2, True),
    ("B+8", 0.0, "Chinese", 0, False), ("B+6", 0.0, "Chinese", 0, False), ("W+7", 0.0, "Chinese", 0, False),
    ("B+6.5", 0.5, "Chinese", 2, False), ("0", 0.0, "Chinese", 0, False),
    ("B+R", 0.0, "Chinese", 0, False), ("B+T", 0.0, "Chinese", 0, False), ("B+F", 0.0, "Chinese", 0, False),
    ("B+", 0.0, "Chinese", 0, False), ("", 0.0, "Chinese", 0, False), ("B+7", None, "Chinese", 0, False)])
def test_owners_are_kept_where_their_count_is_the_result(result, komi, rules, handicap, is_kept):
    """DEAD_STONES: 28 points to 21."""
    assert (owners_of(drawn_record(DEAD_STONES, result, komi, rules, handicap=handicap)) is not None) == is_kept


@pytest.mark.parametrize("rules, margins", [("Japanese", (1, 2, 3)), ("Korean", (1, 2, 3)), ("Chinese", (7,)),
                                            ("", (2, 7)), ("no rules of Go", (2, 7))])
def test_under_territory_rules_the_area_is_the_territory_and_the_stones_played(rules, margins):
    """DEAD_STONES: Black has 7 points of territory and a prisoner, White 5 and one; 22 and 17 stones were played."""
    kept = tuple(margin for margin in range(-20, 20) if margin and owners_of(drawn_record(
        DEAD_STONES, f"{'B' if margin > 0 else 'W'}+{abs(margin)}", rules=rules)) is not None)
    assert kept == margins


def test_a_game_whose_dead_stones_nobody_agreed_on_has_no_owners():
    """By the result White's dead stone a, and Black's area around it, are neutral."""
    assert owners_of(drawn_record(DEAD_STONES, "W+8")) is None


def test_a_game_that_is_counted_on_a_nearly_empty_board_has_no_owners():
    """All of 7x7 is Black's; a quarter of it is 12.25 points."""
    for stones, is_kept in ((12, False), (13, True)):
        moves = np.array([WHITE_BIT + 49, 49], np.int16)
        setup = np.arange(49)[np.arange(49) // 7 % 2 == 0][:stones].astype(np.int16)
        record = Record((7, 7), setup, moves, komi=0.0, result="B+49", rules="Chinese")
        assert (owners_of(record) is not None) == is_kept


def test_a_game_that_is_not_played_to_its_end_has_no_owners_though_its_count_is_the_result():
    """A broken-off game of random moves, whose result is its area as it stands."""
    record = random_record(1, size=13, plies=90, rules="Chinese", komi=0.5)
    record = replace(record, result=position_of(record).result())
    ownership, difference = count(record, position_of(record).board)
    assert difference == math.inf and owners_of(record) is None
    assert count_difference(record, ownership) == 0


@pytest.mark.parametrize("moves, passes", [
    ([3], [WHITE_BIT + 81, 81]), ([3, WHITE_BIT + 4], [81, WHITE_BIT + 81]),
    ([3, WHITE_BIT + 4, 81], [WHITE_BIT + 81]), ([81], [WHITE_BIT + 81]),
    ([3, WHITE_BIT + 81, 5], [WHITE_BIT + 81, 81]),
    ([3, WHITE_BIT + 81, 81], []), ([], []), ([3] * (MAX_MOVES - 1), [])])
def test_a_scored_game_ends_by_two_passes(moves, passes):
    assert with_final_passes(np.array(moves, np.int16), 9).tolist() == [*moves, *passes]


@pytest.mark.parametrize("result, moves", [("B+7", [49, WHITE_BIT + 49]), ("B+R", [49])])
def test_a_data_set_has_the_passes_that_ended_a_scored_game(result, moves, tmp_path):
    record = replace(drawn_record(DEAD_STONES, result), moves=np.array([49], np.int16))
    data = dataset_of(tmp_path, [record], min_moves=0)
    assert data.selection().arrays().moves.tolist() == moves
    assert data.used_games["num_moves"].tolist() == [len(moves)]


def test_every_owner_survives_packing():
    rng = np.random.default_rng(1)
    for size in range(2, 20):
        ownership = rng.integers(-1, 2, size * size).astype(np.int8)
        words = pack_ownership(ownership)
        assert words.dtype == np.int16 and len(words) == words_per_game(size)
        stored = np.concatenate([np.full(3, -1, np.int16), words])
        assert [owner_at(stored, 3, i) for i in range(size * size)] == ownership.tolist()
    assert words_per_game(19) == 46                       # 92 bytes


@pytest.mark.parametrize("archive, least", [("gnugo-9x9.zip", 40), ("gnugo-19x19.tar.gz", 131)])
def test_the_owners_of_the_sample_games_are_kept(archive, least):
    """The results are GNU Go's counts.  On 19x19 the first few rollouts count 130 games so."""
    records = [record for source in find_sources([Path(__file__).parents[2] / "data" / archive])
               for text in read_files(source) for record in read_records(text.data)]
    assert sum(owners_of(record) is not None for record in records) >= least

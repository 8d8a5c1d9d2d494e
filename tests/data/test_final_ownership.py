"""The ownership of the points at the end of recorded games: found, confirmed by the result, packed, and kept."""
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from drawing import DEAD_STONES, SEKI, SETTLED, draw
from random_records import dataset_of, random_record

from mugo.data import final_ownership
from mugo.data.final_ownership import (
    count,
    count_difference,
    confirmed_ownership,
    owner_at,
    pack_ownership,
    words_per_game,
)
from mugo.data.games_table import with_final_passes
from mugo.games.board import WHITE
from mugo.games.coords import MAX_MOVES, WHITE_BIT
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of
from mugo.sgf.sources import find_sources, read_files


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
    monkeypatch.setattr(final_ownership, "MAX_UNSETTLED", 0.5)
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


@pytest.mark.parametrize("passes, difference", [([], 0), ([WHITE_BIT], -1), ([0, 0], 2)])
def test_passes_are_no_stones(passes, difference):
    """More moves: White's, that Black answers with a pass, are a point each."""
    record = drawn_record(SETTLED, "B+1", rules="Japanese")
    base = count_difference(record, np.zeros(49, np.int8))
    more = np.array([49 + colour for colour in passes], np.int16)
    assert count_difference(replace(record, moves=np.append(record.moves, more)), np.zeros(49, np.int8)) == base
    stones = np.array([3 + colour for colour in passes], np.int16)
    assert base - count_difference(replace(record, moves=stones), np.zeros(49, np.int8)) == difference


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

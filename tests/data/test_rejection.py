"""Which games are left out of a data set, and for what reason."""
from dataclasses import replace

import numpy as np
import pytest
from random_records import dataset_of, random_record, transformed

from mugo.data.preprocess import preprocess
from mugo.games.coords import WHITE_BIT
from mugo.games.planes import MAX_PLIES
from mugo.sgf.writer import format_record


def test_every_rejected_game_has_a_reason(tmp_path):
    good = random_record(1)
    illegal = replace(good, moves=np.append(good.moves[:30], good.moves[0]))
    data = dataset_of(tmp_path, [good, illegal, random_record(2, plies=10), "(;GM[1]SZ[9];B[aa", "no game", good],
                   where="black != 'player 2' or num_moves > 1000")
    by_name = data.games.set_index("file")
    assert by_name["reject_reason"].tolist() == ["", "illegal move", "too few moves", by_name["reject_reason"].iloc[3],
                                                 "not SGF", "duplicate"]
    assert "move 31" in by_name["reject_details"].iloc[1]
    assert "is occupied" in by_name["reject_details"].iloc[1]
    assert by_name["reject_details"].iloc[5] == "the same game as sgf/000.sgf"
    assert (by_name.loc[by_name["reject_reason"] != "", "split"] == "").all()


def test_setup_stones_without_a_liberty_are_illegal(tmp_path):
    good = random_record(1)
    corner = replace(good, setup=np.array([0 + WHITE_BIT, 1, 9], np.int16))
    data = dataset_of(tmp_path, [corner, good])
    assert data.games["reject_reason"].tolist() == ["illegal setup", ""]
    assert "A9" in data.games["reject_details"].iloc[0]


def test_a_game_has_fewer_moves_than_the_history_of_a_board(tmp_path):
    """A board's history holds MAX_PLIES positions."""
    passes = np.where(np.arange(MAX_PLIES) % 2, 81 + WHITE_BIT, 81).astype(np.int16)
    passes[0] = 40                       # a game of passes only has the hash of any other
    games = [replace(random_record(1), moves=passes[:-1]), replace(random_record(1), moves=passes)]
    data = dataset_of(tmp_path, games)
    assert data.games["reject_reason"].tolist() == ["", "too many moves"]
    assert data.games["reject_details"].iloc[1] == f"{MAX_PLIES} moves; at most {MAX_PLIES - 1}"


def test_games_that_where_does_not_select_are_rejected(tmp_path):
    data = dataset_of(tmp_path, [random_record(seed) for seed in range(6)], where="black == 'player 1'")
    assert set(data.used_games["black"]) == {"player 1"}
    assert data.games["reject_reason"].value_counts()["not selected by --where"] == 4


@pytest.mark.parametrize("symmetry", range(8))
@pytest.mark.parametrize("exchange_colours", [False, True])
def test_copies_under_symmetries_and_exchanged_colours_are_duplicates(tmp_path, symmetry, exchange_colours):
    game = random_record(3)
    data = dataset_of(tmp_path, [game, transformed(game, symmetry, exchange_colours), random_record(4)])
    assert data.games["reject_reason"].tolist() == ["", "duplicate", ""]


def test_a_truncated_copy_is_the_duplicate_even_if_it_comes_first(tmp_path):
    whole = random_record(5, plies=80)
    truncated = transformed(replace(whole, moves=whole.moves[:50]), 3)
    data = dataset_of(tmp_path, [truncated, whole, random_record(6, plies=80)])
    assert data.games["reject_reason"].tolist() == ["duplicate", "", ""]
    assert data.games["reject_details"].iloc[0] == "the beginning of sgf/001.sgf"


def test_duplicates_are_those_of_comparing_each_game_with_each_other(tmp_path):
    """Games that share 45 moves, cut anywhere after that, under symmetries: also beginnings of beginnings."""
    rng, trunk = np.random.default_rng(0), random_record(0, plies=45)
    lines = []
    for seed in range(4):
        played = random_record(seed, plies=75, after=trunk).moves
        lines += [played[:length].tolist() for length in (75, *rng.integers(45, 76, 6))]
    lines = [lines[i] for i in rng.permutation(len(lines))]
    data = dataset_of(tmp_path, [transformed(replace(trunk, moves=np.array(line, np.int16)), int(rng.integers(8)))
                                 for line in lines])
    expected = []
    for i, line in enumerate(lines):
        same = min(j for j, other in enumerate(lines) if other == line)
        longer = [(-len(other), j) for j, other in enumerate(lines)
                  if len(other) > len(line) and other[:len(line)] == line]
        expected.append(f"the same game as sgf/{same:03d}.sgf" if same < i else
                        f"the beginning of sgf/{min(longer)[1]:03d}.sgf" if longer else "")
    assert data.games["reject_details"].tolist() == expected
    assert len({text[:10] for text in expected}) == 3 and expected.count("") == 4


def test_a_truncated_copy_may_end_with_passes(tmp_path):
    whole = random_record(5, plies=80)
    passes = np.array([81, 81 + WHITE_BIT], np.int16)
    truncated = replace(whole, moves=np.concatenate([whole.moves[:50], passes]))
    data = dataset_of(tmp_path, [whole, transformed(truncated, 2, True)])
    assert data.games["reject_reason"].tolist() == ["", "duplicate"]


@pytest.mark.parametrize("first", [50, 80])
def test_a_truncated_copy_is_found_among_games_that_are_added_later(tmp_path, first):
    """The longer game is used, wherever it is stored; others stay as they are."""
    whole, other = random_record(5, plies=80), random_record(6, plies=70)
    for name, length in (("a", first), ("b", 130 - first)):
        (tmp_path / name).mkdir()
        record = replace(whole, moves=transformed(whole, 3).moves[:length])
        (tmp_path / name / "game.sgf").write_text(format_record(record), encoding="utf-8")
    (tmp_path / "a" / "other.sgf").write_text(format_record(other), encoding="utf-8")
    preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    data = preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "set", jobs=1)
    used, games = data.used_games.set_index("num_moves"), data.selection()
    assert sorted(used.index) == sorted(games.column("num_moves").tolist()) == [70, 80]
    assert used.at[80, "source"] == ("b" if first == 50 else "a")
    for length, moves in ((70, other.moves), (80, transformed(whole, 3).moves)):
        assert games.arrays(games.column("num_moves") == length).moves.tolist() == moves.tolist()


def test_passes_at_the_end_do_not_make_another_game(tmp_path):
    game = random_record(5)
    passes = np.array([81, 81 + WHITE_BIT], np.int16)
    data = dataset_of(tmp_path, [game, replace(game, moves=np.concatenate([game.moves, passes]))])
    assert data.games["reject_reason"].tolist().count("duplicate") == 1

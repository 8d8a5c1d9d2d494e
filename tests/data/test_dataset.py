"""Loading a data set, and selecting its games."""
from dataclasses import replace

import numpy as np
import pytest
from random_records import dataset_of, random_record, transformed

from mugo.data import dataset
from mugo.files import BadInput


def test_every_game_is_in_exactly_one_split(data):
    parts = [set(data.positions(split).games["game_hash"]) for split in dataset.SPLITS]
    assert sum(map(len, parts)) == len(set.union(*parts)) == len(data.used_games) == 12


def test_a_game_has_its_split_by_its_first_moves_whatever_the_other_games(tmp_path):
    """A rotated, recoloured and truncated copy in a data set of other games is in the split of the game."""
    games = [random_record(seed, size=13, plies=60) for seed in range(24)]
    copies = [transformed(replace(game, moves=game.moves[:40 + i % 9]), i % 8, i % 2 == 0)
              for i, game in enumerate(games)]
    others = [random_record(seed, size=13, plies=60) for seed in range(24, 40)]
    splits = []
    for name, records in (("a", games), ("b", [*others, *copies[::-1]])):
        (tmp_path / name).mkdir()
        splits.append(dataset_of(tmp_path / name, records, validation=0.3, test=0.3).games["split"].tolist())
    assert splits[0] == splits[1][:15:-1]
    assert min(splits[0].count(split) for split in dataset.SPLITS) > 2


def test_the_fingerprint_covers_the_games_their_order_split_and_winner(data, tmp_path):
    games = [random_record(seed, plies=50) for seed in range(12)]
    options = {"validation": 0.2, "test": 0.2}
    variants = {
        "same": (games, options),
        "another seed": (games, options | {"seed": 1}),
        "another order": (games[::-1], options),
        "a game less": (games[:-1], options),
        "a rotated game": ([transformed(games[0], 3), *games[1:]], options),
        "another winner": ([replace(games[0], result="0"), *games[1:]], options),
        "a pass more": ([replace(games[0], moves=np.append(games[0].moves, np.int16(81))), *games[1:]], options)}
    fingerprints = {}
    for name, (records, arguments) in variants.items():
        (tmp_path / name).mkdir()
        fingerprints[name] = dataset_of(tmp_path / name, records, **arguments).fingerprint
    assert fingerprints.pop("same") == data.fingerprint
    assert len({data.fingerprint, *fingerprints.values()}) == 7


def test_the_fingerprint_is_of_what_is_used_wherever_it_is_stored(data):
    """Games that are no longer used leave gaps in the arrays."""
    moved = data.games.assign(move_start=data.games["move_start"] + 7, setup_start=3, setup_end=3)
    gaps = replace(data, games=moved, moves=np.concatenate([np.zeros(7, np.int16), data.moves]),
                   setup=np.zeros(3, np.int16))
    assert gaps.fingerprint == data.fingerprint
    assert replace(data, games=data.games.assign(source="renamed")).fingerprint == data.fingerprint
    for k in (0, 30, len(data.moves) - 1):
        moves = data.moves.copy()
        moves[k] ^= 1
        assert replace(data, moves=moves).fingerprint != data.fingerprint
    stone = replace(data, games=data.games.assign(setup_end=np.arange(len(data.games)) == 0),
                    setup=np.zeros(1, np.int16))
    assert len({data.fingerprint, stone.fingerprint, replace(stone, setup=np.ones(1, np.int16)).fingerprint}) == 3


def test_positions_have_a_fingerprint_of_their_own(data):
    every = data.positions(None)
    assert every.fingerprint == data.positions(None, moves=(1, 50)).fingerprint
    selections = [every, data.positions("train"), data.positions(None, where="black_rank > 3"),
                  data.positions(None, moves=(2, 50)), data.positions(None, moves=(1, 49)),
                  replace(every, games=every.games.iloc[::-1]), replace(every, games=every.games.assign(winner=0))]
    assert len({positions.fingerprint for positions in selections}) == len(selections)


def test_positions_are_of_the_most_frequent_board_size_by_default(tmp_path):
    sizes = {1: 13, 2: 9, 3: 9, 4: 9, 5: 5}
    data = dataset_of(tmp_path, [random_record(seed, size, plies=20 if size == 5 else 60, result="B+R")
                                 for seed, size in sizes.items()])
    assert data.board_sizes()[0] == 9
    assert data.positions(None).size == 9 and len(data.positions(None)) == 3 * 60
    assert data.positions(None, size=13).size == 13 and len(data.positions(None, size=13)) == 60


def test_where_selects_games_and_an_empty_selection_is_an_error(data):
    assert set(data.positions(None, where="black_rank >= 5").games["black_rank"]) == {5, 6, 7, 8, 9}
    with pytest.raises(BadInput, match="no train games on 9x9 where black_rank > 99"):
        data.positions("train", where="black_rank > 99")
    with pytest.raises(BadInput, match="no train games on 13x13"):
        data.positions("train", size=13)


def test_a_range_of_moves_that_no_game_has_is_an_error(data):
    with pytest.raises(BadInput, match="no train game on 9x9 has 51 moves"):
        data.positions("train", moves=(51, 60))


@pytest.mark.parametrize("where", ["num_moves", "num_moves - 1", "num_moves.min() * 0", "True", "num_moves = 3",
                                   "nonsense > 3"])
def test_a_query_that_is_not_a_condition_is_an_error(data, where):
    with pytest.raises(BadInput, match="--where"):
        data.positions("train", where=where)

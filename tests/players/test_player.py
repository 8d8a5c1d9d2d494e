"""Players: which points they choose from, when they pass, and what rollouts say of a finished board."""

import numpy as np
import pytest
from drawing import SETTLED, after, assert_same_points, draw
from fakes import Likes

from mugo.core.files import BadInput
from mugo.games.coords import PASS, point_of_index
from mugo.games.go import BLACK, WHITE, GoPosition
from mugo.nn.inputs import People
from mugo.players import passing, registry, searcher
from mugo.players.options import PlayerOptions
from mugo.players.registry import make_player
from mugo.players.player import PolicyPlayer, RandomPlayer


def test_a_random_player_plays_sensible_points_equally_often():
    position, at = draw("""
        . X a
        X X O
        b . O
    """, to_play=WHITE)
    # A3 fills an eye of Black's and dies of it; C3 takes nothing, but lives.
    player = RandomPlayer(seed=1)
    chosen = [player.select_move(position) for _ in range(1200)]
    points, counts = np.unique(chosen, return_counts=True)
    assert_same_points(position, points, position.sensible_points(), "sensible")
    assert counts.min() > 1200 / len(points) * 0.8


def test_a_random_player_passes_when_only_its_own_eyes_are_left():
    position, _ = draw("""
        . X X .
        X X X X
        X X X X
        . X X .
    """)
    assert RandomPlayer(seed=1).select_move(position) == PASS


def test_the_same_seed_plays_the_same_game():
    def game(seed):
        position, player = GoPosition(5), RandomPlayer(seed)
        while not position.is_over:
            position = position.play(player.select_move(position))
        return position.moves

    assert game(7) == game(7) != game(8)


def test_a_policy_plays_its_best_point_unless_that_is_not_sensible():
    position, at = draw("""
        e X . . .
        X X X . .
        . . O . c
        . . . . .
        . . . b .
    """)
    network = Likes(5, {at["e"]: 0.9, at["b"]: 0.05, at["c"]: 0.01})
    assert PolicyPlayer(network).select_move(position) == at["b"]


def test_a_policy_does_not_retake_a_ko_with_the_highest_prior():
    position, at = draw("""
        . X O . .
        X b a O .
        . X O . .
        . . . d .
        . . . . .
    """)
    position = after(position.with_stones(white=[at["b"]]), at, "a")
    assert PolicyPlayer(Likes(5, {at["b"]: 0.9, at["d"]: 0.1})).select_move(position) == at["d"]


def test_a_higher_temperature_samples_more_evenly():
    position, at = draw("""
        . . .
        . a .
        . . b
    """)
    network = Likes(3, {at["a"]: 0.8, at["b"]: 0.2})

    def share_of_b(temperature):
        player = PolicyPlayer(network, temperature=temperature, seed=1)
        return np.mean([player.select_move(position) == at["b"] for _ in range(400)])

    assert share_of_b(0.01) == 0
    assert 0.02 < share_of_b(0.5) < 0.12           # 0.04 / (0.64 + 0.04)
    assert 0.14 < share_of_b(1) < 0.26
    assert 0.05 < share_of_b(1000) < 0.2           # one in nine


def test_a_policy_passes_when_the_pass_has_the_highest_prior(monkeypatch):
    monkeypatch.setattr(passing, "is_finished", lambda position: False)
    position, at = draw(SETTLED)
    assert PolicyPlayer(Likes(7, {PASS: 0.5, at["a"]: 0.4})).select_move(position) == PASS
    assert PolicyPlayer(Likes(7, {PASS: 0.4, at["c"]: 0.5})).select_move(position) == at["c"]


def test_a_policy_without_a_prior_of_a_pass_answers_a_pass_when_it_has_won(monkeypatch):
    monkeypatch.setattr(passing, "is_finished", lambda position: False)
    position, at = draw(SETTLED, to_play=WHITE)
    ahead = position.play(PASS)
    assert ahead.score() > 0
    assert PolicyPlayer(Likes(7, {at["c"]: 0.9, PASS: 0})).select_move(ahead) == PASS


def test_a_policy_that_has_lost_passes_when_every_point_is_settled(monkeypatch):
    monkeypatch.setattr(passing, "is_finished", lambda position: False)
    position, at = draw(SETTLED)
    behind = position.play(PASS)
    assert PolicyPlayer(Likes(7, {at["b"]: 0.9, PASS: 0})).select_move(behind) == PASS


def test_a_policy_that_wins_only_without_dead_stones_captures_them_unless_the_game_is_finished(monkeypatch):
    position, at = draw("""
        . X . X O . O
        X X X X O . O
        . a X X O O O
        b X X X O O .
        O c X X O O O
        O X X X O O O
        O O X X O . O
    """, to_play=WHITE, komi=2)
    position = position.play(PASS)
    assert position.score() < 0
    player = PolicyPlayer(Likes(7, {at["c"]: 0.9, at["b"]: 0.5, PASS: 0}))
    assert player.select_move(position) == PASS
    assert player.select_move(position, cleanup=True) == at["c"]
    monkeypatch.setattr(passing, "is_finished", lambda position: False)
    assert player.select_move(position) == at["c"]


def test_a_policy_passes_in_a_very_long_game():
    class Endless(GoPosition):
        plies = 2 * 9 * 9

    assert PolicyPlayer(Likes(9, {PASS: 0})).select_move(Endless(9)) == PASS


@pytest.mark.parametrize("name", ["policy", "randompolicy", "mcts"])
def test_a_network_plays_sensible_points_on_boards_of_every_size(name):
    player = registry.make_player(name, seed=1, play_options=searcher.PlayOptions(simulations=8))
    for size in (9, 2, 13, 19, 3, 9):
        position = GoPosition(size)
        player.warm_up(position)
        for _ in range(3):
            point = player.select_move(position)
            assert point == PASS or point in position.sensible_points()
            position = position.play(point)


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_games_between_policies_end(size):
    rng = np.random.default_rng(size)
    network = Likes(size, {point_of_index(i, size): rng.random() for i in range(size * size)} | {PASS: 0})
    sides = {BLACK: PolicyPlayer(network), WHITE: PolicyPlayer(network, temperature=1, seed=1)}
    position = GoPosition(size)
    while not position.is_over:
        position = position.play(sides[position.to_play].select_move(position))
        assert position.plies <= 2 * size * size + 2


def test_make_player_makes_every_player_by_name():
    network = Likes(9, {})
    assert [registry.make_player(name, network=network).name
            for name in registry.PLAYERS] == list(registry.PLAYERS)
    with pytest.raises(BadInput, match="'best' is not a player"):
        registry.make_player("best")
    with pytest.raises(BadInput, match="temperature"):
        registry.make_player("randompolicy", network=network, temperature=-1)


def test_told_a_rank_policy_plays_as_often_as_people_of_this_rank_do():
    class TakesPeople(Likes):
        def with_people(self, people, when_white):
            return Likes(3, {1: 0, **priors}) if people == when_white == People("3d", "3d") else None

    position, at = draw("""
        . . .
        . a .
        . . b
    """)
    priors = {at["a"]: 0.6, at["b"]: 0.4}
    network = TakesPeople(3, {at["b"]: 0.9})

    def chosen(**options):
        player = make_player("policy", network=network, seed=1, **options)
        return [player.select_move(position) for _ in range(100)]

    assert set(chosen()) == {at["b"]}
    assert 0.3 < np.mean([point == at["b"] for point in chosen(people=People("3d", "3d"))]) < 0.5
    assert set(chosen(people=People("3d", "3d"), temperature=0)) == {at["a"]}
    for people, name in (People("3d", "3d"), "policy 3d"), (People("pro", "pro", year=2016), "policy pro 2016"):
        assert make_player("policy", network=network, people=people).name == name


@pytest.mark.parametrize("given, expected", [
    ({}, None), ({"rank": "3d"}, People("3d", "3d")), ({"style": 1985}, People(year=1985)),
    ({"rank": "pro", "style": 2016}, People("pro", "pro", year=2016))])
def test_the_rank_of_the_options_is_that_of_both_players(given, expected):
    assert PlayerOptions(**given).people == expected


def test_a_rank_that_is_none_is_rejected():
    with pytest.raises(BadInput, match="rank '3x': must be such as 5k, 3d, 9p or pro"):
        PlayerOptions(rank="3x")

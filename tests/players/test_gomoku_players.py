"""Every player at Gomoku, what begins a game of it, and hints."""
import argparse

import numpy as np
import pytest
from drawing import draw
from fakes import LevelNetwork as Level

from mugo.core.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, move_index
from mugo.games.gomoku import GomokuPosition
from mugo.gtp.analyze import result_from_policy
from mugo.gtp.engine import GtpEngine
from mugo.gtp.options import add_gtp_arguments
from mugo.nn.output import NetworkOutput
from mugo.players import options as player_options, registry
from mugo.players.evaluation import NetworkEvaluator
from mugo.players.registry import MCTS, make_player
from mugo.players.player import RESIGN, PolicyPlayer
from mugo.players.searcher import PlayOptions, SearchPlayer
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings


def to_the_end(sides, position):
    while not position.is_over:
        position = position.play(sides[position.to_play].select_move(position))
    return position


@pytest.mark.parametrize("name", registry.PLAYERS)
def test_every_player_finishes_a_game_of_gomoku(name):
    player = make_player(name, network=Level(), seed=1, play_options=PlayOptions(simulations=8, resign=0),
                         game="gomoku")
    player.warm_up(GomokuPosition(4))
    end = to_the_end({BLACK: player, WHITE: player}, GomokuPosition(4))
    assert end.result() in ("B+", "W+", "0")
    with pytest.raises(BadInput, match="the game is over"):
        player.select_move(end)


def test_randompolicy_follows_its_priors_even_where_policy_has_a_forced_move():
    position, at = draw("""
        X X a
        O O .
        . . .
    """, k=3)
    assert PolicyPlayer(Level()).select_move(position) == at["a"]
    sampled = PolicyPlayer(Level(), temperature=1, seed=1)
    assert len({sampled.select_move(position) for _ in range(20)}) > 2


@pytest.mark.parametrize("words, rollout, lambda_", [
    ((), "none", 0.0), (("--rollout", "mogo"), "mogo", 0.25), (("--lambda", "0.5"), "mogo", 0.5),
    (("--rollout", "uniform", "--lambda", "1"), "uniform", 1.0), (("--rollout", "none"), "none", 0.0),
])
def test_mcts_in_gomoku_uses_only_the_value_head_by_default(words, rollout, lambda_):
    parser = argparse.ArgumentParser()
    player_options.add_arguments(parser)
    args = parser.parse_args(["mcts", *words])
    settings = player_options.settings_from_arguments(args, "gomoku")
    assert (settings.rollout, settings.lambda_, settings.fpu_reduction_max) == (rollout, lambda_, 0)
    assert player_options.settings_from_arguments(parser.parse_args(["mcts"])) == MCTS


@pytest.mark.parametrize("words, game, select_by", [
    (["mcts"], "go", "lcb"), (["mcts"], "gomoku", "visits"), (["uct"], "go", "visits"),
    (["mcts", "--select-by", "visits"], "go", "visits"), (["mcts", "--select-by", "lcb"], "gomoku", "lcb"),
])
def test_mcts_selects_by_lcb_in_go(words, game, select_by):
    parser = argparse.ArgumentParser()
    player_options.add_arguments(parser)
    assert player_options.play_options_from_arguments(parser.parse_args(words), game).select_by == select_by


def test_a_policy_in_gomoku_ignores_the_prior_of_a_pass():
    position, at = draw("""
        . . X
        . a O
        . . .
    """, k=3)

    class Likes(Level):
        def evaluate(self, positions, symmetries=False):
            priors = np.zeros((1, 10), np.float32)
            priors[0, [-1, move_index(at["a"], 3)]] = 0.6, 0.4
            return NetworkOutput(priors)

    assert PolicyPlayer(Likes()).select_move(position) == at["a"]


def test_a_lost_game_of_gomoku_is_resigned():
    position, _ = draw("""
        . . . . . .
        . . . . . .
        . X X X . .
        . . . . . .
        O O . . . .
        . . . . . O
    """, to_play=WHITE, k=4)
    player = SearchPlayer("uct", Search(Settings(seed=1, rollout="mogo")),
                          PlayOptions(2000, resign=0.2, resign_moves=1))
    assert player.select_move(position) == RESIGN


def test_a_network_refuses_another_board_every_time():
    class Refuses(Level):
        def evaluate_packed(self, packed, features=None):
            raise BadInput("not this board")

    engine = GtpEngine(make_player("mcts", network=Refuses(), game="gomoku"), start=GomokuPosition(5))
    assert [engine.answer("genmove b") for _ in range(2)] == ["? not this board\n\n"] * 2


WON = """
    X X a
    O O .
    . . .
"""


def test_a_winning_move_has_win_rate_1_and_a_finished_game_no_evaluation():
    position, at = draw(WON, k=3)
    found = NetworkEvaluator(Level()).evaluate(position)
    rates = {info.point: info.win_rate for info in found.moves}
    assert rates.pop(at["a"]) == 1 and set(rates.values()) == {0.5} and PASS not in rates
    result = result_from_policy(Level(), position)
    assert PASS not in {info.point for info in result.moves}
    assert {info.point: info.win_rate for info in result.moves}[at["a"]] == 1
    for look in NetworkEvaluator(Level()).evaluate, lambda end: result_from_policy(Level(), end):
        with pytest.raises(BadInput, match="the game is over"):
            look(position.play(at["a"]))


# ---- how a game begins

def start_of(*words):
    parser = argparse.ArgumentParser()
    add_gtp_arguments(parser)
    return player_options.first_position(parser.parse_args(words), 19)


def test_the_first_position_of_a_command_line():
    assert (start_of().game, start_of().size, start_of().komi) == ("go", 19, 7.5)
    assert start_of("--size", "9", "--komi", "0").komi == 0
    for words, rules in {(): (8, 5, False), ("--size", "6"): (6, 4, False), ("--k", "4", "--exactly"): (8, 4, True)
                         }.items():
        start = start_of("uct", "--game", "gomoku", *words)
        assert (start.size, start.k, start.exactly) == rules


def test_a_handicap_has_half_a_point_of_komi_and_the_rules_that_are_given():
    parser = argparse.ArgumentParser()
    player_options.add_game_arguments(parser, "9", handicap=True)
    for words, (komi, bonus) in {(): (0.5, 0), ("--komi", "6.5"): (6.5, 0), ("--rules", "chinese"): (0.5, 2),
                                 ("--rules", "japanese"): (0.5, 0)}.items():
        start = player_options.first_position(parser.parse_args(["--handicap", "2", *words]), 9)
        assert (start.komi, start.handicap, start.handicap_bonus) == (komi, 2, bonus)
        assert start.counts_territory == ("japanese" in words) and start.to_play == WHITE
    with pytest.raises(BadInput, match="no fixed handicap of 10 stones on 9x9"):
        player_options.first_position(parser.parse_args(["--handicap", "10"]), 9)


def test_a_network_of_gomoku_sets_the_game(monkeypatch):
    monkeypatch.setattr(player_options, "trained_for",
                        lambda args: {"game": "gomoku", "size": 6, "k": 4, "exactly": True})
    for words, rules in {(): (6, 4, True), ("--k", "5"): (6, 5, False), ("--size", "9"): (9, 5, False)}.items():
        start = start_of("mcts", *words)
        assert (start.size, start.k, start.exactly) == rules
    assert start_of("--game", "go").game == "go"

"""What a player makes of its search: when it passes, when it resigns, and what it never does."""
import argparse
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from drawing import SEKI, SETTLED, draw
from fakes import WorkClock

from mugo.core.files import BadInput
from mugo.core.options import options_of
from mugo.games.board import is_true_eye
from mugo.games.coords import PASS, interpret_gtp
from mugo.games.go import BLACK, WHITE, GoPosition, fixed_handicap
from mugo.games.gomoku import GomokuPosition
from mugo.games.scoring import without_dead
from mugo.players import options as player_options
from mugo.players.options import player_from_arguments
from mugo.players.player import RESIGN, RandomPlayer, SearchControl
from mugo.players.searcher import PlayOptions, SearchPlayer, balanced
from mugo.players.registry import default_settings
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.sgf.parser import read_records
from mugo.sgf.record_positions import position_of
from mugo.sgf.sources import find_sources, read_files


def uct(simulations=500, *, seed=1, early_stop=True, **play_options):
    settings = Settings(seed=seed, early_stop=early_stop)
    return SearchPlayer("uct", Search(settings), PlayOptions(simulations, **play_options))


def sample_games(name="gnugo-9x9.zip"):
    for source in find_sources([Path(__file__).parents[2] / "data" / name]):
        for text in read_files(source):
            yield from read_records(text.data)


def test_a_searcher_passes_when_no_sensible_point_is_left():
    for to_play in BLACK, WHITE:
        for komi in -20, 0, 20:
            position, _ = draw(SETTLED, to_play=to_play, komi=komi)
            assert uct(resign=0).select_move(position) == PASS


def test_a_pass_is_answered_with_a_pass_without_a_search_if_that_wins():
    position, _ = draw(SETTLED, to_play=WHITE)
    player = uct()
    assert player.select_move(position.play(PASS)) == PASS
    assert player.search_result is None and player.explain() == ""


def test_a_search_of_a_player_reports_progress_and_can_be_stopped():
    search = WorkClock().search(Settings(seed=1, early_stop=False))
    player = SearchPlayer("uct", search, PlayOptions(seconds=60))
    seen = []
    control = SearchControl(should_stop=lambda: len(seen) > 1, on_progress=seen.append)
    assert player.select_move(GoPosition(5), control=control) in GoPosition(5).sensible_points()
    assert player.search_result.seconds < 1 and player.search_result.simulations > seen[0].simulations > 0


@pytest.mark.parametrize("to_play, komi", [(BLACK, 0.5), (WHITE, 1.5)])
@pytest.mark.parametrize("cleanup", [False, True])
def test_no_move_is_played_in_a_seki(to_play, komi, cleanup):
    position, _ = draw(SEKI, to_play=to_play, komi=komi)         # Black leads by 1; whoever plays there loses
    assert uct(2000, resign=0).select_move(position, cleanup=cleanup) == PASS
    assert uct(2000, resign=0).select_move(position.with_turn(-to_play).play(PASS), cleanup=cleanup) == PASS


HARD_TO_KILL = """
    . O a . X O . O .          White's stone in the corner is dead if Black plays a; without a second eye there
    X X . X X O O O O          Black is
    O X X X O O . O .
    O O O O O O O O O
    X X X X X X X X X
    . . . . . . . . .
    . . X . X . X . .
    . . . X . X . . .
    . . . . . . . . .
"""


def test_capturing_dead_stones_before_a_pass_does_not_kill_own_chains():
    picture = "\n".join(line[:21] for line in HARD_TO_KILL.splitlines())
    position, at = draw(picture, to_play=WHITE, komi=7.5)
    assert uct(400, resign=0).select_move(position.play(PASS), cleanup=True) == at["a"]


OPEN = """
    . a . O X X .
    O O O O X X X
    X X X X X . X
    X X X X X X X
    X X X X X X X
    X . X X X X X
    X X X X X X X
"""


def test_no_pass_while_own_stones_are_in_danger():
    position, at = draw(OPEN, komi=40, to_play=WHITE)      # White wins only if the corner lives
    assert uct().select_move(position) == at["a"]
    assert uct().select_move(draw(OPEN, komi=40)[0].play(PASS)) == at["a"]


def test_a_pass_in_the_opening_does_not_end_the_game():
    # By Tromp and Taylor's count White would win at once with a second pass, but A1 is as dead as can be.
    position, _ = draw("""
        . . . . .
        . . . . .
        . . X . .
        . . . . .
        O . . . .
    """, to_play=BLACK, komi=0.5)
    assert uct().select_move(position.play(PASS)) != PASS
    assert uct(resign=0).select_move(GoPosition(9).play(PASS)) != PASS


DEAD_STONES = """
    . X . X O . O
    X X X X O O O
    . O X X O O .
    . . X X O X O
    X X X X O . O
    X . X X O O O
    X X X X O . O
"""


@pytest.mark.parametrize("komi", [0, 6.5])
def test_dead_stones_are_captured_only_with_cleanup(komi):
    position, _ = draw(DEAD_STONES, to_play=BLACK, komi=komi)
    assert uct(resign=0).select_move(position.play(PASS).with_turn(BLACK)) == PASS
    tidy = uct(resign=0)
    while not position.is_over:
        position = position.play(tidy.select_move(position, cleanup=True)).play(PASS)
        assert position.plies < 30
    assert (position.stones[:, :4] != WHITE).all()


@pytest.mark.parametrize("picture, to_play", [(DEAD_STONES, BLACK), (DEAD_STONES, WHITE)])
def test_with_cleanup_dead_stones_are_captured_to_win(picture, to_play):
    komi = 5.5 if to_play == BLACK else 7.5               # the dead stones decide
    position, _ = draw(picture, to_play=to_play, komi=komi)
    sides = {to_play: uct(2000, resign=0), -to_play: uct(2000, seed=2, resign=0)}
    while not position.is_over:
        position = position.play(sides[position.to_play].select_move(position, cleanup=True))
        assert position.plies < 60
    assert position.score() * to_play > 0


def test_a_won_game_is_not_lost_by_a_pass():
    # The final positions of the sample games: whoever has won plays on against one who plays anywhere.
    kept, games = 0, 0
    for record in sample_games():
        if record.result[1:] == "+R" or len(record.moves) < 20:
            continue
        position = position_of(record)
        while position.last == PASS:
            position = position.undo()
        if record.result != without_dead(position).result():
            continue                                      # rollouts and GNU Go disagree about what is dead
        winner = BLACK if record.result[0] == "B" else WHITE
        sides = {winner: uct(300, resign=0), -winner: RandomPlayer(seed=1)}
        while not position.is_over and position.plies < 400:
            position = position.play(sides[position.to_play].select_move(position))
        kept += without_dead(position).score() * winner > 0
        games += 1
        if games == 3:
            break
    assert games == 3
    assert kept == games


@pytest.mark.parametrize("size", [2, 3, 5, 7])
def test_games_of_a_searcher_end_and_fill_no_own_eye(size):
    sides = {BLACK: uct(60, seed=size), WHITE: uct(60, seed=size + 1, select_by="value")}
    position = GoPosition(size, komi=0.5)
    while not position.is_over:
        colour = position.to_play
        point = sides[colour].select_move(position)
        if point == RESIGN:
            break
        assert point == PASS or not is_true_eye(position.board[0], point, colour)
        position = position.play(point)                   # raises IllegalMove
        assert position.plies < 8 * size * size


def choices(player, komi=40, handicap=0, moves=5):
    """What it chooses in a game that White has won by far, its opponent passing; Black to play."""
    position, _ = draw(OPEN, komi=komi)
    position.handicap = handicap
    chosen = []
    while len(chosen) < moves:
        chosen.append(player.select_move(position))
        if chosen[-1] == RESIGN:
            break
        position = position.play(chosen[-1]).play(PASS)
        position.handicap = handicap
    return chosen


def test_a_searcher_that_plays_both_colours_resigns_for_the_one_that_has_lost():
    position, player, chosen = draw(OPEN, komi=60)[0], uct(resign=0.1, resign_moves=2, early_stop=False), []
    while RESIGN not in chosen and len(chosen) < 8:
        chosen.append(player.select_move(position))
        position = position.play(chosen[-1]) if chosen[-1] != RESIGN else position
    assert chosen[-1] == RESIGN and len(chosen) == 3 and position.to_play == BLACK


def test_a_searcher_resigns_after_resign_moves_hopeless_moves():
    assert choices(uct(resign=0.1, resign_moves=3, early_stop=False), komi=60)[2:] == [RESIGN]
    assert choices(uct(resign=0.1, resign_moves=1, early_stop=False), komi=60) == [RESIGN]
    assert RESIGN not in choices(uct(resign=0), komi=60)
    assert RESIGN not in choices(uct(resign=0.1, resign_moves=1), komi=0)


def test_hopeless_moves_are_counted_within_one_game():
    player = uct(resign=0.1, resign_moves=3, early_stop=False)
    assert RESIGN not in choices(player, komi=60, moves=2)
    assert len(choices(player, komi=60)) == 3


def test_no_resignation_early_in_a_handicap_game_or_with_few_simulations():
    assert RESIGN not in choices(uct(resign=0.1, resign_moves=1), komi=60, handicap=3)
    assert RESIGN not in choices(uct(5, resign=0.1, resign_moves=1), komi=60)


def test_in_a_handicap_game_a_searcher_plays_with_the_komi_that_makes_the_position_even():
    """14 points per stone, less 7 for the first move and half a point of komi, to the nearest 7; nothing after 0.6
    moves per point."""
    start = GoPosition(9, komi=0.5).with_handicap(fixed_handicap((9, 9), 4))
    position, komis = start, []
    for _ in range(50):
        komis.append(balanced(position).komi)
        position = position.play(int(position.sensible_points()[0]))
    assert komis[0] == 0.5 + 49 and komis[24] == 0.5 + 28 and komis[48:] == [0.5, 0.5]
    assert komis == sorted(komis, reverse=True) and len(set(komis)) == 8
    assert balanced(GoPosition(9)).komi == 7.5
    for other in GoPosition(9, komi=70).with_handicap([12, 34]), GomokuPosition(9, 5):
        assert balanced(other) is other
    for dynamic_komi, komi in (True, 49.5), (False, 0.5):
        player = uct(50, dynamic_komi=dynamic_komi)
        player.select_move(start)
        assert player.search_result.position.komi == komi
        assert player.explain().endswith(", with komi 49.5") == dynamic_komi


@pytest.mark.parametrize("size, stones, komi", [
    (9, 5, 63.5), (9, 6, 70.5), (9, 9, 70.5), (7, 3, 35.5), (7, 4, 42.5), (13, 9, 119.5), (19, 9, 119.5),
    ((7, 9), 4, 49.5), ((2, 19), 4, 28.5)])
def test_the_komi_of_a_handicap_game_stays_on_the_board(size, stones, komi):
    start = GoPosition(size, komi=0.5)
    start = start.with_handicap(start.sensible_points()[3:3 * stones + 3:3].tolist())
    assert start.handicap == stones and balanced(start).komi == komi
    later = [balanced(start.play_moves(np.full(plies, start.area, np.int16))).komi for plies in range(start.area)]
    assert later[0] == komi and later[-1] == 0.5 and later == sorted(later, reverse=True)
    assert balanced(start.with_komi(1000)).komi == 1000


def test_a_game_as_long_as_a_game_can_be_is_warmed_up_for(monkeypatch):
    for module in "games.position", "players.searcher":
        monkeypatch.setattr(f"mugo.{module}.MAX_MOVES", 3)
    start = GoPosition(5).play(interpret_gtp("C3", 5)).play(interpret_gtp("B2", 5))
    for position in start, start.play(interpret_gtp("D4", 5)):
        SearchPlayer("uct", Search(Settings())).warm_up(position)


def test_seconds_include_the_search_after_a_pass():
    clock = WorkClock()
    player = SearchPlayer("uct", clock.search(Settings()), PlayOptions(seconds=5.0))
    clock.follow(player._brief_search)
    for position in GoPosition(9), draw(SETTLED)[0], draw(OPEN, komi=40)[0]:
        for seconds in 0.001, 0.2:
            started = clock()
            point = player.select_move(position, seconds=seconds)
            assert clock() - started < seconds + 0.02
            assert point != PASS or position.stones.any()


def test_a_move_may_follow_two_passes():
    over = draw(SETTLED)[0].play(PASS).play(PASS)
    assert uct().select_move(over) in (PASS, *over.sensible_points())
    assert uct().select_move(GoPosition(5, komi=-20, to_play=WHITE).play(PASS).play(PASS)) != PASS


def test_explain_describes_the_last_search():
    player = uct(200)
    point = player.select_move(GoPosition(5))
    assert point == player.search_result.moves[0].point
    words = player.explain()
    assert words.startswith("win rate ") and "200 simulations" in words and "\n" not in words
    assert len(player.search_result.table(10).splitlines()) == 10


def arguments(*words):
    parser = argparse.ArgumentParser()
    player_options.add_arguments(parser)
    return player_from_arguments(parser.parse_args(words))


@pytest.mark.parametrize("player", ["uct", "mcts"])
def test_every_option_reaches_the_search(player):
    values = {"c": 1.5, "fpu": 1.1, "expand_after": 2, "reuse_tree": False, "early_stop": False, "rollout": "uniform",
              "rollouts": 2, "max_edges": 5000, "seed": 3, "rave": False, "rave_bias": 0.05, "heuristic_priors": False,
              "fpu_reduction_max": 0.35, "root_fpu_reduction_max": 0.2, "cpuct_exploration_log": 0.4, "threads": 2,
              "cpuct_exploration_base": 600.0, "root_policy_temperature": 1.1, "max_pass_prior": 0.4, "lcb_stdevs": 4.0,
              "unsettled_prior": 0.1, "root_symmetry_pruning": False, "dynamic_score_utility_factor": 0.2,
              "min_visit_prop_for_lcb": 0.2, "lambda_": 0.75, "batch": 4, "dirichlet_weight": 0.1,
              "dirichlet_alpha": 0.2}
    assert set(values) == {field.name for field in fields(Settings)}
    values = {name: values[name] for name in options_of(Settings, player)}
    words = [f"--{'no-' if value is False else ''}{name.rstrip('_').replace('_', '-')}"
             + (f"={value}" if not isinstance(value, bool) else "") for name, value in values.items()]
    parser = argparse.ArgumentParser()
    player_options.add_arguments(parser)
    args = parser.parse_args([player, *words, "--select-by", "lcb", "--resign", "0", "--resign-moves", "9",
                              "--simulations", "7", "--no-dynamic-komi"])
    assert player_options.settings_from_arguments(args) == replace(default_settings(player, "go"), **values)
    assert player_options.play_options_from_arguments(args) == PlayOptions(
        simulations=7, select_by="lcb", dynamic_komi=False, resign=0, resign_moves=9)
    assert arguments("uct", "--simulations", "7").select_move(GoPosition(5)) in GoPosition(5).sensible_points()


@pytest.mark.parametrize("words, message", [
    (("uct", "--simulations", "0"), "--simulations 0: must be at least 1"),
    (("uct", "--seconds", "-1"), "--seconds -1: must be above 0"),
    (("uct", "--resign", "1.5"), "--resign 1.5: must be below 1"),
    (("uct", "--resign-moves", "0"), "--resign-moves 0: must be at least 1"),
    (("uct", "--rollout", "none"), "--rollout none needs a network"),
    (("uct", "--rave-bias", "-1"), "--rave-bias -1: must be at least 0"),
    (("mcts", "--heuristic-priors"), "--heuristic-priors is an option of uct, and the player is mcts"),
    (("uct", "--lambda", "0.5"), "--lambda is an option of mcts, and the player is uct"),
    (("policy", "--human-move-prop", "0.5"), "--human-move-prop is an option of mcts, and the player is policy"),
    (("uct", "--rank", "5k"), "uct has no network, so it cannot play as people of a rank or a year do"),
    (("mcts", "--network", "nowhere"), "there is no network 'nowhere'"),
])
def test_invalid_options_are_refused(words, message):
    with pytest.raises(BadInput, match=message):
        arguments(*words)


def test_mcts_plays_with_the_bundled_network():
    player = arguments("mcts", "--simulations", "16", "--seed", "1")
    point = player.select_move(GoPosition(19))
    assert point in GoPosition(19).sensible_points()
    # Few simulations: it follows the priors, and a human opens in a corner or on a side.
    row, col = divmod(point - 21, 20)
    assert min(row, 18 - row) in (2, 3) and min(col, 18 - col) in (2, 3)
    assert np.isfinite(player.search_result.win_rate)
    assert player.select_move(GoPosition(9)) in GoPosition(9).sensible_points()


class LostSearch(Search):
    """Its moves have a win rate of 1 %, after many visits."""

    def search(self, position, **options):
        result = super().search(position, **options)
        return replace(result, moves=tuple(replace(info, win_rate=0.01, visits=200) for info in result.moves))


@pytest.mark.parametrize("plies, dynamic_komi, resigns", [(41, True, False), (41, False, True), (42, True, True)])
def test_black_does_not_resign_or_pass_by_a_komi_that_is_not_the_games(plies, dynamic_komi, resigns):
    """Komi that is raised makes Black look lost; White's low win rate is not raised enough."""
    position = GoPosition(13, komi=0.5).with_handicap(fixed_handicap(13, 2))
    for _ in range(plies):
        position = position.play(int(position.sensible_points()[0]))
    assert balanced(position).komi > position.komi and position.to_play == (BLACK if plies % 2 else WHITE)
    player = SearchPlayer("uct", LostSearch(Settings(seed=1, early_stop=False)),
                          PlayOptions(150, dynamic_komi=dynamic_komi, resign_moves=1))
    point = player.select_move(position)
    assert point == RESIGN if resigns else point > 0

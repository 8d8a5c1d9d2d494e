"""The search as a whole: limits, seeds, threads, the network's part, and positions that it must solve."""
import threading
import time

import numpy as np
import pytest
from drawing import SEKI, assert_same_points, draw

from mugo.files import BadInput
from mugo.games.coords import PASS
from mugo.games.go import BLACK, WHITE, Position
from mugo.search.search import Search, Settings


class Judge:
    """A network that knows nothing but who wins: priors all alike, the same value for one colour everywhere."""
    name = "judge"
    has_value = True

    def __init__(self, size, black_wins=0.0, priors=None):
        self.size, self.black_wins, self.priors = size, black_wins, priors
        self.calls = []

    def evaluate_packed(self, packed):
        self.calls.append(len(packed))
        n = len(packed)
        priors = np.full((n, self.size ** 2 + 1), 1 / (self.size ** 2 + 1), np.float32)
        if self.priors is not None:
            priors[:] = self.priors
        black_to_play = packed[:, 0, 0] & 1 == 1         # plane 0: my stones; Black has one in the first corner
        return priors, np.where(black_to_play, self.black_wins, -self.black_wins).astype(np.float32)


def test_the_same_seed_gives_the_same_search():
    def searched(seed):
        thought = Search(Settings(seed=seed)).think(Position(9), simulations=500)
        return [(branch.point, branch.visits, branch.win_rate) for branch in thought.branches]

    assert searched(1) == searched(1)
    assert searched(1) != searched(2)


def test_threads_change_nothing_but_the_time():
    alone = Search(Settings(seed=1, threads=1, rollout="mogo"), Judge(5)).think(Position(5), simulations=200)
    together = Search(Settings(seed=1, threads=2, rollout="mogo"), Judge(5)).think(Position(5), simulations=200)
    assert [(b.point, b.visits, b.win_rate) for b in alone.branches] \
        == [(b.point, b.visits, b.win_rate) for b in together.branches]
    assert (alone.owners == together.owners).all()


@pytest.mark.parametrize("settings, network", [
    (Settings(early=False), None), (Settings(early=False, batch=16), None),
    (Settings(early=False, threads=2, batch=16), None),
    (Settings(early=False), Judge(7)), (Settings(early=False, threads=2), Judge(7)),
    (Settings(early=False, grow_at=4), Judge(7)), (Settings(early=False, rollout="none"), Judge(7)),
    (Settings(early=False, turn=True, noise=0.25), Judge(7)), (Settings(early=False, share=False, reuse=False), None),
])
def test_a_search_makes_as_many_simulations_as_it_is_told(settings, network):
    search = Search(settings, network)
    position = Position(7)
    for total in 301, 4:
        thought = search.think(position, simulations=total)
        assert thought.simulations == total
        assert sum(branch.visits for branch in thought.branches) <= thought.visits
        assert {branch.point for branch in thought.branches} == {PASS, *position.sensible_points().tolist()}
        position = position.play(thought.best().point)


def test_seconds_are_kept_and_it_stops_at_once():
    search = Search(Settings(early=False))
    search.think(Position(9), simulations=10)
    for seconds in 0.0, 0.05, 0.3:
        thought = search.think(Position(9), seconds=seconds)
        assert seconds <= thought.seconds < seconds + 0.1
        assert thought.simulations >= 1
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    started = time.perf_counter()
    thought = search.think(Position(19), is_over=stopped.is_set)
    assert 0.2 <= time.perf_counter() - started < 0.5
    assert thought.simulations > 100


def test_however_short_the_time_every_move_is_there():
    for settings in Settings(grow_at=8), Settings(grow_at=8, threads=2), Settings(rollout="none"):
        thought = Search(settings, Judge(5)).think(Position(5), seconds=0)
        assert thought.simulations == 1 and len(thought.branches) == 26


def test_it_stops_early_when_nothing_can_change_any_more():
    position, _ = draw(THREE_IN_A_ROW, komi=40)
    early = Search(Settings(seed=1)).think(position, simulations=5000)
    late = Search(Settings(seed=1, early=False)).think(position, simulations=5000)
    assert late.simulations == 5000 > early.simulations
    assert early.best().point == late.best().point


@pytest.mark.parametrize("seconds", [None, 0.3])
def test_what_is_found_so_far_can_be_watched(seconds):
    """What is told grows, is whole each time, and changes nothing of the search."""
    told = []
    search, limit = Search(Settings(seed=1)), None if seconds else 40_000
    thought = search.think(Position(9), simulations=limit, seconds=seconds, watch=told.append, every=0.02)
    visits = [sum(branch.visits for branch in so_far.branches) for so_far in told]
    assert len(told) >= 3
    assert visits == sorted(set(visits))
    assert visits[-1] <= thought.visits
    assert told[0].owners is not None
    if limit:
        unwatched = Search(Settings(seed=1)).think(Position(9), simulations=limit)
        assert [b.visits for b in unwatched.branches] == [b.visits for b in thought.branches]


def test_only_the_moves_asked_for_are_searched_and_the_others_come_back():
    search, position = Search(Settings(seed=1)), Position(5)
    corner, centre = position.legal_points()[0], position.legal_points()[12]
    thought = search.think(position, simulations=300, among=[int(corner), int(centre)])
    assert {branch.point for branch in thought.branches} == {corner, centre}
    assert {b.point for b in search.think(position, simulations=300, among=[PASS]).branches} == {PASS}
    everything = search.think(position, simulations=300)
    assert len(everything.branches) == 26
    assert {b.point: b.visits for b in everything.branches}[int(corner)] > 0
    assert int(search._root_edges()["move"][-1]) == PASS
    nowhere = search.think(position.play(int(corner)), simulations=50, among=[int(corner)])
    assert len(nowhere.branches) == 25


def test_one_can_look_below_the_root():
    search, position = Search(Settings(seed=1)), Position(5)
    thought = search.think(position, simulations=3000)
    first = thought.branches[0]
    below = search.look((first.point,))
    assert below[0].point == first.line[1]
    assert sum(branch.visits for branch in below) <= first.visits
    assert {branch.point for branch in search.look()} == {branch.point for branch in thought.branches}
    assert 1 - below[0].win_rate == pytest.approx(first.win_rate, abs=0.2)
    assert search.look((first.point, first.point)) == ()


def test_the_tree_is_kept_whoever_moved():
    search = Search(Settings(seed=1, early=False))
    position = Position(5)
    for _ in range(3):
        thought = search.think(position, simulations=2000)
        branch = thought.best()
        kept = [b for b in thought.branches if b.visits > 100][-1]
        position = position.play(kept.point)
        again = search.think(position, simulations=1)
        assert again.visits >= kept.visits               # at least what went through that move
    assert branch.visits >= kept.visits
    forgetful = Search(Settings(seed=1, early=False, reuse=False))
    for _ in range(2):
        assert forgetful.think(Position(5), simulations=100).visits == 100


@pytest.mark.parametrize("share", [True, False])
def test_the_tree_is_kept_over_two_moves_and_dropped_for_another_komi(share):
    search = Search(Settings(seed=1, early=False, share=share))
    position = Position(5)
    thought = search.think(position, simulations=3000)
    line = thought.best().line
    after = position.play(line[0]).play(line[1])
    assert search.think(after, simulations=1).visits > 10
    assert search.think(Position(9), simulations=1).visits == 1
    other = Position(9, komi=0.5)
    assert search.think(other, simulations=5).visits == 5


def test_noise_is_at_the_root_and_goes_away():
    search = Search(Settings(seed=1, early=False, noise=0.5, rollout="none"), Judge(5))
    with_noise = search.think(Position(5), simulations=300)
    without = Search(Settings(seed=1, early=False, rollout="none"), Judge(5)).think(Position(5), simulations=300)
    assert np.std([b.visits for b in with_noise.branches]) > 2 * np.std([b.visits for b in without.branches])
    assert {round(b.prior, 6) for b in with_noise.branches} == {round(1 / 26, 6)}
    unable = search.think(Position(5), simulations=20, may_pass=False)
    assert PASS not in {b.point for b in unable.branches} and len(unable.branches) == 25
    assert len(search.think(Position(5), simulations=1).branches) == 26


@pytest.mark.parametrize("black_wins", [0.8, -0.8])
def test_the_networks_value_is_for_the_side_to_move(black_wins):
    position, _ = draw("""
        X . . . .
        . . . . .
        . . O . .
        . . . . .
        . . . . .
    """)
    for to_play in BLACK, WHITE:
        search = Search(Settings(rollout="none", early=False), Judge(5, black_wins))
        thought = search.think(position.with_turn(to_play), simulations=100)
        assert thought.win_rate == pytest.approx((1 + black_wins * to_play) / 2, abs=0.02)


def test_symmetries_come_back_the_right_way():
    position, at = draw("""
        . a . .
        b X c .
        . d . .
        . . . .
    """, to_play=WHITE)

    class Beside(Judge):
        """Likes the points beside a stone, wherever it stands."""
        def evaluate_packed(self, packed):
            stones = (packed[:, :, 0] & 3).astype(bool).reshape(-1, 4, 4)
            around = np.zeros((len(packed), 6, 6), np.float32)
            for down, right in (0, 1), (2, 1), (1, 0), (1, 2):
                around[:, down:down + 4, right:right + 4] += stones
            priors = np.concatenate([around[:, 1:5, 1:5].reshape(-1, 16), np.zeros((len(packed), 1))], 1)
            return (priors / priors.sum(1, keepdims=True)).astype(np.float32), np.zeros(len(packed), np.float32)

    for seed in range(6):
        for turn in True, False:
            thought = Search(Settings(seed=seed, rollout="none", turn=turn), Beside(4)).think(position, simulations=1)
            liked = [branch.point for branch in thought.branches if branch.prior > 0.2]
            assert_same_points(position, liked, [at[name] for name in "abcd"], "liked")


def test_the_network_can_play_the_rollouts_itself():
    judge = Judge(3)
    search = Search(Settings(rollout="network", seed=1, early=False), judge)
    thought = search.think(Position(3, komi=0.5), simulations=60)
    assert thought.simulations == 60
    assert len(judge.calls) > 100
    assert thought.win_rate > 0.5 and thought.owners is not None


def test_owners_come_with_the_rollouts():
    position, _ = draw("""
        . X X O .
        X . X O O
        . X X O .
        X X X O O
        . X . O .
    """)
    for settings, network in ((Settings(), None), (Settings(threads=2), None), (Settings(threads=2), Judge(5))):
        thought = Search(settings, network).think(position, simulations=200)
        assert 0 < thought.rollouts <= thought.simulations          # none where the tree ends the game
        assert thought.owners.shape == (5, 5)
        assert (thought.owners[:4, :3] > 0.8).all() and (thought.owners[:, 3:] < -0.8).all()
    assert Search(Settings(rollout="none"), Judge(5)).think(position, simulations=20).owners is None


@pytest.mark.parametrize("settings, network, words", [
    ({"rollout": "best"}, None, "'best' is no kind of rollout"),
    ({"rollout": "network"}, None, "needs a network"),
    ({"rollout": "none"}, None, "needs a network"),
    ({"trust": 1.5}, None, "lambda is a share from 0 to 1, not 1.5"),
    ({"threads": 0}, None, "threads is 1 or more, not 0"),
    ({"c": -1.0}, None, "c is 0 or more"),
    ({"alpha": 0.0}, None, "alpha is above 0"),
])
def test_settings_that_make_no_sense_are_refused(settings, network, words):
    with pytest.raises(BadInput, match=words):
        Search(Settings(**settings), network)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_that_broke_off_leaves_nothing_behind(threads):
    class Fails(Judge):
        def evaluate_packed(self, packed):
            if len(self.calls) == 5:
                self.calls.append(0)
                raise RuntimeError("the network failed")
            return super().evaluate_packed(packed)

    search = Search(Settings(rollout="mogo", threads=threads, early=False), Fails(5))
    with pytest.raises(RuntimeError):
        search.think(Position(5), simulations=200)
    thought = search.think(Position(5), simulations=40)
    assert thought.visits == 40 and sum(branch.visits for branch in thought.branches) == 39
    used = search._trees[0]
    assert not search._nodes["pending"][1:used["n_nodes"]].any()
    assert not search._edges["pending"][:used["n_edges"]].any()


def test_a_network_without_a_value_head_needs_rollouts():
    judge = Judge(5)
    judge.has_value = False
    with pytest.raises(BadInput, match="no value head"):
        Search(Settings(rollout="none"), judge)


# What a search must know of Go.  X or O to play finds one of the points named by letters.

@pytest.mark.parametrize("size, komi, wins", [(2, 0.5, True), (2, 1.5, False), (3, 8.5, True), (3, 9.5, False)])
def test_the_smallest_boards_are_solved(size, komi, wins):
    # Black wins 2x2 by 1 and 3x3 by 9 (Tromp and Taylor's rules, positional superko).
    win_rate = Search(Settings(seed=1, early=False)).think(Position(size, komi), simulations=50_000).win_rate
    assert win_rate > 0.9 if wins else win_rate < 0.1


def solves(picture, answers, *, to_play=BLACK, komi=0.0, simulations=8000, **settings):
    """Fails unless the search plays one of these letters (or 'pass'); returns what it thought."""
    position, at = draw(picture, to_play=to_play, komi=komi)
    thought = Search(Settings(seed=3, early=False, **settings)).think(position, simulations=simulations)
    wanted = [PASS if answer == "pass" else at[answer] for answer in answers]
    assert thought.best().point in wanted, f"\n{position}\n{thought.table(5)}"
    return thought


THREE_IN_A_ROW = """
    . a . O X . X
    O O O O X X X
    X X X X X . X
    X X X X X X X
    X . X X . X X
    X X X X X X X
    X X X X X X X
"""
BULKY_FIVE = """
    . . O X . X X
    a . O X X X X
    . O O X X . X
    O O X X X X X
    X X X X . X X
    X . X X X X X
    X X X X X X X
"""


@pytest.mark.parametrize("picture", [THREE_IN_A_ROW, BULKY_FIVE])
@pytest.mark.parametrize("settings", [{}, {"rollout": "mogo"}, {"share": False}, {"urgency": 1.1}])
def test_it_kills_and_lives_at_the_vital_point(picture, settings):
    assert solves(picture, "a", komi=40, **settings).win_rate > 0.8
    assert solves(picture, "a", to_play=WHITE, komi=40, **settings).win_rate > 0.8


CAPTURING_RACE = """
    O c X O a X X
    O d X O b X .
    O O X O X X X
    O O X O X X .
    O . O X X X X
    . O O X X . X
    O O O X X X X
"""


def test_it_wins_a_capturing_race_by_one_move():
    assert solves(CAPTURING_RACE, "ab").win_rate > 0.8
    assert solves(CAPTURING_RACE, "cd", to_play=WHITE).win_rate > 0.8


@pytest.mark.parametrize("to_play, komi", [(BLACK, 0.5), (WHITE, 1.5)])
@pytest.mark.parametrize("rollout", ["uniform", "mogo"])
def test_it_leaves_a_seki_alone(to_play, komi, rollout):
    assert solves(SEKI, ["pass"], to_play=to_play, komi=komi, rollout=rollout).win_rate > 0.9


KO = """
    . X X X O O .
    X X X X O . O
    X . X O a O O
    X X X X O O O
    . X X X O O .
    X X X X O O O
    X . X X O . O
"""


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_it_takes_and_fills_the_last_ko(to_play):
    assert solves(KO, "a", to_play=to_play, komi=7).win_rate > 0.9


LADDER = """
    O O O X . . .
    O X O X X . .
    X X O O a . .
    X X X b . . .
    X . X . . . .
    X X . . . . .
    . X . . . . .
"""


def test_it_reads_a_ladder_to_the_edge():
    thought = solves(LADDER, "a", komi=14.5, simulations=50_000)
    position, at = draw(LADDER)
    assert thought.best().line[1] == at["b"]             # White runs, and is caught all the same
    assert len(thought.best().line) >= 6
    assert thought.win_rate > 0.75


def test_it_finds_what_is_left_over_when_the_rest_is_settled():
    # The same through the network's formula, with priors that know nothing.
    for picture, answers, komi in (THREE_IN_A_ROW, "a", 40), (BULKY_FIVE, "a", 40), (KO, "a", 7), (SEKI, ["pass"], 0.5):
        position, at = draw(picture, komi=komi)
        search = Search(Settings(seed=3, early=False, rollout="mogo", c=2.0), Judge(7))
        point = search.think(position, simulations=1500).best().point
        assert point in [PASS if answer == "pass" else at[answer] for answer in answers]

"""The search as a whole: limits, seeds, threads, the network's part, and positions that it must solve."""
from dataclasses import replace

import numpy as np
import pytest
from drawing import LADDER, SEKI, after, draw
from fakes import StoneCounter, WorkClock
from trees import moves_after

from mugo.core.files import BadInput
from mugo.games.coords import PASS, point_at
from mugo.games.go import BLACK, WHITE, GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.rules import NAMED_RULES
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.players.registry import UCT
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings


class Evaluator(NetworkProtocol):
    """A network that knows nothing but who wins: priors all alike, the same value for one colour everywhere."""
    name = "judge"
    has_value = True
    has_ownership = False

    def __init__(self, size, black_wins=0.0, priors=None):
        self.size, self.black_wins, self.priors = size, black_wins, priors
        self.calls = []

    def evaluate_packed(self, packed, features=None):
        self.calls.append(len(packed))
        n = len(packed)
        priors = np.full((n, self.size ** 2 + 1), 1 / (self.size ** 2 + 1), np.float32)
        if self.priors is not None:
            priors[:] = self.priors
        black_to_play = packed[:, 0, 0] & 1 == 1         # plane 0: my stones; Black has one in the first corner
        values = np.where(black_to_play, self.black_wins, -self.black_wins).astype(np.float32)
        return NetworkOutput(priors, values)


@pytest.mark.parametrize("select_by", ["visits", "lcb", "value"])
@pytest.mark.parametrize("position", [GoPosition(5), GomokuPosition(5)])
def test_a_search_of_one_simulation_plays_the_move_with_the_highest_prior(position, select_by):
    priors = np.full(26, 0.01, np.float32)
    priors[17] = 0.75
    for seed in range(5):
        result = Search(Settings(seed=seed), Evaluator(5, priors=priors)).search(position, simulations=1)
        best = result.best(select_by)
        assert best.visits == 0 and best.prior > 0.7


@pytest.mark.parametrize("settings", [Settings(), UCT, replace(UCT, rollouts=2), replace(UCT, heuristic_priors=False),
                                      replace(UCT, rave=False)])
def test_the_same_seed_gives_the_same_search(settings):
    def searched(seed):
        result = Search(replace(settings, seed=seed)).search(GoPosition(9), simulations=500)
        return [(info.point, info.visits, info.win_rate) for info in result.moves]

    assert searched(1) == searched(1) != searched(2)


def test_threads_do_not_change_the_result():
    alone = Search(Settings(seed=1, threads=1, rollout="mogo"), Evaluator(5)).search(GoPosition(5), simulations=200)
    together = Search(Settings(seed=1, threads=2, rollout="mogo"), Evaluator(5)).search(GoPosition(5), simulations=200)
    assert [(b.point, b.visits, b.win_rate) for b in alone.moves] \
        == [(b.point, b.visits, b.win_rate) for b in together.moves]
    assert (alone.ownership == together.ownership).all()


@pytest.mark.parametrize("settings, network", [
    (Settings(early_stop=False), None), (Settings(early_stop=False, threads=2), None),
    (Settings(early_stop=False), Evaluator(7)), (Settings(early_stop=False, threads=2), Evaluator(7)),
    (Settings(early_stop=False, expand_after=4), Evaluator(7)),
    (Settings(early_stop=False, rollout="none"), Evaluator(7)),
    (Settings(early_stop=False, dirichlet_weight=0.25), Evaluator(7)),
    (Settings(early_stop=False, reuse_tree=False), None),
])
def test_a_search_makes_the_number_of_simulations_asked_for(settings, network):
    search = Search(settings, network)
    position = GoPosition(7)
    for total in 301, 4:
        result = search.search(position, simulations=total)
        assert result.simulations == total
        assert sum(info.visits for info in result.moves) <= result.visits
        assert {info.point for info in result.moves} == {PASS, *position.sensible_points().tolist()}
        position = position.play(result.best().point)


def test_a_search_keeps_its_seconds_and_stops_when_asked():
    search = WorkClock().search(Settings(early_stop=False))
    search.search(GoPosition(9), simulations=10)
    for seconds in 0.0, 0.05, 0.3:
        result = search.search(GoPosition(9), seconds=seconds)
        assert seconds <= result.seconds < seconds + 0.02
        assert result.simulations >= 1
    answers = iter([False, False, False, True])
    assert search.search(GoPosition(19), should_stop=lambda: next(answers)).simulations > 100
    assert list(answers) == []


def test_in_any_time_every_move_is_in_the_result():
    for settings in Settings(expand_after=8), Settings(expand_after=8, threads=2), Settings(rollout="none"):
        result = Search(settings, Evaluator(5)).search(GoPosition(5), seconds=0)
        assert result.simulations == 1 and len(result.moves) == 26


def test_a_search_stops_early_when_no_other_move_can_become_the_most_visited():
    position, _ = draw(THREE_IN_A_ROW, komi=40)
    early = Search(Settings(seed=1)).search(position, simulations=5000)
    late = Search(Settings(seed=1, early_stop=False)).search(position, simulations=5000)
    assert late.simulations == 5000 > early.simulations
    first, second = (info.visits for info in early.moves[:2])
    left = 5000 - early.simulations
    assert left < first - second <= left + 2 * 64        # at the first check at which it is decided
    assert early.best().point == late.best().point


@pytest.mark.parametrize("network", [None, Evaluator(9)])
def test_a_tree_that_is_nearly_full_is_begun_anew(network):
    search, position = Search(Settings(seed=1, max_edges=1000, early_stop=False), network), GoPosition(9)
    for _ in range(8):
        result = search.search(position, simulations=200, may_pass=False)
        assert len(result.moves) == len(position.sensible_points()) and result.visits >= 200
        position = position.play(result.best().point)


class RemembersPlanes(StoneCounter):
    """planes: of each position that was evaluated."""

    def __init__(self):
        self.planes = []

    def evaluate_packed(self, packed, features=None):
        self.planes += [planes.tobytes() for planes in packed]
        return super().evaluate_packed(packed, features)


@pytest.mark.parametrize("settings", [{"rollout": "none"}, {"lambda_": 0.5}])
def test_a_full_tree_evaluates_no_leaf_twice_and_says_so_once(settings, capfd):
    network = RemembersPlanes()
    search = Search(Settings(**{"seed": 1, "max_edges": 1000, "early_stop": False, **settings}), network)
    search.reports_full_tree = True
    results = [search.search(GoPosition(9), simulations=500) for _ in range(2)]
    assert results[0].is_full and results[1].visits == 1000 and "the tree is full" in str(results[0])
    assert len(set(network.planes)) == len(network.planes) <= results[1].nodes < 200
    assert capfd.readouterr().err == (f"mugo: the search tree is full with {results[0].nodes:,} nodes and reads no "
                                      "deeper; a larger --max-edges than 1000 takes more memory\n")
    assert not Search(Settings(seed=1), network).search(GoPosition(9), simulations=50).is_full


def test_what_does_not_fit_into_a_full_tree_is_evaluated_again_when_there_is_room():
    search = Search(Settings(seed=1, max_edges=1000, early_stop=False, rollout="none"), StoneCounter())
    first = search.search(GoPosition(9), simulations=400)
    waiting = search.tree.nodes["evaluated"]
    assert waiting.any() and not search.tree.nodes["count"][waiting].any()
    position = GoPosition(9).play(first.best().point)
    search.search(position, simulations=1)               # the rest of the tree is dropped
    kept = set(search.tree.nodes["key"][search.tree.nodes["evaluated"]].tolist())
    search.search(position, simulations=60)
    assert kept & set(search.tree.nodes["key"][search.tree.nodes["count"] > 0].tolist())


@pytest.mark.parametrize("settings", [{"rollout": "none"}, {"lambda_": 0.5}])
def test_a_position_after_two_passes_gets_no_edges_and_is_evaluated_once(settings):
    """By territory rollouts or the network decide what is dead, so it has no exact value."""
    network = RemembersPlanes()
    search = Search(Settings(seed=1, early_stop=False, **settings), network)
    start = GoPosition(4).with_rules(NAMED_RULES["japanese"])
    search.search(start.play(PASS), simulations=200, allowed_moves=[PASS])
    assert moves_after(search, (PASS,)) == () and search.growth.positions_evaluated == 2
    root = search.tree.root_node
    assert root["visits"] == 200 and (search.tree.nodes["count"] > 0).sum() == 1


@pytest.mark.parametrize("temperature", [1.0, 2.0])
@pytest.mark.parametrize("weight", [0.0, 0.25])
def test_the_priors_of_the_moves_allowed_at_the_root_sum_to_1(temperature, weight):
    sums = []
    search = Search(Settings(seed=1, rollout="none", root_policy_temperature=temperature, dirichlet_weight=weight),
                    StoneCounter())
    allowed = [int(point) for point in GoPosition(5).sensible_points()[:3]]
    search.search(GoPosition(5), simulations=20, allowed_moves=allowed, progress_interval=0,
                  on_progress=lambda result: sums.append(
                      search.tree.root_edges["prior"][search.tree.root_edges["allowed"]].sum()))
    assert sums and sums == pytest.approx([1.0] * len(sums), abs=1e-5)


def test_a_forced_win_is_known_in_a_full_tree_too():
    """Black has four in a row with both ends open wherever White plays."""
    position, _ = draw("""
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . X X X X . . .
        . . . . . . . . .
        . . O O . O . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """, to_play=WHITE, k=5)
    search = Search(Settings(seed=1, max_edges=1000, rollout="none", early_stop=False), Evaluator(9, black_wins=-0.9))
    search.tree.edges = search.tree.edges[:81]           # room for the root's edges, and no other's
    result = search.search(position, simulations=60, allowed_moves=position.legal_points().tolist())
    assert result.is_full and search.growth.positions_evaluated == 1
    assert result.win_rate < 0.1


@pytest.mark.parametrize("lambda_", [0.0, 0.25])
def test_a_node_keeps_the_value_of_the_network_alone(lambda_):
    """All rollouts are won by Black; the network says that Black loses."""
    position, _ = draw("""
        X X . X .
        X X X X X
        X X X X X
        X X X X X
        X X X X X
    """, komi=0.5)
    search = Search(Settings(seed=1, early_stop=False, lambda_=lambda_, rollout="mogo"), Evaluator(5, black_wins=-0.8))
    root = search.search(position, simulations=1) and search.tree.root_node
    assert root["total"] == pytest.approx(-0.8 * (1 - lambda_) + lambda_, abs=1e-6)
    assert root["raw_value"] == pytest.approx(-0.8)


@pytest.mark.parametrize("lambda_", [0.25, 0.75])
def test_a_leaf_that_was_evaluated_before_has_the_weighted_mean_of_both_values(lambda_):
    """After two passes by territory the network is not asked again.  All rollouts are won by Black, -1 for White; the
    network's value for White is 0.8."""
    position, _ = draw("""
        X X . X .
        X X X X X
        X X X X X
        X X X X X
        X X X X X
    """, komi=0.5, to_play=WHITE)
    start = position.with_rules(NAMED_RULES["japanese"]).play(PASS)
    network = Evaluator(5, black_wins=-0.8)
    search = Search(Settings(seed=1, early_stop=False, lambda_=lambda_, rollout="mogo"), network)
    search.search(start, simulations=50, allowed_moves=[PASS])
    (edge,) = search.tree.root_edges[search.tree.root_edges["visits"] > 0]
    below = search.tree.nodes[edge["node"]]
    assert below["visits"] == 49 and sum(network.calls) == 2
    assert below["total"] / 49 == pytest.approx(0.8 * (1 - lambda_) - lambda_, abs=1e-6)


@pytest.mark.parametrize("network", [None, Evaluator(9)])
def test_a_full_tree_of_the_same_position_is_searched_on(network):
    search = Search(Settings(seed=1, max_edges=1000, early_stop=False), network)
    visits = [search.search(GoPosition(9), simulations=300, may_pass=False).visits for _ in range(3)]
    assert visits[0] >= 300 and visits[1] >= visits[0] + 300 and visits[2] >= visits[1] + 300


@pytest.mark.parametrize("seconds", [None, 0.3])
def test_on_progress_gets_intermediate_results(seconds):
    """What is told grows, is whole each time, and changes nothing of the search."""
    time_left = []
    search, limit = Search(Settings(seed=1)), None if seconds else 15_000
    result = search.search(GoPosition(9), simulations=limit, seconds=seconds, on_progress=time_left.append,
                           progress_interval=0.005)
    visits = [sum(info.visits for info in so_far.moves) for so_far in time_left]
    assert len(time_left) >= 3
    assert visits == sorted(set(visits))
    assert visits[-1] <= result.visits
    assert time_left[0].ownership is not None
    if limit:
        unwatched = Search(Settings(seed=1)).search(GoPosition(9), simulations=limit)
        assert [b.visits for b in unwatched.moves] == [b.visits for b in result.moves]


def test_allowed_moves_restrict_one_search():
    search, position = Search(Settings(seed=1)), GoPosition(5)
    corner, centre = position.legal_points()[0], position.legal_points()[12]
    result = search.search(position, simulations=300, allowed_moves=[int(corner), int(centre)])
    assert {info.point for info in result.moves} == {corner, centre}
    assert {b.point for b in search.search(position, simulations=300, allowed_moves=[PASS]).moves} == {PASS}
    everything = search.search(position, simulations=300)
    assert len(everything.moves) == 26
    assert {b.point: b.visits for b in everything.moves}[int(corner)] > 0
    assert int(search.tree.root_edges["move"][-1]) == PASS
    nowhere = search.search(position.play(int(corner)), simulations=50, allowed_moves=[int(corner)])
    assert len(nowhere.moves) == 25


def test_visits_of_a_restricted_search_are_no_preference_afterwards():
    position = GoPosition(5)
    corner = int(position.legal_points()[0])
    search = Search(Settings(seed=1, early_stop=False))
    assert search.search(position, simulations=500, allowed_moves=[corner]).visits == 500
    result = search.search(position, simulations=500)
    assert result.visits == 500 and next(info.visits for info in result.moves if info.point == corner) < 100
    search.search(position, simulations=500, allowed_moves=[corner])
    assert search.search(position, simulations=1, allowed_moves=[corner]).visits > 500        # the same restriction
    assert search.search(position.play(corner), simulations=1).visits > 500                   # a move that was allowed


def test_moves_after_moves_from_the_root():
    search, position = Search(Settings(seed=1)), GoPosition(5)
    result = search.search(position, simulations=3000)
    first = result.moves[0]
    below = moves_after(search, (first.point,))
    assert below[0].point == first.pv[1]
    assert sum(info.visits for info in below) <= first.visits
    assert {info.point for info in moves_after(search)} == {info.point for info in result.moves}
    assert 1 - below[0].win_rate == pytest.approx(first.win_rate, abs=0.2)
    assert moves_after(search, (first.point, first.point)) == ()


def test_the_tree_is_reused_after_moves_of_either_side():
    search = Search(Settings(seed=1, early_stop=False))
    position = GoPosition(5)
    for _ in range(3):
        result = search.search(position, simulations=2000)
        info = result.best()
        kept = [b for b in result.moves if b.visits > 100][-1]
        position = position.play(kept.point)
        again = search.search(position, simulations=1)
        assert again.visits >= kept.visits               # at least what went through that move
    assert info.visits >= kept.visits
    forgetful = Search(Settings(seed=1, early_stop=False, reuse_tree=False))
    for _ in range(2):
        assert forgetful.search(GoPosition(5), simulations=100).visits == 100


def test_a_cleared_search_begins_anew():
    search = Search(Settings(seed=1, early_stop=False))
    search.search(GoPosition(5), simulations=100)
    assert search.search(GoPosition(5), simulations=100).visits == 200
    search.clear()
    assert search.search(GoPosition(5), simulations=100).visits == 100


def test_the_tree_is_reused_after_two_moves_and_not_for_another_komi():
    search = Search(Settings(seed=1, early_stop=False))
    position = GoPosition(5)
    result = search.search(position, simulations=3000)
    line = result.best().pv
    after = position.play(line[0]).play(line[1])
    assert search.search(after, simulations=1).visits > 10
    assert search.search(GoPosition(9), simulations=1).visits == 1
    other = GoPosition(9, komi=0.5)
    assert search.search(other, simulations=5).visits == 5


def test_dirichlet_noise_is_added_to_the_root_and_removed_after_the_search():
    search = Search(Settings(seed=1, early_stop=False, dirichlet_weight=0.5, rollout="none"), Evaluator(5))
    with_noise = search.search(GoPosition(5), simulations=300)
    without = Search(Settings(seed=1, early_stop=False, rollout="none"), Evaluator(5)).search(GoPosition(5),
                                                                                              simulations=300)
    assert np.std([b.visits for b in with_noise.moves]) > 2 * np.std([b.visits for b in without.moves])
    assert {round(b.prior, 6) for b in with_noise.moves} == {round(1 / 26, 6)}
    unable = search.search(GoPosition(5), simulations=20, may_pass=False)
    assert PASS not in {b.point for b in unable.moves} and len(unable.moves) == 25
    again = search.search(GoPosition(5), simulations=1)
    assert len(again.moves) == 26 and {round(info.prior, 6) for info in again.moves} == {round(1 / 26, 6)}


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
        search = Search(Settings(rollout="none", early_stop=False), Evaluator(5, black_wins))
        result = search.search(position.with_turn(to_play), simulations=100)
        assert result.win_rate == pytest.approx((1 + black_wins * to_play) / 2, abs=0.02)


class KnowsKomi(Evaluator):
    """The side to which komi gives points wins; the komi of each leaf must be that of its side to move."""
    def evaluate_packed(self, packed, features=None):
        black_to_play = packed[:, 0, 0] & 1 == 1
        assert np.array_equal(features[:, 0], np.where(black_to_play, -8.5, 8.5))
        assert np.array_equal(features[:, 1], np.where(black_to_play, 1, -1))
        return super().evaluate_packed(packed)._replace(values=np.sign(features[:, 0]))


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
@pytest.mark.parametrize("settings", [Settings(rollout="none"), Settings(lambda_=0.5, expand_after=3)])
def test_every_leaf_is_evaluated_with_the_komi_of_its_side_to_move(settings, to_play):
    corners = [point_at(row, col, 5) for row in (0, 4) for col in (0, 4)]
    position = GoPosition(5, 7.5, to_play).with_stones(black=corners)
    position.handicap = 1
    position = position.with_rules(NAMED_RULES["chinese"])
    result = Search(replace(settings, seed=1), KnowsKomi(5)).search(position, simulations=40)
    if settings.rollout == "none":
        assert result.win_rate == (1 if to_play == WHITE else 0)


def test_batches_grow_with_the_visits_of_the_root():
    """A small tree has no eight leaves worth evaluating; a batch that is asked for is taken."""
    judge = Evaluator(9)
    Search(Settings(rollout="none", lambda_=0, seed=1, early_stop=False), judge).search(GoPosition(9), simulations=400)
    visits = np.cumsum(judge.calls)
    assert set(judge.calls[:63]) == {1} and max(judge.calls) == 8 and visits[-1] > 300
    for before, size in zip(visits, judge.calls[1:], strict=False):
        assert size <= max(1, (before + 60) // 32)       # some simulations need no evaluation
    fixed = Evaluator(9)
    Search(Settings(rollout="none", lambda_=0, seed=1, early_stop=False, batch=8), fixed).search(GoPosition(9),
                                                                                               simulations=400)
    assert 8 in fixed.calls[:3]


def test_lambda_is_the_weight_of_rollouts():
    """Of a root that White has won by komi in every rollout, and that the value head calls even."""
    for weight in (0.25, 0.75):
        search = Search(Settings(lambda_=weight, seed=1), Evaluator(9))
        assert search.search(GoPosition(9, komi=1000), simulations=1).win_rate == pytest.approx((1 - weight) / 2)


def test_the_result_has_the_ownership_of_the_rollouts():
    position, _ = draw("""
        . X X O .
        X . X O O
        . X X O .
        X X X O O
        . X . O .
    """)
    for settings, network in ((Settings(), None), (Settings(threads=2), None), (Settings(threads=2), Evaluator(5))):
        result = Search(settings, network).search(position, simulations=200)
        assert 0 < result.rollouts <= result.simulations          # none where the tree ends the game
        assert result.ownership.shape == (5, 5)
        assert (result.ownership[:4, :3] > 0.8).all() and (result.ownership[:, 3:] < -0.8).all()
    assert Search(Settings(rollout="none"), Evaluator(5)).search(position, simulations=20).ownership is None


@pytest.mark.parametrize("settings, network, message", [
    ({"rollout": "none"}, None, "--rollout none needs a network"), ({"batch": 4}, None, "--batch needs a network"),
    ({"rave": True}, Evaluator(5), "--rave is for searches without a network"),
    ({"heuristic_priors": True}, Evaluator(5), "--heuristic-priors is for searches without a network")])
def test_settings_that_do_not_fit_the_network_are_refused(settings, network, message):
    with pytest.raises(BadInput, match=message):
        Search(Settings(**settings), network)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_that_raised_leaves_no_virtual_losses(threads):
    class Fails(Evaluator):
        def evaluate_packed(self, packed, features=None):
            if len(self.calls) == 5:
                self.calls.append(0)
                raise RuntimeError("the network failed")
            return super().evaluate_packed(packed, features)

    search = Search(Settings(rollout="mogo", threads=threads, early_stop=False), Fails(5))
    with pytest.raises(RuntimeError):
        search.search(GoPosition(5), simulations=200)
    result = search.search(GoPosition(5), simulations=40)
    assert result.visits == 40 and sum(info.visits for info in result.moves) == 39
    assert not search.tree.nodes["virtual_losses"][1:search.tree.n_nodes].any()
    assert not any(search.tree.edges_of(v)["virtual_losses"].any() for v in range(1, search.tree.n_nodes))


def test_a_network_without_a_value_head_needs_rollouts():
    judge = Evaluator(5)
    judge.has_value = False
    with pytest.raises(BadInput, match="needs a value head"):
        Search(Settings(rollout="none"), judge)


TRIPLE_KO = """
    . X O . . . . . .
    X Oa b O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X c Xd O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X Oe f O . . . . .
    . X O . . . . . .
"""


@pytest.mark.parametrize("settings, network", [
    (Settings(seed=1), None), (Settings(seed=1, rave=True, heuristic_priors=True), None),
    (Settings(seed=1, rollout="none"), StoneCounter())])
@pytest.mark.parametrize("rules", ["japanese", "chinese", "aga", "chinese-kgs"])
def test_a_repetition_is_a_draw_by_simple_ko_and_no_move_by_superko(rules, settings, network):
    start, at = draw(TRIPLE_KO)
    position = after(start.with_rules(NAMED_RULES[rules]), at, "b c f a d")
    result = Search(settings, network).search(position, simulations=600)
    found = [info.win_rate for info in result.moves if info.point == at["e"] and info.visits]
    assert found == ([0.5] if rules in ("japanese", "chinese") else [])


# What a search must know of Go.  X or O to play finds one of the points named by letters.

@pytest.mark.parametrize("size, komi, wins", [(2, 0.5, True), (2, 1.5, False), (3, 8.5, True), (3, 9.5, False)])
def test_the_smallest_boards_are_solved(size, komi, wins):
    # Black wins 2x2 by 1 and 3x3 by 9 (Tromp and Taylor's rules, positional superko).
    win_rate = Search(Settings(seed=1, early_stop=False)).search(GoPosition(size, komi), simulations=50_000).win_rate
    assert win_rate > 0.9 if wins else win_rate < 0.1


def solves(picture, answers, *, to_play=BLACK, komi=0.0, simulations=8000, **settings):
    """Fails unless the search plays one of these letters (or 'pass'); returns what it thought."""
    position, at = draw(picture, to_play=to_play, komi=komi)
    result = Search(Settings(seed=3, early_stop=False, **settings)).search(position, simulations=simulations)
    wanted = [PASS if answer == "pass" else at[answer] for answer in answers]
    assert result.best().point in wanted, f"\n{position}\n{result.table(5)}"
    return result


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
@pytest.mark.parametrize("settings", [{}, {"rollout": "mogo"}, {"fpu": 1.1}])
def test_a_search_kills_and_lives_at_the_vital_point(picture, settings):
    assert solves(picture, "a", komi=40, **settings).win_rate > 0.8
    assert solves(picture, "a", to_play=WHITE, komi=40, **settings).win_rate > 0.8


KO = """
    . X X X O O .
    X X X X O . O
    X . X O a O O
    X X X X O O O
    . X X X O O .
    X X X X O O O
    X . X X O . O
"""


def test_a_search_reads_a_ladder_to_the_edge():
    result = solves(LADDER, "a", komi=14.5, simulations=50_000)
    position, at = draw(LADDER)
    assert result.best().pv[1] == at["b"]             # White runs, and is caught all the same
    assert len(result.best().pv) >= 6
    assert result.win_rate > 0.75


def test_a_search_finds_the_last_valuable_move():
    # The same through the network's formula, with priors that know nothing.
    for picture, answers, komi in (THREE_IN_A_ROW, "a", 40), (BULKY_FIVE, "a", 40), (KO, "a", 7), (SEKI, ["pass"], 0.5):
        position, at = draw(picture, komi=komi)
        search = Search(Settings(seed=3, early_stop=False, rollout="mogo", c=2.0), Evaluator(7))
        point = search.search(position, simulations=1500).best().point
        assert point in [PASS if answer == "pass" else at[answer] for answer in answers]

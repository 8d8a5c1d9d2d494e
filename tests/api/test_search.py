"""The search of the library: what it finds, whose values it gives, progress, Ctrl-C."""
import signal
import threading
import time
import xml.etree.ElementTree as ElementTree

import pytest

import mugo


@pytest.fixture(scope="module")
def network():
    return mugo.load_network("gomoku-6-4", precision="float32")


def test_a_search_finds_a_win_in_gomoku(network):
    three = mugo.Position(6, game="gomoku").play(*"B3 A1 C3 A2 D3 F6".split())
    for by in None, network:
        result = mugo.search(three, by, simulations=200, seed=1)
        assert result.best in ("A3", "E3") and result.win_rate == 1 and result.moves[0].proven == "win"
        assert result.black_win_rate == 1 and result.lead is None and result.ownership is None


def test_values_are_those_of_the_side_to_move():
    wall = mugo.Position.from_text("\n".join([". X X O ."] * 5), to_move="W", komi=0.5)
    result = mugo.search(wall, simulations=300, seed=1)
    assert result.win_rate < 0.2 and result.black_win_rate == 1 - result.win_rate
    assert result.lead < 0 and result.black_lead == -result.lead
    assert result.black_ownership[2, 0] > 0.9 and result.ownership[2, 0] < -0.9
    assert max(move.win_rate for move in result.moves if move.visits > 20) < 0.3


def test_a_search_is_repeated_with_its_seed_and_its_moves_are_the_best_first(network):
    start = mugo.Position(6, game="gomoku").play("C3")
    one, two = (mugo.search(start, network, simulations=60, seed=3) for _ in range(2))
    assert one.moves == two.moves and one.best == one.moves[0].move == one.moves[0].pv[0]
    visits = [move.visits for move in one.moves if move.proven is None and move.symmetry_of is None]
    assert visits == sorted(visits)[::-1] and sum(visits) <= one.visits <= 60


def test_options_are_those_of_the_command_line():
    start = mugo.Position(5)
    assert mugo.search(start, simulations=200, seed=1, early_stop=False).simulations == 200
    assert mugo.search(start, simulations=50, seed=1, rollouts=2).simulations == 50
    began = time.perf_counter()
    mugo.search(start, seconds=0.2)
    assert time.perf_counter() - began < 3


def test_a_full_tree_is_told():
    for max_edges in 1000, 100_000:
        found = mugo.search(mugo.Position(9), simulations=400, seed=1, max_edges=max_edges, early_stop=False)
        assert found.is_full == (max_edges == 1000)


def test_progress_is_a_callback():
    reported = []
    result = mugo.search(mugo.Position(9), seconds=1.6, progress=reported.append)
    assert 1 <= len(reported) <= 3
    assert all(each.best in each.position.legal_moves() and each.visits <= result.visits for each in reported)


def test_nothing_is_printed_of_a_short_search(capfd):
    mugo.search(mugo.Position(5), simulations=50)
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def interruptible():
    """SIGINT raises KeyboardInterrupt, also in a job in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_a_search():
    timer = threading.Timer(0.5, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    began = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mugo.search(mugo.Position(9), seconds=60)
    assert time.perf_counter() - began < 20
    assert mugo.search(mugo.Position(5), simulations=20).simulations == 20


def test_a_result_is_drawn_and_printed():
    result = mugo.search(mugo.Position(5), simulations=100, seed=1)
    texts = [each.text for each in ElementTree.fromstring(result._repr_svg_())]
    share = result.moves[0].visits / sum(move.visits for move in result.moves)
    assert f"{100 * share:.0f}" in texts
    assert str(result).splitlines()[1].split()[:2] == [result.moves[0].move, str(result.moves[0].visits)]
    assert repr(result).startswith(f"<SearchResult for B: {result.best}, win rate ")


def test_moves_may_be_allowed_and_avoided():
    position = mugo.Position(5).play("C3")
    found = mugo.search(position, simulations=100, seed=1, allow=iter(["A1", "B1", "C1"]), avoid=["B1"])
    assert {each.move for each in found.moves} == {"A1", "C1"}
    assert {move for each in found.moves for move in each.pv} <= {"A1", "C1", "pass"}
    for options in {"allow": []}, {"allow": ["C3"]}, {"allow": ["Z9"]}, {"avoid": ["A1"], "depth": 0}:
        with pytest.raises(mugo.MugoError):
            mugo.search(position, simulations=1, **options)

"""Games of UCT that a run begins with: legal, with visits of every search, never by the network."""
import threading
from dataclasses import replace

import numpy as np
import pytest
from drawing import draw

from mugo.games import gomoku
from mugo.games.coords import PASS, move_index, point_of_index
from mugo.games.game import new_game
from mugo.nn.architectures import AlphaZeroNetConfig
from mugo.players.registry import UCT
from mugo.mcts.search import Search
from mugo.selfplay.actors import UctSelfPlay, visits_of
from mugo.selfplay.options import RunOptions, SelfPlayOptions
from mugo.selfplay.parallel import ParallelSelfPlay
from mugo.selfplay.run import SelfPlayRun

START = gomoku.GomokuPosition(3, 3)
CONFIG = AlphaZeroNetConfig.for_game("gomoku", 3, filters=(4, 4), value_units=8)
OPTIONS = RunOptions(24, SelfPlayOptions(simulations=12), games_per_thread=4, update_games=8, steps=1, batch_size=16,
                     window=60, arena_every=1000, arena_games=24, warm_start_games=12, warm_start_simulations=40)


def play(start, n, options=OPTIONS, seed=0):
    games = []
    UctSelfPlay(start, options, seed=seed).play(games.append, lambda: len(games) >= n)
    return games


@pytest.mark.parametrize("start", [gomoku.GomokuPosition(6, 4), new_game("go", 5, komi=7.5)])
def test_games_are_legal_and_their_moves_were_searched(start):
    for game in play(start, 3):
        position = start
        for move, visits in zip(game.moves.tolist(), game.visits, strict=True):
            legal = {move_index(point, start.size) for point in (*position.legal_points().tolist(), PASS)[
                :None if start.may_pass else -1]}
            assert set(np.flatnonzero(visits)) <= legal and visits[move]
            position = position.play(point_of_index(move, start.size))
        assert position.is_over and game.outcome == np.sign(position.score())


def test_the_same_seed_plays_the_same_games_and_moves_are_sampled():
    first, again, other = (play(gomoku.GomokuPosition(6, 4), 4, seed=seed) for seed in (1, 1, 2))
    assert [game.moves.tolist() for game in first] == [game.moves.tolist() for game in again]
    assert [game.moves.tolist() for game in first] != [game.moves.tolist() for game in other]
    assert len({tuple(game.moves.tolist()) for game in first}) > 1
    greedy = replace(OPTIONS, selfplay=SelfPlayOptions(simulations=12, temperature_moves=0))
    for game in play(gomoku.GomokuPosition(6, 4), 2, greedy):
        assert (game.visits[np.arange(len(game.moves)), game.moves] == game.visits.max(1)).all()


def test_visits_of_a_proven_win_are_its_own():
    position, at = draw("""
        X X X a . .
        O O . . . .
        . . . . . .
        . . O . . .
        . . . . . .
        . . . . . .
    """, gomoku.BLACK, k=4)
    result = Search(replace(UCT, seed=1)).search(position, simulations=50, select_by="visits")
    visits = visits_of(result)
    assert result.proven == 1 and np.flatnonzero(visits).tolist() == [move_index(at["a"], 6)]


def test_a_stopped_game_is_dropped():
    stopped, games = threading.Event(), []
    player = UctSelfPlay(gomoku.GomokuPosition(8, 5), replace(OPTIONS, warm_start_simulations=100_000_000), seed=1)
    thread = threading.Thread(target=player.play, args=(games.append, stopped.is_set))
    thread.start()
    stopped.set()
    thread.join(20)
    assert not thread.is_alive() and games == []


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_begins_with_so_many_games_of_uct(tmp_path, monkeypatch, threads):
    of_network, of_uct = [], []
    for kind, played in ((ParallelSelfPlay, of_network), (UctSelfPlay, of_uct)):
        def counting(self, on_game, should_stop, real=kind.play, played=played):
            real(self, lambda game: (played.append(game), on_game(game)), should_stop)
        monkeypatch.setattr(kind, "play", counting)
    run = SelfPlayRun(tmp_path / "run", START, CONFIG, replace(OPTIONS, threads=threads), resume=False)
    monkeypatch.setattr(run, "_evaluate", lambda bar: run.metadata.update(arena_update=run.metadata["update"]))
    run.run()
    assert run.metadata["update"] == 3 and len(run.buffer) == 24
    assert 12 <= len(of_uct) <= 12 + threads and len(of_network) >= 24 - len(of_uct)
    for game in list(run.buffer)[:12]:       # of two threads, in the order in which they were handed over
        assert any(np.array_equal(game.moves, uct.moves) and np.array_equal(game.visits, uct.visits) for uct in of_uct)
    run.close()

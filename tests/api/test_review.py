"""Reviews of the library."""
import pytest

import mugo

GAME = mugo.read_sgf("data/gnugo-9x9-000.sgf")


@pytest.fixture(scope="module")
def review():
    return mugo.review(GAME, simulations=None)


def test_each_move_is_compared_with_the_best_one(review):
    assert [(move.colour, move.move) for move in review.moves] == GAME.moves
    best = [move for move in review.moves if move.best == move.move]
    assert best and all(move.rank == 1 and move.points_lost == 0 and move.verdict == "good" for move in best)
    for move in review.moves:
        assert move.pv[0] == move.best
        assert move.points_lost == pytest.approx(move.lead_before - move.lead_after)


def test_the_worst_moves_come_first(review):
    worst = review.worst_moves(3)
    assert worst[0].points_lost == max(move.points_lost for move in review.moves) > 3
    assert worst[0].verdict in ("mistake", "blunder") and len(worst) == 3 and review.worst_moves(0) == []
    assert repr(review).startswith(f"<GameReview of {len(GAME.moves)} moves: ")


def test_a_review_is_written_as_a_commented_record(review):
    again = mugo.Game.from_sgf(review.to_sgf())
    assert again.moves == GAME.moves and "Better than" in review.to_sgf()


def test_a_review_by_search_takes_the_options_of_a_search():
    game = mugo.Game(mugo.Position(5, komi=0).play("C3", "C2", "D2"))
    assert len(mugo.review(game, simulations=20, threads=1, seed=1, early_stop=True).moves) == 3

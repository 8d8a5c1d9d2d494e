"""Players and matches of the library."""

import pytest

import mugo


@pytest.mark.parametrize("name", ["random", "policy", "randompolicy", "uct", "mcts"])
def test_every_player_selects_a_legal_move(name):
    position = mugo.Position(9).play("E5", "C3")
    options = {"simulations": 20} if name in ("uct", "mcts") else {}
    player = mugo.player(name, seed=1, **options)
    assert player.select_move(position) in position.legal_moves() and repr(player).startswith("<Player ")


def test_a_player_passes_and_resigns():
    won = mugo.Position.from_text("\n".join(["X X X X X", ". X X X .", "X X X X X", "X X X X X", "X X X X X"]))
    assert mugo.player("uct", simulations=50, seed=1).select_move(won) == "pass"
    lost = mugo.Position(5, komi=60).play("C3", "C2")
    player = mugo.player("uct", simulations=4000, seed=1, resign=0.5, resign_moves=1)
    assert player.select_move(lost) == "resign"


def test_a_player_of_gomoku_completes_its_row():
    position = mugo.Position(6, game="gomoku").play("C3", "A1", "C4", "A2", "C5", "A4")
    assert mugo.player("mcts", game="gomoku", simulations=50, seed=1).select_move(position) in ("C2", "C6")

"""Commands of GNU Go that Kigo and qGo send; others are in tests/gtp/transcripts/gnugo.txt."""

import pytest
from gtp.test_analyze import FirstPointNetwork

from mugo.cli import main as cli
from mugo.gtp.engine import GtpEngine
from mugo.players.player import PolicyPlayer, RandomPlayer
from mugo.players.registry import make_player
from mugo.players.searcher import PlayOptions


def answers(engine, *lines):
    return [engine.answer(line).rstrip("\n") for line in lines]


def test_arguments_that_a_command_does_not_take_are_ignored_as_by_other_engines():
    """qGo's Undo sends `undo 0`, and takes the stone off its own board whatever the reply is."""
    engine = GtpEngine(RandomPlayer(1), size=5)
    assert answers(engine, "play b C3", "undo 0", "list_stones b", "protocol_version 2", "clear_board 1",
                   "play b D4 now") == ["= ", "= ", "= ", "= 2", "= ", "= "]
    assert engine.answer("showboard x") == engine.answer("showboard")
    assert answers(engine, "undo") == ["= "] and answers(engine, "undo 0") == ["? cannot undo"]


def test_by_tromp_taylor_rules_no_stone_is_dead_at_the_end():
    engine = GtpEngine(RandomPlayer(1), size=5)
    walls = " ".join(f"{colour} {column}{row}" for colour, column in ("bC", "wD") for row in range(1, 6))
    for rules, score, dead, owner in (("chinese", "B+5", "A3", "black_territory"), ("tromp-taylor", "W+6", "", "dame")):
        answers(engine, "komi 0", f"kata-set-rules {rules}", f"set_position {walls} w A3", "play b pass", "play w pass")
        assert answers(engine, "final_score", "final_status_list dead", "final_status A1") == [
            f"= {score}", f"= {dead}", f"= {owner}"]
        assert f"RE[{score}]" in engine.answer("printsgf")


@pytest.mark.parametrize("player", [lambda: make_player("uct", seed=1, play_options=PlayOptions(simulations=60)),
                                    lambda: PolicyPlayer(FirstPointNetwork()), lambda: RandomPlayer(1)])
def test_top_moves_are_moves_with_weights(player):
    """Kigo's Hint: pairs of a vertex and a number."""
    engine = GtpEngine(player(), size=5)
    engine.answer("play b C3")
    board = engine.answer("showboard")
    for command in "top_moves_white", "top_moves_black":
        words = engine.answer(command).split()[1:]
        weights = [float(word) for word in words[1::2]]
        assert len(words) % 2 == 0 and 1 <= len(weights) <= 10 and 0 < sum(weights) <= 100.1 and min(weights) > 0
        assert all(word[0] in "ABCDE" and word[1] in "12345" and word != "C3" for word in words[::2])
        assert weights[0] == max(weights)
    assert engine.answer("showboard") == board           # nothing is played


@pytest.mark.parametrize("name", ["analysisWideRootNoise", "playoutDoublingAdvantage"])
def test_parameters_that_lizzieyzy_sends_have_the_value_that_is_searched_with(name):
    engine = GtpEngine(make_player("uct", seed=1, play_options=PlayOptions(simulations=10)), size=5)
    assert answers(engine, f"kata-get-param {name}", f"kata-set-param {name} 0", f"kata-set-param {name} 0.04") == [
        "= 0", "= ", f"? {name}: must be 0"]


LATER = "(;GM[1]SZ[5]KM[0.5];B[cc];W[bb](;AE[cc]AB[aa:ba]AW[ea];W[dd])(;B[dd]))(;GM[1]SZ[9])"


@pytest.mark.parametrize("move, rows", [("", ["X X . . O", ". . . O ."]), (" 3", ["X X . . O", ". O . . ."]),
                                        (" 2", [". . X . ."])])
def test_setup_stones_after_the_first_move_are_on_the_board(tmp_path, monkeypatch, capfd, move, rows):
    (tmp_path / "a.sgf").write_text(LATER)
    (tmp_path / "commands").write_text(f"loadsgf {tmp_path}/a.sgf{move}\nshowboard\nquit\n")
    with open(tmp_path / "commands") as commands:
        monkeypatch.setattr("sys.stdin", commands)
        assert cli.main(["gtp", "random"]) == 0
    output = capfd.readouterr()
    assert all(any(row in line.replace("(", " ").replace(")", " ") for line in output.out.splitlines()) for row in rows)
    assert output.err.count(f"{tmp_path}/a.sgf has several games; this is the first\n") == 1

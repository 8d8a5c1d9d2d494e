"""GoGui's menu, regions and frames; its other commands are in tests/gtp/transcripts/gogui.txt."""
import re
from pathlib import Path

import pytest
from drawing import SEKI, draw
from gtp.test_analyze import FirstPointNetwork

from mugo.games.go import WHITE
from mugo.games.gomoku import GomokuPosition
from mugo.gtp.engine import GtpEngine
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.players.player import PolicyPlayer, RandomPlayer
from mugo.players.searcher import PlayOptions, SearchPlayer

def test_stones_that_are_set_up_keep_the_side_to_move():
    engine = GtpEngine(RandomPlayer(1), size=5)
    for line in "gogui-setup_player white", "gogui-setup b C3 w D4":
        engine.answer(line)
    assert engine.position.to_play == WHITE


def test_every_analyze_command_that_is_listed_is_answered():
    engine, labels = GtpEngine(RandomPlayer(1), size=5), set()
    for line in engine.answer("gogui-analyze_commands").removeprefix("= ").split("\n")[:-2]:
        kind, label, command = line.split("/")
        assert kind in ("string", "plist", "param") and label
        command = command.replace("%p", "C3").replace("%c", "black")      # GoGui asks for a point, a colour
        assert engine.answer(command).startswith("= "), line
        labels.add(label)
    page = (Path(__file__).parents[2] / "docs" / "howto" / "boards.md").read_text()
    described = re.findall(r"\*([^*]+)\*", page.partition("Analyze Commands has")[2].partition("Tick *Auto run*")[0])
    assert len(described) > 4 and set(described) <= labels


def test_the_parameters_of_gogui_begin_with_the_first_one():
    """What follows the first space of the reply is its first line, and each line is a field of the dialog."""
    lines = GtpEngine(RandomPlayer(1)).answer("mugo-param").removeprefix("= ").split("\n")
    assert lines[0] == "lag 0.2" and all(lines[:-2])


def test_final_status_list_finds_a_seki():
    engine = GtpEngine(PolicyPlayer(FirstPointNetwork()), size=7)
    engine.position, _ = draw(SEKI)
    lines = engine.answer("final_status_list seki").removeprefix("= ").splitlines()[:-1]
    assert sorted(len(line.split()) for line in lines) == [9, 10]
    assert engine.answer("final_status_list dead") == "= \n\n"
    assert engine.answer("final_score") == "= B+1\n\n"


def new_engine(size=7, **arguments):
    player = SearchPlayer("uct", Search(Settings(seed=1)), PlayOptions(simulations=200))
    engine = GtpEngine(player, **arguments)
    engine.answer(f"boardsize {size}")
    return engine


def test_moves_and_analyses_are_of_the_region_until_it_is_lifted(tmp_path):
    engine = new_engine()
    assert engine.answer("mugo-region B2 A1") == "= A2 B2 A1 B1\n\n"
    for line in "genmove b", "genmove w", "reg_genmove b":
        assert engine.answer(line).split()[1] in ("A1", "A2", "B1", "B2")
    analysis = engine.answer("kata-search_analyze b 1").split()
    moves = {analysis[i + 1] for i, word in enumerate(analysis) if word == "move"}
    assert moves and moves <= {"A1", "A2", "B1", "B2"}
    assert engine.answer("mugo-region") == "= \n\n" and engine.region is None
    assert len({engine.answer("genmove b").split()[1] for _ in range(3)} - {"A1", "A2", "B1", "B2"}) == 3
    (tmp_path / "game.sgf").write_text("(;SZ[9])")
    for line in "clear_board", f"loadsgf {tmp_path}/game.sgf":
        engine.answer("mugo-region A1 A1")
        assert engine.answer(line) == "= \n\n" and engine.region is None


def test_a_region_that_is_full_is_passed():
    engine = new_engine()
    engine.answer("mugo-region A1 A1")
    assert [engine.answer(f"genmove {colour}") for colour in "bwbw"] == ["= A1\n\n"] + 3 * ["= pass\n\n"]
    gomoku = new_engine(start=GomokuPosition(7, 5))
    gomoku.answer("mugo-region A1 A1")
    gomoku.answer("play b A1")
    for line in "genmove w", "kata-genmove_analyze w", "kata-search_analyze_cancellable w":
        assert gomoku.answer(line) == "? every move is outside the region, or left out\n\n"


def test_a_genmove_leaves_out_what_its_analysis_avoids():
    engine = new_engine(3)
    reply = engine.answer("kata-genmove_analyze b 10 allow b A1,B1 1")
    assert reply.split()[-1] in ("A1", "B1")
    for _ in range(3):
        assert engine.answer("lz-genmove_analyze w avoid w B2,pass 5").split()[-1] not in ("B2", "pass")
        engine.answer("undo")
    assert engine.answer("genmove w").split()[-1] == "B2"


@pytest.mark.parametrize("words, reply", [("A1", "? syntax error"), ("A1 A2 A3", "? syntax error"),
                                          ("A1 pass", "? syntax error"), ("A1 Z1", "? syntax error")])
def test_a_region_has_two_corners(words, reply):
    assert new_engine().answer(f"mugo-region {words}") == reply + "\n\n"
    assert GtpEngine(RandomPlayer()).answer("mugo-region A1 B2") == "? no search\n\n"


def test_the_frame_of_a_problem_is_a_new_start():
    engine = new_engine(9)
    engine.answer("set_position b C9 b C8 b C7 b B7 b A7 w A8 w B8 w B9")
    engine.answer("mugo-region A9 E5")
    assert engine.answer("mugo-tsumego-frame") == "= black\n\n"
    assert engine.position.stones[5, 0] == 1 and not engine.position.plies and len(engine.region) == 25
    assert engine.answer("mugo-tsumego-frame red") == "? syntax error\n\n"
    empty = new_engine(9)
    assert empty.answer("mugo-tsumego-frame") == "= black\n\n" and not empty.position.stones.any()
    refused = new_engine(start=GomokuPosition(7, 5)).answer("mugo-tsumego-frame")
    assert refused.startswith("? mugo-tsumego-frame is for Go")

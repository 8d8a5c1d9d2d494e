"""GoGui's menu and dialog; moves that a search leaves out."""
import re
from pathlib import Path

from drawing import SEKI, draw
from gtp.test_analyze import FirstPointNetwork

from mugo.gtp.engine import GtpEngine
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.players.player import PolicyPlayer, RandomPlayer
from mugo.players.searcher import PlayOptions, SearchPlayer


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


def test_a_genmove_leaves_out_what_its_analysis_avoids():
    engine = GtpEngine(SearchPlayer("uct", Search(Settings(seed=1)), PlayOptions(simulations=200)), size=3)
    reply = engine.answer("kata-genmove_analyze b 10 allow b A1,B1 1")
    assert reply.split()[-1] in ("A1", "B1")
    for _ in range(3):
        assert engine.answer("lz-genmove_analyze w avoid w B2,pass 5").split()[-1] not in ("B2", "pass")
        engine.answer("undo")
    assert engine.answer("genmove w").split()[-1] == "B2"

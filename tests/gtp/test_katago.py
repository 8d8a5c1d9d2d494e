"""KataGo's searches that play nothing, kata-raw-nn, clear_cache and stop; the rest is in transcripts/katago.txt.

The formats are written from KataGo's docs/GTP_Extensions.md and from the code of cpp/command/gtp.cpp and
cpp/neuralnet/nninputs.cpp that prints them.
"""
from argparse import Namespace
import re

import numpy as np
import pytest
from fakes import GNUGO, StoneCounter, gnugo
from gtp.test_analyze import StubReader, is_pondering

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import move_index
from mugo.gtp.engine import GtpEngine
from mugo.gtp.params import Parameters
from mugo.nn.output import NetworkOutput
from mugo.players.registry import make_player
from mugo.players.player import PolicyPlayer
from mugo.players.searcher import PlayOptions

VERTEX = r"(?:[A-E][1-5]|pass)"


def uct(simulations=None):
    return make_player("uct", seed=1, play_options=PlayOptions(simulations=simulations, resign=0))


def test_kata_search_finds_the_move_of_genmove_and_plays_nothing():
    searching, playing = (GtpEngine(uct(60), size=5) for _ in range(2))
    for engine in searching, playing:
        engine.answer("play b C3")
    assert searching.answer("kata-search w") == playing.answer("genmove w")
    assert searching.position.plies == 1 and playing.position.plies == 2


def test_kata_search_analyze_ends_with_the_move_and_plays_nothing():
    engine = GtpEngine(uct(60), size=5)
    lines = engine.answer("3 kata-search_analyze b 100 rootInfo true").splitlines()
    assert lines[0] == "=3" and re.fullmatch(f"play {VERTEX}", lines[-2]) and lines[-1] == ""
    assert lines[-3].startswith("info move ") and " rootInfo visits " in lines[-3]
    assert engine.position.plies == 0


@pytest.mark.parametrize("command, lines", [("kata-search_cancellable b", ["= cancelled", ""]),
                                            ("kata-search_analyze_cancellable b 1", ["=", "play cancelled", ""])])
def test_another_line_cancels_a_search(command, lines):
    engine = GtpEngine(uct(10 ** 9), size=5)
    reader = StubReader(2 if "analyze" in command else 0)
    end = engine.answer(command, reader.write, reader)
    reply = [line for line in (reader.text + end).splitlines() if not line.startswith("info ")]
    assert reply == lines and engine.position.plies == 0


def test_a_search_that_ends_by_itself_is_not_cancelled():
    reader = StubReader(10 ** 9)
    assert re.fullmatch(f"= {VERTEX}\n\n", GtpEngine(uct(30), size=5).answer("kata-search_cancellable b", reader.write,
                                                                             reader))


def test_pondering_begins_when_the_move_of_a_search_is_played_and_stop_ends_it():
    engine = GtpEngine(uct(30), size=5, parameters=Parameters(Namespace(ponder=True)))
    for line, ponders in (("play b {other}", False), ("undo", False), ("play b {vertex}", True), ("name", True),
                          ("stop", False), ("name", False)):
        vertex = engine.answer("kata-search b").split()[1] if line.startswith("play") else ""
        other = "B1" if vertex == "A1" else "A1"
        assert engine.answer(line.format(vertex=vertex, other=other)).startswith("= ")
        assert is_pondering() == ponders, line
    engine.close()


def test_clear_cache_drops_the_tree():
    engine = GtpEngine(uct(100), size=5)
    search = engine.player.search
    for clear, is_new in (False, False), (True, True):
        engine.answer("kata-search b")
        if clear:
            assert engine.answer("clear_cache") == "= \n\n"
        result = search.search(engine.position, simulations=10)
        assert (result.visits <= 11) == is_new


def test_clear_cache_drops_what_the_network_remembers(monkeypatch):
    forgotten = []
    monkeypatch.setattr(StoneCounter, "forget", lambda network: forgotten.append(network))
    assert GtpEngine(PolicyPlayer(StoneCounter()), size=5).answer("clear_cache") == "= \n\n"
    assert len(forgotten) == 1


# ---- kata-raw-nn

def parse_raw(text):
    """{key: numbers} for each symmetry, as a client reads them: words and numbers, whatever the whitespace."""
    results, key = [], ""
    for word in text.removeprefix("=").split():
        if re.fullmatch(r"NAN|-?\d+(\.\d+)?", word):
            results[-1][key].append(float(word))
        else:
            key = word
            if key == "symmetry":
                results.append({})
            results[-1][key] = []
    return results


def raw_engine(network, *lines):
    engine = GtpEngine(PolicyPlayer(network), size=5, komi=0.5)
    for line in lines:
        engine.answer(line)
    return engine


def test_kata_raw_nn_has_katagos_lines():
    lines = raw_engine(StoneCounter(), "play b C3", "play w A5").answer("8 kata-raw-nn 0").split("\n")
    assert lines[:10] == [
        "=8 symmetry 0", "whiteWin 0.524979", "whiteLoss 0.475021", "noResult 0.000000", "whiteLead 0.500",
        "whiteScoreSelfplay 0.500", "whiteScoreSelfplaySq 9.250", "varTimeLeft -1.000", "shorttermWinlossError -1.000",
        "shorttermScoreError -1.000"]
    assert lines[10] == "policy" and lines[16].startswith("policyPass 0.") and lines[17] == "whiteOwnership"
    assert lines[11] == "    NAN 0.041667 0.041667 0.041667 0.041667 "
    assert lines[18] == "1.0000000 0.0000000 0.0000000 0.0000000 0.0000000 "
    assert lines[23:] == ["", ""]


def test_the_policy_of_kata_raw_nn_sums_to_1_over_the_legal_moves():
    engine = raw_engine(StoneCounter(), "play b C3", "play w D4")
    for line, to_play in ("kata-raw-nn 0", BLACK), ("kata-raw-nn w 0", WHITE):
        raw, = parse_raw(engine.answer(line))
        assert raw["symmetry"] == [0] and len(raw["policy"]) == 25 and len(raw["policyPass"]) == 1
        assert np.nansum(raw["policy"]) + raw["policyPass"][0] == pytest.approx(1, abs=1e-4)
        illegal = {move_index(point, 5) for point in range(7, 36) if point % 6 and
                   engine.position.with_turn(to_play).why_illegal(point)}
        assert {k for k, prior in enumerate(raw["policy"]) if np.isnan(prior)} == illegal
        assert raw["whiteOwnership"][12] == -1 and raw["whiteOwnership"][8] == 1       # of White, whoever is to play
        assert raw["whiteLead"] == [0.5]


def test_outputs_that_a_network_does_not_have_are_nan():
    class PriorsOnly(StoneCounter):
        has_value = has_ownership = False

        def evaluate_packed(self, packed, features=None):
            return NetworkOutput(super().evaluate_packed(packed, features).priors)

    raw, = parse_raw(raw_engine(PriorsOnly()).answer("kata-raw-nn 0"))
    complete, = parse_raw(raw_engine(StoneCounter()).answer("kata-raw-nn 0"))
    assert list(raw) == list(complete) and {key: len(raw[key]) for key in raw} == {
        key: len(complete[key]) for key in complete}
    assert {key for key in raw if np.isnan(raw[key]).all()} == {
        "whiteWin", "whiteLoss", "whiteLead", "whiteScoreSelfplay", "whiteScoreSelfplaySq", "whiteOwnership"}


# ---- GNU Go

@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
def test_gnu_go_gives_the_same_replies():
    lines = ["boardsize 7", "clear_board", "komi 6.5", "list_stones black"]
    for k, vertex in enumerate("D7 C7 D6 C6 D5 C5 D4 C4 D3 C3 D2 C2 D1 C1 F4 A4".split()):
        lines.append(f"play {'bw'[k % 2]} {vertex}")
    ours = GtpEngine(uct(1), size=7)
    with gnugo("--chinese-rules") as client:
        for line in lines:
            assert (line, ours.answer(line)) == (line, f"= {client.send_command(line)}\n\n")
        assert ours.answer("get_komi").split() == ["=", *client.send_command("get_komi").split()]
        for line in ("list_stones black", "list_stones w", "final_status D4", "final_status C1", "final_status G7",
                     "final_status A1", "final_status F4"):
            assert (line, ours.answer(line)) == (line, f"= {client.send_command(line)}\n\n")


@pytest.mark.parametrize("line", ["kata-time_settings sandglass 60", "kata-time_settings fischer 60"])
def test_a_time_system_that_is_not_known_is_answered_with_all_that_are(line):
    log = []
    assert GtpEngine(uct(1), size=5, log=log.append).answer(line) == "? syntax error\n\n"
    assert "byoyomi MAIN TIME PERIODS" in log[-1] and "fischer MAIN INCREMENT" in log[-1]

"""Clients that others wrote: what they sent and were answered, and gomill itself where it is installed.

A recording in tests/gtp/transcripts/clients has the replies of a game that was played; here a player plays its moves
again.  Its first lines say which client, of which version, and when.
GOMILL_PYTHON names a Python 2.7 that has the package gomill.
"""
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fakes import StoneCounter
from gtp.test_analyze import StubReader
from gtp.test_engine import FirstPlayer, exchanges, new_engine

from mugo.games.coords import PASS, interpret_gtp
from mugo.gtp.engine import GtpEngine
from mugo.players.registry import make_player
from mugo.players.searcher import PlayOptions
from mugo.mcts.settings import Settings

HERE = Path(__file__).parent
RECORDINGS = sorted((HERE / "transcripts" / "clients").glob("*.txt"))
GOMILL_PYTHON = os.environ.get("GOMILL_PYTHON")


class RecordedPlayer(FirstPlayer):
    """Plays and explains the moves of a recording; where that has a claim, it has proven a win."""
    name = "uct"

    def __init__(self, recording):
        self.vertices = [reply.split()[-1] for line, reply in recording
                         if "genmove" in line.split()[0] or line.startswith("kata-search")]
        self.explanations = [reply[2:].strip() for line, reply in recording if line == "gomill-explain_last_move"]

    def select_move(self, position, **options):
        vertex = self.vertices.pop(0)
        self.search_result = SimpleNamespace(proven=1) if vertex == "claim" else None
        return PASS if vertex == "claim" else interpret_gtp(vertex, position.shape)

    def explain(self):
        return self.explanations.pop(0)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_client_gets_the_replies_of_the_recording(path):
    recording = exchanges(path)
    player = RecordedPlayer(recording)
    engine = new_engine(player)
    for line, reply in recording:
        assert (line, engine.answer(line)) == (line, reply)
    assert engine.quitting and not player.vertices and not player.explanations


@pytest.mark.skipif(not GOMILL_PYTHON, reason="gomill is not installed: it needs Python 2.7 (GOMILL_PYTHON)")
def test_gomill_plays_games_to_the_end_and_asks_for_the_score(tmp_path):
    player = [sys.executable, str(HERE.parents[1] / "main.py"), "gtp", "random", "--seed", "1"]
    ended = subprocess.run([GOMILL_PYTHON, HERE / "gomill" / "drive.py", tmp_path / "log", *player],
                           capture_output=True, text=True, timeout=200)
    assert ended.returncode == 0, ended.stderr
    games = json.loads(ended.stdout)
    assert [(game["errors"], game["is_forfeit"]) for game in games] == [(None, False)] * 2
    assert all(game["result"][:2] in ("B+", "W+") and game["moves"] > 20 for game in games)
    assert all(game["description"].startswith("MuGo random 0") and not game["cpu_errors"] for game in games)
    assert all(0 < game["cpu_times"][colour] < 200 for game in games for colour in "bw")
    assert ">> place_free_handicap 2" in (tmp_path / "log").read_text()


@pytest.mark.parametrize("line, is_supported", [
    ("lz-setoption name visits value 0", False), ("kata-analyze interval 1", True), ("kata-set-rules chinese", True),
    ("set_free_handicap A1", False), ("set_position", True), ("lz-analyze interval 1 minmoves 30", True),
    ("endstate_map", False), ("kata-raw-nn 0", True), ("kata-analyze 1 pvVisits true", True),
    ("kata-analyze 1 pvEdgeVisits true", True), ("kata-analyze 1 ownershipStdev true", True),
    ("kata-analyze 1 movesOwnership true", True), ("kata-analyze 1 rootInfo true", True),
    ("lz-analyze 1 allow B D4 1", True), ("kata-get-param allowResignation", False),
    ("kata-search_analyze_cancellable B", True), ("kata-get-param humanSLProfile", False), ("kata-get-models", True),
])
def test_lizgoban_finds_out_what_it_can_ask_for(line, is_supported):
    """What LizGoban asks every engine at its start, from its source (github.com/kaorahi/lizgoban, src/engine.js of
    commit 0032463): it reads the first line, with the id, and goes on without waiting for the end of an analysis."""
    player = make_player("mcts", network=StoneCounter(), play_options=PlayOptions(simulations=20),
                         settings=Settings(seed=1, max_edges=20_000))
    engine, reader = GtpEngine(player, size=5), StubReader(1)
    end = engine.answer(f"31 {line}", reader.write, reader)
    assert (reader.text + end).startswith("=31" if is_supported else "?31 ")

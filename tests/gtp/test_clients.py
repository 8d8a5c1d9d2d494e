"""Clients that others wrote: what they sent and were answered.

A recording in tests/gtp/transcripts/clients has the replies of a game that was played; here a player plays its moves
again.  Its first lines say which client, of which version, and when.
"""
from pathlib import Path

import pytest
from fakes import StoneCounter
from gtp.test_analyze import StubReader
from gtp.test_engine import FirstPlayer, exchanges, new_engine

from mugo.games.coords import interpret_gtp
from mugo.gtp.engine import GtpEngine
from mugo.players.registry import make_player
from mugo.players.searcher import PlayOptions
from mugo.mcts.settings import Settings

RECORDINGS = sorted((Path(__file__).parent / "transcripts" / "clients").glob("*.txt"))


class RecordedPlayer(FirstPlayer):
    """Plays the moves of a recording."""
    name = "uct"

    def __init__(self, recording):
        self.vertices = [reply.split()[-1] for line, reply in recording
                         if "genmove" in line.split()[0] or line.startswith("kata-search")]

    def select_move(self, position, **options):
        return interpret_gtp(self.vertices.pop(0), position.shape)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_client_gets_the_replies_of_the_recording(path):
    recording = exchanges(path)
    player = RecordedPlayer(recording)
    engine = new_engine(player)
    for line, reply in recording:
        assert (line, engine.answer(line)) == (line, reply)
    assert engine.quitting and not player.vertices


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

"""Streamed analysis in the formats of Leela Zero, KataGo and CGOS; that any line stops it; pondering.

The parsers here are written from the clients' documentation, not from what MuGo writes.
"""
from argparse import Namespace
import io
import itertools
import json
import queue
import re
import threading
import time

import numpy as np
import pytest
from drawing import SETTLED, draw
from fakes import LevelNetwork, StoneCounter

from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, interpret_gtp
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.gtp.analyze import CGOS_DIGITS, parse_analyze_options, result_from_policy
from mugo.gtp.engine import GtpEngine, serve
from mugo.gtp.params import Parameters
from mugo.gtp.protocol import GtpError
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.players.evaluation import TOP_MOVES
from mugo.players.registry import make_player
from mugo.players.player import PolicyPlayer, RandomPlayer
from mugo.players.searcher import PlayOptions
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.settings import Settings

VERTEX = r"(?:pass|[A-HJ-T]\d{1,2})"


class StubReader:
    """A LineReader with no line until so many info lines were written, then with `# interrupt`."""

    def __init__(self, lines):
        self.left = lines
        self.text = ""

    def write(self, text):
        self.text += text
        self.left -= text.startswith("info")

    def has_line(self):
        return self.left <= 0

    is_interrupted = has_line


def is_pondering():
    """Whether a search on the opponent's time runs, in any engine."""
    return any(thread.name == "pondering" for thread in threading.enumerate())


def pondering():
    return Parameters(Namespace(ponder=True))


def engine_of(player, size=5, **options):
    return GtpEngine(player, size=size, komi=0.5, **options)


def searcher(name, **limits):
    """uct; or mcts with a network that knows nothing, so that its values are those of rollouts, too."""
    if name == "uct":
        return make_player("uct", seed=1, play_options=PlayOptions(**limits))
    return make_player("mcts", network=LevelNetwork(), settings=Settings(seed=1, root_symmetry_pruning=True),
                       play_options=PlayOptions(select_by="lcb", **limits))


@pytest.fixture(params=["uct", "mcts"])
def new_engine(request):
    """An engine, of either player that searches if no other is given."""
    return lambda player=None, **options: engine_of(player or searcher(request.param, simulations=200), **options)


def analyze(engine, line, lines=2):
    """The lines of a streamed reply between its first line and its empty one, stopped after so many info lines."""
    reader = StubReader(lines)
    end = engine.answer(f"12 {line}", reader.write, reader)
    reply = reader.text + end
    assert reply.startswith("=12\n") and reply.endswith("\n\n"), reply
    return reply.splitlines()[1:-1]


@pytest.mark.parametrize("command", ["kata-analyze 10", "lz-analyze 10", "kata-genmove_analyze 10",
                                     "lz-genmove_analyze 10", "kata-search_analyze 10"])
@pytest.mark.parametrize("name", ["uct", "random"])
def test_what_cannot_be_searched_is_an_error_and_not_an_empty_reply(name, command):
    player = make_player(name, seed=1, play_options=PlayOptions(simulations=50), game="gomoku")
    engine = GtpEngine(player, start=GomokuPosition(5, 5))
    for vertex in "A1", "B1", "C1", "D1", "E1":
        assert engine.answer(f"play b {vertex}") == "= \n\n"
    reader = StubReader(1)
    assert engine.answer(command, reader.write, reader).startswith("? ") and not reader.text


# ---- formats

def parse_lz(line):
    """The moves of a line of Leela Zero's: for each 'info', pairs of a key and a word, last pv and vertices."""
    moves = []
    for part in re.split(r"(?:^| )info ", line)[1:]:
        words, pv = part.split(" pv ")
        words = words.split(" ")
        pairs = dict(zip(words[::2], words[1::2], strict=True))
        assert re.fullmatch(rf"{VERTEX}( {VERTEX})*", pv) and re.fullmatch(VERTEX, pairs["move"])
        moves.append({"move": pairs["move"], "pv": pv.split()} | {
            key: int(pairs[key]) for key in ("visits", "winrate", "prior", "lcb", "order")})
    return moves


def parse_kata(line):
    """(moves, rootInfo, ownership) of a line of KataGo's: rootInfo and ownership come after the last move."""
    line, _, ownership = line.partition(" ownership ")
    line, _, root = line.partition(" rootInfo ")
    moves = []
    for part in re.split(r"(?:^| )info ", line)[1:]:
        words, pv = part.split(" pv ")
        words = words.split(" ")
        pairs = dict(zip(words[::2], words[1::2], strict=True))
        symmetry_of = pairs.pop("isSymmetryOf", None)
        pv, _, move_stdev = pv.partition(" movesOwnershipStdev ")
        pv, _, move_ownership = pv.partition(" movesOwnership ")
        pv, _, edge_visits = pv.partition(" pvEdgeVisits ")
        pv, _, visits = pv.partition(" pvVisits ")
        assert re.fullmatch(rf"{VERTEX}( {VERTEX})*", pv) and re.fullmatch(VERTEX, pairs.pop("move"))
        assert all("." in pairs[key] for key in pairs if key not in ("visits", "order"))       # Sabaki's condition
        moves.append({"pv": pv.split(), "isSymmetryOf": symmetry_of, "pvVisits": [int(word) for word in visits.split()],
                      "pvEdgeVisits": [int(word) for word in edge_visits.split()],
                      "movesOwnership": [float(word) for word in move_ownership.split()],
                      "movesOwnershipStdev": [float(word) for word in move_stdev.split()]}
                     | {key: float(value) for key, value in pairs.items()})
    words = root.split()
    return moves, dict(zip(words[::2], map(float, words[1::2]), strict=True)), [float(word)
                                                                                for word in ownership.split()]


@pytest.mark.parametrize("line", ["lz-analyze 2", "lz-analyze b 2", "lz-analyze B interval 2", "lz-analyze black 2.0"])
def test_lz_analyze_writes_lines_that_leela_zeros_clients_read(new_engine, line):
    lines = analyze(new_engine(), line)
    assert len(lines) == 2
    for moves in map(parse_lz, lines):
        assert [move["order"] for move in moves] == list(range(len(moves)))
        visits = [move["visits"] for move in moves]                  # the first is the one that would be played
        others = [n for n in visits if n != visits[0]]
        assert others == sorted(others, reverse=True)
        for move in moves:
            assert move["pv"][0] == move["move"]
            assert 0 <= move["lcb"] <= move["winrate"] <= 10_000 and 0 <= move["prior"] <= 10_000
        assert 0 < sum(move["prior"] for move in moves) <= 10_100
    first, last = (sum(move["visits"] for move in parse_lz(line)) for line in lines)
    assert last > first


def test_kata_analyze_writes_lines_that_katagos_clients_read(new_engine):
    engine = new_engine()
    moves, root, ownership = parse_kata(analyze(engine, "kata-analyze b 2")[-1])
    assert (root, ownership, moves[0]["pvVisits"]) == ({}, [], [])
    moves, root, ownership = parse_kata(analyze(
        engine, "kata-analyze b 2 ownership true rootInfo true pvVisits true movesOwnership false")[-1])
    for order, move in enumerate(moves):
        assert 0 <= move["lcb"] <= move["winrate"] <= 1 and 0 <= move["prior"] <= 1 and move["order"] == order
        assert move["utility"] == pytest.approx(2 * move["winrate"] - 1, abs=1e-5)
        assert move["scoreLead"] == move["scoreMean"] == root["scoreLead"]
        assert 0 < move["scoreStdev"] == root["scoreStdev"] <= 10
        assert move["pvVisits"][0] == move["visits"] and len(move["pvVisits"]) == len(move["pv"])
        assert min(move["pvVisits"]) > 0             # a transposition may have more visits than the position before it
    assert root["visits"] >= sum(move["visits"] for move in moves if move["isSymmetryOf"] is None)
    copies = [(move, before) for before, move in itertools.pairwise(moves) if move["isSymmetryOf"] == before["pv"][0]]
    assert copies and all(move["pvVisits"] == before["pvVisits"] for move, before in copies)
    assert len(ownership) == 25 and all(-1 <= owner <= 1 for owner in ownership)
    assert root["scoreLead"] == pytest.approx(sum(ownership) - 0.5, abs=0.01)


def test_every_ownership_that_is_asked_for_is_given(new_engine):
    engine = new_engine(size=7)
    engine.position, _ = draw(SETTLED, komi=0.5)
    flags = ("ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev")
    for player in engine.player, PolicyPlayer(FirstPointNetwork()):
        engine.player = player
        for asked in *[(flag,) for flag in flags], flags, ("pvVisits", "movesOwnership"):
            line = analyze(engine, f"kata-analyze w 50 maxmoves 3 {' '.join(f'{flag} true' for flag in asked)}", 1)[0]
            words = line.split()
            moves = words.count("info")
            for flag in flags:
                assert words.count(flag) == (flag in asked) * (moves if flag.startswith("moves") else 1), flag
            for k, word in enumerate(words):
                if word in flags:
                    values = np.array([float(value) for value in words[k + 1:k + 50]])
                    assert (words + ["info"])[k + 50] in (*flags, "info")
                    assert (values.min() >= 0) == word.endswith("Stdev") and abs(values).max() <= 1
                    if not word.endswith("Stdev"):
                        assert values[0] < -0.8 and values[6] > 0.8                 # White's, who is to move
    moves, _, _ = parse_kata(analyze(engine, "kata-analyze w 50 maxmoves 2 pvVisits true movesOwnership true "
                                             "movesOwnershipStdev true", 1)[0])
    for move in moves:
        mean, stdev = np.array(move["movesOwnership"]), np.array(move["movesOwnershipStdev"])
        assert mean ** 2 + stdev ** 2 == pytest.approx(np.ones(49), abs=1e-3)


def test_values_are_of_the_colour_in_the_command(new_engine):
    engine = new_engine(size=7)
    engine.position, _ = draw(SETTLED, komi=0.5)
    for colour, sign in ("b", 1), ("w", -1):
        _, root, ownership = parse_kata(analyze(engine, f"kata-analyze {colour} 20 ownership true rootInfo true")[-1])
        assert sign * (root["winrate"] - 0.5) > 0.3
        assert sign * root["scoreLead"] == pytest.approx(28 - 21 - 0.5, abs=3)
        assert sign * ownership[0] > 0.8 and sign * ownership[6] < -0.8
    assert engine.position.to_play == BLACK                          # the position stays


def test_a_client_limits_the_number_of_moves_and_the_moves_searched(new_engine):
    engine = new_engine()
    assert len(parse_lz(analyze(engine, "lz-analyze 50 maxmoves 3")[-1])) == 3
    assert len(parse_lz(analyze(engine, "lz-analyze 2 maxmoves 3 minmoves 5")[-1])) == 5
    allowed = parse_lz(analyze(engine, "lz-analyze b 2 allow b c3,D4 1 minmoves 2")[-1])
    assert {move["move"] for move in allowed} == {"C3", "D4"}
    avoided = parse_lz(analyze(engine, "lz-analyze b 2 avoid b C3,D4 1 avoid b B2 3 avoid w A1 1 minmoves 25")[-1])
    assert {"C3", "D4", "B2"}.isdisjoint(move["move"] for move in avoided)
    assert any(move["move"] == "A1" for move in avoided)


def test_an_analysis_looks_at_a_pass_near_the_end_or_on_request(new_engine):
    """In the opening White would win by two passes and the komi."""
    engine = new_engine()
    engine.answer("play b pass")
    moves = {move["move"] for move in parse_lz(analyze(engine, "lz-analyze w 2 minmoves 50", 1)[-1])}
    assert len(moves) == 25 and "pass" not in moves
    allowed = parse_lz(analyze(engine, "lz-analyze w 2 allow w pass 1", 1)[-1])
    assert [(move["move"], move["winrate"]) for move in allowed] == [("pass", 10_000)]
    engine = new_engine(size=7)
    engine.position, _ = draw(SETTLED, komi=0.5)
    assert "pass" in {move["move"] for move in parse_lz(analyze(engine, "lz-analyze b 2 minmoves 50", 1)[-1])}


def test_all_moves_are_analyzed_where_none_that_is_allowed_is_legal():
    engine = engine_of(PolicyPlayer(FirstPointNetwork()))
    engine.answer("play b C3")
    assert engine.answer("kata-analyze w allow w C3 1").count("info move") == 25


@pytest.mark.parametrize("words", [
    "b 10 20", "10 b", "b -5", "interval", "b interval soon", "maxmoves -1", "minmoves 1.5", "ownership", "rootInfo 2",
    "pvVisits yes", "avoid b", "avoid b A1", "avoid A1 1", "allow b A1,Z9 1", "allow green A1 1", "avoid b A1 x",
    "frobnicate 3", "allow b A1 1 allow b A2 1",
])
def test_malformed_arguments_are_a_syntax_error(words):
    with pytest.raises(GtpError, match="syntax error"):
        parse_analyze_options(words.split(), GoPosition(5))
    assert engine_of(RandomPlayer()).answer(f"3 lz-analyze {words}") == "?3 syntax error\n\n"


@pytest.mark.parametrize("flag", ["ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev", "rootInfo",
                                  "pvVisits"])
@pytest.mark.parametrize("command", ["lz-analyze", "lz-genmove_analyze", "cgos-genmove_analyze"])
def test_formats_without_such_data_refuse_katagos_flags(new_engine, command, flag):
    assert new_engine().answer(f"{command} b 50 {flag} true") == "? syntax error\n\n"


def test_a_player_without_a_search_says_that_it_ignores_lists_of_moves():
    log = []
    engine = engine_of(RandomPlayer(1), log=log.append)
    for line in "kata-genmove_analyze b allow b A1 1", "lz-genmove_analyze w avoid w A1 1", "kata-genmove_analyze b":
        assert engine.answer(line).startswith("=\nplay ")
    assert log == ["genmove_analyze: random does not search, and ignores allow and avoid"] * 2


def test_an_interval_is_in_centiseconds():
    for words, seconds in (("b 50", 0.5), ("25", 0.25), ("interval 150", 1.5), ("w interval 2.5", 0.025), ("", 1),
                           ("b 0", 0.01)):
        assert parse_analyze_options(words.split(), GoPosition(5)).interval == pytest.approx(seconds)
    assert parse_analyze_options([], GoPosition(5).with_turn(WHITE)).colour == WHITE


def test_flags_that_have_no_effect_here_are_accepted():
    engine = engine_of(searcher("uct", simulations=200))
    line = analyze(engine, "kata-analyze b 20 pvVisits true pvEdgeVisits true noResultValue true cheese false", 1)[-1]
    moves, _, _ = parse_kata(line)
    for move in moves:
        assert move["noResultValue"] == 0 and len(move["pvEdgeVisits"]) == len(move["pv"])
        assert all(0 < own <= all_ways for own, all_ways in zip(move["pvEdgeVisits"], move["pvVisits"], strict=True))
    assert any(move["pvEdgeVisits"] != move["pvVisits"] for move in moves)         # transpositions
    assert engine.answer("kata-analyze b 20 cheese brie").startswith("? syntax error")


@pytest.mark.parametrize("command", ["lz-analyze b 10", "kata-analyze b 10", "lz-genmove_analyze b 10",
                                     "kata-genmove_analyze b 10", "kata-search_analyze b 10"])
def test_a_line_has_a_move_where_one_is_left_that_needs_no_visits(new_engine, command):
    """An empty line would end the reply."""
    lines = analyze(new_engine(), f"{command} allow b A1 1", 1)
    assert [line.split()[:3] for line in lines if line.startswith("info")] == [["info", "move", "A1"]]
    assert ("play A1" in lines) == ("genmove" in command or "search" in command)


def test_a_move_that_is_named_is_searched_and_played_though_it_fills_an_own_eye(new_engine):
    engine = new_engine()
    engine.position, at = draw("""
        a X . . .
        X X . . .
        . . . O .
        . . O . .
        . . . . .
    """)
    moves = parse_lz(analyze(engine, "lz-analyze b 5 allow b A5,C1 1 minmoves 2", 1)[-1])
    assert {move["move"] for move in moves} == {"A5", "C1"}
    assert analyze(engine, "kata-search_analyze b 50 allow b A5 1")[-1] == "play A5"


class Drawn:
    """A player's search is replaced by this one, which finds a few moves."""
    def __init__(self, *moves):
        self.moves = tuple(MoveInfo(point, 0.5, n, win_rate, (point,), lcb=lcb) for point, n, win_rate, lcb in moves)

    def __call__(self, position, on_progress=None, **options):
        result = SearchResult(position, self.moves, 0.5, 100, 100, 0.0, 1.0, 1, 0, None)
        if on_progress:
            on_progress(result)
        return result


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze", "kata-search_analyze"])
def test_the_move_that_is_played_is_the_first_of_each_line(command):
    at = {vertex: interpret_gtp(vertex, 5) for vertex in ("C3", "D4", "B2")}
    engine = engine_of(searcher("mcts", simulations=100))
    engine.player.search.search = Drawn((at["C3"], 60, 0.5, 0.2), (at["D4"], 40, 0.6, 0.4), (at["B2"], 9, 0.4, 0.1))
    *lines, played = analyze(engine, f"{command} b 10")
    assert played == "play D4"
    assert [re.findall(r"move (\S+)", line) for line in lines] == [["D4", "C3", "B2"]] * 2
    streamed = analyze(engine, command.replace("genmove_", "").replace("search_", "") + " b 10", 1)
    assert re.findall(r"move (\S+)", streamed[-1]) == ["D4", "C3", "B2"]


def test_a_pass_that_the_search_has_not_looked_at_is_the_first_of_the_last_line_too():
    engine = engine_of(searcher("uct", simulations=300), size=7)
    engine.position, _ = draw(SETTLED, komi=0.5)
    *_, line, played = analyze(engine, "kata-genmove_analyze b 100")
    assert played == "play pass" and parse_kata(line)[0][0]["pv"] == ["pass"]


@pytest.mark.parametrize("command, parse", [("lz-genmove_analyze", parse_lz),
                                           ("kata-genmove_analyze", parse_kata)])
def test_genmove_analyze_streams_its_search_and_plays_the_move(new_engine, command, parse):
    engine = new_engine()
    *infos, played = analyze(engine, f"{command} w 100")
    assert len(infos) == 1 and parse(infos[0])                        # the search ends before the interval
    vertex = played.removeprefix("play ")
    assert engine.position.moves == ((WHITE, interpret_gtp(vertex, 5)),)
    engine = new_engine(make_player("uct", seed=1, play_options=PlayOptions(seconds=600)))
    assert len(analyze(engine, f"{command} b 5", lines=3)) == 3 + 2     # `# interrupt` ends it


def test_cgos_genmove_analyze_writes_one_line_of_json(new_engine):
    engine = new_engine(size=7)
    engine.position, _ = draw(SETTLED, komi=0.5)
    line, played = analyze(engine, "cgos-genmove_analyze w")
    fields = json.loads(line)
    assert fields["winrate"] < 0.3 and fields["score"] < 0 and fields["visits"] >= 100
    assert len(fields["ownership"]) == 49
    white = [CGOS_DIGITS.index(digit) / 31 - 1 for digit in fields["ownership"]]
    assert white[6] > 0.8 and white[0] < -0.8
    for move in fields["moves"]:
        assert set(move) == {"move", "visits", "winrate", "score", "prior", "pv"}
        assert re.fullmatch(rf"({VERTEX}( {VERTEX})*)?", move["pv"])
        assert move["move"] == "pass" or move["move"] not in move["pv"].split()         # "pv" is what follows
    assert re.fullmatch(f"play ({VERTEX}|resign)", played)


class FirstPointNetwork(NetworkProtocol):
    """A network with the prior 0.5 for the first point, and the value 0.4 for the side to move."""
    name, has_value, has_ownership = "first-point", True, False

    def evaluate(self, positions, symmetries=False):
        size = positions[0].size
        priors = np.full((len(positions), size * size + 1), 0.5 / size ** 2, np.float32)
        priors[:, 0] = 0.5
        return NetworkOutput(priors, np.full(len(positions), 0.4, np.float32))


def test_a_policy_player_is_analyzed_by_the_networks_priors_and_values():
    engine = engine_of(PolicyPlayer(FirstPointNetwork()))
    moves, root, ownership = parse_kata(analyze(
        engine, "kata-analyze w 50 rootInfo true ownership true maxmoves 9", lines=1)[-1])
    assert len(moves) == 9 and moves[0]["pv"] == ["A5"] and moves[0]["prior"] == 0.5
    assert moves[0]["winrate"] == pytest.approx(0.3) and root["winrate"] == pytest.approx(0.7)
    assert "scoreLead" not in root                                      # no rollouts
    assert len(ownership) == 25                                         # but those that were asked for
    line, played = analyze(engine, "lz-genmove_analyze b")
    assert (parse_lz(line)[0]["move"], played) == ("A5", "play A5")
    moves, _, _ = parse_kata(analyze(engine, "kata-analyze b allow b C3,D3 1", lines=1)[-1])
    assert [move["pv"] for move in moves] == [["C3"], ["D3"]]


@pytest.mark.parametrize("make", [lambda network: PolicyPlayer(network),
                                  lambda network: make_player("mcts", network=network, settings=Settings(
                                      rollout="none", seed=1), play_options=PlayOptions(60))])
@pytest.mark.parametrize("colour, sign", [("b", 1), ("w", -1)])
def test_scores_and_ownership_are_the_networks_where_it_has_them(make, colour, sign, monkeypatch):
    monkeypatch.setattr(scoring, "rollout_ownership", None)         # no rollouts
    monkeypatch.setattr("mugo.players.evaluation.may_search_pass", lambda *_: True)
    engine = engine_of(make(StoneCounter()), size=7)
    engine.position, _ = draw(SETTLED, komi=0.5)
    lead = sign * (int(engine.position.stones.sum()) - 0.5)
    moves, root, ownership = parse_kata(analyze(
        engine, f"kata-analyze {colour} 20 rootInfo true ownership true movesOwnership true maxmoves 3", lines=1)[-1])
    assert root["scoreLead"] == root["scoreMean"] == root["scoreSelfplay"] == pytest.approx(lead, abs=3)
    assert root["scoreStdev"] == pytest.approx(3, abs=1.5)
    for move in moves:
        assert move["scoreLead"] == move["scoreMean"] == move["scoreSelfplay"]
        assert move["scoreLead"] == pytest.approx(lead + 0.5, abs=3) and move["scoreStdev"] == pytest.approx(3, abs=1.5)
        assert len(move["pv"]) > 1 or np.abs(move["movesOwnership"]).sum() - np.abs(ownership).sum() <= 1
        assert len(move["movesOwnership"]) == 49
    stones = engine.position.stones.ravel()
    assert np.sign(np.array(ownership)[stones != 0]).tolist() == (sign * stones[stones != 0]).tolist()


def test_a_network_alone_has_the_score_after_each_move():
    position, _ = draw(SETTLED, komi=0.5)
    for to_play in BLACK, WHITE:
        result = result_from_policy(StoneCounter(), position.with_turn(to_play))
        assert result.score_lead == (position.stones.sum() - 0.5) * to_play and result.score_stdev == 3
        assert np.array_equal(result.ownership, position.stones)
        leads = {info.point: info.score_lead for info in result.moves[:TOP_MOVES]}
        assert {lead - result.score_lead for point, lead in leads.items() if point != PASS} == {1}
        assert {info.score_lead for info in result.moves[TOP_MOVES:]} <= {None}
    line = engine_of(PolicyPlayer(StoneCounter())).answer("cgos-genmove_analyze b")
    fields = json.loads(line.split("\n")[1])
    assert fields["score"] == -0.5 and {move["score"] for move in fields["moves"][:TOP_MOVES]} == {0.5}


def test_without_a_value_head_every_win_rate_is_one_half():
    class PolicyOnly(FirstPointNetwork):
        def evaluate(self, positions, symmetries=False):
            return super().evaluate(positions)._replace(values=None)

    result = result_from_policy(PolicyOnly(), GoPosition(3))
    assert {info.win_rate for info in result.moves} == {0.5} and len(result.moves) == 10
    assert sum(info.prior for info in result.moves) == pytest.approx(1, abs=0.02)


# ---- stopping

class Connection:
    """An engine served in a thread; the lines that it writes, with the time of each."""

    def __init__(self, engine):
        self.sent, self.received = queue.Queue(), queue.Queue()
        connection = self

        class Out(io.StringIO):
            def write(self, text):
                for line in text.splitlines():
                    connection.received.put((time.monotonic(), line))

        self.thread = threading.Thread(target=serve, args=[engine, iter(self.sent.get, None), Out()])
        self.thread.start()

    def wait_for(self, pattern):
        """The next line that matches, and the time at which it was written; earlier lines are dropped."""
        while True:
            at, line = self.received.get(timeout=30)
            if re.fullmatch(pattern, line):
                return at, line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sent.put(None)                       # the input ends
        self.thread.join(30)
        assert not self.thread.is_alive()


@pytest.mark.parametrize("line", ["protocol_version\n", "\n", "\t\n", "# a comment\n", "\x07\r\n", None])
def test_any_line_and_the_end_of_input_stop_an_analysis_at_once(new_engine, line):
    times = []
    for _ in range(3):                            # the machine may be busy
        with Connection(new_engine()) as connection:
            connection.sent.put("1 lz-analyze 1\n")
            connection.wait_for("=1")
            connection.wait_for("info .*")
            stopped = time.monotonic()
            connection.sent.put(line)
            times.append(connection.wait_for("")[0] - stopped)
            if line == "protocol_version\n":
                assert connection.wait_for("=.*")[1] == "= 2"
        if times[-1] < 0.2:
            break
    assert min(times) < 0.2


@pytest.mark.parametrize("command", ["genmove", "reg_genmove"])
def test_genmove_is_stopped_by_an_interrupt_but_not_by_a_command(command):
    settings = Settings(seed=1, early_stop=False, max_edges=20_000)
    player = make_player("uct", settings=settings, play_options=PlayOptions(seconds=60))
    with Connection(engine_of(player)) as connection:
        connection.sent.put(f"1 {command} b\n")
        connection.sent.put("2 name\n")
        with pytest.raises(queue.Empty):
            connection.received.get(timeout=0.5)
        connection.sent.put("# interrupt\n")
        assert re.fullmatch("=1 [A-E][1-5]", connection.wait_for("=1.*")[1])
        assert connection.wait_for("=2.*")[1] == "=2 MuGo uct"


# ---- pondering

def test_pondering_runs_from_an_own_move_to_the_next_command_and_its_tree_is_reused():
    engine = engine_of(make_player("uct", seed=1, play_options=PlayOptions(simulations=100)), parameters=pondering())
    assert engine.answer("play b C3") == "= \n\n" and not is_pondering()    # after the opponent's move
    engine.answer("genmove w")
    assert is_pondering()
    time.sleep(0.3)
    started = time.monotonic()
    assert engine.answer("time_left w 10 0") == "= \n\n"
    assert time.monotonic() - started < 2
    assert is_pondering()           # time_left does not end the opponent's turn
    engine.close()
    expected = engine.player.search.search(engine.position, simulations=1).moves[0].point
    engine.position = engine.position.play(expected)
    engine.answer("genmove w")
    assert engine.player.search_result.visits > 200
    engine.answer("mugo-param ponder 0")
    assert not is_pondering()


def test_pondering_in_a_handicap_game_keeps_the_tree_of_the_komi_that_the_move_was_searched_with():
    engine = engine_of(make_player("uct", seed=1, play_options=PlayOptions(simulations=100)), parameters=pondering())
    engine.answer("set_free_handicap A1 E5 A5 E1")
    engine.answer("genmove w")
    time.sleep(0.3)
    engine.close()
    search, komi = engine.player.search, engine.player.search_result.position.komi
    assert komi > engine.position.komi
    assert search.search(engine.position.with_komi(komi), simulations=1).visits > 200

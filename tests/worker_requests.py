"""Requests of the page, of every kind, and the answers of the server and of the worker to them."""
import base64
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import mugo
from mugo.core.files import BadInput
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.games.game import encode
from mugo.games.position import global_features
from mugo.nn.output import mean_output, turned_back
from mugo.games.coords import symmetries as symmetries_of
from mugo.web.handlers import HANDLERS, SEARCHES, SessionSearches
from mugo.web.requests import position_of_request, require_field
from mugo.web.state import ServerState

STATIC = Path(mugo.__file__).parent / "web" / "static"
CLIENT, LOOP = (Path(__file__).with_name(name) for name in ("worker_client.mjs", "worker_loop.mjs"))


class StandIn(NetworkProtocol):
    """A network with all outputs that worker_client.mjs computes as well: priors by the number of the point, ownership
    by the stones."""
    name = "stand-in"
    has_value = has_ownership = True
    equivariant = False
    metadata: dict = {}

    def evaluate_packed(self, packed, features=None):
        packed = packed.reshape(len(packed), -1, packed.shape[-1])
        own = (packed[:, :, 0] & 1).astype(np.float32) - (packed[:, :, 0] >> 1 & 1)
        score = (own.sum(1) + features[:, 0]).astype(np.float32)
        n, moves = len(packed), packed.shape[1] + 1
        weights = np.arange(moves) * 7919 % 97 + 1
        return NetworkOutput(np.tile((weights / weights.sum()).astype(np.float32), (n, 1)),
                             np.clip(score / np.float32(64), -1, 1), own, score, np.full(n, 3, np.float32))

    def evaluate(self, positions, symmetries=False):
        features = global_features([position.area_komi for position in positions],
                                   [position.to_play for position in positions])
        maps = symmetries_of(positions[0].shape)
        return mean_output([turned_back(self.evaluate_packed(encode(positions, s), features), maps[s])
                            for s in range(len(maps) if symmetries else 1)])


class _Job:
    """A job that is never stopped, and whose progress nobody sees."""

    def preemption_point(self) -> bool:
        return False

    def report(self, progress: dict) -> None:
        pass


class PythonServer:
    """The server's handlers, without a socket."""

    def __init__(self, network):
        self.state = ServerState(network, jobs=1)
        self.searches = SessionSearches(network)

    def answer(self, request: dict) -> Any:
        try:
            command = require_field(request, "command", str)
            if command in SEARCHES:
                answer = SEARCHES[command](self.searches, position_of_request(request), request, _Job())
            elif command in HANDLERS:
                answer = HANDLERS[command](request, self.state)
            else:
                raise BadInput(f"unknown command {command[:20]!r} (known: {', '.join((*HANDLERS, *SEARCHES, 'stop'))})")
        except BadInput as error:
            answer = {"error": str(error)[:300]}
        return json.loads(json.dumps(answer))


def worker_answers(built: Path, requests: list[dict]) -> list[dict]:
    """The answers of the worker's code in node."""
    randoms = [str(number) for number in np.random.default_rng(1).integers(1, 2**63, 17)]
    done = subprocess.run(["node", CLIENT, STATIC, built], input=json.dumps({"randoms": randoms, "requests": requests}),
                          capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def worker_messages(built: Path, messages: Sequence[dict | int]) -> list[dict]:
    """What the worker itself sends back, in node, until each message has had an answer.  A number is a wait, in
    milliseconds."""
    done = subprocess.run(["node", LOOP, STATIC, built], input=json.dumps(messages), capture_output=True, text=True,
                          check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


GO = {"name": "go", "size": 9, "komi": 7, "handicap": 0, "black": [], "white": [], "first": "B"}
MOVES = ["B E5", "W C3", "B G3", "W G6", "B C6", "W D7", "B C7", "W F3", "B F4", "W G2", "B H2", "W pass"]
WIDE = GO | {"size": "13x7"}
LARGE = GO | {"size": 19, "komi": 6.5, "rules": "japanese"}
LARGE_MOVES = ["B Q16", "W D4", "B Q3", "W D17", "B C15", "W C16", "B D15", "W F17", "B R5"]
GOMOKU = {"name": "gomoku", "size": 8, "k": 5, "exactly": False, "black": [], "white": [], "first": "B"}
GOMOKU_MOVES = ["B D4", "W D5", "B E4", "W E5", "B F4", "W C4"]
WON = ["B D4", "W D5", "B E4", "W E5", "B F4", "W F5", "B C4", "W C5", "B G4"]
# A finished game: Black has the left, White the right with a dead black stone in it.
FINISHED = GO | {"size": 5, "komi": 0.5, "black": ["C1", "C2", "C3", "C4", "C5", "E3"],
                 "white": ["D1", "D2", "D3", "D4", "D5"]}
JAPANESE = FINISHED | {"rules": "japanese"}
KO = GO | {"size": 5, "black": ["B3", "C2", "C4"], "white": ["C3", "D2", "D4", "E3"], "rules": "chinese"}
PROBLEM = GO | {"black": ["A3", "B3", "C3", "C2", "C1"], "white": ["A2", "B2", "B1"]}


def request(command: str, game: dict, moves: list[str] | tuple = (), **fields: Any) -> dict:
    return {"command": command, "game": game, "moves": list(moves), **fields}


GIB = """\\HS
\\[GAMEBLACKNAME=Honinbo (5D)\\]
\\[GAMEWHITENAME=Meijin (6D)\\]
\\[GAMEDATE=2016- 3- 9-12-00-00\\]
\\[GAMEINFOMAIN=GBKIND:3,GTIME:1200-30-3,GRLT:0,ZIPSU:35,DUM:0,GONGJE:65\\]
\\HE
\\GS
2 1 0
119 0 &4
INI 0 1 2 &4
STO 0 2 2 15 3
STO 0 3 1 3 15
SKI 0 4 2
\\GE
"""
NGF = """Rated game
19
whitename   7D*
blackname   5D
www.cyberoro.com
2
0
6
20170316 [09:51]
5
White wins by  resign!
3
PMABWQRRQ
PMACBDDDD
IDB[1] a good move[EndTxt]
PMADWAAAA
"""
UGF = """[Header]
Lang=SJIS
Size=19
Hdcp=2,0.50
CoordinateType=IGS
Winner=B,7.50
Date=2016/03/09,10:00
Rule=JPN
PlayerB=black,7d,,here
PlayerW=white,5d,,there
[Data]
DP,B0,0,0
PD,B0,0,0
QP,W1,1,0
YA,B2,2,0
[Figure]
.Text,1
a comment
.EndText
"""
FILES: list[bytes] = [
    b"(;GM[1]FF[4]SZ[9]KM[7]PB[Ann]PW[Bob]RE[B+3.5]DT[2016-03-09]RU[Chinese];B[ee];W[cc](;B[gc]C[fine])(;B[gg];W[]))",
    b"(;SZ[9]HA[2]AB[cg][gc]KM[0.5]RU[Japanese];W[ee];B[ee]C[illegal])",
    b"(;SZ[9]AB[aa:cc]AW[ii]PL[W];W[ee]AE[aa];AB[dd];B[zz];W[tt];B[])",
    b"(;SZ[13:7];B[aa];W[mg])", b"(;GM[4]SZ[8]RU[5 in a row];B[dd];W[de])", b"(;GM[4]SZ[3];B[bb])", b"(;GM[2];B[aa])",
    b"(;SZ[25];B[aa])", b"(;SZ[9];B[ee](;W[cc];B[gg]", b"(;SZ[9];B[ee];C[open", b"not a game", b"",
    b"(;SZ[9]PB[A];B[ee])(;SZ[9]PB[B]RE[W+R];W[cc])(;SZ[99])",
    b";SZ[9]KM[375]RE[White wins by 2.5];B[ee];W[cc])", b"(;SZ[9];B[ee]W[cc];B[gg])",
    b"(;SZ[9];B[ee]C[Black wins 52.0 % (800 visits, B+1.5)\n\nA \\] bracket\\\n here];W[cc])",
    "(;SZ[9]PB[李昌鎬]PW[조훈현]RE[黑胜3又3/4子]KM[三又四分之三];B[ee])".encode(),
    "(;SZ[9]PB[李昌镐九段]PW[聂卫平对局者]RE[黑中盘胜];B[ee])".encode("gb18030"),
    "(;SZ[9]CA[Shift_JIS]PB[武宮正樹]PW[小林光一]RE[白番中押し勝ち];B[ee])".encode("cp932"),
    "(;SZ[9]CA[ISO-8859-1]PB[Müller]PW[Grün];B[ee])".encode("latin1"), "\ufeff(;SZ[9]PB[é];B[ee])".encode(),
    "(;SZ[9]PB[é];B[ee])".encode("utf-16"), GIB.encode(), NGF.encode(), UGF.encode(),
    GIB.replace("15 3", "19 3").encode(),
    NGF.replace("PMABWQRRQ", "PMABWZZZZ").encode(), UGF.replace("Size=19", "Size=x").encode(),
    NGF.replace("whitename", "황재연").encode("cp949"),
]


def load(data: bytes, **fields: Any) -> dict:
    return {"command": "load", "data": base64.b64encode(data).decode(), **fields}


BOARDS = [(GO, ()), (GO, MOVES), (WIDE, MOVES[:4]), (LARGE, LARGE_MOVES), (FINISHED, ()), (KO, ["B D3"]),
          (GO | {"handicap": 3, "black": ["C3", "G7", "G3"], "first": "W", "rules": "aga"}, ["W E5"]),
          (GO | {"rules": "new-zealand"}, MOVES), (GO, ["B pass", "W pass"]), (GOMOKU, ()), (GOMOKU, GOMOKU_MOVES),
          (GOMOKU, WON), (GOMOKU | {"size": "7x5", "k": 4, "exactly": True}, ["B A1"])]
REQUESTS = [
    *({"command": "new", "size": size, "komi": 6.5, "handicap": stones, "rules": rules}
      for size, stones, rules in ((9, 0, "chinese"), (13, 5, "japanese"), ("9x13", 2, "aga"), (19, 9, "korean"),
                                  (5, 2, "chinese"), (19, 10, "chinese"), (9, 0, "tromp-taylor"), (25, 0, "chinese"))),
    {"command": "new", "name": "gomoku", "size": 8, "k": 5, "exactly": True},
    {"command": "new", "name": "gomoku", "size": 3, "k": 5}, {"command": "new", "name": "chess", "size": 8},
    *(request(command, game, moves) for game, moves in BOARDS for command in ("position", "opponents", "planes")),
    *(request(command, game, moves) for game, moves in BOARDS for command in ("policy", "ownership", "score")),
    *(request("play", game, moves, move=move) for game, moves, move in (
        (GO, MOVES, "E9"), (GO, MOVES, "pass"), (GO, MOVES, "E5"), (GO, (), "T9"), (GO, (), "I5"), (KO, ["B D3"], "C3"),
        (GOMOKU, GOMOKU_MOVES, "G4"), (GOMOKU, WON, "A1"), (GOMOKU, (), "pass"))),
    *(request("score", FINISHED, **fields)
      for fields in ({"dead": ["E3"]}, {"dead": []}, {"toggle": "D1"}, {"toggle": "A1"})),
    request("score", JAPANESE), request("score", JAPANESE, dead=["D1"], toggle="E3"),
    *(request("tsumego_frame", game) for game in (
        PROBLEM, PROBLEM | {"size": 13}, WIDE | {"black": ["A1"], "white": ["A2"]}, GO, GOMOKU)),
    request("tsumego_frame", PROBLEM, attacker="W"), request("tsumego_frame", PROBLEM, attacker="x"),
    *(request("analyze", game, moves, player=player, simulations=simulations) for player in ("uct", "mcts")
      for game, moves, simulations in ((GO, MOVES, 400), (GO, (), 200), (GO, [*MOVES, "B D3"], 300),
                                       (WIDE, MOVES[:4], 200), (LARGE, LARGE_MOVES, 150),
                                       (FINISHED, (), 200), (JAPANESE, (), 200),
                                       (KO, ["B D3"], 200), (GOMOKU, GOMOKU_MOVES, 200), (GOMOKU, WON, 10))),
    *(request("analyze", GO, MOVES, **{"player": "uct", "simulations": 200} | fields) for fields in (
        {"allow": ["E7", "D5", "pass"]}, {"avoid": ["E7", "D5"], "depth": 3},
        {"region": ["A1", "A2", "B1", "B2", "C2"]},
        {"allow": ["E5"]}, {"depth": 0}, {"simulations": 0}, {"player": "gnugo"}, {"seconds": 1e9}, {"allow": "E5"})),
    *(request("genmove", game, moves, opponent=opponent) for opponent in ("uct-100", "uct-1000", "policy", "mcts-50")
      for game, moves in ((GO, MOVES), (FINISHED, ()), (JAPANESE, ["B pass"]), (GOMOKU, GOMOKU_MOVES),
                          (GO | {"handicap": 4, "black": ["C3", "G7", "G3", "C7"], "first": "W"}, ()))),
    request("genmove", GO, MOVES, opponent="strong"), request("genmove", GOMOKU, WON, opponent="policy"),
    request("evaluate", GO, MOVES), request("evaluate", LARGE, LARGE_MOVES), request("evaluate", GOMOKU, WON),
    *(load(data) for data in FILES), load(FILES[12], number=1), load(FILES[12], number=2), load(FILES[12], number=5),
    {"command": "load"}, {"command": "load", "data": 5},
    {}, {"command": "dance"}, {"command": "position"}, {"command": "position", "game": [], "moves": []},
    *(request("position", game, moves) for game, moves in (
        (GO | {"size": "9x"}, ()), (GO | {"size": True}, ()), (GO | {"komi": 1000}, ()),
        (GO | {"rules": "nonsense"}, ()),
        (GO | {"black": ["pass"]}, ()), (GO | {"black": ["E5"], "white": ["E5"]}, ()), (GO | {"handicap": -1}, ()),
        (GO | {"rules": "{\"ko\": \"NEVER\"}"}, ()), (GO, ["E5"]), (GO, ["B E5", "W E5"]), (GO, ["B Z1"]),
        (GO | {"handicap": 3, "handicap_bonus": 2}, ()), (GO | {"handicap": 3, "handicap_bonus": 9}, ()),
        (GO | {"rules": "koSIMPLEscoreTERRITORYtaxNONEsui0"}, MOVES), (GOMOKU | {"k": 9}, ()),
        (GOMOKU, [*WON, "W A1"]))),
]

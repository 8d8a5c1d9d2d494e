"""Gomoku on the board in the browser: what the server says of it, who plays it, and its SGF."""
import base64
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from starlette.testclient import TestClient
from web_fakes import Even, Page, gomoku

from mugo import cli
from mugo.files import BadInput
from mugo.games.coords import point_at
from mugo.games.game import new_game
from mugo.sgf.tree import format_game, read_game
from mugo.web import app as web_app
from mugo.web import sessions

WON = ["B A3", "W A2", "B B3", "W B2", "B C3"]           # three in the uppermost row of 3x3
DRAWN = ["B A3", "W B3", "B C3", "W B2", "B A2", "W C2", "B B1", "W A1", "B C1"]


@pytest.fixture(scope="module", params=[Even(point_at(1, 1, 3))], ids=["network"])
def client(request):
    first = new_game("gomoku", 6)
    app = web_app.make_app(lambda: sessions.Room(request.param, searches=1, first=first), frozenset({"testserver"}))
    with TestClient(app) as client:
        yield client


@pytest.fixture
def page(client):
    with client.websocket_connect("/line") as line:
        yield Page(line)


def load(page, sgf):
    return page.ask("load", data=base64.b64encode(sgf.encode()).decode())


# ---- the board

def test_a_game_begins_as_it_is_asked_for(page):
    start = page.ask("new", name="gomoku", size=8, k=5, exactly=True)["game"]
    assert start == gomoku(8, 5, True) | {"info": {}, "nodes": [{"parent": -1}]}
    assert page.hello["game"] == gomoku(6, 4) | {"info": {}, "nodes": [{"parent": -1}]}


def test_a_move_is_played(page):
    answer = page.ask("play", game=gomoku(), moves=["B B2"], move="c1")
    assert answer == {"id": 1, "move": "W C1", "stones": "...." + "X" + "..." + "O", "to_play": "B", "last": "C1",
                      "illegal": {}, "over": False, "row": [], "result": None}


def test_a_row_ends_the_game(page):
    answer = page.ask("play", game=gomoku(), moves=WON[:-1], move="C3")
    assert answer["over"] and (answer["row"], answer["result"]) == (["A3", "B3", "C3"], "B+")
    assert answer["illegal"]["C1"] == "comes after the end of the game"
    assert page.ask("look", game=gomoku(), moves=WON[:-1])["result"] is None     # undo
    assert page.ask("play", game=gomoku(), moves=WON, move="C1")["error"] == \
        "illegal move: C1 comes after the end of the game"


def test_a_full_board_is_a_draw(page):
    answer = page.ask("look", game=gomoku(), moves=DRAWN)
    assert (answer["over"], answer["row"], answer["result"]) == (True, [], "0")


def test_a_longer_row_wins_unless_exactly_is_asked_for(page):
    moves = ["B A5", "W A1", "B B5", "W B1", "B D5", "W D1", "B E5", "W E1", "B C5"]
    assert page.ask("look", game=gomoku(5, 4), moves=moves)["result"] == "B+"
    assert page.ask("look", game=gomoku(5, 4, True), moves=moves)["result"] is None


@pytest.mark.parametrize("request_, error", [
    ({"moves": WON, "move": "pass"}, "illegal move: pass comes after the end of the game"),
    ({"moves": [], "move": "pass"}, "illegal move: pass is no move of Gomoku"),
    ({"moves": ["B pass"], "move": "A1"}, "move 1: Black pass is no move of Gomoku"),
    ({"moves": ["B A1", "W A1"], "move": "A2"}, "move 2: White A1 is occupied"),
    ({"game": gomoku(3, 4), "moves": [], "move": "A1"}, "3 to 3 in a row can win on 3x3, not 4"),
    ({"game": gomoku(2, 2), "moves": [], "move": "A1"}, "a Gomoku board is 3x3 to 19x19, not 2x2"),
    ({"game": gomoku(exactly=1), "moves": [], "move": "A1"}, "'exactly' must be true or false"),
    ({"game": gomoku() | {"name": "chess"}, "moves": [], "move": "A1"}, "unknown game 'chess' (known: go, gomoku)"),
    ({"game": gomoku() | {"name": []}, "moves": [], "move": "A1"}, "unknown game [] (known: go, gomoku)"),
])
def test_what_is_not_allowed_is_explained_in_a_line(page, request_, error):
    assert page.ask("play", **({"game": gomoku()} | request_))["error"] == error


def test_nobody_owns_points(page):
    for what in ("owners", "score"):
        assert page.ask(what, game=gomoku(), moves=[])["error"] == "nobody owns points in Gomoku"


def test_the_heat_map_is_the_networks_and_there_are_four_planes(page):
    priors = page.ask("policy", game=gomoku(), moves=["B A1"])["priors"]
    assert priors.index(max(priors)) == 4
    packed = base64.b64decode(page.ask("planes", game=gomoku(), moves=["B A3"])["packed"])
    assert list(packed) == [0b0110] + 8 * [0]              # theirs, the last move; White is to play


# ---- searches

@pytest.mark.parametrize("by", ["uct", "mcts"])
def test_an_analysis_finds_the_row(page, by):
    result = page.search("analyse", game=gomoku(), moves=WON[:-1], by=by, simulations=100)["thought"]
    assert result["moves"][0]["move"] == "C3"
    assert result["black"] > 0.8 and result["owners"] is None


def test_there_is_nothing_to_analyse_after_the_end(page):
    error = page.search("analyse", game=gomoku(), moves=WON, by="uct", simulations=10)["error"]
    assert error == "the game is over: there is no move to search for"


def test_every_level_plays_and_nobody_passes_or_resigns(page, monkeypatch):
    monkeypatch.setattr(sessions, "LEVELS", tuple(
        replace(level, play_options=sessions.PlayOptions(simulations=8)) for level in sessions.LEVELS))
    for level in sessions.LEVELS:
        answer = page.search("choose", game=gomoku(), moves=WON[:-1], level=level.key)
        assert answer["move"] in ("C3", "A1", "B1", "C1", "C2")


def test_a_judgement_ends_with_who_has_won(page):
    assert page.search("judge", game=gomoku(), moves=WON)["rates"] == [0.5] * 5 + [1.0]
    assert page.search("judge", game=gomoku(), moves=DRAWN)["rates"][-1] == 0.5


@pytest.mark.parametrize("client", [Even(games=("go",))], indirect=True, ids=["no network"])
def test_without_a_network_only_searchers_are_offered_with_the_reason(page):
    offers = page.ask("offers", game=gomoku(), moves=[])
    assert {level["group"] for level in offers["levels"]} == {"Search alone"}
    assert offers["without_network"] == "there is no network for this game"
    assert page.search("choose", game=gomoku(), moves=WON[:-1], level="uct-100")["move"] == "C3"
    answer = page.search("choose", game=gomoku(), moves=[], level="policy")
    assert answer["error"] == "there is no network for this game"


# ---- SGF

BRANCHED = "(;GM[4]FF[4]SZ[3]RU[3 in a row]PB[Aoi]C[Start];B[aa];W[ab](;B[ba];W[bb];B[ca])(;B[cc]C[other];W[cc]))"


def test_an_sgf_file_comes_with_its_variations(page):
    read = load(page, BRANCHED)["game"]
    assert read == gomoku() | {"info": {"black": "Aoi"}, "nodes": [
        {"parent": -1, "comment": "Start"}, {"parent": 0, "move": "B A3"}, {"parent": 1, "move": "W A2"},
        {"parent": 2, "move": "B B3"}, {"parent": 3, "move": "W B2"}, {"parent": 4, "move": "B C3"},
        {"parent": 2, "move": "B C1", "comment": "other"}]}


@pytest.mark.parametrize("game", [gomoku(15, 5, True), gomoku(6, 4, black=["A1"], white=["C3", "B2"], first="W")])
def test_what_is_saved_is_what_was_loaded(page, game):
    whole = game | {"info": {"black": "Aoi", "result": "B+"},
                    "nodes": [{"parent": -1}, {"parent": 0, "move": f"{game['first']} F6", "black": 0.6, "visits": 9}]}
    sgf = page.ask("save", game=whole)["sgf"]
    assert "GM[4]" in sgf and "KM" not in sgf
    assert load(page, sgf)["game"] == whole


@pytest.mark.parametrize("rules, k, exactly", [("RU[exactly 5 in a row]", 5, True), ("RU[Freestyle]", 5, False),
                                               ("", 5, False)])
def test_the_row_is_among_the_rules(rules, k, exactly):
    read = read_game(f"(;GM[4]SZ[15]{rules};B[hh])".encode())
    assert (read["k"], read["exactly"]) == (k, exactly)
    assert read["info"] == ({"rules": "Freestyle"} if "Free" in rules else {})


@pytest.mark.parametrize("sgf, error", [
    ("(;GM[4]SZ[9];B[aa];W[aa])", "move 2: White A9 is occupied"),
    ("(;GM[4]SZ[9];B[])", "move 1: Black pass is no move of Gomoku"),
    ("(;GM[4]SZ[2];B[aa])", "a Gomoku board is 3x3 to 19x19, not 2x2"),
    ("(;GM[4]SZ[3]RU[4 in a row];B[aa])", "3 to 3 in a row can win on 3x3, not 4"),
    ("(;GM[4]SZ[3]AB[aa][ba][ca])", "a black stone cannot stand on C3"),
])
def test_a_bad_sgf_file_gets_one_line(page, sgf, error):
    assert load(page, sgf)["error"].startswith(error)


def test_a_row_that_does_not_fit_is_not_written():
    with pytest.raises(BadInput, match="in a row can win"):
        format_game(gomoku(3, 5) | {"info": {}, "nodes": [{"parent": -1}]})


# ---- the command

@pytest.mark.parametrize("options, start", [
    ([], ("go", 9, 0)), (["--size", "13"], ("go", 13, 0)), (["--game", "gomoku"], ("gomoku", 8, 5)),
    (["--game", "gomoku", "--size", "6", "--k", "4"], ("gomoku", 6, 4))])
def test_the_page_opens_on_the_game_that_is_asked_for(options, start, monkeypatch):
    rooms = []
    monkeypatch.setattr(web_app, "make_app", lambda room_of, *others: rooms.append(room_of()))
    monkeypatch.setattr(web_app.uvicorn, "Config", lambda *args, **options: None)
    monkeypatch.setattr(web_app.uvicorn, "Server",
                        lambda config: SimpleNamespace(run=lambda sockets: sockets[0].close()))
    assert cli.main(["web", "--no-browser", "--port", "0", *options]) == 0
    first = rooms[0].first
    assert (first.game, first.size, getattr(first, "k", 0)) == start


def test_bad_options_get_one_line(capsys):
    for options, error in [(["--k", "4"], "--k is for Gomoku, and this is Go"),
                           (["--size", "20"], "a board is 2x2 to 19x19, not 20x20"),
                           (["--game", "gomoku", "--k", "9"], "3 to 8 in a row can win on 8x8, not 9")]:
        assert cli.main(["web", "--no-browser", *options]) == 2
        assert capsys.readouterr().err.startswith(f"mugo web: {error}")

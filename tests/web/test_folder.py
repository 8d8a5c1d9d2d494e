"""`mugo web --games FOLDER`: the newest record of a folder on the start of the page, and none of another folder."""
import os

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from starlette.testclient import TestClient
from web_fakes import UniformNetwork

from mugo.core.files import BadInput
from mugo.games.coords import point_at
from mugo.web import app as web_app
from mugo.web.files import MAX_BYTES, RecordFolder
from mugo.web.state import ServerState
from web_page import STATUS

RECORD = "(;GM[1]SZ[9]PB[Aoi]PW[Beni];B[ee];W[gc])"
CARD = "document.getElementById('start-newest')"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The folder: two records, and what is none of it."""
    root = tmp_path_factory.mktemp("records")
    path = root / "games"
    (path / "below").mkdir(parents=True)
    for i, name in enumerate(["first.sgf", "sécond 100%.SGF"]):
        (path / name).write_text(RECORD)
        os.utime(path / name, (1000 + i, 1000 + i))
    for name in "notes.txt", ".hidden.sgf", "below/deep.sgf", "../outside.sgf":
        (path / name).write_text("secret")
    (path / "large.sgf").write_text("x" * (MAX_BYTES + 1))
    (path / "link.sgf").symlink_to(root / "outside.sgf")
    (path / "gone.sgf").symlink_to(root / "nothing")
    (path / "folder.sgf").mkdir()
    return path


@pytest.fixture(scope="module")
def folder(path):
    return RecordFolder(path)


@pytest.fixture(scope="module")
def client(folder):
    state = ServerState(UniformNetwork(preferred=point_at(2, 2, 9)), jobs=1, has_game=False, folder=folder)
    with TestClient(web_app.make_app(lambda: state, hosts=frozenset({"testserver"}))) as client:
        yield client


def test_the_newest_record_and_those_beside_it_are_read_by_their_names(client, folder):
    assert client.get("/games").json() == {"name": "sécond 100%.SGF", "time": 1001.0}
    for name in "first.sgf", "s%C3%A9cond%20100%25.SGF":
        answer = client.get(f"/games/{name}")
        assert answer.text == RECORD and answer.headers["content-type"] == "application/octet-stream"
    with client.websocket_connect("/ws") as websocket:
        assert websocket.receive_json()["has_folder"] is True


@pytest.mark.parametrize("name", [
    "notes.txt", ".hidden.sgf", "below/deep.sgf", "below%2Fdeep.sgf", "../outside.sgf", "..%2Foutside.sgf",
    "%2e%2e%2foutside.sgf", "..%5Coutside.sgf", "..%252Foutside.sgf", "link.sgf", "gone.sgf", "folder.sgf", "large.sgf",
    "nothing.sgf", "first.sgf%00", "{absolute}"])
def test_nothing_else_is_read(client, path, name):
    answer = client.get("/games/" + name.format(absolute=str(path / "first.sgf").replace("/", "%2F")))
    assert answer.status_code == 404 and "secret" not in answer.text


def test_a_folder_that_goes_away_is_empty(tmp_path):
    (tmp_path / "games").mkdir()
    folder = RecordFolder(tmp_path / "games")
    (tmp_path / "games").rmdir()
    assert folder.newest() == {} and folder.read("first.sgf") is None
    with pytest.raises(BadInput, match="is not a folder"):
        RecordFolder(tmp_path / "games")


def test_without_a_folder_there_is_none():
    state = ServerState(UniformNetwork(preferred=point_at(2, 2, 9)), jobs=1)
    with TestClient(web_app.make_app(lambda: state, hosts=frozenset({"testserver"}))) as client:
        assert client.get("/games").json() == {} and client.get("/games/first.sgf").status_code == 404
        with client.websocket_connect("/ws") as websocket:
            assert "has_folder" not in websocket.receive_json()


def test_the_page_offers_the_newest_record_and_follows_the_folder(page, path, failures):
    page.evaluate("document.getElementById('home').click()")
    page.wait_for_function(f"{CARD}.textContent.includes('sécond 100%.SGF')")
    (path / "third.sgf").write_text(RECORD.replace("Aoi", "Chika"))
    page.wait_for_function(f"{CARD}.textContent.includes('third.sgf') && {CARD}.checkVisibility()")
    page.click("#start-newest")
    page.wait_for_function("window.mugo.state.game.info.black === 'Chika' && window.mugo.state.lineAnalysis")
    page.evaluate("document.getElementById('home').click()")
    page.wait_for_function("document.documentElement.dataset.screen === 'start'")
    (path / "third.sgf").rename(path / "third.txt")
    page.click("#start-newest")
    page.wait_for_function(f"{STATUS} === 'third.sgf: it is no longer there'")
    (path / "third.txt").unlink()
    failures.remove("Failed to load resource: the server responded with a status of 404 (Not Found)")

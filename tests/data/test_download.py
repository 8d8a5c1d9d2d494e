"""`mugo download` against a local server: what is listed, asked, compared and refused."""
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mugo.cli import main as cli
from mugo.data.download import download, file_name
from mugo.core.files import BadInput

ARCHIVE = bytes(range(256)) * 4000                       # a megabyte


class Site:
    """The files of a server, and its faults.

    files: {path: content}.  requests: [(method, path)].  cut: {path: bytes after which the connection ends}.
    """

    def __init__(self):
        self.files, self.requests, self.cut = {}, [], {}

    def page(self, *links, path="/index.html"):
        self.files[path] = "".join(f'<p><a href="{link}">x</a>' for link in links).encode()
        return self.address + path


@pytest.fixture
def site():
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.answer(with_body=False)

        def do_GET(self):
            self.answer(with_body=True)

        def answer(self, with_body):
            site.requests.append((self.command, self.path))
            content = site.files.get(self.path, b"")
            self.send_response(200 if self.path in site.files else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if with_body:
                self.wfile.write(content[:site.cut.get(self.path)])
            self.close_connection = self.path in site.cut

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)      # s until it sees its end
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_archives_of_a_page(site, tmp_path, capsys):
    site.files |= {"/old/kgs-1.tar.gz": ARCHIVE, "/kgs%202.zip": b"zip", "/%E5%8F%A4.7z": b"7z", "/x.sgf": b"(;)",
                   "/readme.txt": b"no"}
    page = site.page("old/kgs-1.tar.gz", "/kgs 2.zip#top", "/x.sgf", "古.7z", "/readme.txt", "old/kgs-1.tar.gz",
                     "mailto:a@b.zip")
    assert download(page, tmp_path, yes=True) == 4
    assert (tmp_path / "kgs-1.tar.gz").read_bytes() == ARCHIVE and (tmp_path / "kgs 2.zip").read_bytes() == b"zip"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kgs 2.zip", "kgs-1.tar.gz", "x.sgf", "古.7z"]
    assert "4 files, 1.0 MB from 127.0.0.1 to" in capsys.readouterr().out
    site.requests.clear()
    assert download(page, tmp_path, yes=True) == 0
    assert [method for method, path in site.requests if path != "/index.html"] == ["HEAD"] * 4
    (tmp_path / "x.sgf").write_bytes(b"mine")
    with pytest.raises(BadInput, match="x.sgf is there, and its size is not the server's: move it"):
        download(page, tmp_path, yes=True)


def test_one_archive_and_a_choice_of_names(site, tmp_path):
    site.files["/a.zip"] = site.files["/b.zip"] = b"zip"
    assert download(f"{site.address}/a.zip", tmp_path, yes=True) == 1
    assert download(site.page("a.zip", "b.zip"), tmp_path, "^B", yes=True) == 1
    with pytest.raises(BadInput, match="no file's name matches 'c'"):
        download(site.page("a.zip"), tmp_path, "c", yes=True)
    with pytest.raises(BadInput, match="is no regular expression"):
        download(site.page("a.zip"), tmp_path, "(", yes=True)


def test_a_file_that_breaks_off_is_not_there_and_the_others_come(site, tmp_path, capsys):
    site.files |= {"/a.zip": ARCHIVE, "/b.zip": b"zip"}
    site.cut["/a.zip"] = 1000
    with pytest.raises(BadInput, match="2 of 3 files did not come; the same command tries them again"):
        download(site.page("a.zip", "b.zip", "gone.zip"), tmp_path, yes=True)
    assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]
    error = capsys.readouterr().err
    assert f"/a.zip: the connection ended after 1,000 of {len(ARCHIVE):,} bytes" in error
    assert "/gone.zip: the server answers 404 Not Found" in error
    site.cut.clear()
    assert download(site.page("a.zip", "b.zip"), tmp_path, yes=True) == 1
    assert (tmp_path / "a.zip").read_bytes() == ARCHIVE


@pytest.mark.parametrize("url, name", [
    ("https://x/a/b.zip?c=d#e", "b.zip"), ("https://x/a%20b.zip", "a b.zip"), ("https://x/", ""),
    ("https://x/%2e%2e", ""), ("https://x/a%2Fb.zip", "b.zip"), ("https://x/a%5Cb.zip", ""), ("https://x/.hidden", "")])
def test_the_name_of_a_file_stays_in_its_folder(url, name):
    assert file_name(url) == name


def test_nothing_is_fetched_without_a_yes(site, tmp_path, capsys, monkeypatch):
    site.files["/a.zip"] = b"zip"
    command = ["download", f"{site.address}/a.zip", "-o", str(tmp_path)]
    assert cli.main(command) == 2
    assert capsys.readouterr().err == "mugo download: nobody to ask here whether to fetch these files: give --yes\n"
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: "n")
    assert cli.main(command) == 0 and not (tmp_path / "a.zip").exists()


@pytest.mark.parametrize("address, line", [
    ("file:///etc/passwd.zip", "expected an address that begins with https:// or http://"),
    ("ftp://x/a.zip", "expected an address that begins with"),
    ("http://127.0.0.1:1/a.zip", "1 of 1 files did not come")])
def test_other_addresses_and_servers_that_are_not_there(address, line, tmp_path, capsys):
    assert cli.main(["download", address, "-o", str(tmp_path), "--yes"]) == 2
    assert line in capsys.readouterr().err


def test_a_page_without_archives(site, tmp_path):
    with pytest.raises(BadInput, match="no link to an archive"):
        download(site.page("a.html"), tmp_path, yes=True)

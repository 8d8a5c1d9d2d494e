"""`mugo download` against a local server: what is listed, asked, continued, compared and refused."""
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mugo.cli import main as cli
from mugo.data import download as download_module
from mugo.data import fetch
from mugo.data.download import download, file_name, find_files, parse_checksums
from mugo.data.fetch import describe, fetch_file, partial_path
from mugo.core.files import BadInput

ARCHIVE = bytes(range(256)) * 4000                       # a megabyte


class Site:
    """The files of a server, and its faults.

    files: {path: content}.  requests: [(method, path, Range)].  cut: {path: bytes after which the connection ends}, for
    as many answers as `cuts`.  etags, lengths: headers in the place of the true ones; length None: without it.
    status: {path: code}.
    """

    def __init__(self):
        self.files, self.requests, self.cut, self.cuts = {}, [], {}, 0
        self.etags, self.lengths, self.status, self.redirects = {}, {}, {}, {}
        self.raw = {}
        self.has_ranges = self.has_head = True

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
            site.requests.append((self.command, self.path, self.headers.get("Range")))
            if self.path in site.raw:
                head, _, body = site.raw[self.path].partition(b"\r\n\r\n")
                self.wfile.write(head + b"\r\n\r\n" + body * with_body)
                self.close_connection = True
                return
            status = site.status.get(self.path, 200 if self.path in site.files else 404)
            if self.command == "HEAD" and not site.has_head:
                status = 405
            if self.path in site.redirects:
                self.send_response(302)
                self.send_header("Location", site.redirects[self.path])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = site.files.get(self.path, b"") if status == 200 else b""
            etag = site.etags.get(self.path, f'"{hashlib.md5(content).hexdigest()}"')
            start = 0
            if site.has_ranges and status == 200 and self.headers.get("Range") and self.headers.get("If-Range") == etag:
                start = int(self.headers["Range"][6:-1])
                status = 206 if start < len(content) else 416
            self.send_response(status)
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("ETag", etag)
            if (length := site.lengths.get(self.path, len(content))) is None:
                self.close_connection = True
            else:
                self.send_header("Content-Length", str(length - start))
            self.end_headers()
            if not with_body:
                return
            if self.path in site.cut and site.cuts > 0:
                site.cuts -= 1
                self.wfile.write(content[start:start + site.cut[self.path]])
                self.close_connection = True
                return
            self.wfile.write(content[start:])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)      # s until it sees its end
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(fetch.time, "sleep", lambda seconds: None)


def test_the_archives_of_a_page(site, tmp_path, capsys):
    site.files |= {"/old/kgs-1.tar.gz": ARCHIVE, "/kgs%202.zip": b"zip", "/%E5%8F%A4.7z": b"7z", "/x.sgf": b"(;)",
                   "/readme.txt": b"no"}
    page = site.page("old/kgs-1.tar.gz", "/kgs 2.zip#top", "/x.sgf", "古.7z", "/readme.txt", "old/kgs-1.tar.gz",
                     "mailto:a@b.zip")
    assert download(page, tmp_path, yes=True) == 4
    assert (tmp_path / "kgs-1.tar.gz").read_bytes() == ARCHIVE and (tmp_path / "kgs 2.zip").read_bytes() == b"zip"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["downloads.json", "kgs 2.zip", "kgs-1.tar.gz", "x.sgf", "古.7z"]
    records = json.loads((tmp_path / "downloads.json").read_text())
    assert records["x.sgf"]["sha256"] == hashlib.sha256(b"(;)").hexdigest()
    assert "4 files, 1.0 MB from 127.0.0.1 to" in capsys.readouterr().out

    site.requests.clear()
    assert download(page, tmp_path, yes=True) == 0                  # nothing comes twice
    assert [method for method, _, _ in site.requests].count("GET") == 1
    assert "all 4 files are there" in capsys.readouterr().out
    site.files["/x.sgf"] = b"(;C[new])"                             # but a new version does
    assert download(page, tmp_path, yes=True) == 1 and (tmp_path / "x.sgf").read_bytes() == b"(;C[new])"


def test_some_files(site, tmp_path):
    site.files |= {"/a-2019.zip": b"a", "/b-2019.zip": b"b", "/b-2020.zip": b"c"}
    page = site.page("/a-2019.zip", "/b-2019.zip", "/b-2020.zip")
    assert download(page, tmp_path, r"^B.*2019", yes=True) == 1 and (tmp_path / "b-2019.zip").exists()
    with pytest.raises(BadInput, match="no file's name matches 'x'"):
        download(page, tmp_path, "x", yes=True)
    with pytest.raises(BadInput, match="no regular expression"):
        download(page, tmp_path, "(", yes=True)


def test_the_question(site, tmp_path, monkeypatch, capsys):
    site.files["/a.zip"] = b"a"
    with pytest.raises(BadInput, match="give --yes"):
        download(site.address + "/a.zip", tmp_path)
    monkeypatch.setattr(download_module.sys.stdin, "isatty", lambda: True, raising=False)
    for answer, count in ("", 0), ("n", 0), ("y", 1):
        monkeypatch.setattr("builtins.input", lambda _, answer=answer: answer)
        assert download(site.address + "/a.zip", tmp_path) == count
    assert "nothing fetched" in capsys.readouterr().out


@pytest.mark.parametrize("has_ranges", [True, False])
def test_a_broken_connection_is_continued(site, tmp_path, has_ranges):
    site.files["/a.zip"] = ARCHIVE
    site.has_ranges, site.cut, site.cuts = has_ranges, {"/a.zip": 300_000}, 3
    progress = []
    fetch_file(describe(site.address + "/a.zip"), tmp_path / "a.zip", on_bytes=progress.append)
    assert (tmp_path / "a.zip").read_bytes() == ARCHIVE and sum(progress) == len(ARCHIVE)
    ranges = [wanted for method, _, wanted in site.requests if method == "GET"]
    assert ranges == [None, "bytes=300000-", "bytes=600000-", "bytes=900000-"] if has_ranges else len(ranges) == 4
    assert len(list(tmp_path.iterdir())) == 1


def test_an_interrupted_command_is_continued(site, tmp_path):
    site.files["/a.zip"] = ARCHIVE
    remote = describe(site.address + "/a.zip")

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_file(remote, tmp_path / "a.zip", on_bytes=interrupt)
    have = partial_path(remote, tmp_path / "a.zip").stat().st_size
    assert 0 < have < len(ARCHIVE) and not (tmp_path / "a.zip").exists()
    assert download(site.address + "/a.zip", tmp_path, yes=True) == 1
    assert site.requests[-1] == ("GET", "/a.zip", f"bytes={have}-") and (tmp_path / "a.zip").read_bytes() == ARCHIVE


@pytest.mark.parametrize("length, requests", [(len(ARCHIVE), []), (None, [f"bytes={len(ARCHIVE)}-"])])
def test_a_command_that_was_killed_after_the_last_byte_is_continued(site, tmp_path, length, requests):
    site.files["/a.zip"], site.lengths["/a.zip"] = ARCHIVE, length
    remote = describe(site.address + "/a.zip")
    partial_path(remote, tmp_path / "a.zip").write_bytes(ARCHIVE)
    fetch_file(remote, tmp_path / "a.zip")
    assert [wanted for method, _, wanted in site.requests if method == "GET"] == requests
    assert (tmp_path / "a.zip").read_bytes() == ARCHIVE and len(list(tmp_path.iterdir())) == 1


def test_a_file_that_changed_in_between_is_no_mixture(site, tmp_path):
    site.files["/a.zip"] = ARCHIVE
    site.cut, site.cuts = {"/a.zip": 1000}, 1000
    with pytest.raises(BadInput, match="1 of 1 files did not come"):
        site.cut["/a.zip"] = 0
        download(site.address + "/a.zip", tmp_path, yes=True)
    site.cuts = 0
    partial_path(describe(site.address + "/a.zip"), tmp_path / "a.zip").write_bytes(b"x" * 500)
    (tmp_path / "a.zip.mine.part").write_bytes(b"mine")
    site.files["/a.zip"] = ARCHIVE[::-1]
    assert download(site.address + "/a.zip", tmp_path, yes=True) == 1
    assert (tmp_path / "a.zip").read_bytes() == ARCHIVE[::-1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "a.zip.mine.part", "downloads.json"]


def test_a_file_that_changes_under_way(site, tmp_path):
    site.files["/a.zip"] = ARCHIVE
    remote = describe(site.address + "/a.zip")
    site.files["/a.zip"] = ARCHIVE[::-1]
    with pytest.raises(BadInput, match="has changed on the server|did not come"):
        fetch_file(remote, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_checksums(site, tmp_path, capsys):
    good, bad = hashlib.sha256(b"a").hexdigest(), "0" * 64
    site.files |= {"/a.zip": b"a", "/b.zip": b"b", "/SHA256SUMS": f"{good}  a.zip\n{bad} *sub/b.zip\r\n".encode()}
    page = site.page("/a.zip", "/b.zip", "/SHA256SUMS")
    with pytest.raises(BadInput, match="1 of 2 files did not come"):
        download(page, tmp_path, yes=True)
    output = capsys.readouterr()
    assert f"its SHA-256 is {hashlib.sha256(b'b').hexdigest()}, expected {bad}; nothing of it is kept" in output.err
    assert output.out.count("SHA-256 known") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "downloads.json"]

    site.files["/a.zip.sha256"] = good.encode()
    assert download(site.page("/a.zip", "/a.zip.sha256"), tmp_path / "other", yes=True) == 1


def test_parsing_checksums():
    one, two = "a" * 64, "B" * 64
    assert parse_checksums(f"# comment\n{one}  x y.zip\n{two} *./z.zip\nshort  q.zip\n") == {
        "x y.zip": one, "z.zip": two.lower()}
    assert parse_checksums(one, "a.zip") == {"a.zip": one} and parse_checksums(one) == {}


@pytest.mark.parametrize("length", [999, 1001])
def test_another_length_than_stated(site, tmp_path, length):
    site.files["/a.zip"] = b"x" * 1000
    site.lengths["/a.zip"] = length
    site.cut, site.cuts = {"/a.zip": 1000}, 1000
    if length < 1000:                                               # HTTP ends the body at its length
        remote = fetch.RemoteFile(site.address + "/a.zip", 998, describe(site.address + "/a.zip").validator)
    else:
        remote = describe(site.address + "/a.zip")
    with pytest.raises(BadInput, match="the connection ended after 1,000 of 1,001|999 bytes came, expected 998"):
        fetch_file(remote, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_a_server_without_head_and_an_empty_file(site, tmp_path):
    site.files["/a.zip"] = b""
    site.has_head = False
    assert download(site.address + "/a.zip", tmp_path, yes=True) == 1 and (tmp_path / "a.zip").read_bytes() == b""


@pytest.mark.parametrize("name", ["%2e%2e.zip/..", "..%2f.zip", ".hidden.zip", "a%00b.zip", "a%0ab.zip", "c:x.zip",
                                  "x" * 300 + ".zip", "%5c%5chost%5cx.zip"])
def test_names_that_leave_the_folder(site, name):
    assert file_name("https://example.com/..%2f..%2fetc%2fx.zip") == "x.zip"
    assert file_name(f"https://example.com/{name}") == ""
    with pytest.raises(BadInput, match="no link to an archive"):
        find_files(site.page("/" + name))


def test_refused_addresses_and_pages(site, tmp_path, monkeypatch):
    site.redirects |= {"/away": "file:///etc/passwd", "/elsewhere": "ftp://127.0.0.1/x.zip"}
    site.files["/big"] = b"x" * 2000
    site.files |= {"/1/a.zip": b"1", "/2/a.zip": b"2"}
    monkeypatch.setattr(download_module, "MAX_PAGE_BYTES", 1000)
    for address, message in (
            ("file:///etc/passwd", "begins with https"), ("ftp://x/a.zip", "begins with https"),
            ("games", "begins with https"), ("http:///a.zip", "begins with https"),
            ("http://[", "begins with https"), (site.address + "/none", "answers 404"),
            (site.address + "/away", "is not allowed"),
            (site.address + "/elsewhere", "ftp://127.0.0.1/x.zip: expected an address"),
            (site.address + "/big", "more than 1,000 bytes"),
            (site.page("/1/a.zip", "/2/a.zip"), "two files with the name a.zip"),
            ("http://127.0.0.1:1/a.zip", "did not come")):
        with pytest.raises(BadInput, match=message):
            download(address, tmp_path, yes=True)
    monkeypatch.setattr(download_module, "MAX_FILES", 1)
    with pytest.raises(BadInput, match="links to 2 files, expected at most 1"):
        find_files(site.page("/1/a.zip", "/2/b.zip"))


def test_a_file_of_the_person_is_not_overwritten(site, tmp_path):
    site.files["/a.zip"] = b"theirs"
    (tmp_path / "a.zip").write_bytes(b"mine")
    with pytest.raises(BadInput, match="was not fetched by this command"):
        download(site.address + "/a.zip", tmp_path, yes=True)
    assert (tmp_path / "a.zip").read_bytes() == b"mine"


def test_damaged_records_of_downloads(site, tmp_path):
    site.files["/a.zip"] = b"a"
    (tmp_path / "downloads.json").write_text('{"a.zip": 3}')
    with pytest.raises(BadInput, match="downloads.json: a.zip is 3"):
        download(site.address + "/a.zip", tmp_path, yes=True)


def test_too_little_room(site, tmp_path, monkeypatch):
    site.files["/a.zip"] = b"a"
    site.lengths["/a.zip"] = 10**15
    with pytest.raises(BadInput, match=r"1000000.00 GB to fetch, and .* GB free"):
        download(site.address + "/a.zip", tmp_path, yes=True)


def test_the_command(site, tmp_path, capsys):
    site.files["/a.zip"] = b"a"
    assert cli.main(["download", site.address + "/a.zip", "-o", str(tmp_path), "--yes"]) == 0
    assert "1 file fetched" in capsys.readouterr().out
    assert cli.main(["download", site.address + "/b.zip", "-o", str(tmp_path), "--yes"]) == 2
    assert [line.split(": ")[0] for line in capsys.readouterr().err.splitlines()] == ["mugo", "mugo download"]


def test_a_dead_link_does_not_keep_the_others_back(site, tmp_path, capsys):
    site.files["/good.zip"] = b"good"
    with pytest.raises(BadInput, match="1 of 2 files did not come"):
        download(site.page("/dead.zip", "/good.zip"), tmp_path, yes=True)
    assert (tmp_path / "good.zip").exists() and "dead.zip: the server answers 404" in capsys.readouterr().err
    with pytest.raises(BadInput, match="1 of 2 files did not come"):
        download(site.page("/dead.zip", "/good.zip"), tmp_path, yes=True)


def test_a_file_of_checksums_is_not_ignored(site, tmp_path):
    site.files["/a.zip"] = b"a"
    sums = tmp_path / "sums"
    for text in "0" * 64, f"SHA256 (a.zip) = {'0' * 64}":
        sums.write_text(text)
        with pytest.raises(BadInput, match="1 of 1 files did not come"):
            download(site.address + "/a.zip", tmp_path / "new", yes=True, checksums=sums)
    sums.write_text("nothing")
    with pytest.raises(BadInput, match="has no SHA-256 checksum of these files"):
        download(site.address + "/a.zip", tmp_path / "new", yes=True, checksums=sums)


def test_a_file_of_checksums_takes_the_place_of_those_of_the_page(site, tmp_path):
    site.files["/a.zip"] = b"a"
    page = site.page("/a.zip", "/SHA256SUMS")                       # a dead link
    with pytest.raises(BadInput, match="SHA256SUMS: the server answers 404"):
        download(page, tmp_path / "new", yes=True)
    (tmp_path / "sums").write_text(f"{hashlib.sha256(b'a').hexdigest()}  a.zip")
    assert download(page, tmp_path / "new", yes=True, checksums=tmp_path / "sums") == 1


@pytest.mark.parametrize("answer, line", [
    ("200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc\r\n", "a.sgf: read length must be non-negative"),
    ("206 Partial\r\nContent-Range: bytes 5-6/25\r\n\r\nab", "a.sgf: the server answers 206, expected 200"),
    ("299 Odd\r\n\r\n", "a.sgf: the server answers 299, expected 200")])
def test_answers_that_are_no_whole_file(site, tmp_path, capsys, answer, line):
    site.raw["/a.sgf"] = b"HTTP/1.1 " + answer.encode()
    with pytest.raises(BadInput, match="1 of 1 files did not come"):
        download(site.address + "/a.sgf", tmp_path, yes=True)
    assert line in capsys.readouterr().err and not (tmp_path / "a.sgf").exists()


@pytest.mark.parametrize("digits", [400, 5_000])
def test_a_size_beyond_all_bounds_is_an_unknown_one(site, tmp_path, digits):
    site.raw["/a.sgf"] = b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * digits + b"\r\n\r\n(;)"
    assert describe(site.address + "/a.sgf").size == -1


def test_a_file_of_unstated_size_ends_at_a_limit(site, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(fetch, "MAX_UNSTATED_SIZE", 100_000)
    site.raw["/a.sgf"] = b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 100_001
    with pytest.raises(BadInput, match="1 of 1 files did not come"):
        download(site.address + "/a.sgf", tmp_path, yes=True)
    assert "more than 100,000 bytes came, and the server does not say how many" in capsys.readouterr().err
    assert not any("a.sgf" in path.name for path in tmp_path.iterdir())
    site.raw["/a.sgf"] = site.raw["/a.sgf"][:-1]
    assert download(site.address + "/a.sgf", tmp_path, yes=True) == 1


@pytest.mark.parametrize("charset", ["idna", "undefined", "rot13", '"\0"'])
def test_a_page_in_a_charset_that_is_none(site, tmp_path, charset):
    site.raw["/page"] = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=" + charset.encode()
                         + b'\r\n\r\n<a href="a.sgf">\xff')
    assert list(find_files(site.address + "/page")[0]) == ["a.sgf"]


def test_declarations_in_a_page_are_comments(site):
    site.files["/page"] = b'<![foo[x]]><![CDATA[y]]><!foo><a href="a.sgf"><![if'
    assert list(find_files(site.address + "/page")[0]) == ["a.sgf"]

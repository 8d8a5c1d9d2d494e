"""The command `mugo download ADDRESS -o FOLDER`: public archives of game records.

    page of links  -> the archives and records that it links to, with their sizes  -> a question -> files in FOLDER
    an archive     -> itself

A file that is there in its size is not fetched again; one that broke off begins anew.
"""
import argparse
import http.client
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from mugo.core.files import BadInput, atomic_write, error_line, lock_folder, printable
from mugo.core.progress import progress_bar
from mugo.core.version import VERSION
from mugo.sgf.archives import ARCHIVE_SUFFIXES, SGF_SUFFIXES

TIMEOUT = 30.0                           # seconds without a byte
CHUNK = 1 << 18                          # bytes between two updates of the progress
MAX_PAGE_BYTES = 8 << 20                 # of a page of links


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (href := dict(attrs).get("href")):
            self.links.append(href)


def file_name(url: str) -> str:
    """The name of a link's file: the last part of its path, as it can stand in a folder; "" if it has none."""
    name = urllib.parse.unquote(urllib.parse.urlsplit(url).path).rpartition("/")[2]
    return name if name.isprintable() and not re.search(r'^\.|[\\/:*?"<>|]', name) else ""


def open_url(url: str, method: str = "GET") -> http.client.HTTPResponse:
    """The answer of a server.  Raises BadInput, which names the address, if there is none or it is an error."""
    if not re.match("https?://[^/]", url):
        raise BadInput(f"{printable(url)[:200]}: expected an address that begins with https:// or http://")
    try:
        request = urllib.request.Request(url, method=method, headers={"User-Agent": f"MuGo/{VERSION}"})
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise BadInput(f"{printable(url)}: the server answers {error.code} {printable(str(error.reason))}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise BadInput(f"{printable(url)}: {error_line(error)}") from None


def read_page(url: str) -> tuple[str, str]:
    """(the text of a page, its address after redirections).  Raises BadInput."""
    with open_url(url) as answer:
        data = answer.read(MAX_PAGE_BYTES + 1)
        if len(data) > MAX_PAGE_BYTES:
            raise BadInput(f"{printable(url)} has more than {MAX_PAGE_BYTES:,} bytes; expected a page of links")
        return data.decode("utf-8", "replace"), answer.geturl()


def find_files(url: str) -> dict[str, str]:
    """{name: address} of the archives and records behind an address, in the page's order.  Raises BadInput if there are
    none."""
    suffixes = (*ARCHIVE_SUFFIXES, *SGF_SUFFIXES)
    if file_name(url).lower().endswith(suffixes):
        return {file_name(url): url}
    text, address = read_page(url)
    page = _Links()
    page.feed(text)
    files: dict[str, str] = {}
    for link in page.links:
        target = urllib.parse.urldefrag(urllib.parse.urljoin(address, link.strip())).url
        target = urllib.parse.quote(target, safe="%/:=&?~+!$,;'@()*[]")          # links with spaces and other letters
        name = file_name(target)
        if target.startswith(("http:", "https:")) and name.lower().endswith(suffixes):
            files.setdefault(name, target)
    if not files:
        raise BadInput(f"{printable(url)}: no link to an archive (.zip, .tar.gz, .7z, ...) or a game record")
    return files


def fetch(url: str, path: Path, on_bytes: Callable[[int], object]) -> None:
    """Fetch a file, which is there when it is whole.  Raises BadInput."""
    with open_url(url) as answer, atomic_write(path) as temporary, open(temporary, "wb") as file:
        stated = answer.length
        try:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                on_bytes(len(chunk))
        except (OSError, http.client.HTTPException) as error:
            raise BadInput(f"{printable(url)}: {error_line(error)}") from None
        if stated is not None and file.tell() != stated:
            raise BadInput(f"{printable(url)}: the connection ended after {file.tell():,} of {stated:,} bytes")


def download(url: str, folder: Path, pattern: str = "", yes: bool = False) -> int:
    """Fetch the files behind an address; returns how many came.

    pattern: a regular expression that names are searched for.  yes: without asking.  Raises BadInput, after the other
    files have come, for those that could not be fetched, and for a file in the folder that has another size.
    """
    try:
        matching = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise BadInput(f"--match {pattern!r} is no regular expression: {error}") from None
    files = {name: target for name, target in find_files(url).items() if matching.search(name)}
    if not files:
        raise BadInput(f"{printable(url)}: no file's name matches {pattern!r}")
    with lock_folder(folder):
        sizes = {name: _size(target) for name, target in files.items()}
        wanted = [name for name, size in sizes.items() if not _is_there(folder / name, size)]
        if not wanted:
            print(f"{folder}: all {len(files)} files are there")
            return 0
        total = sum(max(sizes[name], 0) for name in wanted)
        for name in wanted:
            print(f"{name}  {'unknown size' if sizes[name] < 0 else f'{sizes[name] / 1e6:,.1f} MB'}")
        print(f"{len(wanted)} {'file' if len(wanted) == 1 else 'files'}, {total / 1e6:,.1f} MB from "
              f"{urllib.parse.urlsplit(url).hostname} to {folder}", flush=True)
        if not (yes or _agreed()):
            print("nothing fetched")
            return 0
        return _fetch_all({name: files[name] for name in wanted}, folder, total)


def _size(url: str) -> int:
    """The bytes of a file, as the server says; -1 if it does not."""
    try:
        with open_url(url, "HEAD") as answer:
            length = answer.headers.get("Content-Length", "")
            return int(length) if re.fullmatch(r"\d{1,18}", length, re.ASCII) else -1
    except BadInput:                     # said again when the file is fetched
        return -1


def _is_there(path: Path, size: int) -> bool:
    if path.exists() and size not in (-1, path.stat().st_size):
        raise BadInput(f"{path} is there, and its size is not the server's: move it, or choose another folder")
    return path.exists()


def _fetch_all(files: dict[str, str], folder: Path, total: int) -> int:
    failed = 0
    with progress_bar("B", total, scale=True) as bar:
        for name, url in files.items():
            bar.set_postfix_str(name)
            try:
                fetch(url, folder / name, bar.update)
            except BadInput as error:
                failed += 1
                bar.write(str(error), file=sys.stderr)
    print(f"{folder}: {len(files) - failed} {'file' if len(files) - failed == 1 else 'files'} fetched")
    if failed:
        raise BadInput(f"{failed} of {len(files)} files did not come; the same command tries them again")
    return len(files)


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise BadInput("nobody to ask here whether to fetch these files: give --yes")
    try:
        return input("Fetch them? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def command(args: argparse.Namespace) -> int:
    download(args.address, args.output, args.match, args.yes)
    return 0

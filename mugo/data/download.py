"""The command `mugo download ADDRESS -o FOLDER`: public archives of game records.

    page of links  -> the archives and records that it links to, with their sizes  -> a question -> files in FOLDER
    an archive     -> itself

A file that broke off is continued by the same command.  One that is there, as downloads.json in the folder has it, is
not fetched again.  Checksums are looked for in the links of the page: SHA256SUMS, FILE.sha256; or given.
"""
import argparse
import json
import re
import shutil
import sys
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

from mugo.data.fetch import RemoteFile, check_url, describe, fetch_file, partial_size, read_page
from mugo.core.files import BadInput, atomic_write, lock_folder, log_to_stderr, printable, read_json, read_text
from mugo.core.progress import progress_bar
from mugo.core.schema import TEXT, Object, check_value, integer
from mugo.sgf.archives import ARCHIVE_SUFFIXES, SGF_SUFFIXES

MAX_PAGE_BYTES = 8 << 20                 # of a page of links, and of a file of checksums
MAX_FILES = 2_000                        # of one page
CONNECTIONS = 8                          # at once, to ask for sizes
MAX_NAME = 200                           # bytes of a file name
RECORDS = "downloads.json"               # {name: {url, size, validator, sha256}} of what was fetched
_DOWNLOADS = Object({}, others=Object({"url": TEXT, "size": integer(0), "validator": TEXT, "sha256": TEXT}),
                    may_be_empty=True)
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_SHA256_OF_BSD = re.compile(r"SHA256 \((.+)\) = ([0-9a-fA-F]{64})")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.base = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.links.append(href)
        elif tag == "base" and href and not self.base:
            self.base = href

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """`<![...]` is a comment to browsers; Python's parser has an AssertionError for most of them."""
        return self.parse_bogus_comment(i, report)


def file_name(url: str) -> str:
    """The name of a link's file: the last part of its path, as it can stand in a folder; "" if it has none."""
    name = urllib.parse.unquote(urllib.parse.urlsplit(url).path).rpartition("/")[2]
    is_safe = name.isprintable() and not re.search(r'[\\/:*?"<>|]', name) and not name.startswith(".")
    return name if is_safe and len(name.encode("utf-8", "replace")) <= MAX_NAME else ""


def find_files(url: str) -> tuple[dict[str, str], list[str]]:
    """({name: address} of the archives and records behind an address, addresses of checksums), in the page's order.

    Raises BadInput if there are none, or two with one name.
    """
    check_url(url)                       # before anything else looks at it
    suffixes = (*ARCHIVE_SUFFIXES, *SGF_SUFFIXES)
    if file_name(url).lower().endswith(suffixes):
        return {file_name(url): url}, []
    text, address = read_page(url, MAX_PAGE_BYTES)
    page = _Links()
    page.feed(text)
    files: dict[str, str] = {}
    checksums: dict[str, None] = {}
    for link in page.links:
        try:
            base = urllib.parse.urljoin(address, page.base)
            target = urllib.parse.urldefrag(urllib.parse.urljoin(base, link.strip())).url
            target = urllib.parse.quote(target, safe="%/:=&?~+!$,;'@()*[]")      # links with spaces and other letters
            name = file_name(target)
            check_url(target)
        except (ValueError, BadInput):   # a malformed address, or of a letter (mailto:)
            continue
        if name.lower().endswith(suffixes):
            if files.setdefault(name, target) != target:
                raise BadInput(f"{printable(url)} links to two files with the name {name}")
        elif re.fullmatch(r"sha256sums?(\.txt)?|.*\.sha256", name, re.IGNORECASE):
            checksums[target] = None
    if not files:
        raise BadInput(f"{printable(url)}: no link to an archive (.zip, .tar.gz, .7z, ...) or a game record")
    if len(files) > MAX_FILES:
        raise BadInput(f"{printable(url)} links to {len(files):,} files, expected at most {MAX_FILES:,}")
    return files, list(checksums)


def parse_checksums(text: str, name: str = "") -> dict[str, str]:
    """{file name: SHA-256} of the output of sha256sum, or of BSD's sha256.

    name: the file's, where a line has a checksum alone.
    """
    found: dict[str, str] = {}
    for line in (line.strip() for line in text.splitlines()):
        checksum, _, of = line.partition(" ")
        if match := _SHA256_OF_BSD.fullmatch(line):
            of, checksum = match.groups()
        elif not _SHA256.fullmatch(checksum):
            continue
        if of or name:
            found[Path(of.strip().removeprefix("*") or name).name] = checksum.lower()
    return found


def _checksums(addresses: list[str], names: dict[str, str]) -> dict[str, str]:
    """Those of the links of a page that belong to these files."""
    found: dict[str, str] = {}
    for address in addresses:
        name = file_name(address)
        of = name.removesuffix(".sha256")
        if of == name or of in names:
            found |= parse_checksums(read_page(address, MAX_PAGE_BYTES)[0], of if of != name else "")
    return {name: checksum for name, checksum in found.items() if name in names}


def download(url: str, folder: Path, pattern: str = "", yes: bool = False, checksums: Path | None = None) -> int:
    """Fetch the files behind an address; returns how many came.

    pattern: a regular expression that names are searched for.  yes: without asking.  checksums: a file as sha256sum
    writes it, in the place of those of the page.  Raises BadInput, after the other files have come, for those that
    could not be fetched.
    """
    try:
        matching = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise BadInput(f"--match {pattern!r} is no regular expression: {error}") from None
    files, found = find_files(url)
    files = {name: target for name, target in files.items() if matching.search(name)}
    if not files:
        raise BadInput(f"{printable(url)}: no file's name matches {pattern!r}")
    if checksums is None:
        expected = _checksums(found, files)
    else:
        alone = next(iter(files)) if len(files) == 1 else ""
        given = parse_checksums(read_text(checksums, MAX_PAGE_BYTES), alone)
        if given.keys().isdisjoint(files):
            raise BadInput(f"{checksums} has no SHA-256 checksum of these files; expected lines of sha256sum")
        expected = {name: value for name, value in given.items() if name in files}
    with lock_folder(folder):
        done = _read_records(folder)
        with ThreadPoolExecutor(CONNECTIONS) as executor:
            remotes = dict(zip(files, executor.map(_describe, files.values()), strict=True))
        dead = [name for name, remote in remotes.items() if remote is None]
        wanted = {name: remote for name, remote in remotes.items()
                  if remote is not None and not _is_there(folder, name, remote, done, expected)}
        failed: list[str] = []
        if wanted:
            missing = _print_plan(wanted, folder, expected, len(files) - len(wanted) - len(dead))
            free = shutil.disk_usage(folder).free
            if missing > free:
                raise BadInput(f"{folder}: {missing / 1e9:.2f} GB to fetch, and {free / 1e9:.2f} GB free")
            if not (yes or _agreed()):
                print("nothing fetched")
                return 0
            failed = _fetch_all(wanted, folder, done, expected, missing)
            count = len(wanted) - len(failed)
            print(f"{folder}: {count} {'file' if count == 1 else 'files'} fetched")
        if failed or dead:
            raise BadInput(f"{len(failed) + len(dead)} of {len(files)} files did not come; the same command tries them "
                           "again")
        if not wanted:
            print(f"{folder}: all {len(files)} files are there")
        return len(wanted)


def _describe(url: str) -> RemoteFile | None:
    """What the server says of a file; None, and a line on stderr, if it does not have it."""
    try:
        return describe(url)
    except BadInput as error:
        log_to_stderr(str(error))
        return None


def _fetch_all(wanted: dict[str, RemoteFile], folder: Path, done: dict[str, dict], expected: dict[str, str],
               total: int) -> list[str]:
    """Fetch these files; returns the names of those that did not come."""
    failed: list[str] = []
    with progress_bar("B", total, scale=True) as bar:
        for name, remote in wanted.items():
            bar.set_postfix_str(name)
            try:
                sha256 = fetch_file(remote, folder / name, expected.get(name, ""), bar.update)
            except BadInput as error:
                failed.append(name)
                bar.write(str(error), file=sys.stderr)
                continue
            size = (folder / name).stat().st_size
            done[name] = {"url": remote.url, "size": size, "validator": remote.validator, "sha256": sha256}
            with atomic_write(folder / RECORDS) as path:
                path.write_text(json.dumps(done, indent=1, sort_keys=True))
    return failed


def _read_records(folder: Path) -> dict[str, dict]:
    path = folder / RECORDS
    if not path.exists():
        return {}
    records = read_json(path, MAX_PAGE_BYTES)
    check_value(records, _DOWNLOADS, str(path))
    return records


def _is_there(folder: Path, name: str, remote: RemoteFile, done: dict[str, dict], expected: dict[str, str]) -> bool:
    """Whether a file has come before.  Raises BadInput if a file with its name is there that was not fetched."""
    path = folder / name
    if not path.exists():
        return False
    record = done.get(name)
    if record is None:
        raise BadInput(f"{path} is there, and was not fetched by this command: move it, or choose another folder")
    is_same = path.stat().st_size == record["size"] and record["validator"] == remote.validator \
        and remote.size in (-1, record["size"])
    return is_same and expected.get(name, record["sha256"]) == record["sha256"]


def _print_plan(wanted: dict[str, RemoteFile], folder: Path, expected: dict[str, str], there: int) -> int:
    """Print what will be fetched; returns the bytes that are missing, as far as the server says."""
    hosts = ", ".join(sorted({urllib.parse.urlsplit(remote.url).hostname or "" for remote in wanted.values()}))
    missing = 0
    width = max(map(len, wanted))
    for name, remote in wanted.items():
        have = partial_size(remote, folder / name)
        missing += max(0, remote.size - have)
        notes = [f"{have / 1e6:,.1f} MB are there"] * bool(have) + ["SHA-256 known"] * (name in expected)
        size = "unknown size" if remote.size < 0 else f"{remote.size / 1e6:10,.1f} MB"
        print(f"{name:{width}} {size:>13}  {', '.join(notes)}".rstrip())
    print(f"{len(wanted)} {'file' if len(wanted) == 1 else 'files'}, {missing / 1e6:,.1f} MB from {hosts} to {folder}"
          + f"; {there} more are there" * bool(there), flush=True)
    return missing


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise BadInput("nobody to ask here whether to fetch these files: give --yes")
    try:
        return input("Fetch them? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS",
                        help="the address of a page with links to archives, or of an archive")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER",
                        help="where the files are written")
    parser.add_argument("--match", default="", metavar="REGEX",
                        help="only files whose names match; upper and lower case are the same")
    parser.add_argument("--checksums", type=Path, metavar="FILE",
                        help="expected SHA-256 checksums, as sha256sum writes them (default: those of the page)")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def command(args: argparse.Namespace) -> int:
    download(args.address, args.output, args.match, args.yes, args.checksums)
    return 0

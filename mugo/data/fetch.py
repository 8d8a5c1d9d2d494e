"""Files over HTTP: their sizes, and their content, continued where it broke off.

    partial_path      FILE.part and FILE.part.json: what has come, and of which version of the file
    fetch_file        Range and If-Range (RFC 9110, sections 13.1.5 and 14.2), so a continued file is never a mixture of
                      two versions; a server without ranges sends it from the beginning

Sizes that a server states are compared with what comes.  Only http and https are followed, also by redirections.
"""
import contextlib
import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mugo import __version__
from mugo.core.files import BadInput, error_line, file_sha256, fsync_folder, printable
from mugo.core.schema import TEXT, Object, check_value, integer

SCHEMES = ("http", "https")
TIMEOUT = 30.0                           # seconds without a byte
ATTEMPTS = 5                             # of a connection in a row that bring nothing
MAX_SIZE = 1 << 60                       # bytes of a file; a server that states more does not know its size
MAX_UNSTATED_SIZE = 1 << 35              # bytes of a file whose size the server does not state
CHUNK = 1 << 18                          # bytes between two updates of the progress
_PARTIAL = Object({"url": TEXT, "validator": TEXT, "size": integer(-1)})


class _HttpOnly(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        check_url(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_opener = urllib.request.OpenerDirector()
for _kind in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler, _HttpOnly,
              urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPErrorProcessor, urllib.request.UnknownHandler):
    _opener.add_handler(_kind())


@dataclass(frozen=True)
class RemoteFile:
    """A file of a server, as it describes it.

    size: bytes, -1 if it does not say.  validator: its strong ETag, else its date; "" if it has neither.
    """

    url: str
    size: int
    validator: str


def check_url(url: str) -> None:
    """Raises BadInput for an address that is not http or https, or has no server."""
    try:
        parts = urllib.parse.urlsplit(url)
        is_good = parts.scheme in SCHEMES and bool(parts.hostname)
    except ValueError:
        is_good = False
    if not is_good:
        raise BadInput(f"{printable(url)[:200]}: expected an address that begins with https:// or http://")


def open_url(url: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    """The answer of a server.  Raises BadInput, which names the address, if there is none or it is an error."""
    check_url(url)
    request = urllib.request.Request(url, method=method, headers={
        "User-Agent": f"MuGo/{__version__}", "Accept-Encoding": "identity",
        **{name.replace("_", "-"): value for name, value in headers.items()}})
    try:
        return _opener.open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise HttpError(f"{printable(url)}: the server answers {error.code} {printable(str(error.reason))[:80]}",
                        error.code) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)         # of a URLError, the error of the connection
        line = error_line(reason if isinstance(reason, Exception) else error)
        raise HttpError(f"{printable(url)}: {line}", 0) from None


class HttpError(BadInput):
    """No answer, or an answer that is an error.  status: its code; 0 without an answer."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


def describe(url: str) -> RemoteFile:
    """The size and version of a file, without its content.  Raises BadInput."""
    try:
        answer = open_url(url, "HEAD")
    except HttpError as error:
        if error.status not in (403, 405, 501):          # servers that know no HEAD
            raise
        answer = open_url(url)
    with answer:
        return _remote(url, answer)


def _remote(url: str, answer: http.client.HTTPResponse) -> RemoteFile:
    length = answer.headers.get("Content-Length", "")
    etag = answer.headers.get("ETag", "")
    validator = etag if etag and not etag.startswith("W/") else answer.headers.get("Last-Modified", "")
    is_number = length.isascii() and length.isdigit() and len(length) < 20
    size = int(length) if is_number else MAX_SIZE
    return RemoteFile(url, size if size < MAX_SIZE else -1, validator)


def read_page(url: str, max_bytes: int) -> tuple[str, str]:
    """(the text of a page, its address after redirections).  Raises BadInput."""
    with open_url(url) as answer:
        try:
            data = answer.read(max_bytes + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:        # ValueError: chunks of less than 0
            raise BadInput(f"{printable(url)}: {error_line(error)}") from None
        if len(data) > max_bytes:
            raise BadInput(f"{printable(url)} has more than {max_bytes:,} bytes; expected a page of links")
        charset = answer.headers.get_content_charset() or "utf-8"
        address = answer.geturl()
    try:
        return data.decode(charset, "replace"), address
    except (LookupError, ValueError):    # no codec of texts, or one that refuses them
        return data.decode("utf-8", "replace"), address


def partial_path(path: Path) -> Path:
    """Where a file is written until it is whole."""
    return path.with_name(path.name + ".part")


def partial_size(remote: RemoteFile, path: Path) -> int:
    """How many bytes of this version of a file have come before; 0 if there are none, or they are of another."""
    part = partial_path(path)
    with contextlib.suppress(OSError, ValueError, BadInput):
        kept = json.loads(_description(part).read_text())
        check_value(kept, _PARTIAL, str(part))
        if remote.validator and kept["validator"] == remote.validator and kept["size"] == remote.size:
            return min(part.stat().st_size, remote.size) if remote.size >= 0 else part.stat().st_size
    return 0


def _description(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def fetch_file(remote: RemoteFile, path: Path, sha256: str = "", on_bytes: Callable[[int], object] = lambda n: None,
               wait: Callable[[float], None] = time.sleep) -> str:
    """Fetch a file, and return its SHA-256 in hexadecimal; what has come before is kept.

    sha256: expected; "" if it is not known.  on_bytes: called with the bytes that have come, less than 0 where the
    server begins again.  wait: between two attempts.
    Raises BadInput if the server fails ATTEMPTS times in a row without a byte, and if the size or the checksum differs,
    or if more than MAX_UNSTATED_SIZE bytes come: then what has come is deleted.  Raises OSError.
    """
    part = partial_path(path)
    size = partial_size(remote, path)
    if not size:
        _description(part).write_text(json.dumps({"url": remote.url, "validator": remote.validator,
                                                  "size": remote.size}))
    with open(part, "r+b" if size else "wb") as file:
        file.truncate(size)
        failures = 0
        while remote.size < 0 or file.tell() < remote.size or not remote.size:
            before = file.seek(0, os.SEEK_END)
            try:
                _receive(remote, file, on_bytes)
                break
            except BadInput:
                failures = 0 if file.tell() > before else failures + 1
                if failures == ATTEMPTS:
                    raise
                wait(min(2.0 ** failures, 30.0))
        file.flush()
        os.fsync(file.fileno())
    found = file_sha256(part)
    received = part.stat().st_size
    wrong = f"{received:,} bytes came, expected {remote.size:,}" if remote.size not in (-1, received) else \
        f"more than {_limit(remote):,} bytes came, and the server does not say how many there are" \
        if received > _limit(remote) else \
        f"its SHA-256 is {found}, expected {sha256}" if sha256 and found != sha256 else ""
    _description(part).unlink(missing_ok=True)
    if wrong:
        part.unlink()
        raise BadInput(f"{printable(remote.url)}: {wrong}; nothing of it is kept")
    os.replace(part, path)
    fsync_folder(path.parent)
    return found


def _receive(remote: RemoteFile, file, on_bytes: Callable[[int], object]) -> None:
    """Append the rest of a file.  Raises HttpError where the connection ends before it is whole."""
    have = file.seek(0, os.SEEK_END)
    headers = {"Range": f"bytes={have}-", "If_Range": remote.validator} if have and remote.validator else {}
    with open_url(remote.url, **headers) as answer:
        if not (have and answer.status == 206 and _starts_at(answer, have)):
            file.seek(0)
            file.truncate()
            if have:
                on_bytes(-have)
            if answer.status != 200:                     # a part that nobody asked for, for example
                raise HttpError(f"{printable(remote.url)}: the server answers {answer.status}, expected 200",
                                answer.status)
        expected = _remote(remote.url, answer)
        if expected.validator != remote.validator:
            raise BadInput(f"{printable(remote.url)} has changed on the server; run the command again")
        while True:
            try:
                chunk = answer.read(CHUNK)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise HttpError(f"{printable(remote.url)}: {error_line(error)}", 0) from None
            if not chunk:
                break
            file.write(chunk)
            on_bytes(len(chunk))
            if file.tell() > _limit(remote):
                break                                    # fetch_file says so
        if file.tell() < remote.size:
            raise HttpError(f"{printable(remote.url)}: the connection ended after {file.tell():,} of {remote.size:,} "
                            "bytes", 0)


def _limit(remote: RemoteFile) -> int:
    """How many bytes may come."""
    return remote.size if remote.size >= 0 else MAX_UNSTATED_SIZE


def _starts_at(answer: http.client.HTTPResponse, offset: int) -> bool:
    return answer.headers.get("Content-Range", "").startswith(f"bytes {offset}-")

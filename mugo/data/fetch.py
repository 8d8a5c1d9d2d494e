"""Files over HTTP: their sizes, and their content, continued where it broke off.

    partial_path      FILE.VERSION.part: what has come of this version of the file
    fetch_file        Range and If-Range (RFC 9110, sections 13.1.5 and 14.2), so a continued file is never a mixture of
                      two versions; a server without ranges sends it from the beginning

Sizes that a server states are compared with what comes.  Only http and https are followed, also by redirections.
"""
import hashlib
import http.client
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mugo.core.version import VERSION
from mugo.core.files import BadInput, error_line, file_sha256, fsync_folder, printable

TIMEOUT = 30.0                           # seconds without a byte
ATTEMPTS = 5                             # of a connection in a row that bring nothing
MAX_SIZE = 1 << 60                       # bytes of a file; a server that states more does not know its size
MAX_UNSTATED_SIZE = 1 << 35              # bytes of a file whose size the server does not state
CHUNK = 1 << 18                          # bytes between two updates of the progress
_BROKEN = OSError, http.client.HTTPException, ValueError         # ValueError: chunks of less than 0 bytes


class _HttpOnly(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        check_url(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_opener = urllib.request.build_opener(_HttpOnly)


@dataclass(frozen=True)
class RemoteFile:
    """A file of a server, as it describes it.

    size: bytes, -1 if it does not say.  validator: its strong ETag, else its date; "" if it has neither.
    """

    url: str
    size: int
    validator: str

    @property
    def limit(self) -> int:
        """How many bytes may come."""
        return self.size if self.size >= 0 else MAX_UNSTATED_SIZE


class HttpError(BadInput):
    """No answer, or an answer that is an error.  status: its code; 0 without an answer."""

    def __init__(self, url: str, reason: str, status: int = 0):
        super().__init__(f"{printable(url)}: {reason}")
        self.status = status


def check_url(url: str) -> None:
    """Raises BadInput for an address that is not http or https, or has no server."""
    try:
        parts = urllib.parse.urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_good = False
    if not is_good:
        raise BadInput(f"{printable(url)[:200]}: expected an address that begins with https:// or http://")


def open_url(url: str, method: str = "GET", headers: dict[str, str] | None = None) -> http.client.HTTPResponse:
    """The answer of a server.  Raises BadInput, which names the address, if there is none or it is an error."""
    check_url(url)
    request = urllib.request.Request(url, method=method, headers={
        "User-Agent": f"MuGo/{VERSION}", "Accept-Encoding": "identity", **(headers or {})})
    try:
        return _opener.open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise HttpError(url, f"the server answers {error.code} {printable(str(error.reason))[:80]}", error.code
                        ) from None
    except _BROKEN as error:
        reason = getattr(error, "reason", error)         # of a URLError, the error of the connection
        raise HttpError(url, error_line(reason if isinstance(reason, Exception) else error)) from None


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
    length, etag = (answer.headers.get(name, "") for name in ("Content-Length", "ETag"))
    validator = etag if etag and not etag.startswith("W/") else answer.headers.get("Last-Modified", "")
    is_number = length.isascii() and length.isdigit() and len(length) < 20
    return RemoteFile(url, int(length) if is_number and int(length) < MAX_SIZE else -1, validator)


def read_page(url: str, max_bytes: int) -> tuple[str, str]:
    """(the text of a page, its address after redirections).  Raises BadInput."""
    with open_url(url) as answer:
        try:
            data = answer.read(max_bytes + 1)
        except _BROKEN as error:
            raise HttpError(url, error_line(error)) from None
        if len(data) > max_bytes:
            raise BadInput(f"{printable(url)} has more than {max_bytes:,} bytes; expected a page of links")
        charset = answer.headers.get_content_charset() or "utf-8"
        address = answer.geturl()
    try:
        return data.decode(charset, "replace"), address
    except (LookupError, ValueError):    # no codec of texts, or one that refuses them
        return data.decode("utf-8", "replace"), address


def partial_path(remote: RemoteFile, path: Path) -> Path:
    """Where this version of a file is written until it is whole."""
    version = hashlib.blake2b(f"{remote.size} {remote.validator}".encode(), digest_size=8).hexdigest()
    return path.with_name(f"{path.name}.{version}.part")


def partial_size(remote: RemoteFile, path: Path) -> int:
    """How many bytes of this version of a file have come before; 0 if the server does not tell versions apart."""
    part = partial_path(remote, path)
    return min(part.stat().st_size, remote.limit) if remote.validator and part.exists() else 0


def fetch_file(remote: RemoteFile, path: Path, sha256: str = "", on_bytes: Callable[[int], object] = lambda n: None
               ) -> str:
    """Fetch a file, and return its SHA-256 in hexadecimal; what has come before is kept.

    sha256: expected; "" if it is not known.  on_bytes: called with the bytes that have come, less than 0 where the
    server begins again.
    Raises BadInput if the server fails ATTEMPTS times in a row without a byte, and if the size or the checksum differs,
    or if more than MAX_UNSTATED_SIZE bytes come: then what has come is deleted.  Raises OSError.
    """
    part, size, failures = partial_path(remote, path), partial_size(remote, path), 0
    for other in path.parent.iterdir():
        if other != part and re.fullmatch(re.escape(path.name) + r"\.[0-9a-f]{16}\.part", other.name):
            other.unlink()                               # of another version
    with open(part, "r+b" if size else "wb") as file:
        file.truncate(size)
        file.seek(size)
        while remote.size <= 0 or file.tell() < remote.size:
            before = file.seek(0, os.SEEK_END)
            try:
                _receive(remote, file, on_bytes)
                break
            except BadInput:
                failures = 0 if file.tell() > before else failures + 1
                if failures == ATTEMPTS:
                    raise
                time.sleep(min(2.0 ** failures, 30.0))
        file.flush()
        os.fsync(file.fileno())
    found, received = file_sha256(part), part.stat().st_size
    wrong = f"{received:,} bytes came, expected {remote.size:,}" if remote.size not in (-1, received) else \
        f"more than {remote.limit:,} bytes came, and the server does not say how many there are" \
        if received > remote.limit else \
        f"its SHA-256 is {found}, expected {sha256}" if sha256 and found != sha256 else ""
    if wrong:
        part.unlink()
        raise BadInput(f"{printable(remote.url)}: {wrong}; nothing of it is kept")
    os.replace(part, path)
    fsync_folder(path.parent)
    return found


def _receive(remote: RemoteFile, file, on_bytes: Callable[[int], object]) -> None:
    """Append the rest of a file.  Raises HttpError where the connection ends before it is whole."""
    url, have = remote.url, file.seek(0, os.SEEK_END)
    headers = {"Range": f"bytes={have}-", "If-Range": remote.validator} if have and remote.validator else {}
    try:
        answer = open_url(url, headers=headers)
    except HttpError as error:
        if not headers or error.status != 416:                  # Range Not Satisfiable: the server has nothing more
            raise
        if remote.size < 0:
            return
        raise HttpError(url, f"the connection ended after {have:,} of {remote.size:,} bytes", 416) from None
    with answer:
        is_rest = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        if not (have and is_rest):
            file.seek(0)
            file.truncate()
            if have:
                on_bytes(-have)
            if answer.status != 200:                     # a part that nobody asked for, for example
                raise HttpError(url, f"the server answers {answer.status}, expected 200", answer.status)
        if _remote(url, answer).validator != remote.validator:
            raise BadInput(f"{printable(url)} has changed on the server; run the command again")
        while file.tell() <= remote.limit:               # fetch_file says that more came
            try:
                chunk = answer.read(CHUNK)
            except _BROKEN as error:
                raise HttpError(url, error_line(error)) from None
            if not chunk:
                break
            file.write(chunk)
            on_bytes(len(chunk))
        if file.tell() < remote.size:
            raise HttpError(url, f"the connection ended after {file.tell():,} of {remote.size:,} bytes")

"""Makes the hostile files of hostile.py, in the current folder; with the MuGo that is installed for this interpreter.

    python benchmarks/hostile_files.py "zip: understated member"

KINDS names them all, with the command that opens each.  A file is small; what it claims is not.
"""
import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

MB = 1 << 20
NETWORK = "net.safetensors"
DATA = Path(__file__).parents[1] / "data"
MARKER = "code-ran"                      # what hostile code makes in the current folder


class Case(NamedTuple):
    """A kind of hostile file.

    command: what opens it, the words after `mugo`; PYTHON stands for the interpreter.  make: writes `file`.
    stream: what the program gets on stdin.  like: the harmless kind to compare it with, '' for a harmless one.
    once: whether a harmless command is not run a second time.
    """
    command: str
    make: Callable[[], None]
    file: str = ""
    stream: Callable[[], Iterable[bytes]] | None = None
    like: str = ""
    once: bool = False


def stream_of(stream: Callable[[], Iterable[bytes]] | None) -> Iterable[bytes]:
    return stream() if stream else []


KINDS: dict[str, Case] = {}


def _write(name: str, *pieces: bytes) -> None:
    with open(name, "wb") as file:
        for piece in pieces:
            file.write(piece)


# ---- SGF

_PREPROCESS = "preprocess {} -o read --jobs 1 --min-moves 1"
_REVIEW = "review {} -o reviews --fast"
_LOAD = "loadsgf {}\n"


def _fresh(make: Callable[[], None]) -> Callable[[], None]:
    """Make a file after the output of the command before is deleted."""
    def remade() -> None:
        for folder in "read", "reviews", "out", "run":
            shutil.rmtree(folder, ignore_errors=True)
        make()
    return remade


def _reviews(name: str, file: str, make: Callable[[], None], like: str = "harmless archive") -> None:
    """A file for `review`, which says in its last line why a game cannot be read."""
    KINDS[name] = Case(_REVIEW.format(file), _fresh(make), file, like=like)


def _loads(name: str, file: str, make: Callable[[], None], like: str = "harmless game") -> None:
    """A file for GTP's loadsgf."""
    KINDS[name] = Case("gtp random", make, file, lambda: [_LOAD.format(file).encode()], like)


def _game(moves: int, value: bytes = b"") -> bytes:
    return b"(;GM[1]SZ[9]" + value + b";B[];W[]" * (moves // 2) + b")"


def _nested(depth: int) -> bytes:
    return b"(;B[aa]" * depth + b")" * depth


def _make_archive() -> None:
    with zipfile.ZipFile("games.zip", "w") as archive:
        archive.write(DATA / "gnugo-9x9-000.sgf", "game.sgf")


_reviews("harmless archive", "games.zip", _make_archive, "")
_loads("harmless game", "game.sgf", lambda: _write("game.sgf", _game(100)), "")
_reviews("SGF: 1,000,000 nested variations", "deep.sgf", lambda: _write("deep.sgf", _nested(1_000_000)))
_loads("SGF: 1,000,000 nested variations, loadsgf", "deep.sgf", lambda: _write("deep.sgf", _nested(1_000_000)))
_loads("SGF: 8,000 passes", "passes.sgf", lambda: _write("passes.sgf", _game(8000)))
_loads("SGF: 90,000 moves", "long.sgf", lambda: _write("long.sgf", _game(90_000)))
_reviews("SGF: value of 60 MB", "comment.sgf",
       lambda: _write("comment.sgf", b"(;GM[1]C[", *[b"x" * MB] * 60, b"];B[aa])"))

# ---- archives


def _repeated(member: bytes, count: int) -> list[bytes]:
    return [member] * count


def _gz_of(head: bytes, zeros_mb: int) -> list[bytes]:
    """gzip of `head` and zeros; a file of several members is their concatenation (RFC 1952, 2.2)."""
    return [gzip.compress(head), *_repeated(gzip.compress(bytes(64 * MB), 6), zeros_mb // 64)]


def _tar_header(kind: bytes, size: int) -> bytes:
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


def _sparse_tar() -> bytes:
    """A member of 2 GB without data, in the old sparse format of GNU tar."""
    header = bytearray(_tar_header(tarfile.GNUTYPE_SPARSE, 0))
    header[:100] = b"a.sgf".ljust(100, b"\0")
    header[386:410] = b"%011o\0%011o\0" % (2048 * MB, 0)
    header[483:495] = b"%011o\0" % (2048 * MB)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + bytes(1024)


def _zip_of(name: bytes, packed: list[bytes], stated: int, crc: int) -> list[bytes]:
    """A zip of one deflated member, with the size and the checksum that its headers shall state."""
    size = sum(map(len, packed))
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, size, stated, len(name), 0)
    local = b"PK\3\4" + fields + name
    central = b"PK\1\2\x14\0" + fields + bytes(10) + bytes(4) + name
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local) + size, 0)
    return [local, *packed, central, end]


def _deflated(zeros_mb: int) -> list[bytes]:
    """Zeros, deflated; blocks between full flushes can be repeated (RFC 1951)."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(16 * MB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return [*_repeated(block, zeros_mb // 16), zlib.compressobj(wbits=-15).flush()]


def _overlapping_zips() -> bytes:
    """Three zips in each other, whose directories name one member 100 times (Fifield 2019)."""
    inner, name = bytes(MB), "a.sgf"
    for _ in range(3):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, inner)
            archive.filelist *= 100
        inner, name = packed.getvalue(), "in.zip"
    return inner


def _make_7z_bomb() -> None:
    import py7zr

    with open("zeros", "wb") as zeros:
        zeros.truncate(1024 * MB)
    with py7zr.SevenZipFile("bomb.7z", "w", filters=[{"id": py7zr.FILTER_ZSTD, "level": 1}]) as archive:
        archive.write("zeros", "a.txt")
        archive.writestr(b"(;B[aa])", "b.sgf")
    os.remove("zeros")


_reviews("tar.gz: GNU long name of 2 GB", "games.tar.gz", lambda: _write(
    "games.tar.gz", *_gz_of(_tar_header(tarfile.GNUTYPE_LONGNAME, 2048 * MB), 2048)))
_reviews("tar.gz: PAX header of 2 GB", "games.tar.gz", lambda: _write(
    "games.tar.gz", *_gz_of(_tar_header(tarfile.XHDTYPE, 2048 * MB), 2048)))
_reviews("tar: sparse member of 2 GB", "games.tar", lambda: _write("games.tar", _sparse_tar()))
_reviews("zip: understated member of 2 GB", "games.zip", lambda: _write(
    "games.zip", *_zip_of(b"bomb.sgf", _deflated(2048), 1000, zlib.crc32(bytes(1000)))))
_reviews("zip: nested, 10^12 bytes", "games.zip", lambda: _write("games.zip", _overlapping_zips()))
_reviews("gzip: 8 GB", "game.sgf.gz", lambda: _write("game.sgf.gz", *_gz_of(b"(;C[", 8192)))
_reviews("bzip2: 8 GB", "game.sgf.bz2", lambda: _write("game.sgf.bz2", *_repeated(bz2.compress(bytes(64 * MB)), 128)))
_reviews("xz: 8 GB", "game.sgf.xz", lambda: _write("game.sgf.xz",
                                                  *_repeated(lzma.compress(bytes(64 * MB), preset=0), 128)))
_reviews("7z: 1 GB before the game", "bomb.7z", _make_7z_bomb)
_reviews("sgfs.bz2: 8 GB of games", "games.sgfs.bz2", lambda: _write("games.sgfs.bz2", *_repeated(bz2.compress(
    b"(;GM[1]SZ[9];B[aa])\n" * (64 * MB // 20)), 128)))

# ---- networks


def _network(metadata: Callable[[dict], None] = lambda found: None,
             tensors: Callable[[dict], None] = lambda arrays: None, source: str = "", out: str = NETWORK) -> None:
    """A network's file, by default the bundled one for 9x9, with changed metadata and tensors."""
    from mugo.nn.network_file import TensorFile, find_network, write_tensors

    file = TensorFile(Path(source) if source else find_network("policy-9"))
    found, arrays = file.metadata(), file.read()
    metadata(found)
    tensors(arrays)
    write_tensors(Path(out), arrays, found)


def _with_header(change: Callable[[dict], None]) -> Callable[[], None]:
    """The network's file with another header, as no program writes it."""
    def make() -> None:
        _network()
        data = Path(NETWORK).read_bytes()
        end = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:end])
        change(header)
        text = json.dumps(header).encode()
        _write(NETWORK, len(text).to_bytes(8, "little"), text, data[end:])
    return make


def _fill(value: float) -> Callable[[], None]:
    def change(arrays: dict) -> None:
        arrays["conv1/kernel"] = arrays["conv1/kernel"] * 0 + np.float32(value)
    return lambda: _network(tensors=change)


def _of_terabytes(header: dict) -> None:
    header["conv1/kernel"].update(shape=[1 << 20, 1 << 20], data_offsets=[0, 1 << 42])


def _wide(metadata: dict) -> None:
    """Layers of 4,096 filters where there were 128."""
    metadata["config"]["filters"] = 4096


def _deep(header: dict) -> None:
    text = "[" * 200_000
    header["__metadata__"].update(mugo=text, crc32=f"{zlib.crc32(text.encode()):08x} 00000000")


def _plays(name: str, make: Callable[[], None], like: str = "harmless network") -> None:
    """A network for GTP."""
    KINDS[name] = Case(f"gtp policy --network {NETWORK}", make, NETWORK,
                       lambda: [b"boardsize 9\ngenmove b\n"], like)


def _trains(name: str, metadata: Callable[[dict], None], like: str = "harmless network, train") -> None:
    """A network that another is initialised from."""
    def make() -> None:
        _make_set("9x9")
        _network(metadata)
    KINDS[name] = Case(f"train games -o run --init-from {NETWORK} --positions 256 --batch-size 32 "
                       "--validation-positions 64", _fresh(make), NETWORK, like=like, once=True)


_plays("harmless network", _network, "")
_plays("network: a tensor of 4 TB in its header", _with_header(_of_terabytes))
_plays("network: a header of 4 TB", lambda: _write(NETWORK, (1 << 42).to_bytes(8, "little"), b"{}"))
_plays("network: weights NaN", _fill(float("nan")))
_plays("network: weights 1e38", _fill(1e38))
_plays("network: metadata nested 200,000 deep", _with_header(_deep))
_trains("harmless network, train", lambda metadata: None, "")
_trains("network: layers of 4,096 filters", _wide)

# ---- data sets and checkpoints


def _make_set(board: str) -> None:
    """A data set of MuGo's own games, by its own `preprocess`, in the folder "games"."""
    if not Path("games").exists():
        archive = next(DATA.glob(f"gnugo-{board}.*"))
        subprocess.run([sys.executable, "-m", "mugo", "preprocess", str(archive), "-o", "games", "--jobs", "1",
                        "--validation", "0.2", "--test", "0.2"], check=True, capture_output=True)


def _exports(name: str, change: Callable[[Path], None], like: str = "harmless data set") -> None:
    """A damaged data set whose positions are encoded.  change: of its shard."""
    def make() -> None:
        _make_set("9x9")
        shutil.rmtree("set", ignore_errors=True)
        shutil.copytree("games", "set")
        change(Path("set/shard-000000"))
    KINDS[name] = Case("export set -o out --sample 2000", _fresh(make), "set", like=like)


def _with_array(change: Callable[[Any], None]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        array = np.load(folder / "moves.npy", mmap_mode="r+")
        change(array)
        array.flush()
    return changed


def _flip_bit(array: Any) -> None:
    array[1000] ^= 1 << 13


def _make_run(where: str) -> None:
    """A finished training run, whose metadata name a query."""
    _make_set("9x9")
    if not Path("trained").exists():
        new = "--init-from" in subprocess.run([sys.executable, "-m", "mugo", "train", "--help"], capture_output=True,
                                              text=True, check=True).stdout
        subprocess.run([sys.executable, "-m", "mugo", "train", "games", "-o", "trained", "--positions", "256",
                        "--batch-size", "32", "--filters", "8", "--validation-positions", "64",
                        "--checkpoint-positions" if new else "--round-positions", "128"],
                       check=True, capture_output=True)
    shutil.copytree("trained", "run")
    checkpoint = "checkpoint.safetensors"
    _network(lambda metadata: metadata["options"].update({"where": where} if where else {}),
             source=f"trained/{checkpoint}", out=f"run/{checkpoint}")
    for name in "previous.safetensors", "network.safetensors":
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"run/{name}")


def _resumes(name: str, where: str, like: str = "harmless checkpoint") -> None:
    KINDS[name] = Case("train games -o run --resume --positions 384", _fresh(lambda: _make_run(where)),
                       "run/checkpoint.safetensors", like=like, once=True)


def _named_folder() -> None:
    os.makedirs("a" * 40 + "b", exist_ok=True)
    _write("a" * 40 + "b/game.sgf", b"(;GM[1]SZ[9];B[aa];W[bb])")


_exports("harmless data set", lambda folder: None, "")
_exports("data set: one bit flipped in moves.npy", _with_array(_flip_bit))
_resumes("harmless checkpoint", "", "")
_resumes("checkpoint: a query that runs code", f"@pd.io.common.os.system('touch {MARKER}') == 0")
KINDS["harmless folder"] = Case(_PREPROCESS.format("a" * 40 + "b"), _fresh(_named_folder), "a" * 40 + "b")

# ---- protocols


def _nothing() -> None:
    pass


def _queries(count: int) -> list[bytes]:
    """Queries of the positions of a game of 300 moves, the longest last, as KaTrain sends them; then an end to all."""
    vertices = [f"{column}{row}" for row in range(1, 18) for column in "ABCDEFGHJKLMNOPQRST"][:300]
    moves = [["BW"[number % 2], vertex] for number, vertex in enumerate(vertices)]
    lines = [{"id": str(number), "moves": moves[:300 * number // max(count - 1, 1)], "rules": "chinese", "komi": 7.5,
              "boardXSize": 19, "boardYSize": 19, "maxVisits": 1_000_000} for number in range(count)]
    return [json.dumps(line).encode() + b"\n" for line in [*lines, {"id": "end", "action": "terminate_all"}]]


_ENGINE = """import sys
piece = b"x" * (1 << 20)
sys.stdin.readline()
for _ in range(1024):
    sys.stdout.buffer.write(piece)
"""
_GOOD_ENGINE = """import sys
for line in sys.stdin:
    word = line.split()[0]
    print({"genmove": "= pass", "known_command": "= false"}.get(word, "="), flush=True)
    print(flush=True)
    if word == "quit":
        break
"""


def _plays_match(name: str, engine: str, like: str = "harmless engine") -> None:
    KINDS[name] = Case("match 'PYTHON engine.py' random --games 1 --size 5 -o out",
                       _fresh(lambda: _write("engine.py", engine.encode())), "engine.py", like=like)


KINDS["harmless queries"] = Case("analysis uct --simulations 1000000", _nothing, stream=lambda: _queries(1))
KINDS["analysis: 301 queries of a game of 300 moves"] = Case(
    "analysis uct --simulations 1000000", _nothing, stream=lambda: _queries(301), like="harmless queries")
KINDS["harmless commands"] = Case("gtp random", _nothing, stream=lambda: [b"genmove b\n"])
KINDS["GTP: a line of 100 MB"] = Case("gtp random", _nothing, stream=lambda: _repeated(b"x" * MB, 100),
                                      like="harmless commands")
KINDS["GTP: set_free_handicap with 3 million vertices"] = Case(
    "gtp random", _nothing, stream=lambda: [b"set_free_handicap", *_repeated(b" A1 B1 C1" * 100_000, 10), b"\n"],
    like="harmless commands")
_plays_match("harmless engine", _GOOD_ENGINE, "")
_plays_match("match: an engine that writes 1 GB without a newline", _ENGINE)


if __name__ == "__main__":
    KINDS[sys.argv[1]].make()

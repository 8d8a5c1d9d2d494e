"""What is fuzzed: functions that take any bytes, and raise only where a promise is broken.

    fuzz.py                     minutes or hours, with atheris, which looks for bytes that reach new code
    faults/test_fuzz_targets.py a second each, in the default suite: the seeds, damaged seeds, and what was found before

A target refuses its input as documented only: BadInput, BadRecord, a reply with `?`, or an "error".
"""
import functools
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from make_archives import tarred, zipped
from other_records import GIB, NGF, REVIEW, UGF
from random_records import random_record
from safetensors.numpy import save

from mugo.analysis.engine import AnalysisEngine
from mugo.core.files import BadInput
from mugo.games import gomoku
from mugo.gtp.engine import GtpEngine
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.graph import network_weights
from mugo.nn.inference import Network
from mugo.nn.network_file import (
    CHECKSUMS,
    METADATA,
    TensorFile,
    _checksum_of_text,
    find_network,
    new_metadata,
    read_metadata,
    read_network,
    write_tensors,
)
from mugo.players.registry import make_player
from mugo.players.searcher import PlayOptions
from mugo.mcts.settings import Settings
from mugo.selfplay.parallel import SelfPlayGame
from mugo.selfplay.replay import ReplayBuffer
from mugo.sgf.archives import SgfFile, unpack
from mugo.sgf.nodes import format_nodes, parse_game
from mugo.sgf.parser import read_records, read_trees
from mugo.sgf.record import BadRecord
from mugo.sgf.convert import format_record

MODEL = find_network("policy-9")
COLUMNS = {"size": int, "komi": float, "black": str, "date": str, "black_rank": float}
START = gomoku.GomokuPosition(3, 3)


class Target(NamedTuple):
    """run: takes bytes.  seeds: makes inputs to begin with."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


def fuzz_sgf(data: bytes) -> None:
    """A record that is read is written and read again as the same; nodes too."""
    for record in read_records(data):
        if not isinstance(record, BadRecord):
            again, = read_records(format_record(record).encode())
            assert not isinstance(again, BadRecord) and again.size == record.size, again
            assert again.moves.tolist() == record.moves.tolist() and again.komi == record.komi
    list(read_trees(data))
    list(read_trees(data, cut_off=True))
    try:
        nodes = parse_game(data, 1000)
    except ValueError:
        return
    assert parse_game(format_nodes(nodes)) == nodes


def fuzz_archive(data: bytes) -> None:
    for name in "games.zip", "games.gz", "games":
        try:
            for file in unpack("games", name, io.BytesIO(data)):
                assert isinstance(file, SgfFile) or "\n" not in file.error
        except BadInput:
            pass


@functools.cache
def _engine() -> GtpEngine:
    return GtpEngine(make_player("random", seed=1))


def fuzz_gtp(data: bytes) -> None:
    """Lines of GTP; no commands that read or write files."""
    engine = _engine()
    engine.answer("boardsize 5")
    for line in data.decode("utf-8", "replace").split("\n")[:20]:
        if "sgf" in line or "genmove" in line or "quit" in line:
            continue
        reply = engine.answer(line)
        assert reply is None or reply.endswith("\n\n") and reply[0] in "=?" and "internal error" not in reply, reply


def fuzz_analysis(data: bytes) -> None:
    """A line of the analysis protocol: every line is answered, and none by an internal error."""
    out = io.StringIO()
    engine = AnalysisEngine(None, Settings(seed=1), out, play_options=PlayOptions(2), jobs=1)
    line = data.decode("utf-8", "replace").replace("\n", " ")
    if '"maxVisits"' not in line:        # which may ask for more
        engine.handle_line(line)
    engine.close()
    answers = [json.loads(text) for text in out.getvalue().splitlines()]
    assert not any("internal" in str(answer.get("error", "")) for answer in answers), answers


def _with_metadata(text: bytes) -> bytes:
    """A file without tensors, whose metadata are this text."""
    metadata = text.decode("utf-8", "replace")
    return save({}, {METADATA: metadata, CHECKSUMS: _checksum_of_text(metadata) + "0" * 8})


def fuzz_metadata(data: bytes) -> None:
    fuzz_network(_with_metadata(data))


def fuzz_network(data: bytes) -> None:
    """The whole file: it is refused in one line, or its network can be made."""
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(data)
        file.flush()
        try:
            config_of(read_metadata(Path(file.name))).spec()
            weights, metadata = read_network(Path(file.name))
            Network.from_weights(weights, metadata, threads=1)
        except BadInput as error:
            assert "\n" not in str(error)


@functools.cache
def _small_network() -> bytes:
    """Of a few numbers, so that what is changed is mostly the header."""
    config = PolicyNetConfig(5, 1, 3, batch_norm=False, global_pooling=False)
    weights = {name: np.zeros(weight.shape, np.float32) for name, weight in network_weights(config.spec()).items()}
    with tempfile.TemporaryDirectory() as folder:
        write_tensors(Path(folder) / "net", weights, new_metadata(config))
        return (Path(folder) / "net").read_bytes()


def fuzz_replay_buffer(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "replay").mkdir()
        (Path(folder) / "replay" / "000000.npz").write_bytes(data)
        try:
            games = list(ReplayBuffer(Path(folder), START, 3))
        except BadInput as error:
            assert "\n" not in str(error)
            return
        assert all(len(game.moves) == len(game.visits) for game in games)


def _sgf_seeds() -> list[bytes]:
    return [format_record(random_record(seed, plies=12), {0: "a \\] comment"}).encode() for seed in range(3)] + [
        b"(;GM[1]SZ[19]HA[2]AB[dd][pp]RU[Japanese]KM[0.5];W[qd](;B[dq]C[x\\]])(;B[tt];W[]))", b"(;FF[1]AddBlack[aa]);",
        b"(;GM[1]FF[4]CA[GB2312]SZ[9]PB[\xbf\xc2]RE[B+R];B[aa];W[bb])(;SZ[5];B[aa])"] + [
        text.encode() for text in (GIB, NGF, UGF, UGF + REVIEW)]


def _archive_seeds() -> list[bytes]:
    files = {"a.sgf": b"(;B[aa])", "deep/b.sgf": b"(;SZ[9];B[bb];W[cc])"}
    return [zipped(files), tarred(files), tarred(files, "w:gz"), tarred(files, "w:xz"),
            zipped({"in.zip": zipped(files)})]


def _query_lines() -> list[bytes]:
    query = {"id": "a", "moves": [["B", "C3"], ["W", "D4"]], "rules": "tromp-taylor", "boardXSize": 5, "boardYSize": 5,
             "komi": 7.5, "analyzeTurns": [0, 2], "includeOwnership": True, "includePolicy": True, "priority": 3,
             "initialStones": [["B", "A1"]], "avoidMoves": [{"player": "B", "moves": ["A2"], "untilDepth": 1}]}
    return [json.dumps(query).encode(), b'{"id": "v", "action": "query_version"}',
            b'{"id": "t", "action": "terminate", "terminateId": "a", "turnNumbers": [1]}']


def _buffer_seeds() -> list[bytes]:
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        buffer = ReplayBuffer(Path(folder), START, 3)
        for _ in range(3):
            buffer.append(SelfPlayGame(rng.permutation(9)[:6].astype(np.int16),
                                       rng.integers(1, 9, (6, 10)).astype(np.uint16), 1))
        return [(Path(folder) / "replay" / "000000.npz").read_bytes()]


TARGETS = {
    "sgf": Target(fuzz_sgf, _sgf_seeds),
    "archive": Target(fuzz_archive, _archive_seeds),
    "gtp": Target(fuzz_gtp, lambda: [
        b"1 play b C3\nplay w D4\nundo\nshowboard\nkomi 6.5\nboardsize 7\nclear_board",
        b"list_commands\nknown_command play",
        b"time_settings 60 5 1\ntime_left b 10 0\nkgs-rules japanese\nkgs-time_settings canadian 60 5 1",
        b"fixed_handicap 2\nset_free_handicap A1 B2 C3\nplace_free_handicap 2", b"kata-set-rules tromp-taylor\n"
        b"kata-get-rules\nkata-set-param playouts 10\nset_position b A1 w B2\nfinal_score\nfinal_status_list dead"]),
    "analysis": Target(fuzz_analysis, _query_lines),
    "metadata": Target(fuzz_metadata, lambda: [json.dumps(TensorFile(MODEL).metadata()).encode()]),
    "network": Target(fuzz_network, lambda: [_small_network(), _small_network()[:2000]]),
    "replay-buffer": Target(fuzz_replay_buffer, _buffer_seeds),
}
# Inputs that broke a promise once, by target.
FOUND: dict[str, list[bytes]] = {
    "sgf": [b")", b");GM[\xff(;B[t\xff", b"(;GM[1]PB[a)\0(;SZ[];B[aa])"],
}

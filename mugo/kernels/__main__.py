"""python -m mugo.kernels build: compile what players need, for the wheel of this platform and Python.
   python -m mugo.kernels build --wasm: the functions of the page without a server, in WebAssembly (webassembly).

    the commands of PLAYED, in new processes, for the oldest processor of the platform --> numba's cache
    the same once more, from that cache --> what they load is kept, the functions that were linked into it go

Functions of other Python versions that are there are kept, so that one wheel can carry those of several.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mugo.core.shared_cache import baseline_cpu, shipped_folder
from mugo.core.files import BadInput, log_to_stderr

GAME = "(;GM[1]FF[4]SZ[9]KM[7]PB[a]PW[b];B[ee];W[cc];B[gc];W[gg];B[cg];W[dh];B[ch];W[fc];B[fd];W[gb];B[hb];W[])"
POSITION = ("clear_board", "play b e5", "play w c3", "play b d3", "play w e4", "play b f4", "genmove w", "undo")
ENDED = ("play b pass", "play w pass", "final_score", "final_status_list dead", "showboard")
SEARCHED = ("kata-analyze b 1 maxmoves 2", "kata-search_cancellable b", "kata-genmove_analyze b allow b A1,B1,C1,A2 1")
GO = (*POSITION, *SEARCHED, "set_position b c1 b c2 w d1", *ENDED)
GOMOKU = ("clear_board", "play b e5", "genmove w", "genmove b")
# What people do first: arguments of `mugo`, and what they type.
PLAYED: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("gtp", "uct", "--size", "9", "--simulations", "300"), GO),
    (("gtp", "uct", "--size", "19", "--simulations", "300", "--threads", "2"), GO),
    (("gtp", "mcts", "--size", "9", "--simulations", "100"), GO),
    (("gtp", "mcts", "--size", "19", "--simulations", "40", "--threads", "2"), GO),
    (("gtp", "policy", "--size", "19"), (*POSITION, *ENDED)),
    (("gtp", "random", "--size", "9"), (*POSITION, *ENDED)),
    (("gtp", "uct", "--game", "gomoku", "--simulations", "200"), GOMOKU),
    (("gtp", "mcts", "--game", "gomoku", "--simulations", "50"), GOMOKU),
    (("review", "game.sgf", "--simulations", "20"), ()),
)


def play(environment: dict[str, str], folder: Path) -> Iterator[str]:
    """Run the commands of PLAYED in a folder; their lines on stdout and stderr."""
    (folder / "game.sgf").write_text(GAME)
    for arguments, typed in PLAYED:
        done = subprocess.run([sys.executable, "-m", "mugo", *arguments], input="\n".join(typed) + "\n", cwd=folder,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise BadInput(f"mugo {' '.join(arguments)} ended with status {done.returncode}: {done.stdout[-300:]}")
        yield from done.stdout.splitlines()


def build() -> Path:
    """Compile; the folder of what was compiled.  Raises BadInput where this platform has no baseline processor."""
    cpu, target = baseline_cpu(), shipped_folder()
    if cpu is None:
        raise BadInput("compiled functions are built for x86-64 and arm64 only")
    for other in target.parent.glob("*-*-*"):
        if other != target:                              # of sources before
            shutil.rmtree(other)
    with tempfile.TemporaryDirectory() as made:
        environment = os.environ | {"NUMBA_CACHE_DIR": made, "NUMBA_CPU_NAME": cpu.name, "NUMBA_CPU_FEATURES": "",
                                    "PYTHONPATH": str(target.parents[2])}
        for _ in play(environment, Path(made)):
            pass
        loaded: set[str] = set()
        for line in play(environment | {"NUMBA_DEBUG_CACHE": "1"}, Path(made)):
            loaded.update(re.findall(r"\[cache\] (?:data|index) loaded from '(.+)'", line))
        for path in sorted(loaded):
            place = target / os.path.relpath(path, made)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    return target


def build_for_browsers(folder: Path) -> Path:
    """Write kernels.wasm and kernels.json, by a process whose numba compiles for any processor, without a cache."""
    with tempfile.TemporaryDirectory() as made:
        environment = os.environ | {"NUMBA_CACHE_DIR": made, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "",
                                    "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0",
                                    "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run([sys.executable, "-m", "mugo.kernels.webassembly", str(folder)], env=environment,
                              stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise BadInput(done.stderr.strip().splitlines()[-1])
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m mugo.kernels", description="Compile what players need.")
    parser.add_argument("what", choices=["build"])
    parser.add_argument("--wasm", action="store_true", help="for browsers: kernels.wasm and kernels.json")
    parser.add_argument("-o", dest="folder", type=Path, default=Path(__file__).parent / "wasm",
                        help="the folder of --wasm (default: where `mugo site` finds them)")
    args = parser.parse_args()
    try:
        folder = build_for_browsers(args.folder) if args.wasm else build()
    except BadInput as problem:
        log_to_stderr(str(problem))
        return 2
    files = [path for path in folder.rglob("*") if path.is_file()]
    print(f"{folder}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

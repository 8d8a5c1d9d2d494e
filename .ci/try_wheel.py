"""Try a wheel as a new user: python .ci/try_wheel.py WHEEL

Installs it, with the extra `web`, into a new environment; then `mugo doctor`, a game over GTP, the signature of
`mugo bench`, and the page.  Ends with status 1 and the reason where something is wrong.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
GAME = "boardsize 9\nclear_board\n" + "genmove b\ngenmove w\n" * 10 + "final_score\nquit\n"
START_SECONDS = 60


def run(python: Path, *arguments: str, typed: str = "") -> tuple[str, float]:
    """stdout of `mugo ARGUMENTS`, and the seconds it took."""
    begun = time.monotonic()
    done = subprocess.run([python, "-m", "mugo", *arguments], input=typed, capture_output=True, text=True,
                          cwd=python.parent)
    if done.returncode:
        sys.exit(f"mugo {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout, time.monotonic() - begun


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    signature = re.search(r"(?m)^SIGNATURE = ([\d_]+)", (ROOT / "tests" / "cli" / "test_bench.py").read_text())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["XDG_CACHE_HOME"] = folder                # nothing is compiled yet
        venv.create(folder, with_pip=True)
        python = Path(folder) / PYTHON
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel}[web]"], check=True)
        print(run(python, "doctor")[0])
        replies, seconds = run(python, "gtp", "mcts", "--simulations", "20", typed=GAME)
        if not re.search(r"= ([BW]\+[\d.]+|0)\s+=\s*$", replies):
            sys.exit(f"the game over GTP ended with {replies[-200:]!r}")
        print(f"a game of 20 moves over GTP: {seconds:.1f} s")
        lines = run(python, "bench")[0]
        if signature is None or f"{int(signature[1]):,}" not in lines:
            sys.exit(f"the signature of mugo bench is not that of tests/cli/test_bench.py:\n{lines}")
        with subprocess.Popen([python, "-m", "mugo", "web", "--no-browser", "--port", "0"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as server:
            assert server.stdout is not None
            address = next(match[0] for line in server.stdout if (match := re.search(r"http://[\d.:]+/", line)))
            page = urllib.request.urlopen(address, timeout=START_SECONDS).read()
            server.terminate()
        if b"<title>MuGo" not in page:
            sys.exit(f"{address} answers {page[:200]!r}")
        print("doctor, game, signature and page: right")


if __name__ == "__main__":
    main()

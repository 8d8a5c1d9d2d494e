"""Seconds from starting `mugo gtp PLAYER` to its first responses: to `name`, and to `genmove`.

    python benchmarks/gtp_startup.py [--network NAME] [--times 5]

The first start is not measured: it may compile.
"""
import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

MAIN = Path(__file__).resolve().parents[1] / "main.py"
PLAYERS = ("random", "policy", "randompolicy")


def response_times(command: list[str]) -> tuple[float, float]:
    """Seconds from the start until the responses to `name` and to `genmove b`."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        engine.stdin.write("name\ngenmove b\nquit\n")
        engine.stdin.flush()
        times = []
        for _ in range(2):
            response = engine.stdout.readline()
            if not response.startswith("="):
                sys.exit(f"{' '.join(command)} answers {response!r}")
            times.append(time.perf_counter() - start)
            engine.stdout.readline()
    return times[0], times[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--network", help="of the policies (default: the bundled one)")
    parser.add_argument("--times", type=int, default=5, help="starts of each player (default: 5)")
    arguments = parser.parse_args()
    print("player         name: best  median   genmove: best  median   (seconds)")
    for player in PLAYERS:
        command = [sys.executable, str(MAIN), "gtp", player]
        if arguments.network and player != "random":
            command += ["--network", arguments.network]
        response_times(command)
        names, moves = zip(*(response_times(command) for _ in range(arguments.times)), strict=True)
        print(f"{player:13} {min(names):11.2f} {statistics.median(names):7.2f}"
              f" {min(moves):15.2f} {statistics.median(moves):7.2f}")


if __name__ == "__main__":
    main()

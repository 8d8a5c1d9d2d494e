"""Games against GNU Go over GTP, each program in a process of its own, every move checked.

    python benchmarks/gnugo.py [--games 2] [--size 19] [--level 1] [-o FOLDER] [PLAYER ARGUMENTS ...]
    python benchmarks/gnugo.py --games 10 policy --network run
    python benchmarks/gnugo.py --size 9 random

Colours alternate; both sides have to pass at the end, and GNU Go counts.  -o keeps the games as SGF.
"""
import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from gtp_client import GNUGO, Client, play_game  # noqa: E402

from mugo.gtp import record_of  # noqa: E402
from mugo.records import format_record  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--level", default="1")
    parser.add_argument("-o", "--output", type=Path)
    args, player = parser.parse_known_args()
    if GNUGO is None:
        sys.exit("GNU Go is not installed: apt install gnugo")
    ours = [sys.executable, str(ROOT / "main.py"), "gtp", *(player or ["policy"])]
    theirs = [GNUGO, "--mode", "gtp", "--level", args.level, "--never-resign", "--chinese-rules",
              "--positional-superko"]
    wins = 0
    for number in range(args.games):
        we_are_black = number % 2 == 0
        with Client(ours) as mugo, Client([*theirs, "--seed", str(number)]) as gnugo:
            position = play_game(*((mugo, gnugo) if we_are_black else (gnugo, mugo)), args.size)
            counts = mugo.ask("final_score"), gnugo.ask("final_score")
        result = counts[1]
        wins += result.startswith("B" if we_are_black else "W")
        names = [f"MuGo {' '.join(player or ['policy'])}", f"GNU Go 3.8 level {args.level}"]
        black, white = names if we_are_black else names[::-1]
        print(f"{black} - {white}: {result} after {position.plies} moves, all legal; "
              f"{'both passed' if position.is_over else 'not finished'}; MuGo counts {counts[0]}", flush=True)
        if args.output:
            args.output.mkdir(parents=True, exist_ok=True)
            record = record_of(position, black=black, white=white, result=result)
            (args.output / f"{number:03d}.sgf").write_text(format_record(record), encoding="utf-8")
    print(f"MuGo won {wins} of {args.games}")


if __name__ == "__main__":
    main()

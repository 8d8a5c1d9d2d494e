"""Settings of a search against the default ones, each by a sequential test at equal simulations.

    python benchmarks/tune.py -o tuning --size 9 "mcts --network policy-9 --simulations 100" -- \\
        "--fpu-reduction-max 0.2" "--select-by lcb" "--cpuct-exploration-log 0.45 --c 1.5"
    python benchmarks/tune.py -o tuning --table                    # of the matches that are in the folder

Each setting is a `mugo match` of the player with it against the player without it, in a folder of its own: the same
command continues what was stopped, and plays what is new.  Both sides have the same openings, each with both colours.
Simulations are counted, not seconds, so other work on the machine changes nothing.  Bounds are Fishtest's way of
asking: --sprt 0 40 stops when the gain is at least 0, or less than 40 Elo, with errors of 5 %.

The table has the games, the win rate with its Wilson 95 % interval, the Elo and what the test has found.
"""
import argparse
import contextlib
import csv
import io
import json
import re
from pathlib import Path

from mugo.cli import main as cli
from mugo.match.summary import summarize
from mugo.core.sprt import H0, H1, SPRT

DEFAULT = "--no-early-stop"              # of both sides: every move gets its simulations


def folder_of(output: Path, player: str, setting: str, size: int) -> Path:
    """The folder of the match of a setting."""
    return output / re.sub(r"[^A-Za-z0-9.]+", "-", f"{size} {player} {setting}").strip("-")


def play_match(args: argparse.Namespace, first: str, second: str, folder: Path, *words: object) -> None:
    """Play, or continue, a match of two settings of a player.  words: more of its command line."""
    words = ("match", *(f"{args.player} {DEFAULT} {setting}".strip() for setting in (first, second)),
             "--game", args.game, "--size", args.size, "--openings", args.openings, "--jobs", args.jobs, "-o", folder,
             *words)
    if not args.openings.isdecimal():
        words += "--opening-moves", args.opening_moves
    with contextlib.redirect_stdout(io.StringIO()):
        status = cli.main([*map(str, words)])
    if status:
        raise SystemExit(status)


def play(args: argparse.Namespace, setting: str) -> Path:
    """Play, or continue, the match of a setting; returns its folder."""
    folder = folder_of(args.output, args.player, setting, args.size)
    play_match(args, setting, args.against, folder, "--games", args.games, "--sprt", *args.sprt, "--json")
    return folder


def row_of(folder: Path) -> str:
    """The row of the table of a match."""
    match = json.loads((folder / "match.json").read_text(encoding="utf-8"))
    with open(folder / "games.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = match["participants"]
    summary = summarize(rows, names, SPRT(*match["sprt"]))
    first, test = summary["participants"][0], summary["sprt"]
    if not summary["games"]:
        return f"| {match['size']}x{match['size']} | `{names[0]}` | 0 | | | | undecided |"
    rate, elo = first["win_rate"], first["elo"]
    found = {H0: f"H0: below {match['sprt'][1]:+g}", H1: f"H1: above {match['sprt'][0]:+g}"}.get(
        test["accepted"], "undecided")
    return (f"| {match['size']}x{match['size']} | `{names[0]}` | {summary['games']} | "
            f"{rate['value']:.1%} ({rate['low']:.1%} to {rate['high']:.1%}) | "
            f"{'' if elo['value'] is None else format(elo['value'], '+.0f')} | "
            f"{test['llr']:+.2f} | {found} |")


def print_table(folders: list[Path]) -> None:
    print("| board | player | games | won (95 %) | Elo | LLR | SPRT |\n|---|---|---|---|---|---|---|")
    for folder in folders:
        print(row_of(folder))


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the matches, for this program and for spsa.py."""
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--game", default="go")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--openings", default="policy")
    parser.add_argument("--opening-moves", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time (default: %(default)s)")
    parser.add_argument("--table", action="store_true", help="play nothing: print the table of what is in FOLDER")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", nargs="?", help='with all that both sides have, as in "mcts --simulations 100"')
    parser.add_argument("settings", nargs="*", metavar="SETTING", help='as in "--fpu-reduction-max 0.2"')
    add_match_arguments(parser)
    parser.add_argument("--against", default="", metavar="OPTIONS", help="of the other side (default: none)")
    parser.add_argument("--games", type=int, default=400, help="of each setting, at most")
    parser.add_argument("--sprt", type=float, nargs=2, default=(0, 40), metavar=("ELO0", "ELO1"))
    args = parser.parse_intermixed_args()
    if args.table:
        print_table([path.parent for path in sorted(args.output.glob("*/games.csv"))])
        return
    if args.player is None or not args.settings:
        parser.error("name a player and at least one setting")
    print_table([play(args, setting) for setting in args.settings])


if __name__ == "__main__":
    main()

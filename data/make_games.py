"""Make the sample games of this folder: GNU Go 3.8 against itself, from random openings.

    apt install gnugo
    python data/make_games.py                  # the games of this folder: 133 on 19x19, 40 on 9x9
    python data/make_games.py --games 19:50 --into /tmp/more --first 1000

Levels, komi, handicap and the first few moves of a game are a function of its size and number; the other moves are
GNU Go's.  Finished games are written to --into, one file each, so an interrupted run resumes.  --pack packs them into
gnugo-19x19.tar.gz and gnugo-9x9.zip in this folder.
"""
import argparse
import concurrent.futures
import gzip
import io
import random
import subprocess
import tarfile
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from mugo.core.files import atomic_write
from mugo.games.coords import format_gtp, format_sgf, interpret_gtp, point_at

HERE = Path(__file__).parent
LEVELS = (1, 1, 1, 2, 2, 3, 4, 5)            # a 19x19 game takes 12 s at level 1 and 24 s at level 5
CORNER_POINTS = ((3, 3),) * 4 + ((2, 3), (3, 2)) * 3 + ((2, 2), (2, 4), (4, 2), (3, 4), (4, 3))
MAX_MOVES = 600                              # GNU Go's games are shorter
SINGLE_FILES = ("gnugo-19x19-000.sgf", "gnugo-9x9-000.sgf")      # kept as files too


@dataclass(frozen=True)
class Plan:
    """The settings of a game; `opening` are points, played by Black and White in turn."""
    size: int
    number: int
    levels: dict[str, int]
    komi: float
    handicap: int
    opening: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"gnugo-{self.size}x{self.size}-{self.number:03}.sgf"


def plan_game(size: int, number: int) -> Plan:
    """The game of this size and number, the same on every machine."""
    rng = random.Random(f"{size}x{size} {number}")
    levels = {"B": rng.choice(LEVELS), "W": rng.choice(LEVELS)}
    if size == 19 and rng.random() < 0.08:
        levels = {"B": min(levels.values()), "W": max(levels.values())}
        return Plan(size, number, levels, 0.5, rng.randint(2, 4), ())
    opening = corners_and_sides(rng) if size == 19 else middle_points(size, rng)
    return Plan(size, number, levels, rng.choice((5.5, 6.5, 7.5, 7.5)), 0, opening)


def corners_and_sides(rng: random.Random) -> tuple[int, ...]:
    """Up to eight points on 19x19: corners, then points on the third or fourth line, at least four lines apart."""
    corners = [(top, left) for top in (True, False) for left in (True, False)]
    rng.shuffle(corners)
    taken: list[tuple[int, int]] = []
    for turn in range(rng.randint(0, 8)):
        if turn < 4:
            (row, col), (top, left) = rng.choice(CORNER_POINTS), corners[turn]
            taken.append((row if top else 18 - row, col if left else 18 - col))
            continue
        while True:
            line, along = rng.choice((2, 3, 15, 16)), rng.randint(5, 13)
            row, col = rng.choice(((line, along), (along, line)))
            if all(max(abs(row - r), abs(col - c)) > 3 for r, c in taken):
                taken.append((row, col))
                break
    return tuple(point_at(row, col, 19) for row, col in taken)


def middle_points(size: int, rng: random.Random) -> tuple[int, ...]:
    """Up to three points, not on the two outer lines, no two adjacent."""
    inside = [(row, col) for row in range(2, size - 2) for col in range(2, size - 2)]
    taken: list[tuple[int, int]] = []
    for _ in range(rng.randint(0, 3)):
        taken.append(rng.choice([(row, col) for row, col in inside
                                 if all(abs(row - r) + abs(col - c) > 1 for r, c in taken)]))
    return tuple(point_at(row, col, size) for row, col in taken)


def play_game(plan: Plan, gnugo: str) -> str:
    """The game as SGF text.  Raises RuntimeError if GNU Go rejects a command or the game has MAX_MOVES moves."""
    command = [gnugo, "--mode", "gtp", "--seed", str(plan.number + 1), "--chinese-rules",
               "--positional-superko", "--never-resign"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        def send(line: str) -> str:
            engine.stdin.write(line + "\n")
            engine.stdin.flush()
            reply = engine.stdout.readline()
            engine.stdout.readline()
            if not reply.startswith("="):
                raise RuntimeError(f"{plan.name}: GNU Go replied {reply.strip()!r} to {line!r}")
            return reply[1:].strip()

        send(f"boardsize {plan.size}")
        send(f"komi {plan.komi}")
        stones = send(f"fixed_handicap {plan.handicap}").split() if plan.handicap else []
        colour = "W" if stones else "B"
        moves: list[tuple[str, int]] = []
        while len(moves) < 2 or any(point for _, point in moves[-2:]):
            if len(moves) >= MAX_MOVES:
                raise RuntimeError(f"{plan.name}: not over after {MAX_MOVES} moves")
            if len(moves) < len(plan.opening):
                point = plan.opening[len(moves)]
                send(f"play {colour} {format_gtp(point, plan.size)}")
            else:
                send(f"level {plan.levels[colour]}")
                point = interpret_gtp(send(f"genmove {colour}"), plan.size)
            moves.append((colour, point))
            colour = "W" if colour == "B" else "B"
        result = send("final_score")
        send("quit")
    return sgf_text(plan, [interpret_gtp(stone, plan.size) for stone in stones], moves, result)


def sgf_text(plan: Plan, stones: list[int], moves: list[tuple[str, int]], result: str) -> str:
    """The game as SGF text, with the levels and the result, which GNU Go's `printsgf` leaves out."""
    setup = f"HA[{plan.handicap}]AB" + "".join(f"[{format_sgf(s, plan.size)}]" for s in stones)
    header = (f"(;GM[1]FF[4]CA[UTF-8]SZ[{plan.size}]KM[{plan.komi}]RU[Chinese]RE[{result}]\n"
              f"PB[GNU Go 3.8 level {plan.levels['B']}]PW[GNU Go 3.8 level {plan.levels['W']}]"
              f"DT[{time.strftime('%Y-%m-%d')}]EV[MuGo sample game {plan.number}]"
              f"{setup if stones else ''}")
    written = [f";{colour}[{format_sgf(point, plan.size)}]" for colour, point in moves]
    rows = ["".join(written[i:i + 12]) for i in range(0, len(written), 12)]
    return "\n".join([header, *rows]) + ")\n"


def pack(size: int, games: list[Path]) -> Path:
    """Write an archive of the games; its bytes depend on the games only."""
    if size == 19:
        archive = HERE / "gnugo-19x19.tar.gz"
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for game in games:
                entry = tarfile.TarInfo(f"gnugo-19x19/{game.name}")
                entry.size = game.stat().st_size
                tar.addfile(entry, io.BytesIO(game.read_bytes()))
        data = gzip.compress(packed.getvalue(), 9, mtime=0)
    else:
        archive = HERE / f"gnugo-{size}x{size}.zip"
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as folder:
            for game in games:
                folder.writestr(zipfile.ZipInfo(game.name), game.read_bytes(), zipfile.ZIP_DEFLATED)
        data = packed.getvalue()
    with atomic_write(archive) as temporary:
        temporary.write_bytes(data)
    return archive


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", nargs="+", default=["9:40", "19:133"], metavar="SIZE:COUNT")
    parser.add_argument("--first", type=int, default=0, help="number of the first game (default: 0)")
    parser.add_argument("--into", type=Path, default=Path(tempfile.gettempdir(), "mugo-sample-games"),
                        help="folder of the finished games (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="games in parallel (default: 2)")
    parser.add_argument("--gnugo", default="/usr/games/gnugo", help="path of GNU Go (default: %(default)s)")
    parser.add_argument("--pack", action="store_true", help="pack the games into archives in this folder")
    arguments = parser.parse_args()

    wanted = [tuple(map(int, pair.split(":"))) for pair in arguments.games]
    plans = [plan_game(size, number) for size, count in wanted
             for number in range(arguments.first, arguments.first + count)]
    arguments.into.mkdir(parents=True, exist_ok=True)

    def finish(plan: Plan) -> str:
        with atomic_write(arguments.into / plan.name) as temporary:
            temporary.write_text(play_game(plan, arguments.gnugo), encoding="utf-8")
        return plan.name

    missing = [plan for plan in plans if not (arguments.into / plan.name).exists()]
    print(f"{len(plans) - len(missing)} games are in {arguments.into}, {len(missing)} to play", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.workers) as executor:
        for done, name in enumerate(executor.map(finish, missing), 1):
            print(f"{done}/{len(missing)} {name}", flush=True)

    if arguments.pack:
        for size, _ in wanted:
            games = [arguments.into / plan.name for plan in plans if plan.size == size]
            print(pack(size, games), f"{len(games)} games")
            for name in SINGLE_FILES:
                if (arguments.into / name) in games:
                    (HERE / name).write_bytes((arguments.into / name).read_bytes())


if __name__ == "__main__":
    main()

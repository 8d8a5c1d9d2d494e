"""How preprocessing, training and evaluating grow with the number of games: time, memory and disk of each step.

    python benchmarks/data_scale.py FOLDER --games 10000 100000 1000000
    python benchmarks/data_scale.py FOLDER --games 10000 --workers 2       on a Dask cluster of two workers
    python benchmarks/data_scale.py FOLDER --games 10000 --kill 5          each step is killed, and run again

The games are made by many_games.py, one in fifty a copy of another.  Each step is the command that a user gives:

    preprocess   archives -> data set
    add          a tenth more games to it
    again        the same command, with nothing new
    open         load_dataset, positions("train"), one with --where, fingerprint; positions/s in shuffled batches
    train        a small network, from random positions of the whole data set
    evaluate     that network

--steps leaves some out.  Times are those of this machine and of all processor time that the step took.  Memory is the
peak of what all its processes have of their own (RssAnon), and of the largest one with mapped files (VmHWM).  Disk is
the peak of the data set's folder, with unfinished parts.

--kill S ends a step by SIGKILL, with all its processes, after S seconds, the second time after 2 S, then 4 S, ...,
until it ends by itself; then the data set must have the fingerprint of one that was never killed.
"""
import argparse
import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from many_games import make_games

from mugo.core.files import BadInput
from mugo.data.dataset import load_dataset

STEPS = ("preprocess", "add", "again", "open", "train", "evaluate")
COPIES, BATCH, BATCHES = 0.02, 128, 160
TRAIN = ("--filters", "32", "--batch-size", "128", "--validation-positions", "2000", "--positions")
COLUMNS = ("games", "step", "seconds", "processor s", "own memory, MB", "largest process, MB", "disk, MB",
           "disk after, MB")


# ---- processes

def tree(roots: list[int]) -> list[int]:
    """These processes and all that they have started."""
    found = list(roots)
    for process in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{process}/task"):
                found += map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    return found


def memory_of(process: int) -> tuple[int, int]:
    """(RssAnon, VmHWM) of a process in bytes; zeros if it has ended."""
    try:
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        return 1024 * int(fields["RssAnon"].split()[0]), 1024 * int(fields["VmHWM"].split()[0])
    except (OSError, KeyError):
        return 0, 0


def processor_seconds(processes: list[int]) -> float:
    """Processor time of processes, and of those they have waited for."""
    ticks = 0
    for process in processes:
        with contextlib.suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def disk_bytes(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.stat(os.path.join(path, name)).st_size
    return total


def measure(command: list[str], folder: Path, helpers: list[int], seconds: float | None) -> tuple[bool, dict]:
    """Run a command; (whether it ended by itself, its figures).  helpers: processes that work for it.  seconds: after
    which it is killed."""
    start, before, own = time.perf_counter(), processor_seconds(tree(helpers)), resource.getrusage(
        resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL if seconds else None)
    done, peaks = threading.Event(), [0, 0, 0]

    def watch() -> None:
        while not done.wait(0.2):
            memory = [memory_of(each) for each in tree([process.pid, *helpers])]
            peaks[0] = max(peaks[0], sum(own for own, _ in memory))
            peaks[1] = max(peaks[1], *(largest for _, largest in memory))
            peaks[2] = max(peaks[2], disk_bytes(folder))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        status = None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done.set()
    watcher.join()
    if status:
        raise BadInput(f"{' '.join(command)}: status {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = (after.ru_utime + after.ru_stime - own.ru_utime - own.ru_stime
                 + processor_seconds(tree(helpers)) - before)
    return status is not None, dict(zip(COLUMNS[2:], (time.perf_counter() - start, processor, *(each / 1e6 for each in
                                                     (*peaks, disk_bytes(folder)))), strict=True))


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[tuple[list[int], list[str]]]:
    """A Dask cluster on this machine: its processes, and the options of a command that uses it."""
    if not workers:
        yield [], []
        return
    address = "tcp://127.0.0.1:8786"
    words = (["scheduler", "--host", "127.0.0.1", "--port", "8786", "--no-dashboard"],
             ["worker", address, "--nthreads", "1", "--nworkers", str(workers), "--no-dashboard"])
    with contextlib.ExitStack() as stack:
        processes = []
        for each in words:
            process = stack.enter_context(subprocess.Popen(["dask", *each], stderr=subprocess.DEVNULL))
            stack.callback(process.terminate)
            processes.append(process.pid)
        yield processes, ["--scheduler", address]


# ---- steps

def command_of(step: str, archives: list[Path], more: list[Path], folder: Path, options: argparse.Namespace,
               scheduler: list[str]) -> list[str]:
    data, run, mugo = folder / "set", folder / "run", [sys.executable, "-m", "mugo"]
    if step == "open":
        return [sys.executable, __file__, str(folder), "--stage"]
    if step == "train":
        if (run / "checkpoint.safetensors").exists():
            return [*mugo, "train", str(data), "-o", str(run), "--resume"]
        return [*mugo, "train", str(data), "-o", str(run), *TRAIN, str(options.positions)]
    if step == "evaluate":
        return [*mugo, "evaluate", str(run), str(data), "--sample", "2000", "-o", str(folder / "report"), *scheduler]
    given = archives if step == "preprocess" else archives + more
    jobs = [] if scheduler else ["--jobs", str(options.jobs)]
    return [*mugo, "preprocess", *map(str, given), "-o", str(data), *jobs, *scheduler]


def open_and_use(folder: Path) -> None:
    """Print how long it takes to open a data set and to use it."""
    figures, positions, begun = {}, None, time.process_time()

    def measured(name: str) -> None:
        nonlocal begun
        figures[name] = round(time.process_time() - begun, 2)
        begun = time.process_time()

    data = load_dataset(folder / "set")
    measured("opened")
    positions = data.positions("train")
    measured("positions selected")
    data.positions("train", where="black_rank >= 1 and date >= '2010'")
    measured("by --where")
    fingerprint = data.fingerprint
    measured("fingerprint")
    for step in range(BATCHES):
        if step == BATCHES // 10:        # compiled, and its first pages read
            begun = time.process_time()
        positions.shuffled_batch(step, BATCH, 0)
    figures["positions/s"] = round(BATCH * BATCHES * 0.9 / (time.process_time() - begun))
    print(json.dumps({"counts": data.meta["counts"], "shards": len(data.shards), "fingerprint": fingerprint,
                      "bytes": data.bytes, "processor seconds": figures}), flush=True)


def run_step(step: str, words: list[str], folder: Path, helpers: list[int], kill: float | None) -> dict:
    """Measure a step; with --kill its last run, and how often it was killed."""
    kills = 0
    while True:
        ended, figures = measure(words, folder, helpers, kill and kill * 2 ** kills)
        if ended:
            return figures | {"kills": kills}
        kills += 1
        if step == "train" and (folder / "run" / "checkpoint.safetensors").exists():
            words = [*words[:words.index("-o") + 2], "--resume"]
        elif step == "train":
            shutil.rmtree(folder / "run", ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="of archives, data sets and runs; kept")
    parser.add_argument("--games", type=int, nargs="+", default=[10_000, 33_000, 100_000], metavar="N")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS, metavar="STEP", help=" ".join(STEPS))
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes that read (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="workers of a cluster (default: none)")
    parser.add_argument("--positions", type=float, default=200_000, metavar="N", help="to train on (default: 200,000)")
    parser.add_argument("--kill", type=float, metavar="S", help="kill each step after so many seconds")
    parser.add_argument("--stage", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.stage:
        open_and_use(args.folder)
        return
    name = "cluster" if args.workers else "killed" if args.kill else "here"
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
    for games in args.games:
        archives = make_games(args.folder / "archives" / str(games), games, copies=COPIES)
        more = make_games(args.folder / "archives" / f"{games}-more", games // 10, copies=COPIES, first=1000)
        folder = args.folder / f"{games}-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        with cluster(args.workers) as (helpers, scheduler):
            for step in args.steps:
                words = command_of(step, archives, more, folder, args, scheduler)
                figures = run_step(step, words, folder, helpers, args.kill if step != "open" else None)
                cells = [f"{games:,}", step, *(f"{figures[column]:,.1f}" for column in COLUMNS[2:4]),
                         *(f"{figures[column]:,.0f}" for column in COLUMNS[4:])]
                print("| " + " | ".join(cells) + " |" + (f" killed {figures['kills']} times" * (figures["kills"] > 0)),
                      flush=True)


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        sys.exit(f"{Path(__file__).name}: {error}")

"""Commands that write for a while, on small inputs, for the tests in tests/faults: how each is started and started
again, and what of its output must be that of an unbroken run.

    Case.prepare(out)       what is there before the command
    Case.words(out)         the command line; the same again, or with --resume, after it was stopped
    Case.check(out)         what holds at every moment, also after kill -9
    Case.contents(out)      what is the same in every run that was not stopped, and in every one that was continued
"""
import csv
import io
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from fakes import FAKE_ENGINE
from random_records import finished_record, write_games

from mugo.data.dataset import load_dataset
from mugo.data.preprocess import preprocess
from mugo.core.files import is_temporary
from mugo.games import gomoku
from mugo.nn.network_file import TensorFile
from mugo.selfplay.replay import ReplayBuffer
from mugo.sgf.convert import format_record


def make_inputs(folder: Path) -> Path:
    """Folders a, b and few of games, and the data set `set` of the games in a; the files of all cases."""
    write_games(folder / "a", range(12), plies=40)
    write_games(folder / "b", range(8, 24), plies=50)    # 8 to 11 are longer copies of games in a
    write_games(folder / "few", range(3), plies=12)
    for seed in range(6):                                # that ended by a count
        (folder / "a" / f"counted-{seed}.sgf").write_text(format_record(finished_record(seed)), encoding="utf-8")
    preprocess([str(folder / "a")], folder / "set", jobs=1, validation=0.2, test=0.2)
    return folder


def files_of(out: Path, skip: tuple[str, ...] = ()) -> dict[str, bytes]:
    """The contents of all files by their paths, but unfinished ones of atomic_write, and those in folders to skip."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*"))
            if path.is_file() and not is_temporary(path.name) and path.relative_to(out).parts[0] not in skip}


class Case:
    """A command.  modules: what it imports; constants: of modules, small ones, so that small data take many steps."""

    name = ""
    modules: tuple[str, ...] = ()
    constants: dict[str, Any] = {}

    def __init__(self, inputs: Path):
        self.inputs = inputs
        self.unbroken: dict[str, Any] = {}               # `contents` of an unbroken run

    def __repr__(self) -> str:
        return self.name

    def prepare(self, out: Path) -> None:
        pass

    def words(self, out: Path) -> list:
        raise NotImplementedError

    def check(self, out: Path) -> None:
        raise NotImplementedError

    def contents(self, out: Path) -> dict[str, Any]:
        return files_of(out)

    def expected(self, out: Path) -> dict[str, Any]:
        """`contents` of an unbroken run, for a run that is done."""
        return self.unbroken


class Preprocess(Case):
    """Adds a folder of games to a data set; a part has 4 games."""

    name = "preprocess"
    modules = ("mugo.data.preprocess",)
    constants = {"mugo.data.unmerged:PART_GAMES": 4, "mugo.data.unmerged:BATCH_FILES": 2,
                 "mugo.data.preprocess:SHARD_GAMES": 8}

    def prepare(self, out: Path) -> None:
        shutil.copytree(self.inputs / "set", out)

    def words(self, out: Path) -> list:
        return ["preprocess", self.inputs / "a", self.inputs / "b", "-o", out, "--jobs", 1, "--validation", 0.2,
                "--test", 0.2]

    def check(self, out: Path) -> None:
        data = load_dataset(out)
        data.table()
        old = files_of(self.inputs / "set")
        state = files_of(out, ("unfinished",))
        assert state["meta.json"] in (old["meta.json"], self.unbroken["meta.json"])
        assert {name: state[name] for name in old if name != "meta.json"} == \
            {name: old[name] for name in old if name != "meta.json"}         # old shards are as they were


class Match(Case):
    """40 games between two programs that play fixed moves."""

    name = "match"
    modules = ("mugo.match.tournament",)
    games = 40

    def words(self, out: Path) -> list:
        return ["match", f"{FAKE_ENGINE} A1 B1 C1", f"{FAKE_ENGINE} explain=fine C3 SLEEP0.02 B2", "--size", 3,
                "--komi", 0.5, "--games", self.games, "--jobs", 2, "-o", out]

    def rows(self, out: Path) -> dict[str, dict[str, str]]:
        """The complete rows by number, without times and dates."""
        path = out / "games.csv"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        rows = csv.DictReader(io.StringIO(text[:text.rfind("\n") + 1]))
        return {row["number"]: {name: value for name, value in row.items() if name and "seconds" not in name
                                and name != "date"} for row in rows}

    def sgf(self, out: Path, number: int) -> str:
        text = (out / "sgf" / f"{number:05d}.sgf").read_text(encoding="utf-8")
        return re.sub(r"DT\[[\d-]*\]|used [\d.]+ seconds, White [\d.]+", "", text)

    def check(self, out: Path) -> None:
        for number, row in self.rows(out).items():
            assert row == self.unbroken["rows"][number]
            assert self.sgf(out, int(number)) == self.unbroken["games"][int(number)]

    def contents(self, out: Path) -> dict[str, Any]:
        with open(out / "games.csv", encoding="utf-8") as file:
            lines = file.readlines()
        assert len(lines) == self.games + 1              # each game once
        return {"match.json": json.loads((out / "match.json").read_text()), "rows": self.rows(out),
                "games": {number: self.sgf(out, number) for number in range(self.games)}}


class Analyze(Case):
    """Reviews of three games by the network alone."""

    name = "review"
    modules = ("mugo.reviews.command",)

    def words(self, out: Path) -> list:
        return ["review", self.inputs / "few", "--fast", "--network", "policy-9", "--threads", 1, "-o", out]

    def contents(self, out: Path) -> dict[str, Any]:
        files = files_of(out)
        assert all(name.endswith((".sgf", ".csv", ".txt", ".json", ".png", ".svg")) for name in files)
        return {name: data for name, data in files.items() if not name.endswith(".svg")} | {     # it has the date
            "svg": sorted(name for name in files if name.endswith(".svg"))}

    def check(self, out: Path) -> None:
        files = files_of(out) if out.exists() else {}
        for stem in [Path(name).stem for name in files if name.endswith(".json")]:
            for suffix in "sgf", "csv", "txt", "json", "png":            # .json is the last: the game is done
                assert files[f"{stem}.{suffix}"] == self.unbroken[f"{stem}.{suffix}"]
            assert f"{stem}.svg" in files


def members_of(path: Path) -> dict[str, Any]:
    """The arrays of a network's weights, and those of its optimizer, by their names."""
    return {name: array.tobytes() for name, array in TensorFile(path).read().items()}


def check_archives(out: Path) -> None:
    """Every network of a run is whole."""
    for path in out.glob("*.safetensors"):
        if not is_temporary(path.name):
            assert TensorFile(path).read(), path


def timeless_log(out: Path) -> list[dict[str, str]]:
    """The rows of log.csv without times."""
    with open(out / "log.csv", encoding="utf-8") as file:
        return [{name: value for name, value in row.items() if "second" not in name} for row in csv.DictReader(file)]


class Train(Case):
    """16 steps of a small network, with a checkpoint every 8."""

    name = "train"
    modules = ("mugo.training.train",)

    def words(self, out: Path) -> list:
        if (out / "checkpoint.safetensors").exists() or (out / "previous.safetensors").exists():
            return ["train", self.inputs / "set", "-o", out, "--resume"]
        return ["train", self.inputs / "set", "-o", out, "--positions", 256, "--batch-size", 16,
                "--checkpoint-positions", 128, "--validation-positions", 64, "--filters", 4, "--layers", 3,
                "--policy-filters", 0, "--no-equivariant", "--optimizer", "adam", "--value-head"]

    def check(self, out: Path) -> None:
        check_archives(out)

    def contents(self, out: Path) -> dict[str, Any]:
        return {"log": timeless_log(out)} | {name: members_of(out / name) for name in (
            "checkpoint.safetensors", "previous.safetensors", "network.safetensors", "pre-decay.safetensors")}


class SelfPlay(Case):
    """24 games of noughts and crosses, and three updates of a small network."""

    name = "selfplay"
    modules = ("mugo.selfplay.run",)
    constants = {"mugo.selfplay.arena:UCT_LEVELS": [20, 40], "mugo.selfplay.replay:SAVE_SECONDS": 0}
    start = gomoku.GomokuPosition(3, 3)

    def words(self, out: Path) -> list:
        if (out / "checkpoint.safetensors").exists() or (out / "previous.safetensors").exists():
            return ["selfplay", "gomoku", "-o", out, "--resume"]
        return ["selfplay", "gomoku", "-o", out, "--size", 3, "--games", 24, "--simulations", 12, "--threads", 1,
                "--games-per-thread", 4, "--update-games", 8, "--steps", 2, "--batch-size", 16, "--window", 60,
                "--arena-every", 1000, "--arena-games", 24, "--filters", "4,4", "--value-units", 8, "--seed", 5]

    def frames(self, out: Path) -> list[bytes]:
        """The games of the replay buffer."""
        return [game.moves.tobytes() + game.visits.tobytes() for game in ReplayBuffer(out, self.start, 8)]

    def check(self, out: Path) -> None:
        """Games that were whole stay as they are."""
        check_archives(out)
        known = out.with_name(f"{out.name}.games")
        before = known.read_bytes() if known.exists() else b""
        now = b"".join(self.frames(out))
        assert now.startswith(before)
        known.write_bytes(now)

    def contents(self, out: Path) -> dict[str, Any]:
        losses = [{name: value for name, value in row.items() if "simulations" not in name} for row in
                  timeless_log(out)]
        return {"losses": losses, "games": self.frames(out)} | {
            name: members_of(out / name) for name in ("checkpoint.safetensors", "previous.safetensors")}

    def expected(self, out: Path) -> dict[str, Any]:
        """`contents` of a run that trained on the same games without being stopped: continued from the unbroken run's
        first checkpoint with all these games.  `run_again` is given by the test."""
        again = out.with_name(f"{out.name}.again")
        shutil.copytree(self.inputs / "selfplay-start", again)
        shutil.copytree(out / "replay", again / "replay")
        self.run_again(again)
        return self.contents(again)

    def run_again(self, out: Path) -> None:
        raise NotImplementedError

    def save_start(self, out: Path) -> None:
        """Keep the first checkpoint of a run."""
        start = self.inputs / "selfplay-start"
        start.mkdir()
        shutil.copy(out / "checkpoint.safetensors", start)


CASES: tuple[type[Case], ...] = (Preprocess, Train, SelfPlay, Match, Analyze)


def kills() -> int:
    """How often each command is killed: the environment variable MUGO_KILLS."""
    return int(os.environ.get("MUGO_KILLS", "2"))

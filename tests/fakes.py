"""How to start fake_engine.py, and whether a process runs."""
import os
import shlex
import sys
from pathlib import Path

from mugo.games.coords import format_gtp
from mugo.games.position import BasePosition

FAKE_ENGINE = shlex.join([sys.executable, "-S", str(Path(__file__).with_name("fake_engine.py"))])


def is_running(pid: int) -> bool:
    """Whether a process with this number runs; a zombie does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def vertices(position: BasePosition) -> list[str]:
    """The moves of a game as GTP vertices."""
    return [format_gtp(point, position.size) for _, point in position.moves]

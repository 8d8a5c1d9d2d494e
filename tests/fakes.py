"""How to start fake_engine.py, and how to see that a process is gone."""
import os
import shlex
import sys
from pathlib import Path

FAKE = shlex.join([sys.executable, "-S", str(Path(__file__).with_name("fake_engine.py"))])


def is_running(number: int) -> bool:
    """Whether there is a process of this number; one that only waits to be reaped is over, too."""
    try:
        os.kill(number, 0)
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"

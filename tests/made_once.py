"""What takes a processor many seconds and no test changes: one of the processes of pytest-xdist makes it for all."""
import os
import time
from collections.abc import Callable
from pathlib import Path


def made_once(tmp_path_factory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process makes for which it is not there, and the others wait for."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    new, begun = folder.with_suffix(".new"), folder.with_suffix(".begun")
    while not folder.exists():
        try:
            begun.mkdir()
        except FileExistsError:
            time.sleep(0.1)
            continue
        try:
            if not folder.exists():
                make(new)
                new.rename(folder)
        finally:
            begun.rmdir()
    return folder

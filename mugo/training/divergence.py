"""A run that diverges: RUN/diverged.json says with which learning rate, until a checkpoint follows."""
import json
from pathlib import Path
from typing import NoReturn

from mugo.core.files import BadInput, atomic_write, read_json
from mugo.nn.checkpoint import CHECKPOINT
from mugo.nn.processes import is_first

DIVERGED = "diverged.json"


def stop_diverged(run: Path, step: int, learning_rate: float, reason: str, last_step: int | None) -> NoReturn:
    """Raise BadInput, which says how to continue, and write the file with which `check_diverged` says it again.

    Checkpoints and network stay as they are.  last_step: of the last checkpoint; None if there is none.
    """
    if is_first():
        with atomic_write(run / DIVERGED) as temporary:
            temporary.write_text(json.dumps({"step": step, "learning_rate": learning_rate}))
    continued = "there is no checkpoint yet: start again with" if last_step is None else \
        f"the files of step {last_step:,} are unchanged: continue from them with --resume"
    raise BadInput(f"{run}: training has diverged: at step {step:,} {reason}; {continued} --learning-rate "
                   f"{learning_rate / 2:g}, or lower")


def check_diverged(run: Path, learning_rate: float) -> None:
    """Raise BadInput if the run has diverged with this learning rate, or a lower one, since its last checkpoint."""
    if not (run / DIVERGED).exists():
        return
    diverged = read_json(run / DIVERGED)
    if not (isinstance(diverged, dict) and type(diverged.get("step")) is int
            and type(diverged.get("learning_rate")) in (int, float)):
        raise BadInput(f"{run / DIVERGED} holds no step and learning rate; delete it")
    if learning_rate >= diverged["learning_rate"]:
        start = "resume it" if (run / CHECKPOINT).exists() else "it has no checkpoint: start it again"
        raise BadInput(f"{run} has diverged at step {diverged['step']:,} with --learning-rate "
                       f"{diverged['learning_rate']:g}: {start} with --learning-rate "
                       f"{diverged['learning_rate'] / 2:g}, or lower")

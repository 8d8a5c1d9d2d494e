"""--resume: a run keeps its options.  One that is given again must be the run's, or one of the few that may change."""
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput


def check_kept(run: Path, kept: dict[str, Any], given: dict[str, Any], may_change: tuple[str, ...]) -> None:
    """Raise BadInput, which names each difference, if an option in `given` is not the run's.

    kept: the run's options.  given: those it is resumed with; both by the names of attributes ("batch_size").
    may_change: the options that need not be equal.
    """
    differences = [f"{format_option(name, kept.get(name))}, not {format_option(name, value)}"
                   for name, value in given.items() if name not in may_change and value != kept.get(name)]
    if differences:
        raise BadInput(f"{run} was started with {'; '.join(differences)}: a resumed run keeps its options, all but "
                       f"{format_names(may_change)}")


def format_option(name: str, value: Any) -> str:
    """An option as it is typed: '--batch-size 128', '--no-residual'."""
    option = name.replace("_", "-")
    if value is None:
        return f"no --{option}"
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    if isinstance(value, (tuple, list)):
        return f"--{option} {','.join(map(str, value))}"
    return f"--{option} " + (f'"{value}"' if value == "" or " " in str(value) else str(value))


def format_names(names: tuple[str, ...]) -> str:
    """Options in a sentence: '--games, --threads and --learning-rate'."""
    options = [f"--{name.replace('_', '-')}" for name in names]
    return " and ".join(filter(None, [", ".join(options[:-1]), options[-1]]))

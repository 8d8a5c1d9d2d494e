"""Options that had another name before version 0.1: an error for the old name gives the new one."""
from collections.abc import Collection, Iterable

from mugo.files import BadInput

RENAMED_OPTIONS: dict[str, str] = {
    "--urgency": "--fpu",
    "--grow-at": "--expand-after",
    "--branches": "--max-edges",
    "--share": "--transpositions",
    "--no-share": "--no-transpositions",
    "--reuse": "--reuse-tree",
    "--no-reuse": "--no-reuse-tree",
    "--early": "--early-stop",
    "--no-early": "--no-early-stop",
    "--turn": "--random-symmetry",
    "--noise": "--dirichlet-weight",
    "--alpha": "--dirichlet-alpha",
    "--choose": "--select-by",
    "--patience": "--resign-moves",
    "--average": "--tta",
    "--no-average": "--no-tta",
    "--hidden": "--value-units",
    "--hold": "--decay-start",
    "--last-rate": "--final-lr-fraction",
    "--no-norm": "--no-batch-norm",
    "--no-pooling": "--no-global-pooling",
    "--no-value": "--no-value-head",
    "--norm": "--batch-norm",
    "--pooling": "--global-pooling",
    "--round-positions": "--checkpoint-every",
    "--smoothing": "--label-smoothing",
    "--start": "--init-from",
    "--value": "--value-head",
    "--warm-up": "--warmup-steps",
    "--move-limit": "--move-timeout",
    "--at-once": "--parallel-games",
    "--check-games": "--arena-every",
    "--drawn": "--temperature-moves",
    "--most-moves": "--max-moves",
    "--trial-games": "--arena-games",
}


def refuse_renamed_options(words: Iterable[str], known: Collection[str] = ()) -> None:
    """Raise BadInput for the first word of a command line that is a renamed option.

    known: options of the command at hand; one of them is never refused.
    """
    for word in words:
        name = word.partition("=")[0]
        if name in RENAMED_OPTIONS and name not in known:
            raise BadInput(f"{name} is now {RENAMED_OPTIONS[name]}")

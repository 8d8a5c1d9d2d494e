"""Options that were renamed before version 0.1.

An old option is an error whose message names the new one: "mugo train: --hold is now --decay-start".
"""
from collections.abc import Container, Iterable

from mugo.files import BadInput

# old: new
RENAMED_OPTIONS: dict[str, str] = {
    "--alpha": "--dirichlet-alpha",
    "--at-once": "--parallel-games",
    "--average": "--tta",
    "--branches": "--max-edges",
    "--check-games": "--arena-every",
    "--choose": "--select-by",
    "--drawn": "--temperature-moves",
    "--early": "--early-stop",
    "--grow-at": "--expand-after",
    "--hidden": "--value-units",
    "--hold": "--decay-start",
    "--last-rate": "--final-lr-fraction",
    "--most-moves": "--max-moves",
    "--move-limit": "--move-timeout",
    "--no-average": "--no-tta",
    "--no-early": "--no-early-stop",
    "--no-norm": "--no-batch-norm",
    "--no-pooling": "--no-global-pooling",
    "--no-reuse": "--no-reuse-tree",
    "--no-share": "--no-transpositions",
    "--no-value": "--no-value-head",
    "--noise": "--dirichlet-weight",
    "--norm": "--batch-norm",
    "--patience": "--resign-moves",
    "--pooling": "--global-pooling",
    "--reuse": "--reuse-tree",
    "--round-positions": "--checkpoint-positions",
    "--share": "--transpositions",
    "--smoothing": "--label-smoothing",
    "--start": "--init-from",
    "--trial-games": "--arena-games",
    "--no-turn": "--no-random-symmetry",
    "--turn": "--random-symmetry",
    "--urgency": "--fpu",
    "--value": "--value-head",
    "--warm-up": "--warmup-steps",
}


def refuse_renamed_options(words: Iterable[str], options: Container[str] = frozenset(RENAMED_OPTIONS.values())) -> None:
    """Raise BadInput for the first word of a command line that is a renamed option, with or without =VALUE.

    options: those of the command; a renamed option that it never had is left to its parser.
    """
    for word in words:
        new_name = RENAMED_OPTIONS.get(word.partition("=")[0])
        if new_name is not None and new_name in options:
            raise BadInput(f"{word.partition('=')[0]} is now {new_name}")

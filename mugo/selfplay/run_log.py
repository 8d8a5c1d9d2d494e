"""What a run of self-play writes to be looked at: tables, the learning curve, and a log for TensorBoard.

    RUN/log.csv        a row for each update: losses, learning rate, length and outcomes of the games
    RUN/arena.csv      a row for each match of the arena
    RUN/openings.csv   a row for each evaluation in the arena: priors and value of the first position
    RUN/curve.png      these as charts
    RUN/tensorboard/   these for TensorBoard
    RUN/options.toml   the run's options, for --config of another one
"""
from pathlib import Path
from typing import Any

import pandas as pd

from mugo.core.files import atomic_write
from mugo.games.coords import board_points, format_gtp
from mugo.core.options import to_toml
from mugo.nn.metadata import config_of
from mugo.plots import curves
from mugo.selfplay.options import GameOptions, RunOptions


def write_tables(folder: Path, metadata: dict[str, Any]) -> None:
    """Write the tables of a run, from the metadata of its checkpoint."""
    size = metadata["size"]
    names = [format_gtp(int(point), size) for point in board_points(size)]
    openings = [{"games": row["games"], "value": row["value"],
                 **dict(zip([*names, "pass"], row["priors"], strict=True))} for row in metadata["openings"]]
    for name, rows in ("log", metadata["history"]), ("arena", metadata["arena"]), ("openings", openings):
        with atomic_write(folder / f"{name}.csv") as temporary:
            pd.DataFrame(rows).to_csv(temporary, index=False)


def write_options(folder: Path, metadata: dict[str, Any]) -> None:
    """Write the options of a run, from the metadata of its checkpoint."""
    options = RunOptions.from_dict(metadata["options"])
    game = GameOptions(**{name: value for name, value in metadata["rules"].items() if name != "game"})
    with atomic_write(folder / "options.toml") as temporary:
        temporary.write_text(to_toml(game, config_of(metadata), options, options.selfplay), encoding="utf-8")


def write_curve(folder: Path, metadata: dict[str, Any]) -> None:
    curves.selfplay_curve(metadata["history"], metadata["arena"], folder / "curve.png")

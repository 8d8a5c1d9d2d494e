"""The options of `mugo download`, `preprocess`, `show` and `export`."""
import argparse
from dataclasses import dataclass
from pathlib import Path

from mugo.core.limits import SEED
from mugo.core.options import add_options, check, option
from mugo.core.parallel import add_scheduler_argument
from mugo.games.coords import MAX_SIZE, MIN_SIZE

SPLITS = ("train", "validation", "test")
DEFAULT_FRACTION = 0.02                  # of the games for validation, and for testing
# Help texts that commands share.
DATASET_HELP = "a folder made by preprocess"
WHERE_HELP = 'only these games: a query, for example "handicap == 0 and black_rank >= 6"'


def add_download_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS",
                        help="the address of a page with links to archives, or of an archive")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER",
                        help="where the files are written")
    parser.add_argument("--match", default="", metavar="REGEX",
                        help="only files whose names match; upper and lower case are the same")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def add_preprocess_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="+", metavar="GAMES", help="SGF files, folders of them, and archives")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DATASET", help="folder of the data set")
    parser.add_argument("--where", default="", metavar="QUERY", help=f"{WHERE_HELP} (default: all)")
    parser.add_argument("--min-moves", type=int, default=20, metavar="N",
                        help="do not use games with fewer moves (default: %(default)s)")
    parser.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: one for each core)")
    add_scheduler_argument(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N",
                        help="random seed of the split into train, validation and test (default: %(default)s)")
    for name, purpose in ("validation", "validation"), ("test", "testing"):
        parser.add_argument(f"--{name}", type=float, metavar="FRACTION",
                            help=f"fraction of the games for {purpose} (default: {DEFAULT_FRACTION}, or what a small "
                                 "data set needs to have a game there)")


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("--where", default="", metavar="QUERY", help=f"{WHERE_HELP} (default: all)")


@dataclass(frozen=True)
class ExportOptions:
    """The options of `mugo export`.  Raises BadInput for values out of their limits."""
    split: str = option("train", "positions of this split", choices=(*SPLITS, "all"), common=True)
    where: str = option("", WHERE_HELP, shown_default="all", metavar="QUERY", common=True)
    size: int | None = option(None, "board size", least=MIN_SIZE, most=MAX_SIZE, common=True,
                              shown_default="the data set's most frequent")
    sample: int = option(0, "number of positions, drawn at random; 0: all", least=0, common=True)
    packed: bool = option(False, "leave the planes packed, eight per byte", common=True)
    shuffle: bool = option(False, "rows in random order instead of that of the games and their moves", common=True)
    seed: int = option(0, "random seed", least=SEED[0], most=SEED[1], common=True)

    def __post_init__(self):
        check(self)


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER", help="a new folder")
    add_options(parser, ExportOptions)

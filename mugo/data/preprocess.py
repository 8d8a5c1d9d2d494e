"""Archives of SGF files -> a data set:  mugo preprocess GAMES... -o DATASET

    sources.read_files -> batches -> worker processes: games_table.read_batch -> unfinished/part-*.parquet
                                                                               -> merge.py -> the data set

Parts are saved every PART_GAMES games.  After an interruption (Ctrl-C, SIGKILL) the same command resumes; with more
archives it adds their games.  Each SGF file has a key (its archive, path and content), so none is read twice.
"""
import argparse
import functools
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import dataset
from mugo.data.cluster_read import read_on_cluster
from mugo.data.dataset import DataSet
from mugo.data.game_index import SPLITS
from mugo.data.games_table import COLUMNS, file_key, make_table, read_batch, unreadable_row
from mugo.data.merge import merge_parts, write_meta
from mugo.data.meta import FORMAT, META, read_meta
from mugo.data.new_games import known_keys
from mugo.data.parts import part_paths, read_part, write_part
from mugo.data.query import names_in
from mugo.data.read_report import ReadReport
from mugo.core.files import BadInput, is_empty_folder, lock_folder, printable
from mugo.core.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, SEED, check_limits
from mugo.core.parallel import add_scheduler_argument, check_scheduler, open_executor, ordered_map
from mugo.core.progress import progress_bar
from mugo.sgf.archives import SgfFile, UnreadableFile
from mugo.sgf.sources import Source, find_sources, read_files

BATCH_FILES, BATCH_BYTES = 256, 4 << 20  # what a worker process gets at a time
PART_GAMES = 8192                        # games that an interruption can lose
RECENT_KEYS = 1 << 20                    # keys of files in a set, 90 bytes each; an array has the others in 8 bytes


def preprocess(paths: list[str], folder: Path, *, where: str = "", min_moves: int = 20, workers: int | None = None,
               scheduler: str | None = None, seed: int = 0, validation: float = 0.02, test: float = 0.02,
               report: ReadReport | None = None) -> DataSet:
    """Add the games in files, folders and archives to the data set in `folder`, and return it.

    where: a query on games_table.COLUMNS that selects games.  min_moves: shorter games are not used.
    workers: processes (None: one per core).  scheduler: of a cluster whose workers read the games instead, see
    parallel.open_executor and cluster_read.py.  seed, validation, test: of the split; fractions of the games.
    report: to which is added what was left out; an archive that cannot be read does not keep the others from it.
    Raises BadInput for missing paths, for an invalid query, if the data set was made with other options or is of
    another format, and if another process is writing to it.
    """
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise BadInput(f"{str(folder)!r}: the name of a data set must be valid UTF-8; choose another with -o") from None
    sources, report = find_sources(paths), report or ReadReport()
    options = {"where": where, "min_moves": min_moves, "seed": seed, "validation": validation, "test": test}
    if where:
        names_in(where, COLUMNS)         # raises for an invalid query
    with lock_folder(folder):
        meta = _open_meta(folder, options)
        checksums = [source.checksum() for source in sources]
        if scheduler:
            _read_on_cluster(sources, checksums, folder, scheduler, report)
        else:
            _read_sources(sources, checksums, folder, workers, report)
        known = {source["checksum"]: source for source in meta["sources"]}
        for source, checksum in zip(sources, checksums, strict=True):
            identity = checksum or str(source.path)      # loose files have no checksum
            known[identity] = {"label": source.label, "checksum": identity}
        return merge_parts(folder, meta, list(known.values()))


def _open_meta(folder: Path, options: dict) -> dict:
    """The meta.json of the data set in `folder`; written if the data set is new.

    Raises BadInput if the data set has other options, because a game must not change its split.
    """
    if (folder / META).exists():
        meta = read_meta(folder)
    elif is_empty_folder(folder):
        meta = {"format": FORMAT, "options": options, "sources": [], "counts": {}, "shards": []}
    else:
        raise BadInput(f"{folder} exists and is not a data set; choose another name with -o")
    if not meta["counts"]:               # the parts do not depend on the options
        meta["options"] = options
        write_meta(folder, meta)
    for name, value in options.items():
        old = meta["options"][name]
        if old != value:
            raise BadInput(f"{folder} was made with --{name.replace('_', '-')} {old!r}, not {value!r}: a game must not "
                           "change its split; give the same options, or another folder with -o")
    return meta


class _Parts:
    """Collects rows, and saves them as parts (parts.py)."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.unreadable: list[dict] = []     # rows
        self._tables: list[pd.DataFrame] = []
        data = dataset.load_dataset(folder) if read_meta(folder)["counts"] else None
        of_parts = [read_part(path, ["file_key"])["file_key"].to_numpy() for path in part_paths(folder)]
        # Keys of the files that are in the data set, in a part or in work: sorted, and the last ones.
        self._sorted = np.unique(np.concatenate([known_keys(data) if data else np.empty(0, np.uint64), *of_parts]))
        self._recent: set[int] = set()

    def is_known(self, key: int) -> bool:
        """Whether a file with this key was read before; from now on it was."""
        place = int(np.searchsorted(self._sorted, np.uint64(key)))
        if key in self._recent or place < len(self._sorted) and int(self._sorted[place]) == key:
            return True
        self._recent.add(key)
        if len(self._recent) >= RECENT_KEYS:
            self._sorted = np.unique(self.known_keys())
            self._recent.clear()
        return False

    def known_keys(self) -> np.ndarray:
        """The keys: uint64 (n,)."""
        return np.concatenate([self._sorted, np.fromiter(self._recent, np.uint64, len(self._recent))])

    def add(self, table: pd.DataFrame) -> None:
        self._tables.append(table)
        if sum(map(len, self._tables)) >= PART_GAMES:
            self.save()

    def save(self) -> None:
        table = pd.concat([*self._tables, make_table(self.unreadable)])
        self._tables.clear()
        self.unreadable.clear()
        if len(table):
            write_part(self.folder, table)


def _read_sources(sources: list[Source], checksums: list[str], folder: Path, workers: int | None, report: ReadReport
                  ) -> None:
    """Read the new files of all sources in worker processes, and save their games as parts."""
    parts = _Parts(folder)
    ends: deque[int] = deque()               # of the batches in work: bytes of the sources read
    all_bytes, games = sum(source.size for source in sources), 0
    with progress_bar("B", all_bytes, scale=True, smoothing=0.05) as bar, open_executor(workers) as executor:
        try:
            batches = _new_batches(sources, checksums, parts, ends, report)
            for table in ordered_map(executor, read_batch, batches):
                parts.add(table)
                games += len(table)
                bar.set_postfix_str(f"{games:,} games", refresh=False)
                bar.update(ends.popleft() - bar.n)
            bar.update(all_bytes - bar.n)
            parts.save()
        except BaseException:
            parts.save()
            raise


def _read_on_cluster(sources: list[Source], checksums: list[str], folder: Path, scheduler: str, report: ReadReport
                     ) -> None:
    """Have the workers of a cluster read the new files of all sources, and save their games as parts."""
    games = 0
    with (open_executor(scheduler=scheduler) as executor,
          progress_bar("B", sum(source.size for source in sources), scale=True, smoothing=0.05) as bar):

        def on_unit(new_games: int, size: int) -> None:
            nonlocal games
            games += new_games
            bar.set_postfix_str(f"{games:,} games", refresh=False)
            bar.update(size)

        report.add(read_on_cluster(executor, sources, checksums, folder, _Parts(folder).known_keys(), on_unit))


def _new_batches(sources: list[Source], checksums: list[str], parts: _Parts, ends: deque[int],
                 report: ReadReport) -> Iterator[list[tuple[int, SgfFile]]]:
    """Batches of files that are not known yet, with their keys; unreadable files are added to the parts.

    Appends to `ends`, for each batch, the bytes of all sources that were read up to its end.
    """
    batch: list[tuple[int, SgfFile]] = []
    batch_bytes = bytes_before = bytes_read = 0

    def on_read(size: int) -> None:
        nonlocal bytes_read
        bytes_read = max(bytes_read, bytes_before + size)        # a .zip is not read from its start to its end

    for source, checksum in zip(sources, map(str.encode, checksums), strict=True):
        for file in read_files(source, on_read, functools.partial(report.add_other, source)):
            unreadable = isinstance(file, UnreadableFile)
            if unreadable:
                report.add_unreadable(source, file)
            key = file_key(checksum, file.name, file.error.encode() if unreadable else file.data)
            if parts.is_known(key):
                continue
            if unreadable:
                parts.unreadable.append(unreadable_row(key, file))
                continue
            batch.append((key, file))
            batch_bytes += len(file.data)
            if len(batch) >= BATCH_FILES or batch_bytes >= BATCH_BYTES:
                ends.append(bytes_read)
                yield batch
                batch, batch_bytes = [], 0
        bytes_before += source.size
    if batch:
        ends.append(bytes_before)
        yield batch


def format_counts(data: DataSet, seconds: float, report: ReadReport) -> str:
    """The table that the command prints at its end; seconds: how long it took."""
    found = data.table(["reject_reason", "num_moves", "split", "owners_start"])
    used = found[found["reject_reason"] == ""]
    reasons = found.loc[found["reject_reason"] != "", "reject_reason"].value_counts()
    positions = int(used["num_moves"].sum())
    rows = [("games found", len(found)), ("games used", len(used)),
            ("games with known final ownership", int((used["owners_start"] >= 0).sum())), ("positions", positions)]
    lines = [f"{count:12,}  {name}" for name, count in rows]
    for split in SPLITS:
        of_split = used[used["split"] == split]
        lines.append(f"{int(of_split['num_moves'].sum()):12,}  positions in {split}, from {len(of_split):,} games")
    if len(reasons):
        lines.append("  games not used, by reason:")
        lines += [f"{count:12,}  {reason}" for reason, count in reasons.items()]
    if report.others:
        lines.append(f"{report.others:12,}  files in archives left out, as they are no game records, for example "
                     f"{report.example}")
    if positions:
        lines.append(f"{data.bytes / positions:12.2f}  bytes per position on disk")
    lines.append(f"{seconds:12,.1f}  seconds")
    return "\n".join(lines)


def no_game_error(games: list[str], data: DataSet, counts: str) -> str:
    """Why no game of a data set can be used, in one line; before it come the counts, if there are games."""
    found = data.table(["source", "file", "reject_reason", "reject_details"])
    if not len(found):
        return f"{', '.join(games)}: no SGF file in it"
    print(counts, file=sys.stderr)
    first = found.iloc[0]
    name = str(Path(first["source"]) / first["file"]) if first["file"] else first["source"]
    reason = first["reject_details"] or first["reject_reason"]
    return (f"no game can be used, for example {name}: {printable(reason)[:200]}; {data.folder}/shard-*/games.parquet "
            "has the reason of each")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="+", metavar="GAMES", help="archives, folders and SGF files")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DATASET", help="folder of the data set")
    parser.add_argument("--where", default="", metavar="QUERY",
                        help="use only these games: a query, for example \"handicap == 0 and black_rank >= 6\"")
    parser.add_argument("--min-moves", type=int, default=20, metavar="N",
                        help="do not use games with fewer moves (default: %(default)s)")
    parser.add_argument("--workers", type=int, metavar="N", help="worker processes (default: one per core)")
    add_scheduler_argument(parser)
    parser.add_argument("--seed", type=int, default=0,
                        help="random seed of the split into train, validation and test (default: %(default)s)")
    parser.add_argument("--validation", type=float, default=0.02, metavar="FRACTION",
                        help="fraction of the games for validation (default: %(default)s)")
    parser.add_argument("--test", type=float, default=0.02, metavar="FRACTION",
                        help="fraction of the games for testing (default: %(default)s)")


def command(args: argparse.Namespace) -> int:
    check_scheduler(args, "workers")
    check_limits(args, {"validation": FRACTION, "test": FRACTION, "workers": AT_LEAST_1, "min_moves": NON_NEGATIVE,
                        "seed": SEED})
    if args.validation + args.test >= 1:
        raise BadInput("--validation and --test are fractions of the games; their sum must be below 1")
    start, report = time.perf_counter(), ReadReport()
    data = preprocess(args.games, args.output, where=args.where, min_moves=args.min_moves, workers=args.workers,
                      scheduler=args.scheduler, seed=args.seed, validation=args.validation, test=args.test,
                      report=report)
    counts = format_counts(data, time.perf_counter() - start, report)
    if not data.meta["counts"]["used"]:
        raise BadInput(no_game_error(args.games, data, counts))
    print(counts)
    if report.refused:
        raise BadInput(f"not read, or not to the end: {report.refusal()}; all other games are in {data.folder}")
    return 0

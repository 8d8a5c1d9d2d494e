"""Archives of SGF files -> a data set:  mugo preprocess GAMES... -o DATASET

    unmerged.new_batches -> worker processes: games_table.read_batch -> unfinished/part-*.parquet

A part is saved every PART_GAMES games.  After an interruption (Ctrl-C, SIGKILL) the same command resumes; with more
archives it adds their games.  An archive that the data set has, by its checksum, is not opened again.  Each SGF file
has a key (its archive, path and content), so none is read twice.

    unfinished/part-*.parquet + the data set -> reject -> split -> the files, in this order (merge_parts):

    shard-000007/ ...       the new games, and which older games they replace
    meta.json               from here on the data set is in its new state
    unfinished/             is deleted

Files of older shards are only read, so the folder is a complete data set at every moment.  The next merge deletes what
a killed one has written.
"""
import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.core.files import BadInput, is_empty_folder, lock_folder, printable
from mugo.core.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, SEED
from mugo.core.options import check_limits
from mugo.core.parallel import check_scheduler, open_executor, ordered_map
from mugo.core.progress import progress_bar
from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.data.duplicates import Duplicates, by_shard, find_duplicates
from mugo.data.game_hash import DEFAULT_FRACTION, assign_splits, fractions_with_games
from mugo.data.games_table import COLUMNS, matching_rows
from mugo.data.shards import (
    FORMAT,
    META,
    REJECTED,
    SPLITS,
    is_shard_name,
    open_shard,
    read_meta,
    shard_name,
    write_meta,
    write_shard,
)
from mugo.data.unmerged import (
    NewGames,
    PartWriter,
    ReadReport,
    known_files,
    new_batches,
    next_part,
    read_rows,
    reject,
    rows_with,
)
from mugo.sgf.sources import Source, find_sources

Fractions = tuple[float | None, float | None]
FEW_GAMES = 10_000                       # above which each split has games by its default fraction
SHARD_GAMES = 1 << 16                    # rows of a shard, and up to a part more; a smaller addition is a shard too


def merge_parts(folder: Path, meta: dict[str, Any], sources: list[dict[str, str]], fractions: Fractions) -> DataSet:
    """Add the games of folder/unfinished to the data set, and delete folder/unfinished.

    meta: the data set's.  sources: those of the old and the new games.  fractions: (validation, test) of a new data
    set, see game_hash.fractions_with_games.
    """
    old = dataset.load_dataset(folder) if meta["counts"] else DataSet(folder, meta, (), {})
    for path in folder.iterdir():
        if is_shard_name(path.name) and path.name not in {entry["name"] for entry in meta["shards"]}:
            shutil.rmtree(path)
    new = NewGames(folder, old, meta["options"])
    duplicates = find_duplicates(old, new)
    if not meta["counts"] and new.rows <= FEW_GAMES:
        validation, test = fractions_with_games(_main_hashes(new, duplicates), meta["options"]["seed"], *fractions)
        meta = meta | {"options": meta["options"] | {"validation": validation, "test": test}}
    shards, entries = list(old.shards), list(meta["shards"])
    number = max((int(entry["name"][6:]) for entry in entries), default=-1) + 1
    paths = _paths_of(np.unique(duplicates.original), old, new)
    rejected = _rejected(old, duplicates.among(range(new.first_id)), paths)
    for table in _shard_tables(new, duplicates, paths, meta["options"]):
        place = folder / shard_name(number + len(shards) - len(old.shards))
        entries.append({"name": place.name} | write_shard(place, table, rejected))
        shards.append(open_shard(place, entries[-1]))
        rejected = rejected.iloc[:0]
    state = {"sources": sources, "shards": entries}
    data = DataSet(folder, meta, tuple(shards), dataset.rejected_games(shards))
    write_meta(folder, meta | state | {"counts": dataset.count_games(data)})
    shutil.rmtree(folder / "unfinished", ignore_errors=True)
    return dataset.load_dataset(folder)


def _shard_tables(new: NewGames, duplicates: Duplicates, paths: dict[int, str], options: dict[str, Any]
                  ) -> Iterator[pd.DataFrame]:
    """The rows of each new shard, with their reject_reason and split."""
    waiting: list[pd.DataFrame] = []
    for table in new.tables():
        found = duplicates.among(range(table.index[0], table.index[-1] + 1))
        reject(table, found.game_id, "duplicate", _details(found, paths))
        split = assign_splits(table["opening_hash"].to_numpy(), options["seed"], options["validation"],
                              options["test"])
        waiting.append(table.assign(split=np.where(table["reject_reason"] == "", split, "")))
        if sum(map(len, waiting)) >= SHARD_GAMES:
            yield pd.concat(waiting)
            waiting.clear()
    if waiting:
        yield pd.concat(waiting)


def _main_hashes(new: NewGames, duplicates: Duplicates) -> np.ndarray:
    """The opening hashes of the used new games on the most frequent board, uint64 (n,)."""
    sizes, hashes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for table in new.tables(["size", "opening_hash", "reject_reason"]):
        found = duplicates.among(range(table.index[0], table.index[-1] + 1))
        used = table[(table["reject_reason"] == "") & ~np.isin(table.index, found.game_id)]
        sizes.append(used["size"].to_numpy(np.int64))
        hashes.append(used["opening_hash"].to_numpy())
    size = np.concatenate(sizes)
    return np.concatenate(hashes)[size == np.bincount(size, minlength=1).argmax()]


def _details(found: Duplicates, paths: dict[int, str]) -> list[str]:
    return [f"{'the beginning of' if is_truncated else 'the same game as'} {paths[original]}"
            for original, is_truncated in zip(found.original.tolist(), found.is_truncated, strict=True)]


def _paths_of(game_ids: np.ndarray, old: DataSet, new: NewGames) -> dict[int, str]:
    """The source and file of games by their game_ids, which are ascending."""
    paths: dict[int, str] = {}
    for shard, of_shard, rows in by_shard(old, game_ids):
        table = shard.table(["source", "file"]).iloc[rows]
        paths |= dict(zip(of_shard.tolist(), table["source"] + "/" + table["file"], strict=True))
    if len(game_ids) and game_ids[-1] >= new.first_id:
        for table in new.tables(["source", "file"]):
            chosen = rows_with(table, game_ids)
            paths |= dict(zip(chosen.index.tolist(), chosen["source"] + "/" + chosen["file"], strict=True))
    return paths


def _rejected(old: DataSet, found: Duplicates, paths: dict[int, str]) -> pd.DataFrame:
    """The games of old shards that are duplicates of new ones, as shards.REJECTED."""
    first = np.cumsum([0, *(shard.rows for shard in old.shards)])
    number = np.searchsorted(first, found.game_id, side="right") - 1
    return pd.DataFrame({"shard": number, "row": found.game_id - first[number], "reject_reason": "duplicate",
                         "reject_details": _details(found, paths)}, columns=list(REJECTED)).astype(REJECTED)


def preprocess(paths: list[str], folder: Path, *, where: str = "", min_moves: int = 20, jobs: int | None = None,
               scheduler: str | None = None, seed: int = 0, validation: float | None = DEFAULT_FRACTION,
               test: float | None = DEFAULT_FRACTION, report: ReadReport | None = None) -> DataSet:
    """Add the games in files, folders and archives to the data set in `folder`, and return it.

    where: a query on games_table.COLUMNS.  min_moves: shorter games are not used.  jobs: worker processes, by default
    one per core.  scheduler: the address of a cluster.  seed, validation, test: the split; fractions of the games, None
    as in game_hash.fractions_with_games.  report: is told what was left out.
    Raises BadInput for missing paths, for an invalid query, if the data set was made with other options or is of
    another format, and if another process is writing to it.
    """
    sources, report = find_sources(paths), report or ReadReport()
    options = {"where": where, "min_moves": min_moves, "seed": seed, "validation": validation, "test": test}
    matching_rows(pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS), where)          # raises for an invalid query
    with lock_folder(folder):
        meta = _open_meta(folder, options)
        checksums = [source.checksum() for source in sources]
        known = {source["checksum"]: source for source in meta["sources"]}
        if new := [pair for pair in zip(sources, checksums, strict=True) if pair[1] not in known]:
            _read_sources([source for source, _ in new], [checksum for _, checksum in new], folder, jobs, scheduler,
                          report)
        for source, checksum in zip(sources, checksums, strict=True):
            # Loose files have no checksum, and an archive that was not read to its end is read again the next time.
            identity = checksum if checksum and source.label not in report.refused.values() else str(source.path)
            known[identity] = {"label": source.label, "checksum": identity}
        return merge_parts(folder, meta, list(known.values()), (validation, test))


def _open_meta(folder: Path, options: dict) -> dict:
    """The meta.json of the data set in `folder`; written if the data set is new.  Raises BadInput if the data set has
    other options, because a game must not change its split."""
    if (folder / META).exists():
        meta = read_meta(folder)
    elif is_empty_folder(folder):
        meta = {"format": FORMAT, "options": {}, "sources": [], "counts": {}, "shards": []}
    else:
        raise BadInput(f"{folder} exists and is not a data set; choose another name with -o")
    if not meta["counts"]:               # the parts do not depend on the options
        meta["options"] = {name: DEFAULT_FRACTION if value is None else value for name, value in options.items()}
        write_meta(folder, meta)
    for name, value in options.items():
        old = meta["options"][name]
        if value is not None and old != value:
            raise BadInput(f"{folder} was made with --{name.replace('_', '-')} {old!r}, not {value!r}: a game must not "
                           "change its split; give the same options, or another folder with -o")
    return meta


def _read_sources(sources: list[Source], checksums: list[str], folder: Path, jobs: int | None, scheduler: str | None,
                  report: ReadReport) -> None:
    """Read the new files of all sources in worker processes or on a cluster, and save their games as parts."""
    all_bytes, games, known = sum(source.size for source in sources), 0, known_files(folder)
    parts = PartWriter(folder, next_part(folder))
    batches = new_batches(zip(sources, checksums, strict=True), known, report)
    with (progress_bar("B", all_bytes, scale=True, smoothing=0.05) as bar,
          open_executor(jobs, scheduler=scheduler) as executor):
        try:
            for table, size in ordered_map(executor, read_rows, batches):
                parts.add(table)
                games += len(table)
                bar.set_postfix_str(f"{games:,} games", refresh=False)
                bar.update(size)
        finally:
            parts.save()
        bar.update(all_bytes - bar.n)


def format_counts(data: DataSet, seconds: float, report: ReadReport) -> str:
    """The table that the command prints at its end.  seconds: how long it took."""
    reasons, owned, of_splits = Counter[str](), 0, {split: np.zeros(2, np.int64) for split in SPLITS}
    for table in data.tables(["reject_reason", "num_moves", "split", "ownership_start"]):
        reasons.update(table["reject_reason"])
        used = table[table["reject_reason"] == ""]
        owned += int((used["ownership_start"] >= 0).sum())
        for split, counts in of_splits.items():
            counts += [(used["split"] == split).sum(), used.loc[used["split"] == split, "num_moves"].sum()]
    games, positions = np.sum(list(of_splits.values()), axis=0)
    rows = [("games found", reasons.total()), ("games used", games), ("games with known final ownership", owned),
            ("positions", positions)]
    lines = [f"{count:12,}  {name}" for name, count in rows]
    lines += [f"{moves:12,}  positions in {split}, from {count:,} games" for split, (count, moves) in of_splits.items()]
    if games:
        lines += _about_fractions(data.meta["options"], [split for split, (count, _) in of_splits.items() if not count])
    del reasons[""]
    if reasons:
        lines.append("  games not used, by reason:")
        lines += [f"{count:12,}  {reason}" for reason, count in reasons.most_common()]
    if report.others:
        lines.append(f"{report.others:12,}  files in archives left out, as they are not game records, for example "
                     f"{report.example}")
    if positions:
        lines.append(f"{data.bytes / positions:12.2f}  bytes per position on disk")
    lines.append(f"{seconds:12,.1f}  seconds")
    return "\n".join(lines)


def _about_fractions(options: dict, without_games: list[str]) -> list[str]:
    """A sentence for splits without games, and for fractions that were raised for a small data set."""
    shares = f"--validation {options['validation']:g} and --test {options['test']:g}"
    if without_games:
        return [f"  No game is in {' and '.join(without_games)} with {shares}: a new data set can have larger ones."]
    if max(options["validation"], options["test"]) > DEFAULT_FRACTION:
        return [f"  The data set has {shares}, and keeps them as it grows: a game never changes its split."]
    return []


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


def command(args: argparse.Namespace) -> int:
    check_scheduler(args, "jobs")
    check_limits(args, {"validation": FRACTION, "test": FRACTION, "jobs": AT_LEAST_1, "min_moves": NON_NEGATIVE,
                        "seed": SEED})
    if (args.validation or 0) + (args.test or 0) >= 1:
        raise BadInput("--validation and --test are fractions of the games; their sum must be below 1")
    start, report = time.perf_counter(), ReadReport()
    data = preprocess(args.games, args.output, where=args.where, min_moves=args.min_moves, jobs=args.jobs,
                      scheduler=args.scheduler, seed=args.seed, validation=args.validation, test=args.test,
                      report=report)
    counts = format_counts(data, time.perf_counter() - start, report)
    if not data.meta["counts"]["used"]:
        raise BadInput(no_game_error(args.games, data, counts))
    print(counts)
    if report.refused:
        raise BadInput(f"not read, or not to the end: {report.refusal()}; all other games are in {data.folder}")
    return 0

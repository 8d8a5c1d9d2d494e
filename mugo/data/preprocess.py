"""Archives of SGF files in, a data set out:  mugo preprocess GAMES... -o DATASET

    archives.texts -> batches -> worker processes: read, replay, fingerprint -> parts -> the data set

Results are kept in DATASET/unfinished/ every few thousand games.  Stopped at any moment, by Ctrl-C or
kill -9, the same command goes on from there; given more archives later, it adds their games.  Each
text is known by a key (of its archive, its name and its bytes), so nothing is read in twice.
"""
import argparse
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.files import BadInput, atomic_write, lock_folder
from mugo.games.board import clear, new_boards, replay, set_up
from mugo.games.coords import WHITE_BIT, symmetries
from mugo.games.go import IllegalMove, position_of
from mugo.games.planes import MAX_PLIES
from mugo.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, SEED, check_limits
from mugo.parallel import ordered_map, process_pool
from mugo.sgf.archives import UnreadableFile
from mugo.sgf.parser import read_records
from mugo.sgf.properties import rank_number
from mugo.sgf.record import BadRecord, Record
from mugo.sgf.sources import Source, find_sources, read_files

BATCH_TEXTS, BATCH_BYTES = 256, 4 << 20  # what one worker gets at a time
PART_GAMES = 8192                        # how much work a crash can cost

# One row a game; what a game that is not used does not have is 0, NaN or ''.
COLUMNS = {
    "key": np.uint64, "source": str, "name": str, "number": np.int32, "reason": str, "details": str,
    "size": np.int16, "plies": np.int32, "handicap": np.int16, "komi": np.float32, "result": str,
    "winner": np.int8, "date": str, "black": str, "white": str, "black_rank": np.float32,
    "white_rank": np.float32, "event": str, "rules": str, "game": np.uint64, "opening": np.uint64,
}


def examine(batch: list[tuple[int, str, str, bytes]]) -> pd.DataFrame:
    """One row a game of (key, source, name, text)s: COLUMNS, and setup and moves as bytes of int16."""
    rows = []
    for key, source, name, text in batch:
        for number, record in enumerate(read_records(text), 1):
            row = dict.fromkeys(COLUMNS, "") | {
                "key": key, "source": source, "name": name, "number": number, "size": 0, "plies": 0,
                "handicap": 0, "komi": np.nan, "winner": 0, "black_rank": np.nan, "white_rank": np.nan,
                "game": 0, "opening": 0, "setup": b"", "moves": b"",
            }
            if isinstance(record, BadRecord):
                row["reason"], row["details"] = record.reason, str(record)
            else:
                row.update(_described(record))
            rows.append(row)
    return frame(rows)


def frame(rows: list[dict]) -> pd.DataFrame:
    """Rows as a table with the types of COLUMNS."""
    table = pd.DataFrame(rows, columns=[*COLUMNS, "setup", "moves"])
    return table.astype(COLUMNS)


_board = new_boards(1)
_history = np.zeros(MAX_PLIES, np.uint64)


def _described(record: Record) -> dict:
    row = {
        "size": record.size, "plies": len(record.moves), "handicap": record.handicap,
        "komi": np.nan if record.komi is None else record.komi, "result": record.result,
        "winner": record.winner, "date": record.date, "black": record.black, "white": record.white,
        "black_rank": rank_number(record.black_rank), "white_rank": rank_number(record.white_rank),
        "event": record.event, "rules": record.rules,
    }
    if len(record.moves) >= MAX_PLIES:
        return row | {"reason": "too many moves", "details": f"{len(record.moves)} moves; at most {MAX_PLIES - 1}"}
    board = _board[0]
    clear(board, record.size)
    placed = set_up(board, record.setup)
    if placed == len(record.setup):
        played = replay(board, _history, record.moves, 0, len(record.moves))
    if placed < len(record.setup) or played < len(record.moves):
        try:
            position_of(record)
        except IllegalMove as error:
            return row | {"reason": "illegal setup" if placed < len(record.setup) else "illegal move",
                          "details": str(error)}
    game, opening = dataset.fingerprint(record.size, record.setup, record.moves, symmetries(record.size))
    return row | {"game": int(game), "opening": int(opening), "setup": record.setup.tobytes(),
                  "moves": record.moves.tobytes()}


def key_of(*parts: bytes) -> int:
    """A uint64 that stands for these bytes."""
    h = hashlib.blake2b(digest_size=8)
    for part in parts:
        h.update(len(part).to_bytes(8, "little"))
        h.update(part)
    return int.from_bytes(h.digest(), "little")


def batches(sources: list[Source], checksums: list[str], known: set[int], unreadable: list[dict],
            bar: tqdm) -> Iterator[list[tuple[int, str, str, bytes]]]:
    """The texts of all sources that are not known yet, some hundred at a time.

    Rows for what cannot be read are appended to unreadable.
    """
    batch, size, bytes_before = [], 0, 0
    bytes_of_all = sum(source.size for source in sources)
    found = 0
    for source, checksum in zip(sources, map(str.encode, checksums), strict=True):
        for text in read_files(source):
            if isinstance(text, UnreadableFile):
                key = key_of(checksum, text.name.encode(), text.error.encode())
                if key not in known:
                    unreadable.append({"key": key, "source": text.source, "name": text.name, "number": 0,
                                       "reason": "unreadable file", "details": text.error})
                    known.add(key)
                continue
            found += 1
            key = key_of(checksum, text.name.encode(), text.data)
            if key in known:
                bar.update()
                continue
            known.add(key)
            batch.append((key, text.source, text.name, text.data))
            size += len(text.data)
            if len(batch) >= BATCH_TEXTS or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        bytes_before += source.size
        bar.total = max(found, round(found * bytes_of_all / max(bytes_before, 1)))
    if batch:
        yield batch


def reject(table: pd.DataFrame, rows, reason: str, details) -> None:
    """Mark rows of a table, by label or mask, as not used."""
    table.loc[rows, "reason"] = reason
    table.loc[rows, "details"] = details


def reject_short(table: pd.DataFrame, min_moves: int) -> None:
    few = (table["reason"] == "") & (table["plies"] < min_moves)
    reject(table, few, "too few moves", table.loc[few, "plies"].astype(str) + f" moves; at least {min_moves} wanted")


def reject_not_chosen(table: pd.DataFrame, where: str) -> None:
    good = table[table["reason"] == ""]
    others = good.index.difference(dataset.chosen(good, where).index)
    reject(table, others, "not chosen", f"not {where}")


def reject_duplicates(table: pd.DataFrame, moves_of) -> None:
    """Of games that are the same but for turning, mirroring and recolouring, keep the first; of a
    game that begins another one (broken off, and played on in another record), keep the other.

    moves_of(label) gives a game's int16 coded setup and moves.
    """
    good = table[table["reason"] == ""]
    first = good.drop_duplicates("game")
    label_of = dict(zip(first["game"], first.index, strict=True))
    copies = good.index.difference(first.index, sort=False)
    reject(table, copies, "duplicate", [f"the same game as {_title(table, label_of[game])}"
                                        for game in good.loc[copies, "game"]])
    alike = first[first.duplicated("opening", keep=False)].sort_values("plies", ascending=False, kind="stable")
    for _, group in alike.groupby("opening", sort=False):
        kept: list[tuple[int, bytes]] = []
        for label in group.index:
            setup, moves = moves_of(label)
            size = int(table.at[label, "size"])
            line = np.empty(len(moves), np.int16)
            dataset.canonical(size, setup, moves, symmetries(size), line)
            while len(line) and line[-1] & (WHITE_BIT - 1) == size * size:
                line = line[:-1]
            longer = next((other for other, text in kept if text.startswith(line.tobytes())), None)
            if longer is None:
                kept.append((label, line.tobytes()))
            else:
                reject(table, label, "duplicate", f"begins {_title(table, longer)}")


def _title(table: pd.DataFrame, label: int) -> str:
    return f"{table.at[label, 'source']}/{table.at[label, 'name']}"


def merge(folder: Path, meta: dict) -> DataSet:
    """Put the parts into the data set and write it.

    Arrays only grow, and games.parquet, which says what in them counts, is replaced after them; so
    the folder is a whole data set at every moment.
    """
    parts = [dataset.read_table(path) for path in sorted((folder / "unfinished").glob("part-*.parquet"))]
    options = meta["options"]
    if (folder / "games.parquet").exists():
        games = dataset.read_table(folder / "games.parquet")
        old_moves, old_setup = np.load(folder / "moves.npy"), np.load(folder / "setup.npy")
    else:
        games = pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS)
        games[["setup_start", "setup_end", "move_start"]] = np.zeros((0, 3), np.int64)
        games["split"] = pd.Series([], dtype=str)
        old_moves = old_setup = np.zeros(0, np.int16)
    new = pd.concat([frame([]), *parts], ignore_index=True)
    new = new[~new["key"].isin(games["key"])]
    new.index = range(len(games), len(games) + len(new))
    reject_short(new, options["min_moves"])
    reject_not_chosen(new, options["where"])
    text_of = new[["setup", "moves"]]
    table = pd.concat([games, new.drop(columns=["setup", "moves"])])

    def moves_of(label: int) -> tuple[np.ndarray, np.ndarray]:
        if label < len(games):
            game = games.loc[label]
            return (old_setup[game["setup_start"]:game["setup_end"]],
                    old_moves[game["move_start"]:game["move_start"] + game["plies"]])
        return tuple(np.frombuffer(text_of.at[label, column], np.int16) for column in ("setup", "moves"))

    reject_duplicates(table, moves_of)
    added = table.index[len(games):][(table["reason"] == "").to_numpy()[len(games):]]
    starts = {}
    arrays = {}
    for column, old in (("setup", old_setup), ("moves", old_moves)):
        texts = text_of.loc[added, column]
        lengths = np.array([len(text) // 2 for text in texts], np.int64)
        starts[column] = len(old) + np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        arrays[column] = np.concatenate([old, np.frombuffer(b"".join(texts), np.int16)])
    fresh = table.index[len(games):]
    table.loc[fresh, ["setup_start", "setup_end", "move_start"]] = 0
    table.loc[added, "setup_start"] = starts["setup"][:-1]
    table.loc[added, "setup_end"] = starts["setup"][1:]
    table.loc[added, "move_start"] = starts["moves"][:-1]
    table = table.astype(COLUMNS | dict.fromkeys(["setup_start", "setup_end", "move_start"], np.int64))
    table["split"] = dataset.split_of(table["opening"].to_numpy(), options["seed"], options["validation"],
                                      options["test"])
    table.loc[table["reason"] != "", "split"] = ""
    for name, array in (("moves.npy", arrays["moves"]), ("setup.npy", arrays["setup"])):
        with atomic_write(folder / name) as path:
            np.save(path, array)
    with atomic_write(folder / "games.parquet") as path:
        table.to_parquet(path, index=False, compression="zstd")
    used = table[table["reason"] == ""]
    meta["counts"] = {"found": len(table), "used": len(used), "positions": int(used["plies"].sum())}
    write_meta(folder, meta)
    shutil.rmtree(folder / "unfinished", ignore_errors=True)
    return dataset.open_dataset(folder)


def write_meta(folder: Path, meta: dict) -> None:
    with atomic_write(folder / "meta.json") as path:
        path.write_text(json.dumps(meta, indent=1))


def summary(data: DataSet, seconds: float) -> str:
    """The table that a run ends with."""
    games, used = data.games, data.used
    reasons = games.loc[games["reason"] != "", "reason"].value_counts()
    positions = int(used["plies"].sum())
    size = sum((data.folder / name).stat().st_size for name in dataset.FILES)
    rows = [("games found", len(games)), ("games used", len(used)), ("positions", positions)]
    lines = [f"{count:12,}  {name}" for name, count in rows]
    for split in dataset.SPLITS:
        of_split = used[used["split"] == split]
        lines.append(f"{int(of_split['plies'].sum()):12,}  positions in {split}, from {len(of_split):,} games")
    if len(reasons):
        lines.append("  not used:")
        lines += [f"{count:12,}  {reason}" for reason, count in reasons.items()]
    if positions:
        lines.append(f"{size / positions:12.2f}  bytes a position on disk")
    lines.append(f"{seconds:12,.1f}  seconds")
    return "\n".join(lines)


def preprocess(paths: list[str], folder: Path, *, where: str = "", min_moves: int = 20, workers: int | None = None,
               seed: int = 0, validation: float = 0.02, test: float = 0.02) -> DataSet:
    """Add the games of paths to the data set in folder, and return it.

    where: a pandas query on COLUMNS.  validation, test: shares of the games.  Raises BadInput for
    paths that are not there, if the data set was begun with other options, or if somebody else is adding to it.
    """
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise BadInput(f"{str(folder)!r}: the name of a data set is in UTF-8; give -o another") from None
    sources = find_sources(paths)
    options = {"where": where, "min_moves": min_moves, "seed": seed, "validation": validation, "test": test}
    dataset.chosen(frame([]), where)
    with lock_folder(folder):
        return _add(sources, folder, options, workers)


def _add(sources: list[Source], folder: Path, options: dict, workers: int | None) -> DataSet:
    meta = _begin(folder, options)
    checksums = [source.checksum() for source in sources]
    parts = sorted((folder / "unfinished").glob("part-*.parquet"))
    known: set[int] = set()
    for path in [folder / "games.parquet", *parts]:
        if path.exists():
            known.update(dataset.read_table(path, ["key"])["key"].tolist())
    unreadable: list[dict] = []
    waiting: list[pd.DataFrame] = []
    number = len(parts)

    def save_part() -> None:
        nonlocal number
        rows = pd.concat([*waiting, frame([_unread(row) for row in unreadable])])
        waiting.clear()
        unreadable.clear()
        if len(rows):
            with atomic_write(folder / "unfinished" / f"part-{number:06d}.parquet") as path:
                rows.to_parquet(path, index=False)
            number += 1

    with tqdm(unit=" games", total=sum(source.size for source in sources) // 400, smoothing=0.05) as bar, \
            process_pool(workers) as executor:
        try:
            work = batches(sources, checksums, known, unreadable, bar)
            for rows in ordered_map(executor, examine, work, max_in_flight=4 * (workers or os.cpu_count() or 1)):
                waiting.append(rows)
                bar.update(len(rows))
                if sum(map(len, waiting)) >= PART_GAMES:
                    save_part()
            bar.total = bar.n
            bar.refresh()
            save_part()
        except BaseException:
            save_part()
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    read = {source["checksum"]: source for source in meta["sources"]}
    for source, checksum in zip(sources, checksums, strict=True):
        identity = checksum or str(source.path)          # loose files have no checksum
        read[identity] = {"label": source.label, "checksum": identity}
    meta["sources"] = list(read.values())
    return merge(folder, meta)


def _unread(row: dict) -> dict:
    return {"size": 0, "plies": 0, "handicap": 0, "winner": 0, "game": 0, "opening": 0, "result": "", "date": "",
            "black": "", "white": "", "event": "", "rules": "", "setup": b"", "moves": b""} | row


def _begin(folder: Path, options: dict) -> dict:
    """The meta of the data set in folder, which is begun if it is empty."""
    try:
        meta = dataset.read_meta(folder)
    except FileNotFoundError:
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is there already and is no data set; give -o another name") from None
        meta = {"format": dataset.FORMAT, "options": options, "sources": [], "counts": {}}
    if not (folder / "games.parquet").exists():          # what was read so far is as good for other options
        meta["options"] = options
        write_meta(folder, meta)
    for name, value in options.items():
        begun_with = meta.get("options", {}).get(name)
        if begun_with != value:
            raise BadInput(f"{folder} was begun with --{name.replace('_', '-')} {begun_with!r}, not {value!r}: "
                           "a game must not change its split; give the same options, or -o another folder")
    return meta


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="+", metavar="GAMES", help="archives, folders or SGF files, in any mixture")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DATASET", help="the data set's folder")
    parser.add_argument("--where", default="", metavar="QUERY",
                        help="use only these games: a pandas query, say \"handicap == 0 and black_rank >= 6\"")
    parser.add_argument("--min-moves", type=int, default=20, metavar="N",
                        help="leave out games with fewer moves (default %(default)s)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    parser.add_argument("--seed", type=int, default=0, help="of the split into train, validation and test")
    parser.add_argument("--validation", type=float, default=0.02, metavar="SHARE",
                        help="share of the games for validation (default %(default)s)")
    parser.add_argument("--test", type=float, default=0.02, metavar="SHARE",
                        help="share of the games for testing (default %(default)s)")


def command(args: argparse.Namespace) -> int:
    check_limits(args, {"validation": FRACTION, "test": FRACTION, "workers": AT_LEAST_1, "min_moves": NON_NEGATIVE,
                        "seed": SEED})
    if args.validation + args.test >= 1:
        raise BadInput("--validation and --test are shares of the games: 0 or more, together below 1")
    start = time.perf_counter()
    data = preprocess(args.games, args.output, where=args.where, min_moves=args.min_moves, workers=args.workers,
                      seed=args.seed, validation=args.validation, test=args.test)
    print(summary(data, time.perf_counter() - start))
    return 0

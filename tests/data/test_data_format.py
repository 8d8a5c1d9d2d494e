"""docs/reference/data-format.md is enough to read the arrays with NumPy alone."""
import re
from pathlib import Path

import numpy as np
from random_records import finished_record

from mugo.data.shards import INDEX
from mugo.data.preprocess import preprocess
from mugo.games.coords import WHITE_BIT
from mugo.sgf.record_positions import position_of
from mugo.sgf.writer import format_record

PAGE = (Path(__file__).parents[2] / "docs/reference/data-format.md").read_text(encoding="utf-8")


def test_a_game_is_read_as_the_page_says(tmp_path):
    record = finished_record(1, handicap=(20, 60))
    (tmp_path / "a.sgf").write_text(format_record(record), encoding="utf-8")
    preprocess([str(tmp_path / "a.sgf")], tmp_path / "games", jobs=1)
    program, = (block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "np.load" in block)
    found: dict = {}
    exec(program.replace("games/shard", f"{tmp_path.as_posix()}/games/shard"), found)
    assert found["stones"].tolist() == [20, 60]
    assert (found["points"] + WHITE_BIT * found["white"]).tolist() == record.moves.tolist()
    stones, owner = position_of(record).stones, np.array([0, 1, -1])[found["owner"]]
    assert (owner[stones != 0] == stones[stones != 0]).all()
    assert owner.sum() == record.score + record.komi


def test_every_field_of_the_index_is_described():
    table = PAGE[PAGE.index("| field of `index.npy`"):PAGE.index("The columns of `games.parquet`")]
    assert set(re.findall(r"`(\w+)`", table)) >= set(INDEX.names)

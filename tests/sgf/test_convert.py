"""Records become positions and positions become records, in Go and in Gomoku."""
import tracemalloc

import numpy as np
import pytest
from sgf_games import encoded

from mugo.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.position import IllegalMove
from mugo.sgf.convert import load_position, record_from_position, replay_record
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.writer import format_record

GO = Record(9, np.array(encoded("Bcc Bgg", 9), np.int16), np.array(encoded("Wee Bef W--", 9), np.int16),
            first_player=WHITE, komi=0.5, handicap=2)
GOMOKU = Record(9, np.array([], np.int16), np.array(encoded("Bee Wff Bed", 9), np.int16), k=5, exactly=True)


@pytest.mark.parametrize("record", [GO, GOMOKU], ids=["go", "gomoku"])
def test_a_replayed_record_gives_the_same_record_again(record):
    again = record_from_position(replay_record(record))
    for field in Record.__slots__:
        assert np.array_equal(getattr(again, field), getattr(record, field)), field


@pytest.mark.parametrize("record", [GO, GOMOKU], ids=["go", "gomoku"])
def test_a_record_is_replayed_up_to_a_number_of_moves(record):
    for num_moves in range(len(record.moves) + 1):
        position = replay_record(record, num_moves)
        assert len(position.moves) == num_moves
        if num_moves < len(record.moves):
            assert position.to_play == (WHITE if record.moves[num_moves] >= 512 else BLACK)


@pytest.mark.parametrize("k", [0, 5])
def test_before_the_first_move_the_record_says_who_plays(k):
    for player in (BLACK, WHITE):
        record = Record(9, np.array([], np.int16), np.array([], np.int16), first_player=player, k=k)
        assert replay_record(record).to_play == player
        assert next(read_records(format_record(record).encode(), gomoku=True)).first_player == player


def test_an_illegal_move_is_named_with_its_number():
    for k in (0, 5):
        record = Record(9, np.array([], np.int16), np.array(encoded("Bee Wff Bee", 9), np.int16), k=k)
        with pytest.raises(IllegalMove, match="move 3: .*E5"):
            replay_record(record)


@pytest.mark.parametrize("sgf, game, error", [
    ("(;SZ[9];B[ee])", "gomoku", "is a game of Go, not of Gomoku"), ("(;SZ[9];B[ee];W[ee])", None, "move 2"),
    ("nothing", None, "no game found"),
])
def test_errors_of_load_position_name_the_file(tmp_path, sgf, game, error):
    (tmp_path / "a.sgf").write_text(sgf)
    with pytest.raises(BadInput, match=f"a.sgf.*{error}"):
        load_position(tmp_path / "a.sgf", game=game)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(BadInput, match="is not a file"):
        load_position(tmp_path)


def test_a_file_larger_than_any_game_is_not_read(tmp_path):
    with open(tmp_path / "large.sgf", "wb") as file:
        file.truncate(128 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="large.sgf: 134,217,728 bytes of SGF; the limit is 33,554,432"):
            load_position(tmp_path / "large.sgf")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()

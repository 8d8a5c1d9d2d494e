"""Games of the library: sequences of positions, SGF in and out, archives with what was rejected."""
import io
import zipfile
from pathlib import Path

import pytest

import mugo

DATA = Path(__file__).parents[2] / "data"
# Variations, comments, an unknown property, markup, an escape, Chinese.
RICH = "(;GM[1]SZ[9]KM[5.5]PB[黑]PW[Bo\\]]RE[B+2.5]XY[keep][this];B[ee]C[a: \\[b\\]](;W[cc]LB[cc:A];B[gg])(;W[dd]))"
SETUP_LATER = "(;SZ[9];B[ee];W[cc];AB[aa]AE[ee];B[gg])"


@pytest.fixture
def game():
    return mugo.read_sgf(DATA / "gnugo-9x9-000.sgf")


def test_a_game_is_the_sequence_of_its_positions(game):
    positions = list(game)
    assert len(positions) == len(game) == len(game.moves) + 1
    assert [len(position.moves) for position in positions] == list(range(len(game)))
    assert all(game[number] == position for number, position in enumerate(positions))
    assert game[-1] == positions[-1] and game[3:9:2] == positions[3:9:2]
    assert game[5].moves == game.moves[:5]
    with pytest.raises(IndexError):
        game[len(game)]


def test_a_game_says_what_its_file_says():
    game = mugo.Game.from_sgf(RICH)
    assert (game.black, game.white, game.result, game.winner, game.date) == ("黑", "Bo]", "B+2.5", "B", "")
    assert game.moves == [("B", "E5"), ("W", "C7"), ("B", "G3")]
    assert game.komi == game[-1].komi == 5.5
    assert repr(game) == "<Game 黑 (B) - Bo] (W), B+2.5, 9x9, 3 moves>"


def test_nothing_of_a_file_is_lost():
    written = mugo.Game.from_sgf(RICH).to_sgf()
    for text in ("XY[keep][this]", "C[a: \\[b\\]]", "LB[cc:A]", "PB[黑]", "PW[Bo\\]]", "(;W[dd])"):
        assert text in written
    assert mugo.Game.from_sgf(written).to_sgf() == written


def test_other_character_sets_are_read(tmp_path):
    (tmp_path / "old.sgf").write_bytes("(;CA[GB2312]SZ[9]PB[李世石];B[ee])".encode("gb18030"))
    game = mugo.read_sgf(tmp_path / "old.sgf")
    assert game.black == "李世石" and "CA[UTF-8]" in game.to_sgf()


def test_stones_may_be_set_up_in_the_middle_of_a_game():
    game = mugo.Game.from_sgf(SETUP_LATER)
    positions = list(game)
    assert len(positions) == len(game) == 4
    assert positions[2].stones.sum() == 0 and positions[3].stones[0, 0] == 1 and not positions[3].stones[4, 4]
    assert "AE[ee]" in game.to_sgf()


def test_a_game_of_gomoku_is_read_as_one():
    position = mugo.Position(6, game="gomoku").play(*"A1 A2 B1 B2 C1 C2 D1".split())
    game = mugo.Game.from_sgf(mugo.Game(position, black="Ann", result=position.result()).to_sgf())
    assert game[-1] == position and game[-1].is_over and game.result == "B+"


@pytest.mark.parametrize("options", [{}, {"handicap": 3}, {"rules": "japanese"}, {"rules": "aga", "handicap": 2},
                                     {"komi": 3.75}, {"komi": -5.25}],
                         ids=repr)
def test_a_game_from_a_position_has_its_rules(options):
    position = mugo.Position(9, **options).play("E5", "F6")
    read = mugo.Game.from_sgf(mugo.Game(position).to_sgf())
    assert read[-1] == position and read[0] == mugo.Position(9, **options)


def test_a_game_does_not_change(game):
    with pytest.raises(AttributeError, match="Game\\(game\\[-1\\], result='B\\+R'\\)"):
        game.result = "B+R"


def test_a_second_game_in_a_file_is_a_warning(tmp_path):
    (tmp_path / "two.sgf").write_text("(;SZ[9];B[ee])(;SZ[9];B[aa])")
    with pytest.warns(UserWarning, match="several games"):
        assert mugo.read_sgf(tmp_path / "two.sgf").moves == [("B", "E5")]


def test_a_game_whose_variations_could_not_be_read_is_not_written():
    game = mugo.Game.from_sgf("(;SZ[9];B[ee](;W[cc])(;W]))")
    assert game.moves == [("B", "E5"), ("W", "C7")]
    with pytest.raises(mugo.MugoError, match="would lose its variations"):
        game.to_sgf()


@pytest.fixture
def archive(tmp_path):
    """games.zip: a game, two games in a file, an illegal one, no SGF, and an archive with a game in it."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("deep.sgf", "(;SZ[9];B[cc])")
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as file:
        file.writestr("1.sgf", "(;SZ[9];B[ee])")
        file.writestr("2.sgf", "(;SZ[9];B[aa])(;SZ[9];B[bb];W[bb])(;SZ[9];B[dd])")
        file.writestr("3.sgf", "hello")
        file.writestr("inner.zip", inner.getvalue())
    return tmp_path / "games.zip"


def test_an_archive_gives_its_games_and_what_it_rejected(archive):
    games = mugo.read_archive(archive)
    read = {game.name: game.moves[0][1] for game in games}
    assert read == {"games.zip/1.sgf": "E5", "games.zip/2.sgf": "A9", "games.zip/2.sgf (game 3)": "D6",
                    "games.zip/inner.zip/deep.sgf": "C7"}
    assert [name for name, _ in games.rejected] == ["games.zip/2.sgf (game 2)", "games.zip/3.sgf"]
    assert games.rejected[0][1] == "move 2: White B8 is occupied"
    assert len(list(games)) == 4 and len(games.rejected) == 2             # again from the beginning


def test_an_archive_is_read_as_far_as_it_is_asked_for(archive):
    games = mugo.read_archive([archive, DATA / "gnugo-9x9.zip"])
    iterator = iter(games)
    next(iterator), next(iterator)
    assert games.rejected == []
    assert next(iterator).name == "games.zip/2.sgf (game 3)" and len(games.rejected) == 1


def test_games_that_are_not_replayed_are_read_too_and_refuse_a_position_that_is_illegal(archive):
    games = mugo.read_archive(archive, replay=False)
    read = {game.name: game for game in games}
    assert len(read) == 5 and [name for name, _ in games.rejected] == ["games.zip/3.sgf"]
    assert read["games.zip/2.sgf (game 2)"].info["num_moves"] == 2
    with pytest.raises(mugo.MugoError, match="B8 is occupied"):
        read["games.zip/2.sgf (game 2)"][-1]
    assert read["games.zip/1.sgf"][-1].moves == read["games.zip/1.sgf"].moves


def test_processes_read_the_same_games_in_the_same_order(archive, monkeypatch):
    monkeypatch.setattr("mugo.api.game.BATCH_BYTES", 30)
    alone, together = mugo.read_archive(archive), mugo.read_archive(archive, jobs=2)
    assert [game.info for game in together] == [game.info for game in alone] and together.rejected == alone.rejected
    assert [game.to_sgf() for game in together] == [game.to_sgf() for game in alone]


def test_what_a_record_says_is_a_row_of_a_table():
    game = mugo.Game.from_sgf("(;SZ[9]PB[Ann]WR[2d]KM[6.5]RE[W+2.5];B[ee];W[cc])")
    assert game.info | {"komi": 6.5, "winner": "W", "size": "9x9", "num_moves": 2} == game.info
    assert game.info["black"] == "Ann" and game.info["white_rank"] == "2d" and game.info["date"] == ""


def test_a_move_outside_the_board_is_an_error_and_not_left_out(tmp_path):
    (tmp_path / "bad.sgf").write_text("(;GM[1]SZ[9];B[aa];W[zz];B[bb])")
    with pytest.raises(mugo.MugoError, match="move 2: 'zz' is not a point on 9x9"):
        mugo.read_sgf(tmp_path / "bad.sgf")

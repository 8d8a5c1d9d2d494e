"""Reviews: a planted blunder is found, the SGF keeps what stood in it, and what is done is not done again."""
import csv
import io
import json
import zipfile

import numpy as np
import pytest
from sgfmill import sgf

from mugo import cli
from mugo.files import BadInput
from mugo.games.board import BLACK
from mugo.games.coords import PASS, interpret_gtp, move_index
from mugo.players.evaluator import SearchEvaluator
from mugo.review import command, report
from mugo.review.review import Reviewer
from mugo.search.search import Search
from mugo.search.settings import Settings
from mugo.sgf.parser import read_records, read_trees

# 5x5: White's corner has three points in a row, lives by B5 and wins by its komi; it plays E1, and Black kills it.
PLANTED = b"""(;GM[1]SZ[5]KM[12.5]PB[Shusaku]BR[4d]PW[\xe5\x8f\xa4\xe5\x8a\x9b]RE[B+12.5]C[once upon a time]
AB[ea][eb][ac][bc][cc][dc][bd][dd]AW[da][ab][bb][cb][db]PL[W]
;W[ee]C[not there]GB[1](;B[ba]C[dead];W[];B[])(;B[aa];W[ba]))"""
PLAIN = "(;GM[1]SZ[5]KM[0.5];B[cc];W[cb];B[bb];W[dc])"


class Likes:
    """A network that likes one move of every position and thinks that Black wins by `black`, from -1 to 1."""
    name = "likes"
    has_value = True

    def __init__(self, vertex, size=5, black=0.5):
        self.index = move_index(interpret_gtp(vertex, size), size)
        self.black = black

    def evaluate(self, positions, tta=False):
        size = positions[0].size
        priors = np.tile(np.linspace(0, 0.01, size * size + 1, dtype=np.float32), (len(positions), 1))
        priors[:, self.index] = 0.5
        values = np.array([self.black * position.to_play for position in positions], np.float32)
        return priors, values if self.has_value else None


def searched(simulations=300):
    settings = Settings(seed=1, early_stop=False, rollout="mogo", max_edges=100_000)
    return Reviewer(None, tuple(SearchEvaluator(Search(settings), simulations) for _ in range(2)))


def reviewed(text, reviewer):
    record, tree = next(read_trees(text if isinstance(text, bytes) else text.encode()))
    return reviewer.review(record), tree


@pytest.fixture(scope="module")
def planted():
    return reviewed(PLANTED, searched(1500))


def test_a_planted_blunder_is_found_and_so_is_the_better_move(planted):
    review, _ = planted
    worst = review.swings(1)[0]
    assert (worst.number, worst.verdict) == (1, "blunder")
    assert report.vertex(worst.point, review) == "E1" and report.vertex(worst.best, review) == "B5"
    assert worst.before > worst.after + 0.2
    assert "E1" in report.swing_table(review)[1] and "blunder" in report.summary(review)[0]


def test_win_rates_of_black_go_down_when_black_loses_and_are_one_more_than_moves(planted):
    review, _ = planted
    rates = review.black_rates()
    assert len(rates) == len(review.rows) + 1 and all(0 <= rate <= 1 for rate in rates)
    assert rates[1] > rates[0]                      # White has blundered


def test_the_sgf_keeps_everything_and_has_the_better_line_as_a_variation(planted):
    review, tree = planted
    game = sgf.Sgf_game.from_bytes(report.commented(review, tree, "by nobody"))
    root = game.get_root()
    assert root.get("C").startswith("once upon a time") and "by nobody" in root.get("C")
    assert root.get("PW") == "古力" and root.get("KM") == 12.5
    first = root[0]
    assert first.get("C").startswith("not there") and "Blunder" in first.get("C") and first.get("BM") == 2
    assert first.has_property("GB")
    better = root[1]
    assert better.get_move()[0] == "w" and better.get_move() != first.get_move()
    assert "Better than E1" in better.get("C")
    assert len(first) >= 2 and first[1].get_move() == ("b", (4, 0))           # the file's own variation
    assert list(read_records(game.serialise()))[0].moves.tolist() == review.record.moves.tolist()


def test_the_csv_has_a_row_for_every_move(planted):
    review, _ = planted
    rows = list(csv.DictReader(io.StringIO(report.csv_text(review))))
    assert [row["point"] for row in rows] == ["E1", "B5", "pass", "pass"]
    assert rows[0]["colour"] == "W" and rows[0]["verdict"] == "blunder" and float(rows[0]["loss"]) > 0.2


def test_a_network_alone_says_rank_and_probability():
    review, _ = reviewed(PLAIN, Reviewer(Likes("C3")))
    assert [row.rank for row in review.rows][0] == 1 and review.rows[0].prior == pytest.approx(0.5)
    assert all(row.verdict == "good" and row.lost == pytest.approx(0) for row in review.rows)
    assert review.black_rates() == pytest.approx([0.75] * 5)


def test_without_a_value_the_least_expected_moves_are_shown():
    network = Likes("C3")
    network.has_value = False
    review, tree = reviewed(PLAIN, Reviewer(network))
    assert review.rows[1].lost is None and review.rows[1].verdict == ""
    assert [row.number for row in review.swings()] == [3, 2, 4]
    assert "win rate" not in report.swing_table(review)[0]
    assert b"1st choice" in report.commented(review, tree, "")


def test_a_handicap_game_and_one_side_moving_twice_are_reviewed():
    text = "(;GM[1]SZ[5]HA[2]AB[bb][dd]PL[W];W[cc];W[ca];B[ac];W[])"
    review, _ = reviewed(text, searched(50))
    assert [row.colour for row in review.rows] == [-1, -1, 1, -1]
    assert review.rows[-1].point == PASS
    assert review.rows[0].before is not None and 0 <= review.rows[0].after <= 1


def test_a_game_is_reviewed_up_to_an_illegal_move_and_says_so():
    review, _ = reviewed("(;GM[1]SZ[5];B[cc];W[cb];B[cc];W[aa])", Reviewer(Likes("C3")))
    assert len(review.rows) == 2
    assert "move 3: Black C3 is occupied" in report.summary(review)[-1]
    with pytest.raises(BadInput, match="move 1"):
        reviewed("(;GM[1]SZ[5]AB[cc];B[cc])", Reviewer(Likes("C3")))
    with pytest.raises(BadInput, match="no moves"):
        reviewed("(;GM[1]SZ[5])", Reviewer(Likes("C3")))


def test_summaries_count_agreement_with_the_network():
    review, _ = reviewed(PLAIN, Reviewer(Likes("C3")))
    lines = report.summary(review)
    assert lines[1].split()[:2] == ["Black", "2"] and lines[1].split()[-2] == "50%"
    assert report.ordinal(1) == "1st" and report.ordinal(12) == "12th" and report.ordinal(23) == "23rd"
    assert report.player_name(review, BLACK) == "Black"


# ---- the command

def run(tmp_path, *arguments):
    return cli.main(["analyze", *map(str, arguments), "--player", "uct", "--simulations", "30", "--max-edges", "50000",
                     "-o", str(tmp_path / "out")])


def test_several_games_in_one_go_and_bad_ones_cost_a_line_each(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive:
        archive.writestr("old/1.sgf", PLAIN)
        archive.writestr("broken.sgf", "(;GM[1]SZ[5];B[cc]")
        archive.writestr("two.sgf", PLAIN + "(;GM[1]SZ[5])")
    (tmp_path / "planted.sgf").write_bytes(PLANTED)
    assert run(tmp_path, tmp_path / "games.zip", tmp_path / "planted.sgf") == 0
    shown = capsys.readouterr()
    assert "mugo analyze: broken.sgf: the game is truncated" in shown.err
    assert "mugo analyze: two-2: there are no moves in this game" in shown.err
    assert [line.split()[0] for line in shown.out.splitlines()[:4]] == ["game", "old-1", "two-1", "planted"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"old-1.sgf", "old-1.csv", "old-1.json", "planted.txt"} <= names and "two-2.json" not in names
    assert json.loads((tmp_path / "out" / "planted.json").read_text())["white"]["name"] == "White (古力)"


def test_a_game_reviewed_with_the_same_settings_is_not_reviewed_again(tmp_path, capsys, monkeypatch):
    (tmp_path / "game.sgf").write_text(PLAIN)
    assert run(tmp_path, tmp_path / "game.sgf") == 0
    before = capsys.readouterr().out
    monkeypatch.setattr(Reviewer, "review", None)        # would fail
    assert run(tmp_path, tmp_path / "game.sgf") == 0
    again = capsys.readouterr().out
    assert again.startswith(before.rstrip()) and again.endswith("(1 reviewed before)\n")
    monkeypatch.undo()
    assert run(tmp_path, tmp_path / "game.sgf", "--seed", "2") == 0
    assert "reviewed before" not in capsys.readouterr().out


def test_the_exit_status_is_2_only_if_no_game_could_be_reviewed(tmp_path, capsys):
    (tmp_path / "bad.sgf").write_text("nothing")
    assert run(tmp_path, tmp_path / "bad.sgf") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run(tmp_path, tmp_path / "none.sgf") == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize("options, why", [(("--player", "random"), "no opinion"), (("--jobs", "0"), "--jobs"),
                                          (("--player", "uct", "--fast"), "--fast"),
                                          (("--player", "uct", "--simulations", "0"), "simulations")])
def test_options_that_make_no_sense_get_a_line(options, why, tmp_path, capsys):
    (tmp_path / "game.sgf").write_text(PLAIN)
    assert cli.main(["analyze", str(tmp_path / "game.sgf"), *options, "-o", str(tmp_path / "out")]) == 2
    assert why in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_a_review_is_not_written_over_its_game_and_not_reviewed_itself(tmp_path, capsys):
    (tmp_path / "game.sgf").write_text(PLAIN)
    for games, folder in (tmp_path / "game.sgf", tmp_path), (tmp_path, tmp_path / ".." / tmp_path.name):
        assert cli.main(["analyze", str(games), "-o", str(folder), "--fast", "--network", "policy-9"]) == 2
        assert "game.sgf is a game to review, and would be written over" in capsys.readouterr().err
    assert (tmp_path / "game.sgf").read_text() == PLAIN
    for _ in range(2):
        assert cli.main(["analyze", str(tmp_path), "-o", str(tmp_path / "reviews"), "--fast"]) == 0
    assert len(list((tmp_path / "reviews").glob("*.sgf"))) == 1
    assert "1 reviewed before" in capsys.readouterr().out


def test_two_games_of_one_name_get_two_names(tmp_path):
    for folder in "a", "b":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "game.sgf.x").write_text(PLAIN)
    found = command.tasks([str(tmp_path / "a" / "game.sgf.x"), str(tmp_path / "b" / "game.sgf.x")], pytest.fail)
    assert [task.name for task in found] == ["game.sgf.x", "game.sgf.x-2"]

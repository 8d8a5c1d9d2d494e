"""Reviews: a known blunder is found, its SGF is complete, and a finished review is not repeated."""
import argparse
import csv
import errno
import io
import json
import os
import re
import shutil
import warnings
import zipfile
from dataclasses import fields, replace

import numpy as np
import pytest
from drawing import draw
from fakes import StoneCounter
from make_archives import tarred
from sgfmill import sgf

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, board_points, format_sgf, interpret_gtp, move_index
from mugo.games.go import GoPosition
from mugo.nn.network_file import find_network
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.players.evaluation import SearchEvaluator
from mugo.players.options import PlayerOptions
from mugo.reviews import report
from mugo.reviews.annotated_sgf import annotated_sgf
from mugo.reviews.review import Reviewer, final_scores, last_score, score_at_end, scored
from mugo.reviews.report import save_win_rate_graph
from mugo.reviews.options import ReviewOptions, add_review_arguments, review_options
from mugo.reviews.outputs import fingerprint
from mugo.reviews.tasks import ReviewTask, find_tasks
from mugo.reviews.outputs import review_statistics
from mugo.reviews.move_review import MoveReview, Review
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.sgf.nodes import main_line, parse_game
from mugo.sgf.parser import read_records, read_trees

# 5x5: White's eye space in the corner has three points in a row.  B5 makes it alive, and White wins by komi.  White
# plays E1 instead, and Black kills the corner.
BLUNDER = b"""(;GM[1]SZ[5]KM[12.5]PB[Shusaku]BR[4d]PW[\xe5\x8f\xa4\xe5\x8a\x9b]RE[B+12.5]C[once upon a time]
AB[ea][eb][ac][bc][cc][dc][bd][dd]AW[da][ab][bb][cb][db]PL[W]
;W[ee]C[not there]GB[1](;B[ba]C[dead];W[];B[])(;B[aa];W[ba]))"""
PLAIN = "(;GM[1]SZ[5]KM[0.5];B[cc];W[cb];B[bb];W[dc])"


class ConstantNetwork(NetworkProtocol):
    """A network with the prior 0.5 for one point in every position, and the same value for Black, -1 to 1."""
    name = "constant"
    has_value = True
    has_ownership = False

    def __init__(self, vertex, size=5, black_value=0.5):
        self.index = move_index(interpret_gtp(vertex, size), size)
        self.black_value = black_value

    def evaluate(self, positions, symmetries=False):
        size = positions[0].size
        priors = np.tile(np.linspace(0, 0.01, size * size + 1, dtype=np.float32), (len(positions), 1))
        priors[:, self.index] = 0.5
        values = np.array([self.black_value * position.to_play for position in positions], np.float32)
        return NetworkOutput(priors, values if self.has_value else None)

    def forget(self):
        """It remembers nothing."""


def search_reviewer(simulations=300):
    settings = Settings(seed=1, early_stop=False, rollout="mogo", max_edges=100_000)
    return Reviewer(None, tuple(SearchEvaluator(Search(settings), simulations) for _ in range(2)))


def review_text(text, reviewer):
    record, nodes, *_ = next(read_trees(text if isinstance(text, bytes) else text.encode()))
    return reviewer.review(record), nodes


@pytest.fixture(scope="module")
def blunder():
    return review_text(BLUNDER, search_reviewer(1500))


def test_a_blunder_and_the_best_move_are_found(blunder):
    review, _ = blunder
    worst = review.worst_moves(1)[0]
    assert (worst.number, worst.verdict) == (1, "blunder")
    assert report.format_point(review, worst.point) == "E1" and report.format_point(review, worst.best_move) == "B5"
    assert worst.win_rate_before > worst.win_rate_after + 0.2
    assert worst.rank > 1 and review.moves[1].rank == 1                # Black's B5, the best move
    assert "E1" in report.worst_moves_table(review)[1] and "blunder" in report.summary(review)[0]


def test_a_move_that_was_not_searched_itself_is_searched_with_all_simulations():
    """B4 on the empty board: the visits of D4, searched in its stead, are not in the tree that is searched on."""
    seen = []

    class Recorded(SearchEvaluator):
        def evaluate(self, position, **options):
            evaluated = super().evaluate(position, **options)
            seen.append(evaluated.visits)
            return evaluated

    settings = Settings(seed=1, early_stop=False, rollout="mogo", root_symmetry_pruning=True)
    for first in "bb", "db":
        review_text(f"(;GM[1]SZ[5]KM[0.5];B[{first}];W[ab])",
                    Reviewer(None, (Recorded(Search(settings), 300), SearchEvaluator(Search(settings), 300))))
    assert len(seen) >= 6 and min(seen) >= 300


def test_where_a_move_seems_to_be_a_mistake_both_positions_are_searched_four_times_as_deep():
    visits = [], []

    class Recorded(SearchEvaluator):
        def evaluate(self, position, **options):
            evaluated = super().evaluate(position, **options)
            visits[self is not evaluators[0]].append(evaluated.visits)
            return evaluated

    settings = Settings(seed=1, early_stop=False, rollout="mogo", max_edges=100_000)
    evaluators = Recorded(Search(settings), 300), Recorded(Search(settings), 300)
    review, _ = review_text(BLUNDER, Reviewer(None, evaluators))
    assert review.moves[0].verdict == "blunder"
    game, best = visits
    assert 1200 <= game[2] <= 1202 and 300 <= game[1] <= 302         # the position after E1, and once more
    assert 300 <= best[0] <= 302 and 1200 <= best[1] <= 1202
    assert review.evaluations[1].visits == game[2]


def test_the_report_shows_the_board_before_the_worst_move_with_the_better_variation(blunder):
    review, _ = blunder
    lines = report.text_report(review)
    start = lines.index("before move 1 (White E1), with the better variation, numbered:")
    board = [line.replace(" ", "") for line in lines[start + 1:]]
    assert next(line for line in board if line.startswith("5"))[:6] == "5.1.OX"
    assert "O" not in next(line for line in board if line.startswith("1"))       # move 1 is not on the board


def test_the_sgf_is_complete_and_has_the_best_line_as_a_variation(blunder):
    review, tree = blunder
    game = sgf.Sgf_game.from_bytes(annotated_sgf(review, tree, "reviewed by nobody"))
    root = game.get_root()
    assert root.get("C").startswith("once upon a time") and "reviewed by nobody" in root.get("C")
    assert root.get("PW") == "古力" and root.get("KM") == 12.5
    first = root[0]
    assert first.get("C").startswith("not there") and "Blunder" in first.get("C") and first.get("BM") == 2
    assert first.has_property("GB")
    better = root[1]
    assert better.get_move()[0] == "w" and better.get_move() != first.get_move()
    assert "Better than E1" in better.get("C")
    assert len(first) >= 2 and first[1].get_move() == ("b", (4, 0))           # the file's own variation
    assert list(read_records(game.serialise()))[0].moves.tolist() == review.record.moves.tolist()


def test_the_csv_has_a_row_for_every_move(blunder):
    review, _ = blunder
    rows = list(csv.DictReader(io.StringIO(report.csv_text(review))))
    assert [row["point"] for row in rows] == ["E1", "B5", "pass", "pass"]
    assert rows[0]["colour"] == "W" and rows[0]["verdict"] == "blunder" and float(rows[0]["loss"]) > 0.2
    assert rows[0]["prior"] == f"{review.moves[0].prior:.4f}" and rows[0]["lead_before"] == ""


def test_a_network_alone_gives_rank_prior_and_win_rate():
    review, _ = review_text(PLAIN, Reviewer(ConstantNetwork("C3")))
    assert review.moves[0].rank == 1 and review.moves[0].prior == pytest.approx(0.5)
    assert report.format_point(review, review.moves[0].best_move) == "C3"
    assert all(move.verdict == "good" and move.loss == pytest.approx(0) for move in review.moves)
    assert review.black_win_rates() == pytest.approx([0.75] * 5)


def test_a_game_as_long_as_a_game_can_be_is_reviewed_by_a_network(monkeypatch):
    """No variation goes on beyond it."""
    for module in "games.position", "reviews.review":
        monkeypatch.setattr(f"mugo.{module}.MAX_MOVES", 4)
    review, _ = review_text(PLAIN, Reviewer(ConstantNetwork("E5")))
    assert len(review.moves) == 4 and len(review.moves[-1].pv) == 1


# 5x5: each side puts a stone on the board in turn, but White passes at move 4.
PASSES = "(;GM[1]SZ[5]KM[2.5];B[cc];W[cb];B[bb];W[];B[dc])"


class HatesPasses(StoneCounter):
    """To it the pass before costs 8 points, and the first choice is A1, or where that is taken B1."""
    def evaluate_packed(self, packed, features=None):
        output = super().evaluate_packed(packed, features)
        is_after_pass = ((packed[:, :, 0] >> 4 & 1).max(1) == 0)             # no point of the last move
        score = output.score_mean + np.float32(8) * is_after_pass
        is_empty = packed[:, 20, 0] >> 2 & 1
        output.priors[np.arange(len(packed)), 21 - is_empty] += 0.5
        return output._replace(score_mean=score, values=np.tanh(score / 10))


@pytest.mark.parametrize("by_search", [False, True])
def test_points_lost_are_the_difference_of_the_leads_after_the_best_move_and_the_move_played(by_search, tmp_path,
                                                                                             rendered_pictures,
                                                                                             monkeypatch):
    monkeypatch.setattr("mugo.reviews.review._is_mistake", lambda *_: False)         # one simulation each
    network, settings = HatesPasses(), Settings(rollout="none", seed=1, early_stop=False, max_edges=10_000)
    searches = tuple(SearchEvaluator(Search(settings, network), 1) for _ in range(2)) if by_search else None
    review, tree = review_text(PASSES, Reviewer(network, searches))
    assert [move.lead_after for move in review.moves] == pytest.approx([-1.5, 2.5, -1.5, -6.5, -0.5], abs=1e-5)
    assert review.black_leads()[1:] == pytest.approx([-1.5, -2.5, -1.5, 6.5, -0.5], abs=1e-5)
    lost = [move.points_lost for move in review.moves]
    assert lost == pytest.approx([0, 0, 0, 9, 0], abs=1e-5)
    assert review.moves[3].lead_before == pytest.approx(2.5, abs=1e-5)
    if by_search:
        return
    table = report.worst_moves_table(review)
    assert table[0].split()[:7] == ["move", "played", "win", "rate", "loss", "lead", "lost"]
    assert " ".join(table[1].split()).startswith("4 White pass 62.2% -> 21.4% 40.8% +2.5 -> -6.5 9.0 ")
    assert "points lost" in report.summary(review)[0]
    rows = list(csv.DictReader(io.StringIO(report.csv_text(review))))
    assert [float(rows[3][name]) for name in ("lead_before", "lead_after", "points_lost")] == [2.5, -6.5, 9]
    text = annotated_sgf(review, tree, "").decode()
    assert "Lead +2.5 -> -6.5. Blunder: loses 40.8% and 9.0 points." in text and ", lead +2.5" in text
    statistics = review_statistics(review)
    assert statistics["white"]["mean_points_lost"] == pytest.approx(4.5)
    assert statistics["black"]["mean_points_lost"] == pytest.approx(0)
    save_win_rate_graph(review, tmp_path / "graph.svg")
    assert "lead" in (tmp_path / "graph.svg").read_text()


def test_without_win_rates_the_worst_moves_are_those_with_the_lowest_priors():
    network = ConstantNetwork("C3")
    network.has_value = False
    review, tree = review_text(PLAIN, Reviewer(network))
    assert review.moves[1].loss is None and review.moves[1].verdict == ""
    assert [move.number for move in review.worst_moves()] == [3, 2, 4]
    assert "win rate" not in report.worst_moves_table(review)[0]
    assert b"1st choice" in annotated_sgf(review, tree, "")


def test_a_handicap_game_and_one_side_moving_twice_are_reviewed():
    text = "(;GM[1]SZ[5]HA[2]AB[bb][dd]PL[W];W[cc];W[ca];B[ac];W[])"
    review, _ = review_text(text, search_reviewer(50))
    assert [move.colour for move in review.moves] == [-1, -1, 1, -1]
    assert review.moves[-1].point == PASS
    assert review.moves[0].win_rate_before is not None and 0 <= review.moves[0].win_rate_after <= 1


# Free placement of three stones, as KGS writes it: moves of Black in a row.
PLACED = "(;GM[1]SZ[5]HA[3]KM[0.5];B[bb];B[dd];B[bd];W[db];B[cc];W[ca];B[ba])"


@pytest.mark.parametrize("new_reviewer", [lambda: search_reviewer(30), lambda: Reviewer(ConstantNetwork("E5"))])
def test_handicap_stones_that_are_placed_as_moves_are_not_judged(new_reviewer):
    review, tree = review_text(PLACED, new_reviewer())
    assert [move.loss is None and move.verdict == "" for move in review.moves] == [True] * 3 + [False] * 4
    assert all(move.number > 3 for move in review.worst_moves())
    statistics = review_statistics(review)
    assert (statistics["moves"], statistics["black"]["moves"], statistics["white"]["moves"]) == (7, 2, 2)
    assert [row.split()[1] for row in report.summary(review)[1:3]] == ["2", "2"]
    comments = [node.properties["C"][0].decode() for node in parse_game(annotated_sgf(review, tree, ""))[1:5]]
    assert comments[:3] == [f"Black {vertex}: a handicap stone, not judged." for vertex in ("B4", "D2", "B2")]
    assert "choice, prior" in comments[3]


def test_two_moves_of_black_before_white_are_a_handicap_and_one_is_none():
    for moves, placed in (";B[bb];B[dd];W[cc]", 2), (";B[bb];W[cc];B[dd];B[ab]", 0), (";B[bb];B[dd]", 0), ("", 0), (
            ";W[cc];B[bb];B[dd]", 0):
        record = next(read_records(f"(;SZ[5]{moves})".encode()))
        assert record.placed_stones == placed, moves


def read_lz(text, to_play):
    """Win rate and lead of Black, visits and moves in the property LZ; None without it."""
    if not text:
        return None
    head, moves = text.split("\n")
    _, rate_of_other, visits, *score = head.split()
    rate, sign = 1 - float(rate_of_other) / 100, 1 if to_play == BLACK else -1
    return {"win_rate": rate if to_play == BLACK else 1 - rate, "lead": sign * float(score[0]) if score else None,
            "visits": int(visits), "moves": re.findall(r"move (\w+)", moves)}


def test_the_sgf_has_the_best_moves_of_each_position_for_other_programs(blunder):
    review, tree = blunder
    nodes = parse_game(annotated_sgf(review, tree, "reviewed by nobody"))
    line = [nodes[index] for index in main_line(nodes)]
    assert line[0].text("LZ") is None                              # LizzieYzy has that of the root in LZOP
    turns = WHITE, BLACK, WHITE, BLACK, WHITE
    found = [read_lz(node.text(ident) or "", to_play)
             for node, ident, to_play in zip(line, ("LZOP", "LZ", "LZ", "LZ", "LZ"), turns, strict=True)]
    assert found[0]["moves"][0] == "B5" and found[0]["visits"] >= 300
    assert found[0]["win_rate"] < found[1]["win_rate"]             # White's blunder
    for analysis, evaluation, to_play in zip(found, review.evaluations, turns, strict=True):
        assert (analysis is None) == (evaluation is None)
        if evaluation is not None:
            black = evaluation.win_rate if to_play == BLACK else 1 - evaluation.win_rate
            assert abs(analysis["win_rate"] - black) < 0.001 and len(analysis["moves"]) <= 3
    assert found[-1] is None                                       # two passes: it is scored


def test_an_analysis_that_is_in_the_file_is_kept():
    text = "(;GM[1]SZ[5]KM[0.5]LZ[what is it?];B[cc]LZ[Lizzie 50.0 1k\nmove B2 visits 1 winr];W[cb])"
    review, tree = review_text(text, Reviewer(ConstantNetwork("C3")))
    nodes = parse_game(annotated_sgf(review, tree, "reviewed by nobody"))
    assert nodes[0].properties["LZ"] == [b"what is it?"] and "LZOP" not in nodes[0].properties
    assert nodes[1].properties["LZ"] == [b"Lizzie 50.0 1k\nmove B2 visits 1 winr"]
    assert (nodes[2].text("LZ") or "").startswith("MuGo 25.0 1\n")        # White has moved, Black has 0.75


def test_in_a_handicap_game_reasonable_moves_lose_little(tmp_path):
    """With the komi that makes the game even for the search of a player, each move would lose dozens of points."""
    (tmp_path / "six.sgf").write_text(
        "(;GM[1]FF[4]SZ[19]HA[6]KM[0.5]RU[Chinese]AB[dd][dj][dp][pd][pj][pp]PL[W]"
        ";W[qf];B[nc];W[cf];B[fc];W[fq];B[cn];W[nq];B[qn])")
    assert cli.main(["review", str(tmp_path / "six.sgf"), "--simulations", "24", "--seed", "1", "--threads", "1",
                     "-o", str(tmp_path / "out")]) == 0
    sides = json.loads((tmp_path / "out" / "six.json").read_text())
    assert max(sides["black"]["mean_points_lost"], sides["white"]["mean_points_lost"]) < 3
    rows = list(csv.DictReader((tmp_path / "out" / "six.csv").open()))
    assert len(rows) == 8 and all(float(row["points_lost"]) < 8 for row in rows)
    nodes = parse_game((tmp_path / "out" / "six.sgf").read_bytes())
    for node, to_play in zip((nodes[index] for index in main_line(nodes)[1:]), 4 * (BLACK, WHITE), strict=True):
        analysis = read_lz(node.text("LZ") or "", to_play)
        assert analysis["lead"] > 25 and analysis["win_rate"] > 0.6


def test_a_review_ends_at_an_illegal_move_and_names_it():
    review, _ = review_text("(;GM[1]SZ[5];B[cc];W[cb];B[cc];W[aa])", Reviewer(ConstantNetwork("C3")))
    assert len(review.moves) == 2
    assert "move 3: Black C3 is occupied" in report.summary(review)[-1]
    with pytest.raises(BadInput, match="move 1"):
        review_text("(;GM[1]SZ[5]AB[cc];B[cc])", Reviewer(ConstantNetwork("C3")))
    with pytest.raises(BadInput, match="no moves"):
        review_text("(;GM[1]SZ[5])", Reviewer(ConstantNetwork("C3")))


# A finished game of GNU Go's.  Black has lost by 4.5; rollouts give White's territory to Black in half the games.
FINISHED = """
    . . X O O . . . .
    . X . X O O . . .
    . . X X X O . O .
    X X X X O O . . O
    O O X O O X O O X
    O . O O O X O X X
    . . O X X X X X .
    . O X X . . . . .
    . O X . . . . . .
"""
# All chains live; c is the last neutral point, and worth the game.
NEUTRAL = """
    . X X O .
    X X X O O
    . X c O O
    X X O O .
    . X O O O
"""


class NetworkAgainstPasses(ConstantNetwork):
    """A network with a high value for the side to move after a pass, and a low one after other moves."""

    def evaluate(self, positions, symmetries=False):
        return super().evaluate(positions, symmetries)._replace(values=np.array(
            [0.8 if position.last == PASS else -0.8 for position in positions], np.float32))


def sgf_of(picture, moves, komi):
    position, _ = draw(picture)
    cells = {colour: "".join(f"[{format_sgf(int(point), position.size)}]" for point in board_points(position.size)
                             [position.stones.ravel() == colour]) for colour in (BLACK, WHITE)}
    return f"(;GM[1]SZ[{position.size}]KM[{komi}]AB{cells[BLACK]}AW{cells[WHITE]}{moves})"


@pytest.mark.parametrize("reviewer", [search_reviewer(60), Reviewer(NetworkAgainstPasses("J1", 9))],
                         ids=["search", "network"])
def test_a_pass_that_ends_a_settled_game_is_no_mistake_of_either_side(reviewer):
    review, _ = review_text(sgf_of(FINISHED, ";B[];W[]", 7.5), reviewer)
    assert [(move.point, move.verdict, move.loss) for move in review.moves] == [(PASS, "good", 0), (PASS, "good", 0)]


@pytest.mark.parametrize("reviewer", [search_reviewer(60), Reviewer(NetworkAgainstPasses("C3"))],
                         ids=["search", "network"])
@pytest.mark.parametrize("moves", [";B[];W[]", ";B[];W[cc]"], ids=["two passes", "the opponent plays there"])
def test_a_pass_that_loses_the_game_is_a_blunder(reviewer, moves):
    review, _ = review_text(sgf_of(NEUTRAL, moves, 0.5), reviewer)
    pass_of_black = review.moves[0]
    assert (pass_of_black.point, pass_of_black.verdict) == (PASS, "blunder")
    assert report.format_point(review, pass_of_black.best_move) == "C3"
    assert review.moves[1].verdict == "good"             # White wins by this pass, too


@pytest.mark.parametrize("reviewer", [search_reviewer(60), Reviewer(NetworkAgainstPasses("J1", 9))],
                         ids=["search", "network"])
@pytest.mark.parametrize("result", ["RE[W+4.5]", "", "RE[B+2]", "RE[B+Resign]"])
def test_a_finished_game_ends_at_its_count(reviewer, result):
    """Both passes leave Black behind by 4.5 points, whatever reviewer and record think."""
    review, _ = review_text(sgf_of(FINISHED, f"{result};B[];W[]", 7.5), reviewer)
    assert review.black_win_rates()[1:] == [0, 0]


def test_leads_at_the_end_are_by_the_count_and_losses_as_evaluated():
    black, white = (MoveReview(1, colour, PASS, 1, 0.5, 0.5, (PASS,), 0.7, 0.6, 4.0, 1.0)
                    for colour in (BLACK, WHITE))
    lost, won = scored(black, -3.5), scored(white, -3.5)
    assert (lost.win_rate_before, lost.win_rate_after, lost.loss) == (pytest.approx(0.1), 0, pytest.approx(0.1))
    assert (lost.lead_before, lost.lead_after, lost.points_lost) == (-0.5, -3.5, 3)
    assert (won.win_rate_before, won.win_rate_after, won.loss) == (1, 1, 0)      # nothing is better than to have won
    assert (won.lead_before, won.lead_after) == (6.5, 3.5)
    assert scored(black, 0).win_rate_after == 0.5 and scored(black, None) is black
    without = replace(black, win_rate_before=None, win_rate_after=None, lead_before=None, lead_after=None)
    assert scored(without, 9) == without


@pytest.mark.parametrize(("picture", "komi", "expected"), [
    (FINISHED, 7.5, -4.5), (FINISHED, 0.5, 2.5), (NEUTRAL, 0.5, None), (NEUTRAL, 3.5, -3.5),
    (". . . . .\n. . X . .\n. . . . .\n. . O . .\n. . . . .", 0.5, None)])
def test_a_position_is_scored_where_nothing_is_left_to_play_for(picture, komi, expected):
    """The last neutral point is worth a game that is closer than that."""
    position = draw(picture)[0].with_komi(komi)
    assert score_at_end(position) == expected


def test_the_last_position_is_scored_as_the_record_says_if_the_winner_is_the_same():
    """At the start of a game nobody can tell; the record knows."""
    position = GoPosition(9, 0.5).play(board_points(9)[40])
    scored_record, other, resigned = (replace(next(read_records(b"(;GM[1]SZ[9]KM[0.5];B[ee])")), result=result)
                                 for result in ("B+30.5", "W+3.5", "B+R"))
    assert last_score(scored_record, position) == 30.5
    assert last_score(other, position) is None and last_score(resigned, position) is None
    assert final_scores(scored_record, [position, position], True) == [None, 30.5]
    assert final_scores(scored_record, [position, position], False) == [None, None]         # it ends at an illegal move


def test_a_pass_in_a_game_that_goes_on_is_reviewed_as_any_move():
    begun = "\n".join([". . . . . . . . ."] * 3 + [". . X . . . O . ."] * 2 + [". . . . . . . . ."] * 4)
    review, _ = review_text(sgf_of(begun, ";B[];W[gh];B[];W[fh]", 7.5), Reviewer(NetworkAgainstPasses("J1", 9)))
    assert [move.verdict for move in review.moves] == ["blunder", "good", "blunder", "good"]
    broken_off, _ = review_text(sgf_of(begun, ";B[]", 7.5), Reviewer(NetworkAgainstPasses("J1", 9)))
    assert [move.verdict for move in broken_off.moves] == ["blunder"]


def test_top_1_top_5_and_the_phases_of_a_game_are_counted():
    """12x12 has 144 points: the opening ends with move 24, the middle game with move 60."""
    def reviewed(number, rank):
        return MoveReview(number, BLACK if number % 2 else WHITE, PASS, rank, 0.1, 0.1, (PASS,), 0.5, 0.5)

    ranks = [1, 2, 5, 6, 5, 6, 5, 6, 5, 6]                # Black's are 1, 5, 5, 5, 5 and White's 2, 6, 6, 6, 6
    moves = tuple(reviewed(number, ranks[(number - 1) % 10]) for number in range(1, 71))
    review = Review(next(read_records(b"(;GM[1]SZ[12])")), moves, (), "")
    rows = [re.split(r" {2,}", line) for line in report.summary(review)]
    assert [(row[0], row[1], *row[-2:]) for row in rows[1:]] == [
        ("Black", "35", "20%", "100%"), ("White", "35", "0%", "20%"),
        ("opening, moves 1-24", "24", "12%", "62%"), ("middle game, moves 25-60", "36", "8%", "58%"),
        ("endgame, moves 61-70", "10", "10%", "60%")]
    statistics = review_statistics(review)
    assert [(statistics[side]["top1"], statistics[side]["top5"]) for side in ("black", "white")] == [(7, 35), (0, 7)]


@pytest.mark.parametrize("points, loss, expected", [
    (1.4, 0.5, "good"), (2.9, 0.0, "good"), (3, 0.0, "mistake"), (6, -0.1, "blunder"), (20, 0.0, "blunder"),
    (-1, 0.5, "good"), (None, 0.099, "good"), (None, 0.1, "mistake"),
    (None, 0.2, "blunder"), (None, None, "")])
def test_verdicts_are_by_points_and_without_scores_by_win_rate(points, loss, expected):
    assert MoveReview(1, BLACK, 0, 1, 0.5, 0.5, (), loss, 0.0, points, 0.0).verdict == expected


def test_a_move_that_the_policy_likes_better_than_the_best_one_is_no_mistake():
    assert [MoveReview(1, BLACK, 0, 1, prior, 0.3, (), 0.5, 0.2, 9.0, 1.0).verdict for prior in (0.2, 0.4)] == \
        ["blunder", "good"]


def test_the_worst_moves_are_those_that_lose_the_most_points():
    moves = tuple(MoveReview(number, BLACK, 0, 1, 0.5, 0.5, (), loss, 0.0, points, 0.0)
                  for number, loss, points in [(1, 0.3, 3.0), (2, 0.01, 9.0), (3, 0.0, 2.0), (4, 0.2, 4.0)])
    record = next(read_records(b"(;GM[1]SZ[9])"))
    assert [move.number for move in Review(record, moves, (), "").worst_moves()] == [2, 4, 1]
    by_win_rate = tuple(replace(move, lead_before=None) for move in moves)
    assert [move.number for move in Review(record, by_win_rate, (), "").worst_moves()] == [1, 4]


@pytest.mark.parametrize("loss, annotation", [(0.09, None), (0.11, 1), (0.21, 2)])
def test_verdicts_are_annotations_of_the_sgf(loss, annotation):
    record, tree, *_ = next(read_trees(b"(;GM[1]SZ[5];B[aa])"))
    start = GoPosition(5)
    c3, d4, e5 = (interpret_gtp(vertex, 5) for vertex in ("C3", "D4", "E5"))
    move = MoveReview(1, BLACK, e5, 3, 0.1, 0.4, (c3, d4), loss, 0.0)
    review = Review(record, (move,), (start, start.play(e5)), "")
    node = sgf.Sgf_game.from_bytes(annotated_sgf(review, tree, "")).get_root()[0]
    assert (node.get("BM") if node.has_property("BM") else None) == annotation
    if annotation:
        assert report.worst_moves_table(review)[1].split()[-3:] == ["10.0%", "C3", "D4"]  # the best move, what follows


def test_win_rates_are_of_the_side_that_moved_even_if_it_moves_twice():
    review, _ = review_text("(;GM[1]SZ[5]KM[0.5];B[cc];B[bb];W[dd];W[])", Reviewer(ConstantNetwork("A1")))
    assert [move.win_rate_after for move in review.moves] == pytest.approx([0.75, 0.75, 0.25, 0.25])
    assert review.black_win_rates() == pytest.approx([0.75] * 5)


def options_of(*arguments):
    """The ReviewOptions of a command line of `mugo review`."""
    parser = argparse.ArgumentParser()
    add_review_arguments(parser)
    return review_options(parser.parse_args(["game.sgf", *arguments]))


def another(value):
    """Another value for an option: of the same type, and in range for all settings of a search."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return {"mogo": "uniform"}[value]
    return 2 if value is None else value + 1 if isinstance(value, int) else value / 2 + 0.1


def test_every_other_option_of_a_review_changes_its_fingerprint(monkeypatch):
    monkeypatch.setattr("mugo.nn.inference.has_exact_int8", lambda: True)         # whatever processor this is
    task, before = ReviewTask("game", PLAIN.encode(), 0, 4, ""), options_of("--network", "policy-9", "--seed", "1",
                                                                            "--precision", "float32")
    changes = {"player": "policy", "komi": 6.5, "simulations": 401, "seconds": 1.0, "settings": Settings()}
    opened = {"network": "policy-19", "precision": "int8", "provider": "cuda", "temperature": 0.0,
              "rank": "3d", "style": 2016, "human_profile": "rank_5k"}
    assert {*changes, "opened", "fast"} == {field.name for field in fields(ReviewOptions)}
    assert opened.keys() == {field.name for field in fields(PlayerOptions)}
    changed = [*(replace(before, **{name: value}) for name, value in changes.items()),
               replace(before, fast=True, simulations=None),
               *(replace(before, opened=replace(before.opened, **{name: value})) for name, value in opened.items())]
    assert len({fingerprint(task, options, 9) for options in [before, *changed]}) == 1 + len(changed)
    assert fingerprint(task, before, 9) != fingerprint(task._replace(index=1), before, 9)


def test_the_fingerprint_of_a_review_has_the_bytes_of_its_network_and_not_its_name(tmp_path):
    task, prints = ReviewTask("game", PLAIN.encode(), 0, 4, ""), []
    for name, source in ("a", "policy-9"), ("b", "policy-9"), ("a", "policy-19-small"):
        shutil.copy(find_network(source), tmp_path / f"{name}.safetensors")
        prints.append(fingerprint(task, options_of("--network", str(tmp_path / f"{name}.safetensors")), 9))
    assert prints[0] == prints[1] != prints[2]


# ---- mugo review

def run(tmp_path, *arguments):
    return cli.main(["review", "--seed", "1", *map(str, arguments), "--player", "uct", "--simulations", "30",
                     "--max-edges", "50000", "-o", str(tmp_path / "out")])


def test_several_games_are_reviewed_and_an_unreadable_one_gets_a_line(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive:
        archive.writestr("old/1.sgf", PLAIN)
        archive.writestr("broken.sgf", "(;GM[1]SZ[5];B[cc]")
        archive.writestr("two.sgf", PLAIN + "(;GM[1]SZ[5])")
    (tmp_path / "blunder.sgf").write_bytes(BLUNDER)
    assert run(tmp_path, tmp_path / "games.zip", tmp_path / "blunder.sgf") == 2
    output = capsys.readouterr()
    assert "mugo review: broken.sgf: the game is truncated" in output.err
    assert "mugo review: two-2: there are no moves in this game" in output.err
    assert [line.split()[0] for line in output.out.splitlines()[:4]] == ["game", "old-1", "two-1", "blunder"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"old-1.sgf", "old-1.csv", "old-1.json", "blunder.txt"} <= names and "two-2.json" not in names
    statistics = json.loads((tmp_path / "out" / "blunder.json").read_text())
    assert statistics["white"]["name"] == "White (古力)" and statistics["white"]["moves"] == 2
    assert statistics["white"]["mean_loss"] > statistics["black"]["mean_loss"] >= 0
    assert statistics["reviewed_by"].endswith(": uct, 30 simulations per position.")


def test_a_game_reviewed_with_the_same_settings_is_not_reviewed_again(tmp_path, capsys, monkeypatch):
    (tmp_path / "game.sgf").write_text(PLAIN)
    assert run(tmp_path, tmp_path / "game.sgf") == 0
    before = capsys.readouterr().out
    monkeypatch.setattr(Reviewer, "review", None)        # a second review would fail
    assert run(tmp_path, tmp_path / "game.sgf") == 0
    again = capsys.readouterr().out
    assert again.startswith(before.rstrip()) and again.endswith("(1 reviewed before)\n")
    monkeypatch.undo()
    for other in ("--seed", "2"), ("--rave-bias", "0.5"), ("--c", "0.1"):
        assert run(tmp_path, tmp_path / "game.sgf", *other) == 0
        assert "reviewed before" not in capsys.readouterr().out


def test_the_exit_status_is_2_if_a_game_could_not_be_reviewed(tmp_path, capsys):
    (tmp_path / "bad.sgf").write_text("nothing")
    assert run(tmp_path, tmp_path / "bad.sgf") == 2
    assert capsys.readouterr().err.count("\n") == 1
    (tmp_path / "good.sgf").write_text(PLAIN)
    (tmp_path / "no-moves.sgf").write_text("(;SZ[5])")
    for broken in "bad.sgf", "no-moves.sgf":
        assert run(tmp_path, tmp_path / broken, tmp_path / "good.sgf") == 2
        assert (tmp_path / "out" / "good.sgf").exists()
    assert run(tmp_path, tmp_path / "good.sgf") == 0
    capsys.readouterr()
    assert run(tmp_path, tmp_path / "none.sgf") == 2
    assert "no such file" in capsys.readouterr().err
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    assert run(tmp_path, tmp_path / "empty.zip") == 2
    assert "empty.zip: no SGF file in it" in capsys.readouterr().err


def test_a_game_is_not_overwritten_and_an_output_is_not_reviewed(tmp_path, capsys):
    (tmp_path / "game.sgf").write_text(PLAIN)
    for games, folder in (tmp_path / "game.sgf", tmp_path), (tmp_path, tmp_path / ".." / tmp_path.name):
        assert cli.main(["review", str(games), "-o", str(folder), "--fast", "--network", "policy-9"]) == 2
        assert "game.sgf is a game to review and would be overwritten" in capsys.readouterr().err
    assert (tmp_path / "game.sgf").read_text() == PLAIN
    for _ in range(2):
        assert cli.main(["review", str(tmp_path), "-o", str(tmp_path / "reviews"), "--fast"]) == 0
    assert len(list((tmp_path / "reviews").glob("*.sgf"))) == 1
    assert "1 reviewed before" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["1.sgf", "1.txt", "1.csv", "1.json", "1.png", "1.svg"])
def test_a_file_that_is_not_of_a_review_is_not_overwritten(name, tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive:
        archive.writestr("1.sgf", PLAIN)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text('{"mine": "Reviewed by MuGo"}')
    assert run(tmp_path, tmp_path / "games.zip") == 2
    assert capsys.readouterr().err == f"mugo review: {tmp_path}/out/{name} is not of an earlier review and would be " \
        "overwritten; name another folder with -o\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]
    assert (tmp_path / "out" / name).read_text() == '{"mine": "Reviewed by MuGo"}'


def test_a_game_with_the_name_of_another_game_that_was_reviewed_gets_a_number(tmp_path, capsys):
    for folder, text in ("a", PLAIN), ("b", PLAIN.replace("B[bb]", "B[dd]")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "game.sgf").write_text(text)
    games = [tmp_path / folder / "game.sgf" for folder in "ab"]
    assert run(tmp_path, games[0]) == 0
    first = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert run(tmp_path, games[1]) == 0
    assert "game-2.*" in capsys.readouterr().out
    assert first.items() <= {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}.items()
    assert run(tmp_path, games[1], games[0]) == 0 and "2 games (2 reviewed before)" in capsys.readouterr().out
    assert run(tmp_path, games[1], "--seed", "2") == 0 and "game-2.*\n" in capsys.readouterr().out
    games[1].write_text(games[1].read_text().replace(";B[cc]", ";B[cc]C[the same game, with a comment]"))
    assert run(tmp_path, games[1]) == 0 and "game-2.*\n" in capsys.readouterr().out
    assert len(list((tmp_path / "out").glob("*.json"))) == 2


@pytest.mark.parametrize("written", [0, pytest.param(1, marks=pytest.mark.slow), 5])
def test_a_review_that_was_interrupted_is_made_again(written, tmp_path, capsys, monkeypatch):
    def interrupted(source, target):
        left.append(target)
        if len(left) > written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        return rename(source, target)

    (tmp_path / "game.sgf").write_text(PLAIN)
    assert run(tmp_path, tmp_path / "game.sgf") == 0
    rename, left = os.replace, []
    for other in ["--seed", "2"], []:                    # in the place of another review, and in an empty folder
        left.clear()
        monkeypatch.setattr("os.replace", interrupted)
        assert run(tmp_path, tmp_path / "game.sgf", *other) == 2
        monkeypatch.undo()
        assert len(left) == written + 1 and (other or len(list(tmp_path.glob("out/*"))) == written)
        for _ in range(2):
            assert run(tmp_path, tmp_path / "game.sgf") == 0
        assert capsys.readouterr().out.endswith("game.* (1 reviewed before)\n")
        assert len(list((tmp_path / "out").iterdir())) == 6
        shutil.rmtree(tmp_path / "out")


def test_every_output_file_lies_in_the_output_folder_whatever_a_member_of_an_archive_is_called(tmp_path):
    names = [".sgf", "..sgf", "/.sgf", "../../.sgf", "..\\.sgf", "/etc/passwd.sgf", "a/../../b.sgf", "x" * 300 + ".sgf",
             "é" * 200 + ".sgf", "c:\\con.sgf", "\n.sgf"]
    (tmp_path / "games.tar").write_bytes(tarred({name: PLAIN.encode() for name in names}))
    (tmp_path / "review.csv").write_text("mine")
    assert cli.main(["review", str(tmp_path / "games.tar"), "-o", str(tmp_path / "review"), "--fast"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.tar", "review", "review.csv"]
    assert (tmp_path / "review.csv").read_text() == "mine"
    written = list((tmp_path / "review").rglob("*"))
    assert sum(path.suffix == ".json" for path in written) == len(names)
    assert all(path.parent == tmp_path / "review" and not path.name.startswith(".") for path in written)


def test_names_that_differ_in_case_alone_and_thousands_of_equal_names_are_unique(tmp_path):
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)                 # duplicate names
        for name in "a/g.sgf", "A/G.sgf", "a/g-2.sgf", *["a/g.sgf"] * 3000:
            archive.writestr(name, PLAIN)
    names = [task.name.casefold() for task in find_tasks([str(tmp_path / "games.zip")], pytest.fail)]
    assert names[:5] == ["a-g", "a-g-2", "a-g-2-2", "a-g-3", "a-g-4"]
    assert len(names) == len(set(names)) == 3003

"""Evaluation of networks whose outputs are known, against counting position by position.

A FakeNetwork looks a position up by its planes and finds the move that was played there, so it can be made
to rank that move first, fourth or sixth.  Its positions have handicap stones anywhere, and so no
two of them, and no two symmetries of one, look alike.
"""

import numpy as np
import pandas as pd
import pytest
from random_records import batch_of, dataset_of
from small_games import games, small_data

from mugo.cli import main as cli
from mugo.core import intervals
from mugo.data.game_hash import assign_splits
from mugo.core.files import BadInput
from mugo.games.board import WHITE
from mugo.games.coords import move_index, symmetries
from mugo.games.game import encode
from mugo.nn.output import NetworkOutput
from mugo.sgf.properties import rank_number
from mugo.training import evaluate, predictions

SIZE = 9
UNLIKE = "handicap >= 3"                 # no position of these games is its own mirror image
FEW = "handicap == 3"                    # four of those games


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small_data(tmp_path_factory)


@pytest.fixture(scope="module")
def known(data):
    """planes -> (move index played, symmetry), of all chosen positions in all symmetries."""
    positions = data.positions(None, SIZE, UNLIKE)
    found = {}
    for turn in range(8):
        batch = positions.batch(np.arange(len(positions)), turn)
        for packed, target in zip(batch.packed, batch.targets, strict=True):
            assert packed.tobytes() not in found
            found[packed.tobytes()] = (int(target), turn)
    return found


def says_who_is_ahead(game, plies: int) -> bool:
    """Whether a handicap game's winner says who is ahead: of what the stones are worth, 14 points each less the first
    move's 7 and komi, White is expected to gain at most 3 from here on."""
    if not game.komi:
        return False
    return (14 * game.handicap - 7 - float(game.komi)) * (1 - plies / len(game.moves)) <= 3


class FakeNetwork:
    """A network that knows what was played.

    rank(turn): how many moves it gives a higher probability than that one; value(turn): its value.
    """

    size = SIZE
    metadata = {}
    equivariant = takes_people = False
    game = "go"
    precision = "float32"

    def __init__(self, known, rank, value=None, name="fake"):
        self.known, self.rank, self.value, self.name = known, rank, value, name
        self.has_value = value is not None
        self.seen = []

    def evaluate_packed(self, packed, features=None, people=None):
        targets, turns = zip(*(self.known[row.tobytes()] for row in packed), strict=True)
        ranks = map(self.rank, turns)
        priors = np.array([self.priors(*answer) for answer in zip(targets, ranks, strict=True)])
        self.seen += [row.tobytes() for row in packed]
        values = np.array([self.value(turn) for turn in turns], np.float32) if self.has_value else None
        return NetworkOutput(priors.astype(np.float32), values)

    @staticmethod
    def priors(target, rank):
        """Probabilities 2, 3 ... parts for the move played and those before it, one part for all others."""
        parts = np.ones(SIZE * SIZE + 1)
        parts[target] = 2
        for k in range(rank):
            parts[(target + 1 + k) % len(parts)] = 3 + k
        return parts / parts.sum()


def run(data, network, **options):
    table = evaluate.evaluate(network, data, **({"split": None, "where": UNLIKE, "count": 0} | options))
    return table, table.iloc[0]


@pytest.mark.parametrize(("rank", "top1", "top5"), [(0, 1, 1), (3, 0, 1), (4, 0, 1), (5, 0, 0)])
def test_the_rank_of_the_move_played_decides_top_1_and_top_5(data, known, rank, top1, top5):
    table, whole = run(data, FakeNetwork(known, lambda turn: rank), symmetries=False, where=FEW)
    assert (table["top1"] == top1).all()
    assert (table["top5"] == top5).all()
    assert whole["ce"] == pytest.approx(-np.log(FakeNetwork.priors(0, rank)[0]), rel=1e-6)
    assert whole["top1_se"] == 0
    assert "value_accuracy" not in table
    assert "top1_tta" not in table


def test_every_position_is_counted_in_one_part_of_each_kind(data, known):
    table, whole = run(data, FakeNetwork(known, lambda turn: 0), symmetries=False)
    chosen = [game for game in games() if game.handicap >= 3]
    assert whole["positions"] == sum(len(game.moves) for game in chosen)
    assert whole["games"] == len(chosen)
    for by in ("phase", "rank", "source"):
        assert table.loc[table["by"] == by, "positions"].sum() == whole["positions"]
    counts = table.set_index("subset")["positions"]
    assert counts["moves 1-30"] == sum(min(30, len(game.moves)) for game in chosen)
    assert counts["moves 31-60"] == sum(min(30, max(0, len(game.moves) - 30)) for game in chosen)
    assert counts["kgs"] == sum(len(game.moves) for game in games()[:30] if game.handicap >= 3)
    movers = [rank_number(game.ranks[position.to_play == WHITE])
              for game in chosen for position in game.positions]
    for name, low, high in predictions.RANKS:
        assert counts.get(name, 0) == sum(low <= rank <= high for rank in movers)
    assert counts["unknown"] == sum(np.isnan(rank) for rank in movers)


def test_a_scored_game_without_moves_has_no_last_position(tmp_path):
    """Stones that somebody set up, with a result: the first of the data set, and the last."""
    left, right = ("".join(f"[{column}{row}]" for column in columns for row in "abcdefghi") for columns in ("de", "f"))
    games = [f"(;GM[1]SZ[9]KM[6.5]RU[Chinese]{game})" for game in (
        f"RE[B+2.5]AB{left}AW{right}", "RE[B+R];B[ee];W[cc];B[gg]", f"RE[W+15.5]AB{right}AW{left}")]
    data = dataset_of(tmp_path, games, min_moves=0)
    assert sorted(data.positions(None).games.column("num_moves")) == [0, 0, 3]
    assert (data.positions(None).games.column("ownership_start") >= 0).sum() == 2
    sample = evaluate.sample_positions(data, 9, None, "", 0, 0)
    assert len(sample.numbers) == 3 and len(sample.last) == 0


def test_tta_is_the_mean_of_eight_outputs_turned_back(data, known):
    """A network that puts the move played first as the game was played, and seventh in every turn of it."""
    def rank(turn):
        return 6 if turn else 0

    network = FakeNetwork(known, rank, lambda turn: 0.5 if turn else -0.5)
    _, whole = run(data, network, where=FEW)
    ranks, entropies, errors, right = [], [], [], []
    for game in games():
        if game.handicap != 3:
            continue
        winner = {"B+": 1, "W+": -1}.get(game.result[:2], 0)
        for position, point in zip(game.positions, game.moves, strict=True):
            answers = []
            for turn in range(8):
                seat = symmetries(SIZE)[turn]
                target, turned = known[encode([position], turn)[0].tobytes()]
                assert (target, turned) == (seat[move_index(point, SIZE)], turn)
                answers.append(FakeNetwork.priors(target, rank(turn))[seat])
            mean = np.mean(answers, axis=0)
            played = mean[move_index(point, SIZE)]
            ranks.append(sorted(-mean).index(-played))
            entropies.append(-np.log(played))
            if winner and says_who_is_ahead(game, position.plies):
                outcome = winner * position.to_play
                errors.append((outcome - (-0.5 + 7 * 0.5) / 8) ** 2)
                right.append(outcome == 1)
    assert whole["top1"] == 1
    assert whole["top1_tta"] == np.mean(np.array(ranks) == 0)
    assert whole["top5_tta"] == np.mean(np.array(ranks) < 5)
    assert whole["ce_tta"] == pytest.approx(np.mean(entropies), abs=1e-5)
    assert whole["value_mse_tta"] == pytest.approx(np.mean(errors), abs=1e-6)
    assert whole["value_accuracy_tta"] == pytest.approx(np.mean(right))
    assert whole["value_accuracy"] == pytest.approx(1 - np.mean(right))
    assert len(network.seen) == 8 * whole["positions"]


def test_the_same_positions_for_every_network(data, known):
    one, other = FakeNetwork(known, lambda turn: 0), FakeNetwork(known, lambda turn: 3)
    _, whole = run(data, one, count=50, symmetries=False)
    run(data, other, count=50, symmetries=False)
    assert whole["positions"] == len(one.seen) == 50
    assert one.seen == other.seen
    assert len(set(one.seen)) == 50
    run(data, other, count=50, symmetries=False, seed=1)
    assert other.seen[50:] != one.seen


def test_the_baseline_is_always_predicting_one_colour(data, known):
    table, whole = run(data, FakeNetwork(known, lambda turn: 0, lambda turn: 0.0), symmetries=False)
    winners = [{"B+": 1, "W+": -1}[game.result[:2]]
               for game in games() if game.handicap >= 3 and game.result[:2] in ("B+", "W+")
               for plies in range(len(game.moves)) if says_who_is_ahead(game, plies)]
    black = winners.count(1) / len(winners)
    assert whole["value_accuracy_baseline"] == pytest.approx(max(black, 1 - black))
    said = 2 * black - 1
    assert whole["value_mse_baseline"] == pytest.approx(np.mean((np.array(winners) - said) ** 2))
    assert whole["value_mse"] == 1
    assert (table["value_accuracy_baseline"].dropna() >= 0.5).all()


def compared(data, networks, size=None):
    sample = evaluate.sample_positions(data, size or evaluate.common_size(networks), None, UNLIKE, 0, 0)
    table = evaluate.comparison_table({name: evaluate.predict_sample(network, sample, False) for name, network in zip(
        evaluate.unique_names(networks), networks, strict=True)})
    assert (table["by"] == "all").sum() == len(networks)
    return table[table["by"] == "all"]


def test_networks_are_compared_position_by_position(data, known):
    one, other = FakeNetwork(known, lambda turn: 0, name="one"), FakeNetwork(known, lambda turn: 3, lambda turn: 0.5,
                                                                             name="other")
    table = compared(data, [one, other, one])
    assert list(table["network"]) == ["one-1", "other", "one-2"]
    assert one.seen[:len(other.seen)] == other.seen
    assert list(table["top1"]) == [1, 0, 1]
    assert np.isnan(table["top1_difference"][0])
    assert list(table["top1_difference"][1:]) == [-1, 0]
    assert list(table["top1_difference_se"][1:]) == [0, 0]
    assert table["ce_difference"][1] == pytest.approx(table["ce"][1] - table["ce"][0])
    assert table["value_accuracy"].notna().tolist() == [False, True, False]
    assert "value_accuracy_difference" not in table
    assert (table["ms"] >= 0).all()
    for name, network in (("one-1", one), ("other", other)):
        alone, whole = run(data, network, symmetries=False)
        assert table.set_index("network").loc[name, "ce"] == whole["ce"]


def test_networks_in_several_precisions_are_told_apart_by_them(known):
    one, other = FakeNetwork(known, lambda turn: 0, name="one"), FakeNetwork(known, lambda turn: 0, name="one")
    assert evaluate.unique_names([one, other]) == ["one-1", "one-2"]
    other.precision = "int8"
    assert evaluate.unique_names([one, other, other]) == ["one-float32", "one-int8-1", "one-int8-2"]


def test_standard_errors_of_comparisons_are_paired():
    """Two networks with similar errors differ by little, with a small standard error."""
    rng = np.random.default_rng(0)
    hard = rng.normal(size=300)
    part = {"phase": "moves 1-30", "rank": "1-3d", "source": "kgs", "last_move": False, "black_won": np.nan, "ms": 1.0}
    rows = {name: pd.DataFrame({"game": np.arange(300) // 3, "top1": rng.random(300), "ce": hard + shift} | part)
            for name, shift in (("a", 0.0), ("b", 0.1 + 0.01 * rng.normal(size=300)))}
    table = evaluate.comparison_table(rows)
    mean, error = intervals.mean_and_standard_error((rows["b"]["ce"] - rows["a"]["ce"]).to_numpy(), np.arange(300) // 3)
    assert (table["ce_difference"][1], table["ce_difference_se"][1]) == (mean, error)
    assert error < 0.02 * table["ce_se"][1]
    assert list(table["by"]) == ["all", "all", "phase", "phase", "rank", "rank", "source", "source"]


def test_networks_of_different_sizes_are_compared_only_on_a_given_size(data, known):
    one, other = FakeNetwork(known, lambda turn: 0, name="small"), FakeNetwork(known, lambda turn: 0, name="large")
    other.size = 19
    with pytest.raises(BadInput, match="small was trained on 9x9 and large on 19x19"):
        compared(data, [one, other])
    assert list(compared(data, [one, other], size=9)["top1"]) == [1, 1]
    assert run(data, other, size=9)[1]["top1_tta"] == 1


def test_moves_with_equal_probabilities_share_their_rank():
    """Rounding decides which of the four 4-4 points comes first in an equivariant network; this is no merit of it."""
    uniform = np.full((2, 82), 1 / 82, np.float32)
    measured = predictions.measure(NetworkOutput(uniform), batch_of([0, 81], [1, 1]))
    assert measured["top1"] == pytest.approx([1 / 82] * 2) and measured["top5"] == pytest.approx([5 / 82] * 2)
    assert measured["ce"] == pytest.approx([np.log(82)] * 2)
    priors = np.array([[6, 4, 4.001, 3.999, 2, 2.0001, 1, 0.99]], np.float32).repeat(8, 0) / 23.9901
    measured = predictions.measure(NetworkOutput(priors), batch_of(list(range(8)), [1] * 8))
    assert measured["top1"].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert measured["top5"] == pytest.approx([1, 1, 1, 1, 0.5, 0.5, 0, 0])


def test_a_move_of_probability_0_has_a_finite_negative_log_likelihood():
    priors = np.zeros((1, 82), np.float32)
    priors[0, 3] = 1
    measured = predictions.measure(NetworkOutput(priors), batch_of([7], [1]))
    assert measured["ce"] == pytest.approx([-np.log(predictions.MIN_PROBABILITY)])


def test_the_win_probability_and_the_winner_are_those_of_the_side_to_move(data, known):
    """Against the outcomes of the batches that networks are trained on, with either colour to move."""
    positions = data.positions(None, SIZE, UNLIKE)
    numbers = np.arange(len(positions))
    network = FakeNetwork(known, lambda _: 0, lambda _: 0.5)
    rows = predictions.predict_positions(network, positions, numbers, symmetries=False)
    batch = positions.batch(numbers)
    outcomes = np.where(np.isnan(batch.komi) | ~batch.is_nearly_even, 0, batch.outcomes)
    assert {1, -1} <= set(outcomes.tolist()) and (outcomes != batch.outcomes).any()
    assert np.array_equal(rows["won"], np.where(outcomes == 0, np.nan, outcomes == 1), equal_nan=True)
    assert 0 < np.nanmean(rows["won"] == rows["black_won"]) < 1          # and not that of Black
    assert np.allclose(rows["win_probability"], 0.75)


def test_phases_begin_and_end_at_their_limits():
    names = list(predictions.phase_names(np.array([1, 30, 31, 60, 61, 250, 251, 900])))
    assert names == ["moves 1-30", "moves 1-30", "moves 31-60", "moves 31-60", "moves 61-100",
                     "moves 201-250", "moves 251 on", "moves 251 on"]


@pytest.mark.parametrize("has_value", [False, True])
def test_the_command_prints_a_table_and_writes_csv_and_png(data, known, tmp_path, monkeypatch, capsys,
                                                           has_value, rendered_pictures):
    pytest.importorskip("matplotlib")
    network = FakeNetwork(known, lambda turn: turn, (lambda turn: 0.5) if has_value else None)
    monkeypatch.setattr(evaluate, "Network", lambda path, precision: network)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["evaluate", "fake.safetensors", str(data.folder), "--split", "all", "--where", UNLIKE,
                     "--sample", "200"]) == 0
    printed = capsys.readouterr().out
    assert "fake on 200 positions of 16 games" in printed
    assert "top-1 %" in printed
    assert ("value accuracy %" in printed) == has_value
    table = pd.read_csv(tmp_path / "fake-all.csv")
    assert table.loc[0, ["by", "subset", "positions", "top1"]].tolist() == ["all", "all", 200, 1.0]
    assert ("value_mse_tta" in table) == has_value
    assert (tmp_path / "fake-all-calibration.png").read_bytes().startswith(b"\x89PNG")
    calibrated = pd.read_csv(tmp_path / "fake-all-calibration.csv")
    assert set(calibrated["head"]) == ({"policy", "value"} if has_value else {"policy"})
    assert set(calibrated["tta"]) == {False, True}


def test_the_command_says_whether_the_games_are_unseen(data, known, tmp_path, monkeypatch, capsys):
    """Of a network that was trained on the same games with another seed of the split."""
    network = FakeNetwork(known, lambda turn: 0)
    split = {"seed": 2, "validation": 0.1, "test": 0.4}
    network.metadata = {"size": SIZE, "data": {"split": split}}
    monkeypatch.setattr(evaluate, "Network", lambda path, precision: network)
    monkeypatch.setattr(evaluate.figures, "has_matplotlib", lambda: False)
    command = ["evaluate", "fake", str(data.folder), "--where", UNLIKE, "--sample", "0", "--no-symmetries",
               "-o", str(tmp_path)]                       # a folder: files with their default names
    test = data.positions("test", SIZE, UNLIKE).games
    for seed in (2, 0):
        split["seed"] = seed
        seen = (assign_splits(test.column("opening_hash"), **split) == "train").sum()
        assert (seen > 0) == (seed == 2)
        assert cli.main(command) == 0
        printed = capsys.readouterr().out
        assert (f"{seen} of these {len(test)} games are in the training split of fake" if seen else
                f"none of these {len(test)} games is in the training split of fake") in printed
    assert {path.name for path in tmp_path.iterdir()} >= {"fake-test.csv", "fake-test-calibration.csv"}


def test_the_command_compares_networks_and_then_reports_each(data, known, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(evaluate, "Network",
                        lambda path, precision: FakeNetwork(known, lambda turn: int(path == "worse"), name=path))
    monkeypatch.setattr(evaluate.figures, "has_matplotlib", lambda: False)
    assert cli.main(["evaluate", "better", "worse", str(data.folder), "--split", "all", "--where", UNLIKE,
                     "--sample", "100", "--no-symmetries", "-o", str(tmp_path / "two")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("2 networks on 100 positions of ")
    lines = [line.split() for line in printed.splitlines()]
    assert ["better", "100.0", "0.0"] == next(line for line in lines if line[:1] == ["better"])[:3]
    difference = lines.index(["worse", "minus", "better", "positions", "top-1", "%", "±", "top-5", "%", "±",
                              "cross-entropy", "±"])
    assert lines[difference + 1][:4] == ["all", "100", "-100.0", "0.0"] and lines[difference + 2] == []
    assert ["moves", "1-30"] in [line[:2] for line in lines[difference:difference + 6]]
    table = pd.read_csv(tmp_path / "two.csv")
    assert list(table["network"]) == ["better", "worse"] * (len(table) // 2)
    assert set(table["by"]) == {"all", "phase", "rank", "source"}
    assert (table["top1_difference"][1::2] == -1).all() and table["top1_difference"][::2].isna().all()
    assert {path.name for path in tmp_path.glob("two*")} == {
        f"two{name}.csv" for name in ("", "-better", "-worse", "-better-calibration", "-worse-calibration")}


def test_the_command_refuses_bad_input_in_one_line(data, known, monkeypatch, capsys):
    monkeypatch.setattr(evaluate, "Network", lambda path, precision: FakeNetwork(known, lambda turn: 0))
    for options, complaint in ((["--sample", "-1"], "--sample -1"), (["--where", "=3"], "invalid syntax"),
                               (["--where", "size == 19"], "no test games")):
        assert cli.main(["evaluate", "fake", str(data.folder), *options]) == 2
        error = capsys.readouterr().err.strip().splitlines()
        assert complaint in error[-1]
    monkeypatch.undo()
    assert cli.main(["evaluate", "policy-9", "gomoku-6-4", str(data.folder), "--size", "9"]) == 2
    assert "gomoku-6-4-v1.safetensors plays Gomoku, and a data set has games of Go" in capsys.readouterr().err

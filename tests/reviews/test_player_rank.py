"""The rank of a player of several games: `mugo review --rank-of NAME`."""
import re

import pytest
from networks import policy_file
from random_records import random_record

from mugo.cli import main as cli
from mugo.reviews import command, outputs
from mugo.sgf.convert import format_record


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Six games of Alice with alternating colours, and one that she did not play."""
    folder = tmp_path_factory.mktemp("games")
    for seed in range(7):
        names = {"black": "Bob", "white": "Carol"} if seed == 6 else \
            {"black": "Alice", "white": "Bob"} if seed % 2 else {"black": "Bob", "white": "ALICE"}
        (folder / f"{seed}.sgf").write_text(format_record(random_record(seed, plies=20, **names)))
    return folder


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return policy_file(tmp_path_factory.mktemp("net"), metadata_encoder=True, value_head=True, komi_input=True)


@pytest.fixture(autouse=True)
def no_graphs(monkeypatch):
    """They would be most of the time."""
    for module in command, outputs:
        monkeypatch.setattr(module, "has_matplotlib", lambda: False)


def review(games, network, output, *words):
    return cli.main(["review", *map(str, games), "--fast", "--network", str(network), "-o", str(output), *words])


def test_the_rank_is_pooled_over_the_games_of_the_player(games, network, tmp_path, capsys):
    assert review([games], network, tmp_path, "--rank-of", "alice") == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("alice: "))
    found = re.fullmatch(r"alice: no estimate: (\d+) moves in 6 games fit every rank that the network knows", line)
    assert found and 50 <= int(found[1]) <= 60                   # ten each, but for passes; it has not learned


@pytest.mark.parametrize("count, name, error", [
    (1, "Bob", "an estimate of a rank needs at least 5 games of the player, not 1"),
    (4, "Alice", "an estimate of a rank needs at least 5 games of the player, not 4"),
    (7, "Dora", "--rank-of Dora: no game has a player of this name (players: Bob, ALICE, Alice, Carol)")])
def test_a_single_game_and_a_name_that_is_in_none_are_refused_before_the_review(games, network, tmp_path, capsys, count,
                                                                               name, error):
    files = [games / f"{seed}.sgf" for seed in range(count)]
    assert review(files, network, tmp_path / "out", "--rank-of", name) == 2
    assert error in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_players_without_names_are_not_one_player(network, tmp_path, capsys):
    for seed in range(5):
        (tmp_path / f"{seed}.sgf").write_text(format_record(random_record(seed, plies=4, black="", white="Bob")))
    assert review([tmp_path], network, tmp_path / "out", "--rank-of", "") == 2
    assert "no game has a player of this name (players: Bob)" in capsys.readouterr().err


def test_a_network_that_takes_no_people_is_refused(games, tmp_path, capsys):
    assert review([games], policy_file(tmp_path, value_head=True), tmp_path / "out", "--rank-of", "Alice") == 2
    assert "needs a network that was trained with --metadata-encoder" in capsys.readouterr().err

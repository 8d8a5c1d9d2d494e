"""Which bundled network plays on which board."""
import re

import numpy as np
import pytest
from networks import alphazero_network, policy_file

from mugo.cli import main as cli
from mugo.core import version
from mugo.core.files import BadInput
from mugo.games import go, gomoku, scoring
from mugo.games.coords import PASS, point_at
from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.nn import bundled, network_file
from mugo.nn.bundled import BundledNetworks
from mugo.nn.inputs import People
from mugo.nn.network_file import read_metadata
from mugo.players.evaluation import ownership_after, ownership_by


def test_every_board_has_the_bundled_network_of_the_nearest_size(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "network_folders", lambda: [tmp_path])
    with pytest.raises(BadInput, match="there is no bundled network"):
        bundled.bundled_name(9)
    path = policy_file(tmp_path, value_head=True)
    for name in ("policy-9", "policy-13", "policy-19", "policy-19-small", "other"):
        (tmp_path / f"{name}.safetensors").write_bytes(path.read_bytes())
    assert {size: bundled.bundled_name(size) for size in (2, 9, 10, 11, 13, 15, 16, 19)} == {
        2: "policy-9", 9: "policy-9", 10: "policy-9", 11: "policy-13", 13: "policy-13", 15: "policy-13",
        16: "policy-19", 19: "policy-19"}
    both = BundledNetworks(threads=1)
    assert both.has_value
    for size in (9, 13, 5, 9):
        priors = both.evaluate([GoPosition(size)]).priors
        assert priors.shape == (1, size ** 2 + 1)
    assert both.for_board(9) is both.for_board(5) is not both.for_board(13)
    assert not both.has_ownership
    path = policy_file(tmp_path, "scores", value_head=True, komi_input=True)
    (tmp_path / "policy-9.safetensors").write_bytes(path.read_bytes())
    mixed = BundledNetworks(threads=1)
    assert mixed.has_ownership
    output = mixed.evaluate([GoPosition(9, 0.5)])
    assert output.ownership.shape == (1, 81) and output.score_mean.shape == (1,)
    assert mixed.evaluate([GoPosition(13)]).ownership is None
    for size in (9, 13):
        position = GoPosition(size).play(point_at(2, 1, size))
        by_rollouts = scoring.ownership(position)
        by_network = mixed.evaluate([position], symmetries=True).board_ownership(0, position)
        expected = by_rollouts if by_network is None else (by_network + by_rollouts) / 2
        assert np.array_equal(ownership_by(mixed, position), expected)
        after, = ownership_after(mixed, position, [[PASS]])
        if size == 13:
            assert np.array_equal(after, scoring.ownership(position.play(PASS), scoring.MOVE_ROLLOUTS))
        else:
            passed = position.play(PASS)
            assert np.array_equal(after, mixed.evaluate([passed]).board_ownership(0, passed))


def test_a_search_asks_the_network_for_searches_unless_it_is_told_who_plays(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "network_folders", lambda: [tmp_path])
    for name in "policy-9", "policy-19", "search-19":
        policy_file(tmp_path, name, value_head=True, komi_input=True, metadata_encoder=name == "policy-19")
    names = {size: (bundled.bundled_name(size), bundled.bundled_name(size, for_search=True)) for size in (9, 13, 19)}
    assert names == {9: ("policy-9", "policy-9"), 13: ("policy-9", "policy-9"), 19: ("policy-19", "search-19")}
    networks = BundledNetworks(threads=1)
    for told, name in (networks, "search-19"), (networks.with_people(People("3d")), "policy-19"):
        search = Search(Settings(seed=0), told)
        assert search.network.for_position(GoPosition(19)).path.stem == name
        assert told.for_position(GoPosition(19)).path.stem == "policy-19"
    alone = networks.for_board(19)
    assert Search(Settings(seed=0), alone).network is alone


def test_black_is_ahead_with_handicap_stones_and_komi_decides_an_even_game():
    """Whoever wins such games: White, who gives the stones, is the stronger player there."""
    network, leads = BundledNetworks(threads=1), []
    for stones in range(2, 10):
        position = GoPosition(19, 0.5).with_handicap(go.fixed_handicap((19, 19), stones))
        output = network.evaluate([position])
        leads.append(float(-output.score_mean[0]))       # White is to move
        assert output.values[0] < (-0.4 if stones == 2 else -0.7)
    assert min(leads[:2]) > 5 and min(leads[2:]) > 30
    black, white = (network.evaluate([GoPosition(19, komi)]) for komi in (-15, 30))
    assert black.values[0] > 0.5 and white.values[0] < -0.5


def test_every_gomoku_board_has_the_bundled_network_of_its_rules(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "network_folders", lambda: [tmp_path])
    with pytest.raises(BadInput, match=r"no bundled network for Gomoku, 4 in a row, on 6x6 .*none for any Gomoku"):
        bundled.bundled_name(6, "gomoku", 4)
    policy_file(tmp_path, "policy-5", size=5, layers=3, value_head=True)
    for size, k in ((6, 4), (8, 5)):
        alphazero_network(tmp_path, size, k, name=f"gomoku-{size}-{k}")
    assert bundled.bundled_name(8, "gomoku", 5) == "gomoku-8-5"
    for size, k, exactly in ((8, 4, False), (9, 5, False), (6, 4, True)):
        with pytest.raises(BadInput, match=r"in a row, on .x. .only gomoku-6-4, gomoku-8-5"):
            bundled.bundled_name(size, "gomoku", k, exactly)
    opened = BundledNetworks(threads=1)
    assert opened.has_value
    for position in (gomoku.GomokuPosition(8, 5), go.GoPosition(9), gomoku.GomokuPosition(6, 4)):
        assert opened.evaluate([position]).priors.shape == (1, position.size ** 2 + 1)
        assert opened.for_position(position).game == position.game
    assert opened.for_position(gomoku.GomokuPosition(6, 4)) is opened.for_board(6, "gomoku", 4)
    assert opened.evaluate_packed(encode([go.GoPosition(9)])).priors.shape == (1, 82)
    with pytest.raises(BadInput, match="on 7x7 .only"):
        opened.evaluate([gomoku.GomokuPosition(7, 4)])


def test_a_name_is_that_of_the_newest_version(tmp_path, monkeypatch):
    (tmp_path / "older").mkdir()
    monkeypatch.setattr(version, "network_folders", lambda: [tmp_path, tmp_path / "older"])
    for name in "policy-9-v2", "policy-9-v10", "policy-9-small-v11", "older/policy-9-v9", "older/policy-9-v10", "mine":
        (tmp_path / f"{name}.safetensors").touch()
    assert {name: path.relative_to(tmp_path).stem for name, path in version.bundled_networks().items()} == {
        "mine": "mine", "policy-9": "policy-9-v10", "policy-9-small": "policy-9-small-v11"}
    for name, file in (("policy-9", "policy-9-v10"), ("policy-9-v10", "policy-9-v10"), ("policy-9-v2", "policy-9-v2"),
                       ("policy-9-v9", "older/policy-9-v9"), ("mine", "mine")):
        assert network_file.find_network(name) == tmp_path / f"{file}.safetensors"
    assert bundled.bundled_name(19) == "policy-9"


def test_the_bundled_networks_have_versions_and_their_metadata_say_the_same(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    printed = capsys.readouterr().out
    for name, path in version.bundled_networks().items():
        assert read_metadata(path)["name"] == path.stem and re.fullmatch(rf"{name}-v\d+", path.stem)
        assert f"network {path.stem}\n" in printed


def test_a_folder_without_a_network_is_named_as_a_folder(tmp_path):
    (tmp_path / "pre-decay.safetensors").touch()                         # of a run before its first checkpoint
    with pytest.raises(BadInput, match=r"the folder .* has no network.safetensors, which a training run writes at its"):
        network_file.find_network(tmp_path)


def test_an_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(BadInput, match="there is no network 'policy-99'.*policy-19"):
        network_file.find_network("policy-99")

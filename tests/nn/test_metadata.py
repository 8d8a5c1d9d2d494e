"""The metadata of a network's file: what does not fit this program is refused in one line."""
import pytest
from networks import alphazero_network, in_format_1, policy_network, rewritten, with_member, with_metadata

from mugo.files import BadInput
from mugo.nn import metadata
from mugo.nn.inference import Network
from mugo.nn.metadata import METADATA, config_of, new_metadata, read_metadata
from mugo.nn.policy_net import PolicyNetConfig


def test_a_config_is_read_as_it_was_written(tmp_path):
    config = PolicyNetConfig(size=9, filters=4, value_head=True)
    assert config_of(new_metadata(config)) == config
    path = alphazero_network(tmp_path)
    assert read_metadata(path)["config"]["kind"] == "alphazero"
    assert config_of(read_metadata(path)).filters == (4, 6)


def test_a_network_for_other_planes_is_refused_in_one_line(tmp_path):
    _, path = policy_network(tmp_path)
    fewer = with_metadata(path, lambda metadata: metadata.update(planes=metadata["planes"][:7]))
    with pytest.raises(BadInput, match=r"other.keras was trained on 44 planes; this program makes 48"):
        Network(fewer)
    other = with_metadata(path, lambda metadata: metadata["planes"][3].__setitem__(0, "turns ahead"))
    with pytest.raises(BadInput, match="its 'turns ahead' differs from this program's"):
        Network(other)


def test_files_of_unknown_games_kinds_and_hyperparameters_are_refused(tmp_path):
    path = alphazero_network(tmp_path)
    for change, line in (
            (lambda metadata: metadata.update(game="chess"), "plays 'chess'; this program knows go and gomoku"),
            (lambda metadata: metadata.update(planes=metadata["planes"][:1]), "on 2 planes; this program makes 4"),
            (lambda metadata: metadata["config"].update(kind="transformer"), "is a network of kind 'transformer'"),
            (lambda metadata: metadata["config"].update(heads=8), "its config is not one of this program's: .*heads"),
            (lambda metadata: metadata.update(format=7), "has format 7; this program reads format 2")):
        with pytest.raises(BadInput, match=line):
            Network(with_metadata(path, change))


def test_a_network_of_an_earlier_version_gets_one_line_that_says_what_to_do(tmp_path):
    _, path = policy_network(tmp_path)
    with pytest.raises(BadInput, match=r"earlier.keras was written by an earlier version of MuGo \(format 1\): train") \
            as caught:
        Network(in_format_1(path))
    assert "\n" not in str(caught.value)
    with pytest.raises(metadata.EarlierFormat):
        read_metadata(in_format_1(path))


@pytest.mark.parametrize(("name", "content", "line"), [
    (metadata.ONNX, None, "is damaged: Bad CRC-32"),
    (metadata.ONNX, b"nonsense", "its network.onnx cannot be played"),
    (METADATA, b"[]", "its mugo_metadata.json is no JSON object"),
    (METADATA, b'{"format": 2}', "its mugo_metadata.json has no 'planes'"),
    (METADATA, None, "is no network of MuGo's: Bad CRC-32"),
])
def test_a_damaged_network_is_refused_in_one_line(tmp_path, name, content, line):
    with pytest.raises(BadInput, match=line) as caught:
        Network(with_member(policy_network(tmp_path)[1], name, content))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_network_is_refused(tmp_path):
    (tmp_path / "x.keras").write_bytes(b"PK nonsense")
    with pytest.raises(BadInput, match="x.keras is no network"):
        Network(tmp_path / "x.keras")
    with pytest.raises(BadInput, match="is no network of MuGo's"):
        read_metadata(rewritten(policy_network(tmp_path)[1], mugo_metadata=lambda data: b"{"))


def test_positions_trained_include_those_of_the_networks_it_was_initialised_from():
    first = {"best": {"positions": 100}}
    second = {"best": {"positions": 20}, "init_from": first}
    assert metadata.positions_trained({"best": {"positions": 3}, "init_from": second}) == 123
    assert metadata.positions_trained({"best": None}) == 0

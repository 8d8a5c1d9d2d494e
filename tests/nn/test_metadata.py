"""The metadata of a network's file: what does not fit this program is refused in one line."""
import pytest
from networks import alphazero_network, policy_file, with_metadata

from mugo.core.files import BadInput
from mugo.games.planes import DEPTH
from mugo.games.game import PLANE_TABLES
from mugo.nn import metadata
from mugo.nn.inference import Network
from mugo.nn.metadata import config_of, new_metadata, read_metadata
from mugo.nn.policy_net import PolicyNetConfig


def test_a_config_is_read_as_it_was_written(tmp_path):
    config = PolicyNetConfig(size=9, filters=4, value_head=True)
    assert config_of(new_metadata(config)) == config
    path = alphazero_network(tmp_path)
    assert read_metadata(path)["config"]["kind"] == "alphazero"
    assert config_of(read_metadata(path)).filters == (4, 6)


def test_a_network_for_other_planes_is_refused_in_one_line(tmp_path):
    path = policy_file(tmp_path)
    fewer = with_metadata(path, lambda metadata: metadata.update(planes=metadata["planes"][:7]))
    with pytest.raises(BadInput, match=f"other.safetensors was trained on 44 planes; this program makes {DEPTH}"):
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
            (lambda metadata: metadata["config"].update(heads=8), "is not one of this program's: it has 'heads'"),
            (lambda metadata: metadata.update(format=7), "has format 7; this program reads format 3")):
        with pytest.raises(BadInput, match=line):
            Network(with_metadata(path, change))


def test_positions_trained_include_those_of_the_networks_it_was_initialised_from():
    first = {"best": {"positions": 100}}
    second = {"best": {"positions": 20}, "init_from": first}
    assert metadata.positions_trained({"best": {"positions": 3}, "init_from": second}) == 123
    assert metadata.positions_trained({"best": None}) == 0


@pytest.mark.parametrize(("change", "line"), [
    (lambda m: m.update(game=["go"]), r"plays \"\['go'\]\""),
    (lambda m: m.update(planes=[1, 2]), "its table of planes is none"),
    (lambda m: m.update(planes=[["a", 10 ** 4200]] * 20), "its table of planes is none"),
    (lambda m: m.update(planes={}), "have no 'planes'"),
    (lambda m: m.update(size=0), "for boards of size 0"),
    (lambda m: m.update(size=-5), "for boards of size -5"),
    (lambda m: m.update(size=10**9), "for boards of size 1000000000"),
    (lambda m: m.update(size="9"), "have no 'size'"),
    (lambda m: m.update(size=True), "for boards of size True"),
    (lambda m: m.update(size=13), "its config has size 9, not 13"),
    (lambda m: m.update(config=[]), "have no 'config'"),
    (lambda m: m["config"].update(kind=[]), "is a network of kind '\\[\\]'"),
    (lambda m: m["config"].update(filters=0), "filters is 0"),
    (lambda m: m["config"].update(filters=10**9), "filters is 1000000000"),
    (lambda m: m["config"].update(filters=[4]), r"filters is \[4\]"),
    (lambda m: m["config"].update(layers=4000), "layers is 4000"),
    (lambda m: m["config"].update(context_layers=13), "context_layers is 13"),
    (lambda m: m["config"].update(policy_filters=8, policy_context=True, context_filters=4000), "config of 576,133,"),
    (lambda m: m["config"].update(chain_pooling=True), "chain_pooling is for networks with a context module"),
    (lambda m: m["config"].update(policy_context=True), "policy_context is for networks with policy_filters"),
    (lambda m: m["config"].update(policy_filters=8, policy_context=True, value_head=True), "komi_input if they have a"),
    (lambda m: m["config"].update(value_head=1), "value_head is 1"),
    (lambda m: m["config"].update(value_head=None), "value_head is None"),
    (lambda m: m.update(best=[1]), r"its training: best is \[1\], expected an object"),
    (lambda m: m.update(best={"positions": "many"}), 'best.positions is "many", expected an integer'),
    (lambda m: m.update(init_from=[1]), r"init_from is \[1\], expected an object"),
    (lambda m: m.update(init_from={"best": 3}), "best is 3, expected an object"),
    (lambda m: m.update(data=7), "data is 7, expected an object"),
    (lambda m: m.update(data={"split": {"seed": 0}}), "data.split has no 'validation', expected an object"),
    (lambda m: m.update(init_from={"data": {"sources": "all"}}), 'data.sources is "all", expected a list'),
    (lambda m: m.update(name=7), "has a name that is no text"),
    (lambda m: m.update(name="a\0b"), "has a name that is no text of at most 200 printable"),
    (lambda m: m.update(name="a\x1b[31mb"), "has a name that is no text of at most 200 printable"),
    (lambda m: m.update(name="a\ud800b"), "has a name that is no text of at most 200 printable"),
    (lambda m: m["config"].update(equivariant=True, filters=12), "filters is 12, and an equivariant network"),
    (lambda m: m["config"].update(equivariant=True, filters=8, policy_filters=4), "policy_filters is 4, and an equiv"),
    (lambda m: m.update(game="gomoku", k=5, planes=[list(plane) for plane in PLANE_TABLES["gomoku"]]),
     "is a network of kind 'policy' for gomoku; this program has those for Go alone"),
])
def test_metadata_that_contradict_the_schema_are_refused_in_one_line(change, line, tmp_path):
    with pytest.raises(BadInput, match=line) as caught:
        Network(with_metadata(policy_file(tmp_path), change))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("filters", [5, "4", [[4]], {"4": 4}])
def test_a_policy_value_network_has_a_list_of_filters(filters, tmp_path):
    with pytest.raises(BadInput, match="is not one of this program's: filters is "):
        Network(with_metadata(alphazero_network(tmp_path), lambda m: m["config"].update(filters=filters)))


@pytest.mark.parametrize("k", [2, 7, "4", None, True, 4.0])
def test_a_row_that_no_board_has_is_refused(k, tmp_path):
    with pytest.raises(BadInput, match="plays Gomoku with k = "):
        Network(with_metadata(alphazero_network(tmp_path), lambda m: m.update(k=k)))

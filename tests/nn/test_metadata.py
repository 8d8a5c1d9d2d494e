"""The metadata of a network's file: what does not fit this program is refused in one line."""
import pytest
from networks import alphazero_network, policy_file, with_metadata

from mugo.core.files import BadInput
from mugo.games.game import PLANE_TABLES
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.inference import Network
from mugo.nn.network_file import new_metadata, read_metadata


def test_a_config_is_read_as_it_was_written(tmp_path):
    config = PolicyNetConfig(size=9, filters=4, value_head=True)
    assert config_of(new_metadata(config)) == config
    path = alphazero_network(tmp_path)
    assert read_metadata(path)["config"]["kind"] == "alphazero"
    assert config_of(read_metadata(path)).filters == (4, 6)


def test_files_of_unknown_games_kinds_planes_and_hyperparameters_are_refused(tmp_path):
    path = alphazero_network(tmp_path)
    for change, line in (
            (lambda m: m.update(game="chess"), "plays 'chess'; this program knows go and gomoku"),
            (lambda m: m.update(planes=m["planes"][:1]), "planes is .*, expected this program's table"),
            (lambda m: m["planes"][0].__setitem__(0, "turns ahead"), 'planes is .."turns ahead"'),
            (lambda m: m["config"].update(kind="transformer"), 'config.kind is "transformer", expected alphazero'),
            (lambda m: m["config"].update(heads=8), "config: it has a field 'heads'"),
            (lambda m: m.update(format=7), "has format 7; this program reads format 3")):
        with pytest.raises(BadInput, match=f"other.safetensors.*{line}"):
            Network(with_metadata(path, change))


@pytest.mark.parametrize(("change", "line"), [
    (lambda m: m.update(game=["go"]), r"plays \"\['go'\]\""),
    (lambda m: m.update(planes=[1, 2]), "planes is "),
    (lambda m: m.update(planes=[["a", 10 ** 4200]] * 20), "planes is "),
    (lambda m: m.update(planes={}), "planes is "),
    *((lambda m, size=size: m.update(size=size), "size is ") for size in (0, -5, 10**9, "9", True)),
    (lambda m: m.update(size=13), "its config: size is 9, expected 13"),
    (lambda m: m.update(config=[]), "config is "),
    (lambda m: m["config"].update(kind=[]), "config.kind is "),
    *((lambda m, filters=filters: m["config"].update(filters=filters), "filters is ") for filters in (0, 10**9, [4])),
    (lambda m: m["config"].update(layers=4000), "layers is 4000"),
    (lambda m: m["config"].update(context_layers=13), "context_layers is 13"),
    (lambda m: m["config"].update(policy_filters=8, policy_context=True, context_filters=4000), "config of 576,133,"),
    (lambda m: m["config"].update(chain_pooling=True), "--chain-pooling: only networks with"),
    (lambda m: m["config"].update(policy_context=True), "--policy-context is for networks with --policy-filters"),
    (lambda m: m["config"].update(policy_filters=8, policy_context=True, value_head=True), "--policy-context is for"),
    (lambda m: m["config"].update(value_head=1), "value_head is 1"),
    (lambda m: m["config"].update(value_head=None), "value_head is null"),
    (lambda m: m.update(best=[1]), r"best is \[1\], expected an object"),
    (lambda m: m.update(best={"positions": "many"}), 'best.positions is "many", expected an integer'),
    (lambda m: m.update(init_from=[1]), r"init_from is \[1\], expected an object"),
    (lambda m: m.update(init_from={"best": 3}), "best is 3, expected an object"),
    (lambda m: m.update(data=7), "data is 7, expected an object"),
    (lambda m: m.update(options=[1]), r"options is \[1\], expected an object"),
    (lambda m: m.update(options={"skip_batches": "many"}), 'options.skip_batches is "many", expected an integer'),
    (lambda m: m.update(options={"skip_batches": -1}), "options.skip_batches is -1, expected an integer of at least 0"),
    (lambda m: m.update(options={"batch_size": None}), "options.batch_size is null, expected an integer"),
    (lambda m: m.update(data={"split": {"seed": 0}}), "data.split has no 'validation', expected an object"),
    (lambda m: m.update(init_from={"data": {"sources": "all"}}), 'data.sources is "all", expected a list'),
    *((lambda m, name=name: m.update(name=name), "name is .*, expected a text of at most 200 printable")
      for name in (7, "a\0b", "a\x1b[31mb", "a\ud800b", "a" * 201)),
    (lambda m: m["config"].update(equivariant=True, filters=12), "--filters 12: an equivariant network"),
    (lambda m: m["config"].update(equivariant=True, filters=8, policy_filters=4), "--policy-filters 4: an equivariant"),
    (lambda m: m.update(game="gomoku", k=5, planes=[list(plane) for plane in PLANE_TABLES["gomoku"]]),
     'config.kind is "policy", expected alphazero for gomoku'),
])
def test_metadata_that_contradict_the_schema_are_refused_in_one_line(change, line, tmp_path):
    with pytest.raises(BadInput, match=line) as caught:
        Network(with_metadata(policy_file(tmp_path), change))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("filters", [5, "4", [[4]], {"4": 4}, [1] * 200])
def test_a_policy_value_network_has_a_list_of_filters(filters, tmp_path):
    with pytest.raises(BadInput, match="its config: filters is "):
        Network(with_metadata(alphazero_network(tmp_path), lambda m: m["config"].update(filters=filters)))


@pytest.mark.parametrize("k", [2, 7, "4", None, True, 4.0])
def test_a_row_that_no_board_has_is_refused(k, tmp_path):
    with pytest.raises(BadInput, match="safetensors: k is "):
        Network(with_metadata(alphazero_network(tmp_path), lambda m: m.update(k=k)))

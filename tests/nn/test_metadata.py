"""The metadata of a network's file: what does not fit this program is refused in one line."""
import tracemalloc
import zipfile

import pytest
from networks import alphazero_network, in_format_1, policy_file, rewritten, with_member, with_metadata

from mugo.core.files import BadInput
from mugo.games.game import PLANE_TABLES
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
    path = policy_file(tmp_path)
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
            (lambda metadata: metadata["config"].update(heads=8), "is not one of this program's: it has 'heads'"),
            (lambda metadata: metadata.update(format=7), "has format 7; this program reads format 2")):
        with pytest.raises(BadInput, match=line):
            Network(with_metadata(path, change))


def test_a_network_of_an_earlier_version_gets_one_line_that_says_what_to_do(tmp_path):
    path = policy_file(tmp_path)
    with pytest.raises(BadInput, match=r"earlier.keras was written by an earlier version of MuGo \(format 1\): train") \
            as caught:
        Network(in_format_1(path))
    assert "\n" not in str(caught.value)
    with pytest.raises(metadata.OtherFormat):
        read_metadata(in_format_1(path))


@pytest.mark.parametrize(("name", "content", "line"), [
    (metadata.ONNX, None, "damaged: Bad CRC-32"),
    (metadata.ONNX, b"nonsense", "its network.onnx cannot be played: "),
    (METADATA, b"[]", "its mugo_metadata.json is no JSON object"),
    (METADATA, b'{"format": 2}', "its mugo_metadata.json has no 'planes'"),
    (METADATA, None, "is not a MuGo network, or is damaged: Bad CRC-32"),
])
def test_a_damaged_network_is_refused_in_one_line(tmp_path, name, content, line):
    with pytest.raises(BadInput, match=line) as caught:
        Network(with_member(policy_file(tmp_path), name, content))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_network_is_refused(tmp_path):
    (tmp_path / "x.keras").write_bytes(b"PK nonsense")
    with pytest.raises(BadInput, match="x.keras is not a MuGo network, or is damaged"):
        Network(tmp_path / "x.keras")
    with pytest.raises(BadInput, match="is not a MuGo network"):
        read_metadata(rewritten(policy_file(tmp_path), mugo_metadata=lambda data: b"{"))


def test_positions_trained_include_those_of_the_networks_it_was_initialised_from():
    first = {"best": {"positions": 100}}
    second = {"best": {"positions": 20}, "init_from": first}
    assert metadata.positions_trained({"best": {"positions": 3}, "init_from": second}) == 123
    assert metadata.positions_trained({"best": None}) == 0


@pytest.mark.parametrize(("change", "line"), [
    (lambda m: m.update(game=["go"]), r"plays \"\['go'\]\""),
    (lambda m: m.update(planes=[1, 2]), "its table of planes is none"),
    (lambda m: m.update(planes=[["a", 10 ** 4200]] * 20), "its table of planes is none"),
    (lambda m: m.update(planes={}), "has no 'planes'"),
    (lambda m: m.update(size=0), "for boards of size 0"),
    (lambda m: m.update(size=-5), "for boards of size -5"),
    (lambda m: m.update(size=10**9), "for boards of size 1000000000"),
    (lambda m: m.update(size="9"), "has no 'size'"),
    (lambda m: m.update(size=True), "for boards of size True"),
    (lambda m: m.update(size=13), "its config has size 9, not 13"),
    (lambda m: m.update(config=[]), "has no 'config'"),
    (lambda m: m["config"].update(kind=[]), "is a network of kind '\\[\\]'"),
    (lambda m: m["config"].update(filters=0), "filters is 0"),
    (lambda m: m["config"].update(filters=10**9), "filters is 1000000000"),
    (lambda m: m["config"].update(filters=[4]), r"filters is \[4\]"),
    (lambda m: m["config"].update(layers=4000), "layers is 4000"),
    (lambda m: m["config"].update(context_layers=13), "context_layers is 13"),
    (lambda m: m["config"].update(policy_filters=8, policy_context=True, context_filters=4000), "config of 576,000,"),
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


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_would_be_unpacked_whole_is_not(method, tmp_path):
    """A block of bzip2 or LZMA can hold gigabytes, whatever the archive says."""
    path = tmp_path / "bomb.keras"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(METADATA, b" " * (50 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match=f"or is damaged: compressed by method {method}, expected 8, deflate"):
            Network(path)
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("k", [2, 7, "4", None, True, 4.0])
def test_a_row_that_no_board_has_is_refused(k, tmp_path):
    with pytest.raises(BadInput, match="plays Gomoku with k = "):
        Network(with_metadata(alphazero_network(tmp_path), lambda m: m.update(k=k)))


def test_metadata_nested_deeper_than_python_reads_and_larger_than_the_limit_are_refused(tmp_path, monkeypatch):
    path = policy_file(tmp_path)
    deep = b'{"format": 2, "size": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    with pytest.raises(BadInput, match="recursion"):
        read_metadata(with_member(path, METADATA, deep))
    monkeypatch.setattr(metadata, "MAX_METADATA_BYTES", 1 << 20)
    with pytest.raises(BadInput, match="has more than 1 MB, the limit"):
        read_metadata(with_member(path, METADATA, b" " * (2 << 20)))


def test_every_flipped_bit_of_a_directory_entry_is_refused_or_changes_nothing(tmp_path):
    """Versions, methods, flags and sizes of the archive: tracebacks of zipfile of many types."""
    path = alphazero_network(tmp_path)
    content = path.read_bytes()
    expected = read_metadata(path)
    start = content.rfind(b"PK\x01\x02", 0, content.rfind(METADATA.encode()))
    other = tmp_path / "flipped.keras"
    for bit in range(8 * 46):
        flipped = bytearray(content)
        flipped[start + bit // 8] ^= 1 << bit % 8
        other.write_bytes(flipped)
        try:
            assert read_metadata(other) == expected
        except BadInput as error:
            assert "\n" not in str(error)

"""Files of networks: what is not a network, damaged, hostile or of another program is refused in one line."""
import json
import struct
import tracemalloc

import numpy as np
import pytest
from networks import alphazero_network, damaged, policy_file, rewritten, with_metadata

from mugo.core.files import BadInput
from mugo.games.game import PLANE_TABLES
from mugo.nn import network_file
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.inference import Network
from mugo.nn.network_file import TensorFile, new_metadata, read_metadata, write_tensors


def refusal(path) -> str:
    with pytest.raises(BadInput) as caught:
        Network(path, threads=1)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
    return str(caught.value)


def with_header(path, change, name: str = "other") -> object:
    """A copy of a file whose header change(header) has changed, with the numbers as they were."""
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    change(header)
    text = json.dumps(header).encode()
    other = path.with_name(f"{name}.safetensors")
    other.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length:])
    return other


def test_what_is_written_is_read_and_the_same_bytes_are_written_again(tmp_path):
    arrays = {"b": np.arange(6, dtype=np.float32).reshape(2, 3).T, "a": np.array(7, np.int64)}
    for name in "xy":
        write_tensors(tmp_path / name, arrays, {"name": "net", "history": [1.5]})
    file = TensorFile(tmp_path / "x")
    assert file.metadata() == {"name": "net", "history": [1.5]}
    assert file.shapes == {"a": ("I64", ()), "b": ("F32", (3, 2))}
    assert all(np.array_equal(array, arrays[name]) for name, array in file.read().items())
    assert list(file.read(["b"])) == ["b"]
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


@pytest.mark.parametrize(("content", "line"), [
    (b"", "is damaged: it does not begin with the length of a header, of 16 MB at most"),
    (b"nonsense, and more of it", "it does not begin with the length of a header"),
    (struct.pack("<Q", 1 << 40) + b"{}", "it does not begin with the length of a header"),
    (struct.pack("<Q", 1000) + b"{}", "is not a MuGo network, or is damaged"),
    (struct.pack("<Q", 2) + b"{}", "is not a MuGo network: its header has no 'mugo' and 'crc32'"),
    (struct.pack("<Q", 2) + b"[]", "is not a MuGo network, or is damaged"),
    (struct.pack("<Q", 2) + b"\xff\xff", "is not a MuGo network, or is damaged"),
])
def test_a_file_that_is_no_network_is_refused(tmp_path, content, line):
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    assert line in refusal(path)


def test_a_header_is_read_up_to_its_limit(tmp_path, monkeypatch):
    path = policy_file(tmp_path)
    monkeypatch.setattr("mugo.nn.network_file.MAX_HEADER_BYTES", 100)
    assert "of 0 MB at most" in refusal(path)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=r"would have a header of \d+ bytes with its metadata; at most 100 are read"):
        network_file.write_tensors(path, {}, {"history": [1.5] * 30})
    assert path.read_bytes() == before


def test_every_cut_file_is_refused(tmp_path):
    path = alphazero_network(tmp_path)
    data, other = path.read_bytes(), tmp_path / "cut.safetensors"
    for length in (*range(0, 3000, 97), len(data) // 2, len(data) - 1):
        other.write_bytes(data[:length])
        assert "is not a MuGo network, or is damaged" in refusal(other)
    other.write_bytes(data + b"\0")
    assert "is not a MuGo network, or is damaged" in refusal(other)


def test_changed_numbers_and_metadata_do_not_fit_their_checksums(tmp_path):
    path = policy_file(tmp_path)
    assert "its numbers do not fit their checksum" in refusal(damaged(path))
    data, other = path.read_bytes(), path.with_name("changed.safetensors")
    other.write_bytes(data.replace(b'\\"size\\": 9', b'\\"size\\": 5'))
    assert "its metadata do not fit their checksum" in refusal(other)


def test_tensors_of_other_places_sizes_and_types_are_refused(tmp_path):
    path = policy_file(tmp_path)
    numbers = len(path.read_bytes())

    def places(name, start, end):
        return lambda header: header[name].update(data_offsets=[start, end])

    def of_terabytes(header):
        header["conv0/kernel"].update(shape=[1 << 20, 1 << 20, 48, 4], data_offsets=[0, 1 << 48])

    for change in (places("conv0/kernel", 0, 4), places("conv0/kernel", numbers, 2 * numbers),
                   places("conv1/kernel", 0, 576), of_terabytes,
                   lambda header: header["conv0/kernel"].update(dtype="F64"),
                   lambda header: header.pop("conv0/kernel")):
        tracemalloc.start()
        assert "is not a MuGo network, or is damaged: " in refusal(with_header(path, change))
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
        tracemalloc.stop()


@pytest.mark.parametrize(("change", "line"), [
    (lambda arrays: arrays.pop("conv0/kernel"), "its weights are not those of its network: it has no conv0/kernel"),
    (lambda arrays: arrays.update(more=np.zeros(1 << 20, np.float32)), "it has 'more' too"),
    (lambda arrays: arrays.update({"a\nb": np.zeros(1, np.float32)}), r"it has 'a\nb' too"),
    (lambda arrays: arrays.update({"pass/bias": np.zeros(2, np.float32)}), "its pass/bias is F32 of shape (2,), ex"),
    (lambda arrays: arrays.update({"pass/bias": np.zeros(1, np.float64)}), "its pass/bias is F64 of shape (1,), ex"),
    (lambda arrays: arrays.update({"pass/bias": np.float32([np.nan])}), "pass/bias of this network is infinite or"),
    (lambda arrays: arrays.update({"pass/bias": np.float32([1e30])}), "its weights 'pass' are not finite numbers"),
    (lambda arrays: arrays["batch_norm0/moving_variance"].fill(-1), "'conv0' are not finite numbers of at most"),
])
def test_weights_that_are_not_those_of_the_network_are_refused_in_one_line(tmp_path, change, line):
    def changed(arrays):
        arrays.update({name: array.copy() for name, array in arrays.items()})
        change(arrays)

    assert line in refusal(rewritten(policy_file(tmp_path), tensors=changed))


def test_metadata_that_are_nested_deeper_than_python_reads_are_refused(tmp_path):
    path, text = policy_file(tmp_path), "[" * 200_000
    deep = with_header(path, lambda header: header["__metadata__"].update(
        mugo=text, crc32=network_file._checksum_of_text(text)))
    assert "recursion" in refusal(deep)
    for metadata, line in (("[]", "its metadata are no JSON object"), ("{", "its metadata: Expecting"),
                           ('{"format": 3}', "its metadata are not those of a network: 'size'")):
        other = with_header(path, lambda header, text=metadata: header["__metadata__"].update(
            mugo=text, crc32=network_file._checksum_of_text(text)))
        assert line in refusal(other)


def test_a_config_is_read_as_it_was_written(tmp_path):
    config = PolicyNetConfig(size=9, filters=4, value_head=True)
    assert config_of(new_metadata(config)) == config
    path = alphazero_network(tmp_path)
    assert read_metadata(path)["config"]["kind"] == "alphazero"
    assert config_of(read_metadata(path)).filters == (4, 6)


def test_files_of_unknown_games_kinds_planes_and_hyperparameters_are_refused(tmp_path):
    path = alphazero_network(tmp_path)
    for change, line in (
            (lambda m: m.update(game="chess"), "game is 'chess', which no network of this program has"),
            (lambda m: m.update(planes=m["planes"][:1]), "planes is .*, which no network of this program has"),
            (lambda m: m["planes"][0].__setitem__(0, "turns ahead"), "planes is ..'turns ahead'"),
            (lambda m: m["config"].update(kind="transformer"), "config.kind is 'transformer', which"),
            (lambda m: m["config"].update(heads=8), "unexpected keyword argument 'heads'"),
            (lambda m: m.update(format=7), "has format 7; this program reads format 3")):
        with pytest.raises(BadInput, match=f"other.safetensors.*{line}"):
            Network(with_metadata(path, change))


@pytest.mark.parametrize(("change", "line"), [
    (lambda m: m.update(game=["go"]), r"game is \['go'\]"),
    (lambda m: m.update(planes=[["a", 10 ** 4200]] * 20), "planes is "),
    *((lambda m, size=size: m.update(size=size), "size is ") for size in (0, 10**9, "9", True)),
    (lambda m: m.update(size=13), "config.size is 9"),
    (lambda m: m.update(config=[]), "are not those of a network"),
    (lambda m: m["config"].update(kind=[]), "are not those of a network"),
    *((lambda m, filters=filters: m["config"].update(filters=filters), "filters is ") for filters in (0, [4])),
    (lambda m: m["config"].update(policy_filters=8, policy_context=True, context_filters=4000), "config of 576,133,"),
    (lambda m: m["config"].update(policy_context=True), "--policy-context is for networks with --policy-filters"),
    (lambda m: m["config"].update(value_head=1), "value_head is 1"),
    *((lambda m, name=name: m.update(name=name), "name is ") for name in ("a\0b", "a\x1b[31mb", "a\ud800b", "a" * 201)),
    (lambda m: m.update(name=7), "are not those of a network"),
    (lambda m: m["config"].update(equivariant=True, filters=12), "--filters 12: an equivariant network"),
    (lambda m: m.update(game="gomoku", k=5, planes=[list(plane) for plane in PLANE_TABLES["gomoku"]]),
     "config.kind is 'policy', which this program does not know for gomoku"),
])
def test_metadata_of_no_network_are_refused_in_one_line(change, line, tmp_path):
    with pytest.raises(BadInput, match=line) as caught:
        Network(with_metadata(policy_file(tmp_path), change))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("filters", [5, "4", [[4]], {"4": 4}, [1] * 200])
def test_a_policy_value_network_has_a_list_of_filters(filters, tmp_path):
    with pytest.raises(BadInput, match="filters is |are not those of a network"):
        Network(with_metadata(alphazero_network(tmp_path), lambda m: m["config"].update(filters=filters)))


@pytest.mark.parametrize("k", [2, 7, "4", None, True, 4.0])
def test_a_row_that_no_board_has_is_refused(k, tmp_path):
    with pytest.raises(BadInput, match="safetensors: k is "):
        Network(with_metadata(alphazero_network(tmp_path), lambda m: m.update(k=k)))

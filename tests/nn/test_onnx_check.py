"""Graphs from files: only those that this program writes for the network's hyperparameters, with finite weights."""
import zipfile

import numpy as np
import pytest
from networks import alphazero_network, policy_network, with_member
from onnx import TensorProto, helper, numpy_helper

from mugo.files import BadInput
from mugo.nn import metadata
from mugo.nn.bundled import find_network, network_folders
from mugo.nn.inference import Network
from mugo.nn.metadata import config_of, read_metadata
from mugo.nn.onnx_check import GraphOutline, check_graph


def graph_of(path):
    with zipfile.ZipFile(path) as archive:
        return archive.read(metadata.ONNX)


def spec_of(path):
    return config_of(read_metadata(path)).spec()


def changed(path, change):
    """A copy of a network's file with its graph, an onnx.ModelProto, changed."""
    from onnx import load_model_from_string

    model = load_model_from_string(graph_of(path))
    change(model)
    return with_member(path, metadata.ONNX, model.SerializeToString())


@pytest.mark.parametrize("fields", [{}, {"value_head": True}, {"batch_norm": False}, {"global_pooling": False},
                                    {"residual": True, "layers": 7}, {"equivariant": True, "filters": 8}])
def test_every_policy_network_that_is_exported_is_accepted(fields, tmp_path):
    _, path = policy_network(tmp_path, **fields)
    check_graph(graph_of(path), spec_of(path))


@pytest.mark.parametrize("fields", [{}, {"batch_norm": True}, {"filters": (4,)}])
def test_every_policy_value_network_that_is_exported_is_accepted(fields, tmp_path):
    path = alphazero_network(tmp_path, **fields)
    check_graph(graph_of(path), spec_of(path))


def test_the_bundled_networks_are_accepted_and_no_other_networks_graph_is():
    paths = [path for folder in network_folders() for path in folder.glob("*.keras")]
    assert len(paths) >= 6
    for path in paths:
        check_graph(graph_of(path), spec_of(path))
    with pytest.raises(ValueError, match="its node|nodes|weights"):
        check_graph(graph_of(find_network("policy-19")), spec_of(find_network("gomoku-8-5")))


def _weights(model, name="conv1_w"):
    return next(tensor for tensor in model.graph.initializer if tensor.name == name)


def _set_weight(value):
    def change(model):
        tensor = _weights(model)
        array = numpy_helper.to_array(tensor).copy()
        array.flat[3] = value
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    return change


def _external(model):
    tensor = _weights(model)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "secret.bin"


def _large_constant(model):
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [0.0])
    model.graph.initializer.append(numpy_helper.from_array(np.array([2_000_000_000], np.int64), "shape"))
    model.graph.node.insert(0, helper.make_node("ConstantOfShape", ["shape"], ["large"], value=value))


def _loop(model):
    model.graph.node[0].op_type = "Loop"


def _rename_input(model):
    model.graph.input[0].name = "stones"
    model.graph.node[0].input[0] = "stones"


def _rename_output(model):
    model.graph.output[0].name = "points"


def _swap_inputs(model):
    node = next(node for node in model.graph.node if node.op_type == "Gemm")
    node.input[1], node.input[2] = node.input[2], node.input[1]


def _pad(model):
    node = next(node for node in model.graph.node if node.op_type == "Conv")
    for attribute in node.attribute:
        if attribute.name == "pads":
            attribute.ints[:] = [100_000] * 4


def _shape(model):
    _weights(model).dims[0] = 1 << 40


def _function(model):
    model.functions.add().name = "f"


def _subgraph(model):
    attribute = model.graph.node[0].attribute.add()
    attribute.name = "body"
    attribute.g.name = "body"


def _double(model):
    model.graph.initializer.append(_weights(model))


@pytest.mark.parametrize(("change", "line"), [
    (_set_weight(np.nan), "'conv1_w' are not finite"), (_set_weight(np.inf), "not finite"),
    (_set_weight(1e38), "not finite numbers of at most 1e"), (_external, "field of number 13"),
    (_large_constant, "an attribute has a field of"), (_loop, "its node Loop"), (_rename_input, "its node Cast"),
    (_rename_output, "its outputs are not policy"), (_swap_inputs, "its node Gemm"), (_pad, "an attribute of a node"),
    (_shape, "bytes, not of shape"), (_function, "the model has a field of number 25"),
    (_subgraph, "an attribute has a field of number 6"), (_double, "its weights are not those"),
    (lambda model: model.graph.node.pop(), "its network has"),
    (lambda model: model.ClearField("graph"), "it has no graph"),
    (lambda model: model.metadata_props.pop(), "no bias of the points"),
    (lambda model: setattr(model.metadata_props[0], "value", "[1, 2]"), "its bias of the points is not 81"),
    (lambda model: setattr(model.metadata_props[0], "value", "[" * 100_000), "its bias of the points"),
    (lambda model: setattr(model.metadata_props[0], "value", str([1e39] * 81)), "its bias of the points"),
])
def test_any_other_graph_is_refused_in_one_line_before_it_runs(change, line, tmp_path):
    path = changed(policy_network(tmp_path)[1], change)
    with pytest.raises(BadInput, match=line) as caught:
        Network(path)
    assert "\n" not in str(caught.value) and "network.onnx cannot be played" in str(caught.value)


def test_truncated_and_flipped_graphs_are_refused_or_differ_in_a_weight(tmp_path):
    _, path = policy_network(tmp_path)
    graph, spec = graph_of(path), spec_of(path)
    rng = np.random.default_rng(0)
    for cut in rng.integers(0, len(graph), 50):
        with pytest.raises(ValueError):
            check_graph(graph[:cut], spec)
    for place in rng.integers(0, len(graph), 500):
        flipped = bytearray(graph)
        flipped[place] ^= 1 << int(rng.integers(8))
        try:
            check_graph(bytes(flipped), spec)
        except ValueError as error:
            assert "\n" not in str(error)


def test_the_outline_has_the_nodes_that_are_written(tmp_path):
    from onnx import load_model_from_string

    _, path = policy_network(tmp_path, value_head=True)
    model = load_model_from_string(graph_of(path))
    assert [(node.op_type, tuple(node.input), node.output[0]) for node in model.graph.node] \
        == GraphOutline(spec_of(path)).nodes

"""Graphs from files: only those that this program writes for the network's hyperparameters, with finite weights."""
import zipfile

import numpy as np
import pytest
from networks import alphazero_network, policy_file, policy_network, with_member
from onnx import TensorProto, helper, numpy_helper

from mugo.core.files import BadInput
from mugo.nn import checkpoint, metadata
from mugo.nn.bundled import find_network, network_folders
from mugo.nn.inference import Network
from mugo.nn.metadata import config_of, read_metadata
from mugo.nn.onnx_check import GraphOutline, check_graph
from mugo.nn.weight_shapes import weight_shapes


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
    path = policy_file(tmp_path, **fields)
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
    with pytest.raises(ValueError, match="its node|nodes|weights|operators"):
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


def _attribute(kind, name, value):
    def change(model):
        for node in model.graph.node:
            for attribute in node.attribute:
                if (node.op_type, attribute.name) == (kind, name):
                    if isinstance(value, bytes):
                        attribute.s = value
                    elif attribute.ints:
                        attribute.ints[:] = value
                    else:
                        attribute.i = value
    return change


def _without_pads(model):
    for node in model.graph.node:
        if node.op_type == "Conv":
            del node.attribute[:]


def _weight_shape(name, shape):
    def change(model):
        tensor = _weights(model, name)
        tensor.CopyFrom(numpy_helper.from_array(np.zeros(shape, np.float32), name))
    return change


def _integers(model):
    tensor = _weights(model, "filters_shape")
    tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[::-1].copy(), tensor.name))


def _input_type(model):
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.INT64


def _input_shape(model):
    del model.graph.input[0].type.tensor_type.shape.dim[3]


def _opset(model):
    model.opset_import[0].version = 12


def _double(model):
    model.graph.initializer.append(_weights(model))


@pytest.mark.parametrize(("change", "line"), [
    (_set_weight(np.nan), "'conv1_w' are not finite"), (_set_weight(np.inf), "not finite"),
    (_set_weight(1e38), "not finite numbers of at most 1e"), (_external, "field of number 13"),
    (_large_constant, "an attribute has a field of"), (_loop, "its node Loop"), (_rename_input, "its node Cast"),
    (_rename_output, "its outputs are not policy"), (_swap_inputs, "its node Gemm"),
    (_pad, "its node Conv -> conv0 has other attributes"), (_shape, "'conv1_w', of shape .1099511627776, .* not those"),
    (_function, "the model has a field of number 25"),
    (_subgraph, "an attribute has a field of number 6"), (_double, "its weights are not those"),
    (_attribute("Conv", "pads", [0] * 4), "its node Conv -> conv0 has other attributes"),
    (_attribute("Softmax", "axis", 0), "Softmax -> policy has other attributes"),
    (_attribute("Transpose", "perm", [0, 3, 2, 1]), "Transpose -> nchw has other attributes"),
    (_without_pads, "Conv -> conv0 has other attributes"), (_integers, "its constant 'filters_shape'"),
    (_weight_shape("conv0_b", 0), "'conv0_b', of shape"), (_weight_shape("pass_b", ()), "'pass_b', of shape"),
    (_weight_shape("conv1_b", 40), "'conv1_b', of shape .40,"),
    (_input_type, "its inputs are not planes and point_bias"),
    (_input_shape, "its inputs are not"), (_opset, "it is not of ONNX version 8 with operators 17"),
    (lambda model: model.graph.node.pop(), "its network has"),
    (lambda model: model.ClearField("graph"), "it has no graph"),
    (lambda model: model.metadata_props.pop(), "no bias of the points"),
    (lambda model: setattr(model.metadata_props[0], "value", "[1, 2]"), "its bias of the points is not 81"),
    (lambda model: setattr(model.metadata_props[0], "value", "[" * 100_000), "its bias of the points"),
    (lambda model: setattr(model.metadata_props[0], "value", str([1e39] * 81)), "its bias of the points"),
])
def test_any_other_graph_is_refused_in_one_line_before_it_runs(change, line, tmp_path):
    path = changed(policy_file(tmp_path), change)
    with pytest.raises(BadInput, match=line) as caught:
        Network(path)
    assert "\n" not in str(caught.value) and "network.onnx cannot be played" in str(caught.value)


@pytest.mark.parametrize(("change", "line"), [
    (_set_weight(np.nan), "'conv1_w' are not finite"), (_opset, "it is not of ONNX version 8 with operators 18"),
    (_attribute("ScatterND", "reduction", b"none"), "its node ScatterND -> component_sizes has other attributes"),
    (_attribute("Gather", "axis", 1), "its node Gather -> sizes has other attributes")])
def test_a_changed_graph_that_pools_over_chains_is_refused(change, line, tmp_path):
    fields = {"policy_filters": 8, "policy_context": True, "chain_pooling": True}
    Network(policy_file(tmp_path, "whole", **fields))
    with pytest.raises(BadInput, match=line):
        Network(changed(policy_file(tmp_path, **fields), change))


def test_truncated_and_flipped_graphs_are_refused_or_differ_in_a_weight(tmp_path):
    path = policy_file(tmp_path)
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


@pytest.mark.parametrize("fields", [{"value_head": True}, {"global_pooling": False, "residual": True}])
def test_the_outline_has_the_nodes_that_are_written(fields, tmp_path):
    from onnx import load_model_from_string

    path = policy_file(tmp_path, **fields)
    model, outline = load_model_from_string(graph_of(path)), GraphOutline(spec_of(path))
    assert [(node.op_type, tuple(node.input), node.output[0]) for node in model.graph.node] \
        == [node[:3] for node in outline.nodes]
    assert {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer} \
        == {name: shape for name, (shape, _) in outline.constants.items()}


@pytest.mark.parametrize("fields", [{"value_head": True}, {"batch_norm": False, "residual": True}])
def test_the_shapes_of_weights_are_those_of_the_keras_model(fields, tmp_path):
    model, path = policy_network(tmp_path, **fields)
    assert weight_shapes(spec_of(path)) == shapes_of(model)
    path = alphazero_network(tmp_path, batch_norm=True)
    assert weight_shapes(spec_of(path)) == shapes_of(checkpoint.load(path))


def shapes_of(model):
    return {layer.name: [tuple(array.shape) for array in layer.get_weights()]
            for layer in model.layers if layer.get_weights()}

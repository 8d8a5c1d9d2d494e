"""Quantised graphs: they compute what integers would, on every board, and only right ones are opened."""
import json
import zipfile

import numpy as np
import pytest
from networks import (
    alphazero_model,
    policy_file,
    policy_network,
    random_model,
    random_positions,
    with_member,
    with_metadata,
)

from mugo.core.files import BadInput
from mugo.nn import checkpoint, metadata, range_calibration, runtime
from mugo.nn.equivariance import orbits, symmetrise
from mugo.nn.inference import Network
from mugo.nn.metadata import config_of, new_metadata, read_metadata
from mugo.nn.onnx_check import GraphOutline, check_graph
from mugo.nn.onnx_export import to_onnx
from mugo.nn.policy_net import PolicyNetConfig
from mugo.nn.quantization import MIN_WEIGHT_SCALE, activation_scale, check_ranges, quantize_bias, quantize_weights
from mugo.nn.range_calibration import compare, equivariance_error, measure_corrections, measure_ranges, quantize

pytestmark = pytest.mark.skipif(not runtime.has_exact_int8(), reason="this processor has no VNNI instructions")
CONFIG = PolicyNetConfig(9, 8, value_head=True, komi_input=True, residual=True, chain_pooling=True, equivariant=True)


def member(path, name):
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def graph_of(path):
    from onnx import load_model_from_string

    return load_model_from_string(member(path, metadata.ONNX_INT8))


def constant(graph, name):
    from onnx import numpy_helper

    return numpy_helper.to_array(next(tensor for tensor in graph.graph.initializer if tensor.name == name))


def new_model():
    """An equivariant model with all heads, whose activations stay small."""
    model = random_model(CONFIG)
    model.set_weights([weight * 0.4 if weight.ndim == 4 else weight for weight in model.get_weights()])
    symmetrise(model, CONFIG.spec().weight_axes())
    return model


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """(model, file) of such a network, quantised."""
    model, path = new_model(), tmp_path_factory.mktemp("int8") / "net.keras"
    checkpoint.export(model, path, new_metadata(CONFIG), random_positions(48, CONFIG))
    return model, path


# ---- numbers

@pytest.mark.parametrize(("low", "high", "scale", "zero_point"), [(0, 2.55, 0.01, 0), (-1, 1.55, 0.01, 100),
                                                                  (-2.55, 0, 0.01, 255), (-5, 250, 1, 5)])
def test_an_activation_has_255_steps_over_its_range_and_0_is_one_of_them(low, high, scale, zero_point):
    found = activation_scale(low, high)
    assert found.scale == pytest.approx(scale) and found.zero_point == zero_point


def test_each_filter_has_a_scale_by_its_largest_weight():
    kernel = np.array([[0.5, -1.27], [0.0127, 0.0], [0.0, 0.0]], np.float32)
    weights, scale = quantize_weights(kernel)
    assert weights.tolist() == [[50, -127], [127, 0], [0, 0]] and weights.dtype == np.int8
    assert scale.tolist() == pytest.approx([0.01, 0.0001, MIN_WEIGHT_SCALE])
    weights, scale = quantize_weights(kernel, np.array([0.005, 0.001, 0.5]))     # for their biases
    assert weights.tolist() == [[50, -127], [13, 0], [0, 0]] and scale.tolist() == pytest.approx([0.01, 0.001, 0.5])
    assert quantize_bias(np.array([0.26, -1e9]), np.array([0.1, 1e-3])).tolist() == [3, -2 ** 30]


# ---- what a graph computes

def convolve(x, kernel, padding):
    """int64 (filters, rows, columns): the sums of a convolution of integers, one point and offset at a time."""
    filters, _, width, _ = kernel.shape
    edge = width // 2
    rows, columns = x.shape[1:]
    padded = np.full((len(x), rows + 2 * edge, columns + 2 * edge), padding, np.int64)
    padded[:, edge:edge + rows, edge:edge + columns] = x
    sums = np.zeros((filters, rows, columns), np.int64)
    for row in range(rows):
        for column in range(columns):
            window = padded[:, row:row + width, column:column + width]
            for f in range(filters):
                sums[f, row, column] = (kernel[f].astype(np.int64) * (window - padding)).sum()
    return sums


@pytest.mark.parametrize(("low", "residual"), [(0, False), (-1, False), (0, True)])
def test_a_quantised_convolution_is_that_of_the_integers_with_the_zero_point_around_the_board(low, residual):
    """Where the range of an input goes below 0, its zero point is not 0, and the padding is that zero point.

    residual: the convolution's output is added to its input, before ReLU, so that it has a sign.
    """
    config = PolicyNetConfig(5, 4, 4, batch_norm=False, global_pooling=False, residual=residual)
    tensor = "conv1" if residual else "relu1"
    weights, spec = checkpoint.onnx_weights(random_model(config)), config.spec()
    about, positions = new_metadata(config), random_positions(3, config)
    ranges = measure_ranges(weights, about, positions) | {"relu0": (float(low), 2.0)}
    inner = Network.from_graph(to_onnx(weights, spec, ranges, {}, ["relu0_dq", f"{tensor}_dq"]), about)
    outputs = inner.run(positions.packed)
    of_input, of_output = activation_scale(*ranges["relu0"]), activation_scale(*ranges[tensor])
    assert (of_output.zero_point > 0) == residual
    kernel, bias = weights["conv1"]
    kernel, scale = quantize_weights(kernel.transpose(3, 2, 0, 1))
    bias = quantize_bias(bias, of_input.scale * scale)
    for x, found in zip(outputs["relu0_dq"], outputs[f"{tensor}_dq"], strict=True):
        x = np.rint(x / of_input.scale).astype(np.int64) + int(of_input.zero_point)
        sums = convolve(x, kernel, int(of_input.zero_point)) + bias[:, None, None]
        real = sums * (of_input.scale * scale)[:, None, None].astype(np.float64)
        steps = (real if residual else np.maximum(real, 0)) / of_output.scale
        exact = np.abs(steps - np.floor(steps) - 0.5) > 1e-3             # not where rounding decides
        expected = np.clip(np.rint(steps) + of_output.zero_point, 0, 255)
        assert exact.mean() > 0.9 and (x != x.flat[0]).any()
        assert np.array_equal((np.rint(found / of_output.scale) + of_output.zero_point)[exact], expected[exact])


def test_outputs_are_close_to_those_of_float32_on_boards_of_every_size(network):
    _, path = network
    float32, int8 = Network(path, 1, "float32"), Network(path, 1, "int8")
    for size in (2, 5, 9, 13, 19):
        positions = random_positions(4, PolicyNetConfig(size, 8, value_head=True, komi_input=True), seed=size)
        ours, theirs = (net.evaluate_packed(positions.packed, positions.features) for net in (int8, float32))
        assert 0 < np.abs(ours.priors - theirs.priors).max() < 0.05
        if size <= 9:                    # on larger boards, random weights add up to more than was calibrated for
            assert 0 < np.abs(ours.ownership - theirs.ownership).max() < 0.2


def test_tied_weights_stay_tied_and_outputs_turn_with_the_board(network):
    _, path = network
    graph, axes = graph_of(path), CONFIG.spec().weight_axes()
    for conv in GraphOutline(CONFIG.spec()).quantized_convs:
        weights = constant(graph, f"{conv}_w").transpose(2, 3, 1, 0)
        members, _ = orbits(axes[f"{conv}/kernel"], weights.shape)
        assert (np.ptp(weights.ravel()[members].astype(int), axis=0) == 0).all(), conv
        scale = constant(graph, f"{conv}_w_scale")
        bias = constant(graph, f"{conv}_b")
        assert np.ptp(scale.reshape(8, -1), axis=0).max() == 0 and np.ptp(bias.reshape(8, -1), axis=0).max() == 0, conv
    assert equivariance_error(Network(path, 1, "int8"), random_positions(8, CONFIG, 5)) < 1e-3
    plain = policy_file(path.parent, "plain", True)                # not equivariant
    assert equivariance_error(Network(plain, 1, "int8"), random_positions(8, PolicyNetConfig(9, 4), 5)) > 0.01


def test_sums_and_the_convolutions_to_one_plane_stay_float32(network):
    graph = graph_of(network[1])
    made_by = {node.output[0]: node for node in graph.graph.node}
    for name in ("policy_conv", "ownership_conv"):
        assert not made_by[name].input[1].endswith("_dq")
    for name in ("conv0", "conv1", "value_conv", "value_conv4"):
        assert [made_by[tensor].op_type for tensor in made_by[name].input] == ["DequantizeLinear"] * 3
    assert made_by["residual1"].op_type == "Add"


def test_corrected_biases_bring_the_means_of_filters_close_to_float32s():
    weights, about, positions = checkpoint.onnx_weights(new_model()), new_metadata(CONFIG), \
        random_positions(32, CONFIG)
    ranges = measure_ranges(weights, about, positions)
    corrections = measure_corrections(weights, about, ranges, positions)
    convs = GraphOutline(CONFIG.spec()).quantized_convs
    assert corrections.keys() == {*convs, "ownership_conv", "value_hidden"}

    def means(ranges, corrections):
        ending = "_dq" if ranges else ""
        graph = to_onnx(weights, CONFIG.spec(), ranges, corrections, [tensor + ending for tensor in convs.values()])
        outputs = Network.from_graph(graph, about).run(positions.packed, positions.features)
        return np.concatenate([outputs[tensor + ending].mean((0, 2, 3)) for tensor in convs.values()])

    expected = means(None, {})
    before, after = (np.sqrt(np.mean((means(ranges, which) - expected) ** 2)) for which in ({}, corrections))
    assert after < before / 2
    assert all(np.ptp(corrections[conv].reshape(8, -1), axis=0).max() == 0 for conv in convs)


def test_corrected_layers_of_the_value_head_bring_lead_and_value_close_to_float32s():
    """With ranges that are too narrow, so that the corrected filters still have other maxima."""
    weights, about, positions = checkpoint.onnx_weights(new_model()), new_metadata(CONFIG), random_positions(64, CONFIG)
    ranges = {tensor: (low / 2, high / 2) for tensor, (low, high) in
              measure_ranges(weights, about, positions).items()}
    corrections = measure_corrections(weights, about, ranges, positions)

    def means(ranges, corrections):
        """Of lead and of the units of the hidden layer."""
        graph = to_onnx(weights, CONFIG.spec(), ranges, corrections, (), ("lead", "value_hidden"))
        outputs = Network.from_graph(graph, about).run(positions.packed, positions.features)
        return outputs["lead"].mean(), outputs["value_hidden"].mean(0)

    lead, hidden = means(None, {})
    convs = GraphOutline(CONFIG.spec()).quantized_convs
    off = []
    for which in {conv: corrections[conv] for conv in convs}, corrections:
        found_lead, found_hidden = means(ranges, which)
        off.append((abs(found_lead - lead), np.abs(found_hidden - hidden).max()))
    assert off[1][0] < off[0][0] / 4 and off[1][1] < off[0][1] / 100


def test_ranges_hold_the_least_and_greatest_values_of_calibration():
    weights, about, positions = checkpoint.onnx_weights(new_model()), new_metadata(CONFIG), \
        random_positions(70, CONFIG)                     # more than a batch
    ranges = measure_ranges(weights, about, positions)
    graph = to_onnx(weights, CONFIG.spec(), extra_outputs=ranges)
    outputs = Network.from_graph(graph, about).run(positions.packed, positions.features)
    for tensor, (low, high) in ranges.items():
        assert (low, high) == pytest.approx((min(0, outputs[tensor].min()), outputs[tensor].max()), rel=1e-5)
    assert any(low < 0 for low, _ in ranges.values())


def test_figures_compare_both_graphs_on_positions_that_were_not_calibrated_on(network):
    model, path = network
    weights, about = checkpoint.onnx_weights(model), new_metadata(CONFIG)
    rng = np.random.default_rng(0)
    positions = random_positions(40, CONFIG)._replace(policy=rng.integers(0, 82, 40), outcomes=rng.choice([-1, 1], 40))
    graph, description = quantize(weights, about, positions)
    calibrated = positions.part(0, 20)
    ranges = measure_ranges(weights, about, calibrated)
    assert graph == to_onnx(weights, CONFIG.spec(), ranges, measure_corrections(weights, about, ranges, calibrated))
    assert (description["positions"], description["compared_on"]) == (20, 20)
    figures, rest = description["figures"], positions.part(20, 40)
    float32 = Network(path, 1, "float32").evaluate_packed(rest.packed, rest.features)
    assert figures["top1"] == pytest.approx(np.mean(float32.priors.argmax(1) == rest.policy), abs=1e-6)
    assert figures["ce"] == pytest.approx(-np.log(float32.priors[np.arange(20), rest.policy]).mean(), abs=1e-3)
    assert figures["value_mse"] == pytest.approx(np.mean((float32.values - rest.outcomes) ** 2), abs=1e-3)
    assert abs(figures["ce_int8"] - figures["ce"]) < 0.02 and 0 <= figures["kl"] < 0.01
    assert figures.keys() >= {"top1_int8", "value_mse_int8", "value_difference", "ownership_difference",
                              "score_difference", "equivariance"}
    same = Network(path, 1, "float32")
    assert compare(same, same, positions)["kl"] == 0 and compare(same, same, positions)["top1_agreement"] == 1
    # Visits of self-play instead of moves.
    visits = np.eye(82)[positions.policy]
    assert compare(same, same, positions._replace(policy=visits)) == compare(same, same, positions)


# ---- files

def test_an_exported_file_has_an_int8_graph_where_positions_are_given(network, tmp_path):
    _, path = network
    about = read_metadata(path)["quantization"]
    assert about["ranges"].keys() == set(GraphOutline(CONFIG.spec()).quantizable)
    assert about["positions"] == 24 and about["figures"]["kl"] < 0.05
    assert len(member(path, metadata.ONNX_INT8)) < 0.7 * len(member(path, metadata.ONNX))
    assert Network(path, 1, "int8").precision == "int8" and Network(path, 1, "float32").precision == "float32"
    check_graph(member(path, metadata.ONNX_INT8), CONFIG.spec(), metadata.ranges_of(read_metadata(path)))
    model, config = alphazero_model(batch_norm=True)
    checkpoint.export(model, tmp_path / "six.keras", new_metadata(config, "gomoku", 4), random_positions(9, config))
    net = Network(tmp_path / "six.keras", 1, "int8")
    assert net.describe() == "six, int8"
    positions = random_positions(3, config)
    for ours, theirs in zip(net.evaluate_packed(positions.packed)[:2],
                            Network(net.path, 1, "float32").evaluate_packed(positions.packed)[:2], strict=True):
        assert 0 < np.abs(ours - theirs).max() < 0.02


def test_a_graph_that_loses_too_much_is_not_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(range_calibration, "MAX_KL", 1e-9)
    _, path = policy_network(tmp_path, quantized=True)
    with zipfile.ZipFile(path) as archive:
        assert metadata.ONNX_INT8 not in archive.namelist()
    assert "quantization" not in read_metadata(path)
    assert "has no int8 graph, because it would lose too much: kl 0.0" in capsys.readouterr().err
    with pytest.raises(BadInput, match="int8 loses too much: kl"):
        checkpoint.add_quantized(path, path, random_positions(8, PolicyNetConfig(9, 4)))


def test_an_int8_graph_is_added_to_a_file_whose_other_members_stay(tmp_path):
    path = policy_file(tmp_path)
    before = {name: member(path, name) for name in zipfile.ZipFile(path).namelist()}
    with pytest.raises(BadInput, match="net.keras has no int8 graph; mugo quantize adds one"):
        Network(path, precision="int8")
    assert Network(path).precision == "float32"          # as files of earlier versions
    positions = random_positions(16, PolicyNetConfig(9, 4))
    for _ in range(2):                                   # the second time in place of the first one's
        description = checkpoint.add_quantized(path, tmp_path / "new.keras", positions)
        with zipfile.ZipFile(tmp_path / "new.keras") as archive:
            assert sorted(archive.namelist()) == sorted([*before, metadata.ONNX_INT8])
        path = tmp_path / "new.keras"
    assert {name: member(path, name) for name in before if name != metadata.METADATA} \
        == {name: data for name, data in before.items() if name != metadata.METADATA}
    assert read_metadata(path)["quantization"] == json.loads(json.dumps(description))
    checkpoint.load(path)
    assert Network(path, 1, "int8").precision == "int8"


def _tensor(name, change):
    def changed(model):
        from onnx import numpy_helper

        tensor = next(tensor for tensor in model.graph.initializer if tensor.name == name)
        array = numpy_helper.to_array(tensor).copy()
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(change(array)), name))
    return changed


def _axis(model):
    next(node for node in model.graph.node if node.output[0] == "conv0_w_dq").attribute[0].i = 1


@pytest.mark.parametrize(("change", "line"), [
    (_tensor("relu0_scale", lambda scale: scale * 2), "its constant 'relu0_scale' is not that of its network"),
    (_tensor("relu0_zero", lambda zero: zero + np.uint8(1)), "its constant 'relu0_zero'"),
    (_tensor("conv0_w_zero", lambda zero: zero + np.int8(1)), "its constant 'conv0_w_zero'"),
    (_tensor("conv0_w_scale", lambda scale: scale * np.float32(np.nan)), "'conv0_w_scale' are not finite"),
    (_tensor("conv0_w_scale", lambda scale: -scale), "its scales 'conv0_w_scale' are not above 0"),
    (_tensor("conv0_w_scale", lambda scale: scale[:1]), "'conv0_w_scale', of shape .1,., are not those"),
    (_tensor("conv0_w", lambda weights: weights.astype(np.float32)), "'conv0_w', of shape"),
    (_tensor("conv0_w", lambda weights: weights[..., :-1]), "'conv0_w', of shape"),
    (_tensor("conv0_b", lambda bias: bias * 0 + np.int32(2 ** 31 - 1)), "'conv0_b' are not finite numbers of at most"),
    (_axis, "its node DequantizeLinear -> conv0_w_dq has other attributes"),
    (lambda model: model.graph.node.pop(), "its network has"),
])
def test_a_damaged_int8_graph_is_refused_in_one_line(network, change, line):
    model = graph_of(network[1])
    change(model)
    path = with_member(network[1], metadata.ONNX_INT8, model.SerializeToString())
    with pytest.raises(BadInput, match=line) as caught:
        Network(path, 1, "int8")
    assert "\n" not in str(caught.value) and "network-int8.onnx cannot be played" in str(caught.value)
    assert Network(path, 1, "float32").precision == "float32"


@pytest.mark.parametrize(("change", "line"), [
    (lambda about: about.pop("quantization"), "cannot be played: mugo_metadata.json has no ranges"),
    (lambda about: about["quantization"]["ranges"].pop("relu0"), "its ranges are not those of its network's tensors"),
    (lambda about: about["quantization"]["ranges"].update(more=[0, 1]), "its ranges are not those"),
    (lambda about: about["quantization"]["ranges"].update(relu0=[0, 1, 2]), "has no ranges"),
    (lambda about: about["quantization"]["ranges"].update(relu0=[1, 2]), "its range of 'relu0' is 1 to 2, not"),
    (lambda about: about["quantization"]["ranges"].update(relu0=[0, 1e12]), "its range of 'relu0' is 0 to 1e.12"),
    (lambda about: about["quantization"]["ranges"].update(relu0=[0, 0]), "its range of 'relu0' is 0 to 0"),
    (lambda about: about["quantization"]["ranges"].update(relu0=[0, 1]), "its constant 'relu0_scale'"),
    (lambda about: about["quantization"]["ranges"].update(relu0="wide"), "ranges.relu0 is \"wide\", expected a list"),
    (lambda about: about["quantization"].update(figures={"kl": 1}), "has no 'top1_agreement'"),
    (lambda about: about.update(quantization=[]), "its quantization: it is .., expected an object"),
])
def test_ranges_that_are_not_those_of_the_graph_are_refused_in_one_line(network, change, line):
    path = with_metadata(network[1], change)
    with pytest.raises(BadInput, match=line) as caught:
        Network(path, 1, "int8")
    assert "\n" not in str(caught.value)


def test_a_float32_graph_is_no_int8_graph_and_the_reverse(network):
    _, path = network
    spec, ranges = config_of(read_metadata(path)).spec(), metadata.ranges_of(read_metadata(path))
    with pytest.raises(ValueError, match="its node Cast -> float is not that of its network, Transpose"):
        check_graph(member(path, metadata.ONNX), spec, ranges)
    with pytest.raises(ValueError, match="its node Transpose -> nchw_q is not that of its network, Cast"):
        check_graph(member(path, metadata.ONNX_INT8), spec)


def test_flipped_bits_of_an_int8_graph_are_refused_or_in_a_weight(network):
    _, path = network
    graph, spec, ranges = member(path, metadata.ONNX_INT8), CONFIG.spec(), metadata.ranges_of(read_metadata(path))
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(graph), 300):
        flipped = bytearray(graph)
        flipped[place] ^= 1 << int(rng.integers(8))
        try:
            check_graph(bytes(flipped), spec, ranges)
        except ValueError as error:
            assert "\n" not in str(error)


def test_ranges_are_checked_by_name_and_number():
    check_ranges({"a": (-1.0, 0.0), "b": (0.0, 2.0)}, ["a", "b"])
    for wrong in (float("nan"), float("inf"), -1.0):
        with pytest.raises(ValueError, match="its range of 'a'"):
            check_ranges({"a": (0.0, wrong)}, ["a"])

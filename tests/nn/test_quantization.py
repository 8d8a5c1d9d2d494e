"""Quantised graphs: they compute what integers would, on every board, and only right ones are opened."""
import json

import numpy as np
import pytest
from networks import alphazero_model, policy_file, policy_network, random_model, random_positions, rewritten, tensors_of

from mugo.core.files import BadInput
from mugo.games.coords import symmetries
from mugo.nn import inference
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.graph import is_of_int8, weight_axes
from mugo.nn.inference import Network
from mugo.nn.keras import checkpoint
from mugo.nn.keras.equivariance import symmetrise
from mugo.nn.network_file import has_int8, new_metadata, read_metadata, read_network
from mugo.nn.onnx_graph import MIN_WEIGHT_SCALE, OnnxGraph, activation_scale, quantize_bias, quantize_weights
from mugo.nn.output import turned_back
from mugo.nn.quantization import compare, fit_hidden, measure_corrections, measure_ranges, quantize, quantize_file

pytestmark = pytest.mark.skipif(not inference.has_exact_int8(), reason="this processor has no VNNI instructions")
CONFIG = PolicyNetConfig(9, 8, value_head=True, komi_input=True, residual=True, chain_pooling=True, equivariant=True)


def new_model():
    """An equivariant model with all heads, whose activations stay small."""
    model = random_model(CONFIG)
    model.set_weights([weight * 0.4 if weight.ndim == 4 else weight for weight in model.get_weights()])
    symmetrise(model, weight_axes(CONFIG.spec()))
    return model


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """(model, file) of such a network, quantised."""
    model, path = new_model(), tmp_path_factory.mktemp("int8") / "net.safetensors"
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

def with_ranges(about, ranges):
    return about | {"quantization": {"ranges": ranges}}


def quantized_convs(path=None, model=None):
    return OnnxGraph(CONFIG.spec(), read_network(path)[0] if path else checkpoint.arrays_of(model)).quantized_convs


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
    weights = checkpoint.arrays_of(random_model(config))
    about, positions = new_metadata(config), random_positions(3, config)
    ranges = measure_ranges(weights, about, positions) | {"relu0": (float(low), 2.0)}
    inner = Network.from_weights(weights, with_ranges(about, ranges), None, "int8", {"relu0_dq": 4, f"{tensor}_dq": 4})
    outputs = inner.run(positions.packed)
    of_input, of_output = activation_scale(*ranges["relu0"]), activation_scale(*ranges[tensor])
    assert (of_output.zero_point > 0) == residual
    kernel, bias = weights["conv1/kernel"], weights["conv1/bias"]
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


def largest_turned_difference(path, config) -> float:
    """Of the priors in int8 of a position and of the same in another symmetry, turned back."""
    network, positions = Network(path, 1, "int8"), random_positions(8, config, 5)
    base, differences = network.evaluate_packed(positions.packed, positions.features).priors, []
    for turn in symmetries(9):
        turned = np.empty_like(positions.packed)
        turned[:, turn[:-1]] = positions.packed
        output = turned_back(network.evaluate_packed(turned, positions.features), turn)
        differences.append(np.abs(output.priors - base).max())
    return max(differences)


def test_outputs_of_an_equivariant_network_turn_with_the_board(network):
    _, path = network
    assert largest_turned_difference(path, CONFIG) < 1e-3
    plain = policy_file(path.parent, "plain", True)                # not equivariant
    assert largest_turned_difference(plain, PolicyNetConfig(9, 4)) > 0.01


def test_corrected_biases_bring_the_means_of_filters_close_to_float32s():
    model, about, positions = new_model(), new_metadata(CONFIG), random_positions(32, CONFIG)
    weights, convs = checkpoint.arrays_of(model), quantized_convs(model=model)
    about = with_ranges(about, measure_ranges(weights, about, positions))
    biases = measure_corrections(weights, about, positions)
    assert biases.keys() == {"value_hidden/int8_kernel"} | {
        f"{layer}/int8_bias" for layer in (*convs, "ownership_conv", "value_hidden", "score_correction",
                                            "value_correction")}

    def means(weights, precision):
        tensors = [tensor + "_dq" * (precision == "int8") for tensor in convs.values()]
        network = Network.from_weights(weights, about, None, precision, dict.fromkeys(tensors, 4))
        outputs = network.run(positions.packed, positions.features)
        return np.concatenate([outputs[tensor].mean((0, 2, 3)) for tensor in tensors])

    expected = means(weights, "float32")
    before, after = (np.sqrt(np.mean((means(which, "int8") - expected) ** 2)) for which in (weights, weights | biases))
    assert after < before / 2
    assert np.array_equal(means(weights | biases, "float32"), expected)
    folded = OnnxGraph(CONFIG.spec(), weights).folded
    for conv in convs:
        assert np.ptp((biases[f"{conv}/int8_bias"] - folded[conv]).reshape(8, -1), axis=0).max() < 1e-6


def test_corrected_layers_of_the_value_head_bring_lead_score_and_value_close_to_float32s():
    """Means over all positions, with ranges that are too narrow, so that the corrected filters still have other
    maxima."""
    model, about, positions = new_model(), new_metadata(CONFIG), random_positions(64, CONFIG)
    weights, convs = checkpoint.arrays_of(model), quantized_convs(model=model)
    about = with_ranges(about, {tensor: (low / 2, high / 2) for tensor, (low, high) in
                                measure_ranges(weights, about, positions).items()})
    corrections = measure_corrections(weights, about, positions)
    tensors = ("lead", "value_hidden_gemm", "mean_without_komi", "value_score")

    def means(weights, precision):
        network = Network.from_weights(weights, about, None, precision, dict.fromkeys(tensors, 2))
        outputs = network.run(positions.packed, positions.features)
        return [outputs[tensor].mean(0) for tensor in tensors]

    def off(which):
        return np.array([np.abs(found - expected).max() for found, expected in
                         zip(means(weights | which, "int8"), means(weights, "float32"), strict=True)])

    before = off({f"{conv}/int8_bias": corrections[f"{conv}/int8_bias"] for conv in convs})
    after = off(corrections)
    assert after[0] < before[0] / 4 and (after[1:] < before[1:] / 100).all()


def test_features_that_never_change_give_a_hidden_layer_its_bias_alone():
    change, shift = fit_hidden(np.ones((5, 8)), np.full((5, 2), 0.5), "regular")
    assert change == pytest.approx(0) and shift == pytest.approx(0.5)


def test_ranges_hold_the_least_and_greatest_values_of_calibration():
    weights, about, positions = checkpoint.arrays_of(new_model()), new_metadata(CONFIG), \
        random_positions(70, CONFIG)                     # more than a batch
    ranges = measure_ranges(weights, about, positions)
    network = Network.from_weights(weights, about, None, "float32", dict.fromkeys(ranges, 4))
    outputs = network.run(positions.packed, positions.features)
    for tensor, (low, high) in ranges.items():
        assert (low, high) == pytest.approx((min(0, outputs[tensor].min()), outputs[tensor].max()), rel=1e-5)
    assert any(low < 0 for low, _ in ranges.values())


def test_figures_compare_both_graphs_on_positions_that_were_not_calibrated_on(network):
    model, path = network
    weights, about = checkpoint.arrays_of(model), new_metadata(CONFIG)
    rng = np.random.default_rng(0)
    positions = random_positions(40, CONFIG)._replace(policy=rng.integers(0, 82, 40), outcomes=rng.choice([-1, 1], 40))
    quantized = quantize(weights, about, positions)
    description = quantized.metadata["quantization"]
    calibrated = positions.slice(0, 20)
    assert description["ranges"] == measure_ranges(weights, about, calibrated)
    expected = measure_corrections(weights, with_ranges(about, description["ranges"]), calibrated)
    assert all(np.array_equal(quantized.weights[name], expected[name]) for name in expected)
    assert (description["positions"], description["compared_on"]) == (20, 20)
    metrics, rest = description["metrics"], positions.slice(20, 40)
    float32 = Network(path, 1, "float32").evaluate_packed(rest.packed, rest.features)
    assert metrics["top1"] == pytest.approx(np.mean(float32.priors.argmax(1) == rest.policy), abs=1e-6)
    assert metrics["ce"] == pytest.approx(-np.log(np.maximum(float32.priors[np.arange(20), rest.policy], 1e-10)).mean(),
                                          abs=1e-3)
    assert metrics["value_mse"] == pytest.approx(np.mean((float32.values - rest.outcomes) ** 2), abs=1e-3)
    assert abs(metrics["ce_int8"] - metrics["ce"]) < 0.02 and 0 <= metrics["kl"] < 0.01
    assert metrics.keys() >= {"top1_int8", "value_mse_int8", "value_difference", "ownership_difference",
                              "score_difference"}
    same = Network(path, 1, "float32")
    assert compare(same, same, positions)["kl"] == 0 and compare(same, same, positions)["top1_agreement"] == 1
    # Visits of self-play instead of moves.
    visits = np.eye(82)[positions.policy]
    assert compare(same, same, positions._replace(policy=visits)) == compare(same, same, positions)


# ---- files

def test_an_exported_network_is_quantised_where_positions_are_given(network, tmp_path):
    _, path = network
    weights, about = read_network(path)
    about = about["quantization"]
    assert about["ranges"].keys() == set(OnnxGraph(CONFIG.spec(), weights).quantizable)
    assert about["positions"] == 24 and about["metrics"]["kl"] < 0.05
    assert Network(path, 1, "int8").precision == "int8" and Network(path, 1, "float32").precision == "float32"
    model, config = alphazero_model(batch_norm=True)
    path = tmp_path / "six.safetensors"
    checkpoint.export(model, path, new_metadata(config, "gomoku", 4), random_positions(9, config))
    net = Network(path, 1, "int8")
    assert net.describe() == "six, int8"
    positions = random_positions(3, config)
    for ours, theirs in zip(net.evaluate_packed(positions.packed)[:2],
                            Network(net.path, 1, "float32").evaluate_packed(positions.packed)[:2], strict=True):
        assert 0 < np.abs(ours - theirs).max() < 0.02


def test_a_graph_that_loses_too_much_is_not_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mugo.nn.quantization.MAX_KL", 1e-9)
    _, path = policy_network(tmp_path, quantized=True)
    assert not has_int8(read_metadata(path)) and not any(map(is_of_int8, tensors_of(path)))
    assert "has no int8 graph, because it would lose too much: kl 0.0" in capsys.readouterr().err
    with pytest.raises(BadInput, match="int8 loses too much: kl"):
        quantize_file(path, path, random_positions(8, PolicyNetConfig(9, 4)))


def test_a_file_is_quantised_and_its_weights_stay(tmp_path):
    path = policy_file(tmp_path)
    before = tensors_of(path)
    with pytest.raises(BadInput, match="net.safetensors has no int8 graph; mugo quantize adds one"):
        Network(path, precision="int8")
    assert Network(path).precision == "float32"          # as files of earlier versions
    positions = random_positions(16, PolicyNetConfig(9, 4))
    for _ in range(2):                                   # the second time in place of the first one's
        description = quantize_file(path, tmp_path / "new.safetensors", positions)
        path = tmp_path / "new.safetensors"
        after = tensors_of(path)
        assert all(is_of_int8(name) for name in after.keys() - before.keys())
        assert all(np.array_equal(after[name], before[name]) for name in before)
    assert read_metadata(path)["quantization"] == json.loads(json.dumps(description))
    checkpoint.load(path)
    assert Network(path, 1, "int8").precision == "int8"


@pytest.mark.parametrize(("change", "line"), [
    (lambda about: about["quantization"]["ranges"].pop("relu0"), "there is no range of its tensor relu0"),
    *((lambda about, pair=pair: about["quantization"]["ranges"].update(relu0=pair), "the range of 'relu0' is")
      for pair in ([1, 2], [0, 1e12], [0, 0])),
    (lambda about: about["quantization"]["ranges"].update(relu0=[0, 1, 2]), "its metadata are not those of a network"),
    (lambda about: about.update(quantization=[]), "its weights are not those of its network"),
])
def test_ranges_that_are_not_those_of_the_network_are_refused_in_one_line(network, change, line):
    path = rewritten(network[1], metadata=change)
    with pytest.raises(BadInput, match=line) as caught:
        Network(path, 1, "int8")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("change", "line"), [
    (lambda arrays: arrays.update({"conv0/int8_bias": np.zeros(3, np.float32)}), "its conv0/int8_bias is F32 of shape"),
    (lambda arrays: arrays.update({"conv9/int8_bias": np.zeros(8, np.float32)}), "it has 'conv9/int8_bias' too"),
    (lambda arrays: arrays.update({"conv0/int8_kernel": np.zeros((5, 5, 48, 8), np.float32)}),
     "it has 'conv0/int8_kernel' too"),
    (lambda arrays: arrays.update({"pass/int8_kernel": np.zeros((3, 1), np.float32)}),
     "its pass/int8_kernel is F32 of shape"),
    (lambda arrays: arrays.update({"conv0/int8_bias": np.full(8, np.inf, np.float32)}), "is infinite or NaN"),
    (lambda arrays: arrays.update({"conv0/int8_bias": np.full(8, 1e7, np.float32)}), "'conv0' are not finite numbers"),
])
def test_weights_of_eight_bits_that_are_not_those_of_the_network_are_refused_in_one_line(network, change, line):
    path = rewritten(network[1], tensors=change)
    with pytest.raises(BadInput, match=line) as caught:
        Network(path, 1, "int8")
    assert "\n" not in str(caught.value)


def test_biases_of_eight_bits_belong_to_a_network_that_was_quantised(network):
    path = rewritten(network[1], metadata=lambda about: about.pop("quantization"))
    with pytest.raises(BadInput, match="it has 'chain_conv0/int8_bias' too"):
        Network(path)

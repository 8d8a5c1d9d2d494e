"""Inference: priors and values on boards of any size; what is refused; precisions and providers of other machines."""
import numpy as np
import onnxruntime
import pytest
from networks import alphazero_network, build, keras, policy_file, policy_network
from random_records import random_record

from mugo.core.files import BadInput
from mugo.games import go, gomoku, planes
from mugo.games.coords import symmetries
from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.nn import inference
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.bundled import BundledNetworks
from mugo.nn.inference import Network, check_provider, has_exact_int8, has_fast_int8, play_precision
from mugo.nn.inputs import fit_bias
from mugo.sgf.record_positions import position_of


@pytest.mark.parametrize("trained", [9, 5, 6, 14])
def test_outputs_with_test_time_augmentation_turn_with_the_board(tmp_path, trained):
    path = policy_file(tmp_path, size=trained)
    net = Network(path)
    position = position_of(random_record(4))
    priors = net.evaluate([position], symmetries=True).priors[0]
    for symmetry in range(8):
        turn = symmetries(9)[symmetry]
        record = random_record(4)
        moves = (turn[record.moves & 511] | (record.moves & 512)).astype(np.int16)
        turned = position_of(type(record)(shape=(9, 9), setup=record.setup, moves=moves))
        assert np.allclose(net.evaluate([turned], symmetries=True).priors[0][turn], priors, atol=1e-6)


@pytest.mark.parametrize("trained, fitted", [
    ("""
        1 2 8 4 5
        3 0 8 6 0
        8 8 8 8 8
        3 0 8 0 0
        9 0 8 0 5
    """, """
        1 2 4 5
        3 0 6 0
        3 0 0 0
        9 0 0 5
    """), ("""
        1 2 8 4 5
        0 4 8 8 0
        8 8 8 8 8
        6 0 8 0 4
        9 0 8 2 5
    """, """
        1 3 5
        3 3 2
        9 1 5
    """), ("""
        1 2 3 4
        0 4 6 0
        0 2 8 0
        5 6 7 8
    """, """
        1 2 2.5 3 4
        0 4 5   6 0
        0 3 5   7 0
        0 2 5   8 0
        5 6 6.5 7 8
    """),
], ids=["smaller", "a middle line of two", "an even one larger"])
def test_on_another_board_a_point_has_the_bias_of_the_point_at_its_distance_from_the_edges(trained, fitted):
    trained, fitted = (np.array(drawn.split(), np.float32) for drawn in (trained, fitted))
    assert fit_bias(trained, round(len(fitted) ** 0.5)).tolist() == fitted.tolist()


@pytest.mark.parametrize("size", [2, 5, 8, 13, 19])
def test_on_another_board_it_computes_what_keras_would_with_the_fitted_bias(tmp_path, size):
    model, path = policy_network(tmp_path, value_head=True)
    other = build(PolicyNetConfig(size, 4, value_head=True).spec())
    other.set_weights([fit_bias(w, size) if w.shape == (81,) else w for w in model.get_weights()])
    packed = np.random.default_rng(3).integers(0, 256, (2, size ** 2, planes.PACKED), np.uint8)
    outputs = other(packed)
    net = Network(path)
    net.evaluate([GoPosition(9)])                   # boards of several sizes may follow each other
    output = net.evaluate_packed(packed)
    priors, values = output.priors, output.values
    assert np.allclose(priors, keras.ops.softmax(outputs["policy"]), atol=1e-5)
    assert np.allclose(values, np.tanh(outputs["value"])[:, 0], atol=1e-5)


def test_boards_of_two_sizes_are_not_evaluated_together(tmp_path):
    path = policy_file(tmp_path)
    with pytest.raises(ValueError, match="one size at a time"):
        Network(path).evaluate([GoPosition(9), GoPosition(5)])


@pytest.mark.parametrize("shape", [9, (5, 13)], ids=str)
def test_chains_are_pooled_over_on_each_board_by_itself(tmp_path, shape):
    """Outputs in a batch are those of each position alone, also of rectangles."""
    config = {"value_head": True, "komi_input": True, "context_layers": 1, "chain_pooling": True}
    net = Network(policy_file(tmp_path, **config), threads=1)
    assert net.needs_components
    positions, rng = [GoPosition(shape)], np.random.default_rng(0)
    for _ in range(30):
        positions.append(positions[-1].play(int(rng.choice(positions[-1].legal_points()))))
    output = net.evaluate(positions)
    for i, position in enumerate(positions):
        alone = net.evaluate([position])
        for of_batch, of_one in zip(output, alone, strict=True):
            assert np.allclose(of_batch[i], of_one[0], atol=1e-4)


@pytest.mark.parametrize("position, text", [
    (lambda: gomoku.GomokuPosition(8, 4), "is a policy-value network, which plays 6x6 only, not 8x8"),
    (lambda: gomoku.GomokuPosition(6, 5), "plays Gomoku, 4 in a row, not Gomoku, 5 in a row"),
    (lambda: gomoku.GomokuPosition(6, 4, True), "plays Gomoku, 4 in a row, not Gomoku, exactly 4 in a row"),
    (lambda: go.GoPosition(6), "plays Gomoku, 4 in a row, not Go$"),
], ids=["size", "k", "exactly", "Go"])
def test_a_position_of_another_game_is_refused(tmp_path, position, text):
    net = Network(alphazero_network(tmp_path), threads=1)
    with pytest.raises(BadInput, match=f"net.safetensors {text}"):
        net.evaluate([position()])


def test_planes_of_another_game_are_refused(tmp_path):
    on_gomoku = Network(alphazero_network(tmp_path), threads=1)
    on_go = Network(alphazero_network(tmp_path, game="go", k=0, name="other"), threads=1)
    assert (on_go.game, on_go.k) == ("go", 0)
    on_go.evaluate([go.GoPosition(6)])
    for net, packed, text in ((on_gomoku, encode([go.GoPosition(6)]), "plays Gomoku, 4 in a row; these planes"),
                              (on_go, encode([gomoku.GomokuPosition(6)]), "plays Go; these planes")):
        with pytest.raises(BadInput, match=text):
            net.evaluate_packed(packed)
    with pytest.raises(BadInput, match="other.safetensors plays Go, not Gomoku, 4 in a row"):
        on_go.evaluate([gomoku.GomokuPosition(6, 4)])


@pytest.fixture
def processor(monkeypatch):
    """Pretends that the processor is another one: processor(machine, instruction sets, operating system)."""
    def pretend(machine, features="", system="Linux"):
        monkeypatch.setattr(inference.platform, "machine", lambda: machine)
        monkeypatch.setattr(inference.platform, "system", lambda: system)
        monkeypatch.setattr("mugo.nn.inference.cpu_features", lambda: frozenset(features.split()))
    return pretend


@pytest.mark.parametrize(("machine", "features", "system", "is_fast", "is_exact"), [
    ("x86_64", "avx2 avx512f avx512vnni", "Linux", True, True), ("AMD64", "avx2 avxvnni", "Windows", True, True),
    ("x86_64", "avx2 avx512f", "Linux", False, False), ("x86_64", "avx2", "Darwin", False, False),
    ("x86_64", "", "Linux", False, False), ("aarch64", "neon dotprod", "Linux", True, True),
    ("aarch64", "neon i8mm", "Linux", True, True), ("aarch64", "neon", "Linux", False, True),
    ("arm64", "", "Darwin", True, True), ("riscv64", "", "Linux", False, True),
])
def test_int8_is_fast_and_exact_where_the_processor_adds_products_of_int8(processor, machine, features, system,
                                                                         is_fast, is_exact):
    processor(machine, features, system)
    assert (has_fast_int8(), has_exact_int8()) == (is_fast, is_exact)


def test_auto_is_int8_where_it_is_fast_and_the_file_has_it(processor):
    for machine, features, fast in (("x86_64", "avx512vnni", "int8"), ("x86_64", "avx2", "float32"),
                                    ("aarch64", "dotprod", "int8"), ("aarch64", "", "float32")):
        processor(machine, features)
        assert play_precision("auto", "cpu", True, "net") == fast
        assert play_precision("auto", "openvino", True, "net") == fast
        assert play_precision("auto", "cpu", False, "net") == "float32"
        assert play_precision("auto", "cuda", True, "net") == "float32"
        assert play_precision("float32", "cpu", True, "net") == "float32"


def test_int8_is_refused_where_it_is_impossible_or_wrong(processor):
    processor("x86_64", "avx2")
    for arguments, line in ((("cuda", True), "--precision int8 is for --provider cpu and openvino, not cuda"),
                            (("cpu", False), "--precision int8: net has no int8 graph; mugo quantize adds one"),
                            (("cpu", True), "--precision int8: this processor has no VNNI instructions")):
        with pytest.raises(BadInput, match=line):
            play_precision("int8", *arguments, "net")
    processor("aarch64")
    assert play_precision("int8", "cpu", True, "net") == "int8"       # slower than it could be, but right


def test_a_network_is_opened_in_the_precision_that_the_processor_multiplies_fast(processor, tmp_path):
    path = policy_file(tmp_path, quantized=True)
    processor("x86_64", "avx512vnni")
    assert Network(path, 1).describe() == "net, int8"
    processor("x86_64", "avx2")
    assert Network(path, 1).describe() == "net, float32"
    with pytest.raises(BadInput, match="has no VNNI"):
        Network(path, 1, "int8")


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_the_bundled_networks_are_opened_with_the_given_precision(precision):
    if precision == "int8" and not has_exact_int8():
        with pytest.raises(BadInput, match="has no VNNI"):          # before the first is opened
            BundledNetworks(1, precision)
        return
    networks = BundledNetworks(1, precision)
    assert networks.describe() == "bundled"
    assert networks.for_board(9).precision == precision
    assert networks.describe() == f"policy-9-v7, {precision}"


def test_a_provider_that_is_not_installed_is_refused_in_one_line(tmp_path, monkeypatch):
    path = policy_file(tmp_path)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["AzureExecutionProvider",
                                                                         "CPUExecutionProvider"])
    with pytest.raises(BadInput) as caught:
        Network(path, 1, provider="cuda")
    assert str(caught.value) == ("--provider cuda: the installed onnxruntime has cpu only; it is in the package "
                                 "onnxruntime-gpu")
    with pytest.raises(BadInput, match="--provider openvino: the installed onnxruntime has cpu only"):
        BundledNetworks(1, provider="openvino")          # before the first is opened
    with pytest.raises(BadInput, match="--precision int8 is for --provider cpu and openvino, not cuda"):
        BundledNetworks(1, "int8", "cuda")
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["OpenVINOExecutionProvider",
                                                                         "CPUExecutionProvider"])
    check_provider("openvino")
    with pytest.raises(BadInput, match="has cpu and openvino only; it is in the package onnxruntime, on macOS"):
        check_provider("coreml")


class FakeSession:
    """What onnxruntime.InferenceSession is where a provider works, falls back to the CPU, or fails."""
    asked = None
    works = True

    def __init__(self, graph, options, providers):
        type(self).asked = providers
        if self.works is None:
            raise RuntimeError("no driver\nfound")

    def get_providers(self):
        return [*(self.asked if self.works else []), "CPUExecutionProvider"]


def test_a_provider_that_does_not_work_on_this_machine_is_refused_and_does_not_become_the_cpu(monkeypatch):
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider"])
    monkeypatch.setattr(onnxruntime, "InferenceSession", FakeSession)
    assert isinstance(inference.new_session(b"", 1, "cuda"), FakeSession)
    assert FakeSession.asked == ["CUDAExecutionProvider"]
    for works, line in ((False, "--provider cuda does not work here: ONNX Runtime cannot start it on this machine"),
                        (None, "--provider cuda does not work here: no driver found")):
        monkeypatch.setattr(FakeSession, "works", works)
        with pytest.raises(BadInput, match=line):
            inference.new_session(b"", 1, "cuda")

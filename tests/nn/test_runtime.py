"""Which precision and execution provider a network runs with, on processors and builds of ONNX Runtime that are not
here."""
import onnxruntime
import pytest
from networks import policy_file

from mugo.core.files import BadInput
from mugo.nn import inference
from mugo.nn.bundled import BundledNetworks
from mugo.nn.inference import Network, check_provider, has_exact_int8, has_fast_int8, play_precision


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


def test_the_features_of_this_processor_are_known():
    features = inference.cpu_features()
    if inference.machine() in inference.X86:
        assert "sse2" in features
    assert all(name.islower() for name in features)


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
    assert networks.describe() == f"policy-9-v6, {precision}"


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

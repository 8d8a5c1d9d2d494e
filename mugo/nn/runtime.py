"""How ONNX Runtime runs a network: on which execution provider, and in which precision.  No Keras here.

    provider    cpu        of every onnxruntime
                cuda, openvino, coreml, directml      of the packages that PACKAGES names

    precision   int8       the quantised graph (quantization.py), on PROVIDERS_OF_INT8, if the network's file has one
                float32    the other
                auto       int8 where the processor multiplies int8 faster than float32, else float32
"""
import functools
import platform
from typing import Any

from mugo.core.files import BadInput, error_line
from mugo.core.options import option

PLAY_PRECISIONS = "auto", "int8", "float32"
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "openvino": "OpenVINOExecutionProvider",
             "coreml": "CoreMLExecutionProvider", "directml": "DmlExecutionProvider"}
PACKAGES = {"cuda": "onnxruntime-gpu", "openvino": "onnxruntime-openvino", "coreml": "onnxruntime, on macOS",
            "directml": "onnxruntime-directml, on Windows"}
PROVIDERS_OF_INT8 = "cpu", "openvino"
X86 = {"x86_64", "amd64", "i386", "i686", "x86"}
VNNI = {"avx512vnni", "avxvnni"}         # x86: sums of four products of int8, in LLVM's names
DOT_PRODUCTS = {"dotprod", "i8mm"}       # the same on ARM


@functools.cache
def cpu_features() -> frozenset[str]:
    """The instruction sets of this processor that its operating system allows, in LLVM's names."""
    from llvmlite import binding

    try:
        return frozenset(name for name, has in binding.get_host_cpu_features().items() if has)
    except RuntimeError:                 # a processor that LLVM does not know
        return frozenset()


def machine() -> str:
    """The processor's architecture, as platform.machine names it, in lower case."""
    return platform.machine().lower()


def has_fast_int8() -> bool:
    """Whether this processor has instructions for sums of products of int8: VNNI on x86, dot products on ARM."""
    if machine() in X86:
        return bool(cpu_features() & VNNI)
    is_apple = platform.system() == "Darwin"             # every ARM processor of a Mac has them
    return is_apple or bool(cpu_features() & DOT_PRODUCTS)


def has_exact_int8() -> bool:
    """Whether sums of products of int8 are right on this processor.  ONNX Runtime's instruction on x86 without VNNI,
    VPMADDUBSW, saturates at 16 bits."""
    return machine() not in X86 or bool(cpu_features() & VNNI)


def play_precision(precision: str, provider: str, has_int8: bool, name: object) -> str:
    """"int8" or "float32", for a network whose file has a quantised graph, or has none.  name: of it, for messages.

    Raises BadInput where int8 is asked for and impossible.
    """
    if precision == "auto":
        return "int8" if has_int8 and provider in PROVIDERS_OF_INT8 and has_fast_int8() else "float32"
    if precision == "int8":
        if provider not in PROVIDERS_OF_INT8:
            raise BadInput(f"--precision int8 is for --provider {' and '.join(PROVIDERS_OF_INT8)}, not {provider}")
        if not has_int8:
            raise BadInput(f"--precision int8: {name} has no int8 graph; mugo quantize adds one")
        if provider == "cpu" and not has_exact_int8():
            raise BadInput("--precision int8: this processor has no VNNI instructions, and would compute it wrong and "
                           "slowly; float32 and auto work")
    return precision


def provider_option(**named: Any) -> Any:
    """The option --provider, a dataclass's field (core.options.option).  named: what is particular to a command."""
    return option("cpu", "the execution provider of ONNX Runtime; all but cpu need another package of it",
                  choices=PROVIDERS, **named)


def check_options(precision: str, provider: str) -> None:
    """Raise BadInput for a precision and a provider that no network can be opened with here."""
    play_precision(precision, provider, True, "")
    if provider != "cpu":
        check_provider(provider)


def new_session(graph: bytes, threads: int, provider: str = "cpu") -> Any:
    """An onnxruntime.InferenceSession.  threads: of the CPU.

    Raises BadInput if this onnxruntime has no such provider, or if it does not work on this machine; and as ONNX
    Runtime does for a graph that it does not run.
    """
    import onnxruntime

    check_provider(provider)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    if provider == "cpu" and not has_exact_int8():       # an int8 graph is measured in float32 then, as others play it
        options.add_session_config_entry("session.disable_quant_qdq", "1")
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=[PROVIDERS[provider]])
    except Exception as error:           # ONNX Runtime has a class for each kind, and no public name for them
        if provider == "cpu":
            raise
        raise BadInput(f"--provider {provider} does not work here: {error_line(error)}") from None
    if PROVIDERS[provider] not in session.get_providers():               # ONNX Runtime falls back to the CPU
        raise BadInput(f"--provider {provider} does not work here: ONNX Runtime cannot start it on this machine")
    return session


def check_provider(provider: str) -> None:
    """Raise BadInput unless the installed onnxruntime has a provider."""
    import onnxruntime

    available = onnxruntime.get_available_providers()
    if PROVIDERS[provider] not in available:
        names = [name for name, its in PROVIDERS.items() if its in available]
        raise BadInput(f"--provider {provider}: the installed onnxruntime has {' and '.join(names)} only; it is in the "
                       f"package {PACKAGES[provider]}")

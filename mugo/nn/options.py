"""What options of several commands say of networks."""
from typing import Any

from mugo.core.options import option

NETWORK_HELP = "a network's file, the folder of a training run, or the name of a bundled network"
PLAY_PRECISIONS = "auto", "int8", "float32"
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "openvino": "OpenVINOExecutionProvider",
             "coreml": "CoreMLExecutionProvider", "directml": "DmlExecutionProvider"}


def provider_option(**named: Any) -> Any:
    """The option --provider, a dataclass's field.  named: further arguments of core.options.option."""
    return option("cpu", "the execution provider of ONNX Runtime; all but cpu need another package of it",
                  choices=PROVIDERS, **named)

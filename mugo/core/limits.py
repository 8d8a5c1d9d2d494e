"""Numbers that a user or another program writes: how they are read, and their ranges."""
import json
import math
import re
from typing import Any

# (least, most), both inclusive
NON_NEGATIVE = 0, math.inf
AT_LEAST_1 = 1, math.inf
FRACTION = 0, 1
TRAINING_PRECISIONS = "float32", "mixed_bfloat16"     # Keras's dtype policies for training
PLAY_PRECISIONS = "auto", "int8", "float32"
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "openvino": "OpenVINOExecutionProvider",
             "coreml": "CoreMLExecutionProvider", "directml": "DmlExecutionProvider"}       # of ONNX Runtime
OPTIMIZERS = "muon", "adam"              # nn.keras.optimizers
SEED = 0, 2**32 - 1                      # 32 bits, which every random generator in MuGo accepts

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def parse_integer(text: str) -> int:
    """An integer in ASCII digits, not in those of every script as int() takes them.  Raises ValueError."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not an integer")
    return int(text)


def parse_number(text: str) -> float:
    """A finite decimal number in ASCII digits, as 7.5, -.5 or 1e6.  Raises ValueError."""
    if not _NUMBER.fullmatch(text) or not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:40]!r} is not a finite number")
    return number


def parse_json(text: str) -> Any:
    """The value of a JSON text, without NaN and infinities.  Raises ValueError and RecursionError."""
    return json.loads(text, parse_constant=_reject_constant)


def _reject_constant(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")

"""Calls of kernels, recorded in Python, to be repeated in WebAssembly by compare_kernels.mjs."""
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

import mugo
from mugo.core import jit
from mugo.core.files import BadInput
from mugo.kernels import webassembly
from mugo.kernels.page import CALLED, RECORDS

STATIC = Path(mugo.__file__).parent / "web" / "static"
COMPARE = Path(__file__).with_name("compare_kernels.mjs")


def has_tools() -> bool:
    try:
        return bool(shutil.which("node") and webassembly.linker())
    except BadInput:
        return False


class Calls:
    """Native calls, with their arguments before and after them.  names: address -> the name of the function there."""

    def __init__(self):
        self.calls: list[dict] = []
        self._bytes: list[bytes] = []
        self._length = 0
        self.names: dict[int, str] = {}

    def call(self, name: str, function: Any, *arguments: Any) -> Any:
        """Call a kernel, and record it."""
        described = [self._before(each) for each in arguments]
        result = function(*arguments)
        for each, given in zip(described, arguments, strict=True):
            self._after(each, given)
        if isinstance(result, np.ndarray):
            result = result.tolist()
        self.calls.append({"name": name, "args": described, "result": int(result) if isinstance(result, bool | np.bool_)
                           else list(result) if isinstance(result, tuple | list) else 0 if result is None else result})
        return result

    def compare(self, built: Path, folder: Path) -> list[dict]:
        """Repeat them in node: the bytes compared and different of each, whether its result is the same, seconds."""
        (folder / "calls.json").write_text(json.dumps(self.calls, default=lambda value: value.item()))
        (folder / "calls.bin").write_bytes(b"".join(self._bytes))
        done = subprocess.run(["node", COMPARE, STATIC, built, folder], capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        return json.loads(done.stdout)

    def _put(self, data: bytes) -> list[int]:
        self._bytes.append(data)
        self._length += len(data)
        return [self._length - len(data), self._length]

    def _before(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return [self._before(each) for each in value]
        if isinstance(value, np.ndarray | np.void):
            return {"before": self._put(value.tobytes()), "mask": self._put(_mask(value.dtype)),
                    "addresses": self._addresses(value), "record": isinstance(value, np.void),
                    "item": _name(value.dtype), "shape": value.shape}
        if isinstance(value, int | np.integer) and int(value) in self.names:
            return {"address": self.names[int(value)]}
        return value.item() if isinstance(value, np.generic) else value

    def _after(self, described: Any, value: Any) -> None:
        if isinstance(value, tuple):
            for each, item in zip(described, value, strict=True):
                self._after(each, item)
        elif isinstance(described, dict) and "before" in described:
            described["after"] = self._put(value.tobytes())

    def _addresses(self, value: Any) -> list[tuple[int, str]]:
        params = (value.dtype.fields or {}).get("params")
        if params is None:
            return []
        record = value if isinstance(value, np.void) else value[0]
        return [(params[1] + of[1], self.names[int(record["params"][name])])
                for name, of in params[0].fields.items()
                if of[0] == np.int64 and int(record["params"][name]) in self.names]


def _mask(dtype: np.dtype) -> bytes:
    """1 for each byte of an item that a field has: the rest is padding."""
    if not dtype.names:
        return bytes([1]) * dtype.itemsize
    mask = bytearray(dtype.itemsize)
    for of, offset, *_ in dtype.fields.values():         # type: ignore[union-attr]
        base, shape = of.subdtype or (of, ())
        part = _mask(base) * int(np.prod(shape, dtype=int))
        for i, byte in enumerate(part):
            mask[offset + i] |= byte
    return bytes(mask)


def _name(dtype: np.dtype) -> str:
    """The item of an array: a type of numbers, "BOARD" and the like of the tree, or bytes."""
    return next((name for name, record in RECORDS.items() if record == dtype), "uint8" if dtype.names else dtype.name)


def addresses() -> dict[int, str]:
    """The names of the functions that kernels call, by their addresses in this process."""
    return {jit.address_of(*called): name for name, called in CALLED.items()}

"""Tensors and metadata as one safetensors file (github.com/huggingface/safetensors): numbers, and no program.

    8 bytes, the header's length | header, JSON: dtype, shape and place of each tensor; "__metadata__" | numbers

"__metadata__" has two texts: METADATA, JSON too; and CHECKSUMS, the CRC-32 of that text and of the tensors, for
safetensors has none.  Not here: what the metadata mean, and which tensors belong to a network (network_file.py).
"""
import json
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput, atomic_write, error_line, open_regular_file

METADATA, CHECKSUMS = "mugo", "crc32"
MAX_HEADER_BYTES = 16 << 20              # with the history of a long run; one of 60 million positions has 0.3 MB
DTYPES = {"F32": np.dtype("<f4"), "I32": np.dtype("<i4"), "I64": np.dtype("<i8")}
ZIP = b"PK\x03\x04"                      # how the archives of Keras begin


class OtherFormat(BadInput):
    """A file that is whole, and that this version of MuGo does not read: an earlier or a later one wrote it."""


class TensorFile:
    """A file at `path`, opened.  shapes: of each tensor, by its name: its dtype, a name of safetensors, and its shape.

    Raises BadInput, one line, for a file that is none, or damaged; the numbers are not read before `read`.
    """

    def __init__(self, path: Path):
        from safetensors import SafetensorError, safe_open

        self.path, self._errors = path, (SafetensorError, OSError, ValueError)
        try:
            with open_regular_file(path) as file:
                start = file.read(8)
            if start.startswith(ZIP):
                raise OtherFormat(f"{path} is a Keras file: MuGo reads networks and runs from files that end in "
                                  ".safetensors")
            if len(start) < 8 or int.from_bytes(start, "little") > MAX_HEADER_BYTES:
                raise ValueError(f"it does not begin with the length of a header, of {MAX_HEADER_BYTES >> 20} MB at "
                                 "most")
            self._file = safe_open(path, "numpy")
            slices = {name: self._file.get_slice(name) for name in self._file.keys()}
            self.shapes = {name: (str(tensor.get_dtype()), tuple(tensor.get_shape()))
                           for name, tensor in slices.items()}
        except PermissionError as error:
            raise BadInput(f"{path}: {error_line(error)}") from None
        except self._errors as error:
            raise self._damaged(error) from None

    def _damaged(self, error: BaseException) -> BadInput:
        return BadInput(f"{self.path} is not a MuGo network, or is damaged: {error_line(error)}")

    def metadata(self) -> Any:
        """The JSON value.  Raises BadInput if there is none, or it is damaged."""
        texts = self._file.metadata() or {}
        if not {METADATA, CHECKSUMS} <= texts.keys():
            raise BadInput(f"{self.path} is not a MuGo network: its header has no {METADATA!r} and {CHECKSUMS!r}")
        text = texts[METADATA]
        if not texts[CHECKSUMS].startswith(_checksum_of_text(text)):
            raise self._damaged(ValueError("its metadata do not fit their checksum"))
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{self.path} is not a MuGo network: its metadata: {error_line(error)}") from None

    def read(self, names: Collection[str] | None = None) -> dict[str, np.ndarray]:
        """The tensors of these names, by default all.

        Raises BadInput for a file that does not fit its checksum, a dtype that is not one of DTYPES, and numbers that
        are infinite or NaN."""
        for name, (dtype, _) in self.shapes.items():
            if dtype not in DTYPES:
                raise BadInput(f"{self.path}: its {name[:80]} has dtype {dtype[:20]}, expected {', '.join(DTYPES)}")
        checksum, tensors = 0, {}
        try:
            for name in sorted(self.shapes):
                array = self._file.get_tensor(name)
                checksum = zlib.crc32(array.data, checksum)
                if names is None or name in names:
                    tensors[name] = array
        except self._errors as error:
            raise self._damaged(error) from None
        if not (self._file.metadata() or {}).get(CHECKSUMS, "").endswith(f" {checksum:08x}"):
            raise self._damaged(ValueError("its numbers do not fit their checksum"))
        for name, array in tensors.items():
            if not np.isfinite(array).all():
                raise BadInput(f"{self.path}: {name} of this network is infinite or NaN")
        return tensors


def _checksum_of_text(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x} "


def write_tensors(path: Path, tensors: Mapping[str, np.ndarray], metadata: dict[str, Any]) -> None:
    """Write a file, atomically.  Raises OSError, and BadInput for metadata that could not be read again.

    The same tensors and metadata give the same bytes, which the library's own writer does not promise: it hashes the
    names in the metadata.  tensors: of numbers.
    """
    arrays = {name: np.asarray(tensors[name], order="C") for name in sorted(tensors)}
    arrays = dict(sorted(arrays.items(), key=lambda item: -item[1].itemsize))        # so that each is aligned
    text, checksum, begin = json.dumps(metadata), 0, 0
    for name in sorted(arrays):
        checksum = zlib.crc32(arrays[name].data, checksum)
    header: dict[str, Any] = {"__metadata__": {METADATA: text,
                                               CHECKSUMS: f"{_checksum_of_text(text)}{checksum:08x}"}}
    for name, array in arrays.items():
        header[name] = {"dtype": f"{array.dtype.kind.upper()}{8 * array.itemsize}", "shape": array.shape,
                        "data_offsets": (begin, begin + array.nbytes)}
        begin += array.nbytes
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    if len(encoded) > MAX_HEADER_BYTES:
        raise BadInput(f"{path} would have a header of {len(encoded):,} bytes with its metadata; at most "
                       f"{MAX_HEADER_BYTES:,} are read: it stays as it is")
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        file.write(len(encoded).to_bytes(8, "little") + encoded)
        for array in arrays.values():
            file.write(array.data)

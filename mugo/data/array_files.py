"""moves.npy, setup.npy and owners.npy: one-dimensional arrays of int16 in NumPy's format 1.0, which numpy.load reads.

The header is always the same 128 bytes but for the length.  So it is compared with the one that the file's size
requires, and never parsed.
"""
import os
from pathlib import Path

import numpy as np

from mugo.data.meta import crc32
from mugo.files import BadInput, open_regular_file

HEADER_BYTES = 128
_ITEM = np.dtype("<i2")


def header(items: int) -> bytes:
    """The header of a file of so many items (numpy.lib.format, version 1.0)."""
    magic = b"\x93NUMPY\x01\x00" + (HEADER_BYTES - 10).to_bytes(2, "little")
    text = f"{{'descr': '<i2', 'fortran_order': False, 'shape': ({items},), }}".encode()
    return magic + text.ljust(HEADER_BYTES - 11) + b"\n"


def write_array(path: Path, array: np.ndarray) -> dict[str, int | str]:
    """Write an int16 array; returns its entry in meta.json."""
    array = np.ascontiguousarray(array, _ITEM)
    with open(path, "wb") as file:
        file.write(header(len(array)))
        array.tofile(file)
    return {"items": len(array), "crc32": crc32(array.data)}


def read_array(path: Path, items: int, checksum: str) -> np.ndarray:
    """The first `items` items of a file, int16; there may be more.

    Raises BadInput unless the header and the checksum are as expected; FileNotFoundError.
    """
    with open_regular_file(path) as file:
        found = (os.fstat(file.fileno()).st_size - HEADER_BYTES) // _ITEM.itemsize
        if file.read(HEADER_BYTES) != header(found) or found < items:
            raise BadInput(f"{path} is damaged: expected a NumPy file of at least {items:,} items of int16 in one "
                           "dimension, and its length in the header; make the data set again")
        array = np.fromfile(file, _ITEM, items)
    if len(array) != items or crc32(array.data) != checksum:
        raise BadInput(f"{path} is damaged: its checksum is not the one in meta.json; make the data set again")
    return array.astype(np.int16, copy=False)

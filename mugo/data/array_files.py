"""NumPy's files of one dimension (format 1.0): written once, and mapped into memory.

The header is always the same but for the length: 128 bytes for numbers, 512 for records.  So it is compared with the
one that the file's size requires, and never parsed.  A mapped file must not be cut off while it is in use: the
operating system ends a process that reads behind the end of a file (SIGBUS).
"""
import mmap
import os
from pathlib import Path

import numpy as np

from mugo.core.files import BadInput, open_regular_file


def header(items: int, dtype: np.dtype) -> bytes:
    """The header of a file of so many items (numpy.lib.format, version 1.0)."""
    length = header_bytes(dtype)
    magic = b"\x93NUMPY\x01\x00" + (length - 10).to_bytes(2, "little")
    description = np.lib.format.dtype_to_descr(dtype)
    text = f"{{'descr': {description!r}, 'fortran_order': False, 'shape': ({items},), }}".encode()
    return magic + text.ljust(length - 11) + b"\n"


def header_bytes(dtype: np.dtype) -> int:
    """The length of the header."""
    return 512 if dtype.names else 128


def write_array(path: Path, array: np.ndarray) -> None:
    """Write an array, (n,) of little-endian numbers or records."""
    with open(path, "wb") as file:
        file.write(header(len(array), array.dtype))
        file.write(np.ascontiguousarray(array).data)


def map_array(path: Path, dtype: np.dtype, size: int) -> tuple[np.ndarray, mmap.mmap]:
    """(the array in a file of `size` bytes, read-only; its mapping).

    Raises BadInput unless the file has this size and the header that belongs to it; FileNotFoundError.
    """
    items = (size - header_bytes(dtype)) // dtype.itemsize
    with open_regular_file(path) as file:
        found = os.fstat(file.fileno()).st_size
        if found != size or file.read(header_bytes(dtype)) != header(items, dtype):
            raise BadInput(f"{path} is damaged: expected a NumPy file of {size:,} bytes, which {max(items, 0):,} items "
                           "in one dimension have, and its length in the header; make the data set again")
        mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapping, dtype, items, header_bytes(dtype)), mapping

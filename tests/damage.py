"""Damage of a file's bytes, for tests: bits flipped, cut off, parts zeroed, parts doubled."""
import random
from collections.abc import Iterator

KINDS = "flip", "cut", "zero", "double"


def damaged(whole: bytes, count: int, seed: int = 1) -> Iterator[tuple[str, bytes]]:
    """(what was done, the bytes) of `count` damaged copies, of all KINDS in turn; each differs from the whole."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        kind, at = KINDS[made % len(KINDS)], rng.randrange(len(whole))
        length = min(rng.choice((1, 8, 512)), len(whole) - at)
        if kind == "flip":
            bit = rng.randrange(8)
            data = whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1:]
        elif kind == "cut":
            data = whole[:at]
        elif kind == "zero":
            data = whole[:at] + bytes(length) + whole[at + length:]
        else:
            data = whole[:at + length] + whole[at:]
        made += 1
        if data != whole:
            yield f"{kind} at {at}", data

"""Ranges of numeric options, and their error messages."""
import math
from collections.abc import Iterable

from mugo.files import BadInput

# (least, most), both inclusive
POSITIVE = math.ulp(0.0), math.inf
NON_NEGATIVE = 0, math.inf
AT_LEAST_1 = 1, math.inf
FRACTION = 0, 1
PRECISIONS = "float32", "mixed_bfloat16"     # Keras's dtype policies for training
SEED = 0, 2**32 - 1                      # 32 bits, which every random generator in MuGo accepts


def check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    """Raise BadInput, which names the option, unless a value is one of the choices."""
    if value not in choices:
        raise BadInput(f"--{name} {value:.40}: must be one of {', '.join(choices)}")


def number_of_positions(text: str) -> int:
    """An option's number of positions, which may be written as 1e6.  Raises ValueError for one that is not whole."""
    if not (number := float(text)).is_integer():
        raise ValueError
    return int(number)


def check_limits(options: object, limits: dict[str, tuple[float, float]]) -> None:
    """Check attributes of `options` (an argparse.Namespace, a dataclass) against their (least, most).

    An attribute that is None passes.  Raises BadInput, which names the option, for the first one that is out of
    range, infinite or NaN.
    """
    for name, (least, most) in limits.items():
        value = getattr(options, name)
        if value is None or least <= value <= most and value < math.inf:
            continue
        if value == math.inf:
            expected = "must be finite"
        elif value > most:
            expected = f"must be at most {most}"
        else:
            expected = "must be above 0" if least == POSITIVE[0] else f"must be at least {least}"
        shown = f"{value:g}" if isinstance(value, float) else f"{value}"
        shown = shown if len(shown) <= 30 else f"{shown[:30]}..."
        raise BadInput(f"--{name.replace('_', '-')} {shown}: {expected}")

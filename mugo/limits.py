"""What the numbers of a command line may be, said in the same words everywhere."""
import math

from mugo.files import BadInput

ABOVE_0 = math.ulp(0.0), math.inf        # more than 0
FROM_0 = 0, math.inf
FROM_1 = 1, math.inf
SHARE = 0, 1
SEED = 0, 2**32 - 1                      # what every random generator here takes


def check(options: object, limits: dict[str, tuple[float, float]]) -> None:
    """Raise BadInput for the first attribute of options that is below the first or above the second of its limits,
    infinite, or NaN.  One that is None is all right."""
    for name, (least, most) in limits.items():
        value = getattr(options, name)
        if value is None or least <= value <= most and value < math.inf:
            continue
        if value == math.inf:
            wanted = "a finite number is needed"
        elif value > most:
            wanted = f"at most {most} makes sense"
        else:
            wanted = "more than 0 is needed" if least == ABOVE_0[0] else f"at least {least} is needed"
        said = f"{value:g}" if isinstance(value, float) else value
        raise BadInput(f"--{name.replace('_', '-')} {said}: {wanted}")

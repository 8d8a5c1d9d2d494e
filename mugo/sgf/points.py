"""A number of points as records write it, for komi and for margins of victory.

    6.5   .5   6,5   6½   1/2   6 1/2          decimals and fractions
    6目半   半目   2.5집                         with a unit: points, in Chinese, Japanese, Korean
    3.75子   3又3/4子   3¾子                     stones: with area scoring a stone more is two points more
"""
import re

_NUMBER = re.compile(r"""
    (?P<sign>[+-]?)\s*
    (?: (?P<fraction>[13]/[24])
      | (?P<decimal>\d{1,20}(?:[.,]\d{1,20})?|\.\d{1,20})  (?:\s*[又-]?\s*(?P<and_fraction>[13]/[24]))?
      | (?=[半반½¼¾]) )
    \s*(?P<symbol>[¼½¾]?)
    \s*(?P<half>[半반]?)
    \s*(?P<unit>[目子집점点點]|points?\b|pts?\b|moku\b)?
    \s*(?P<half_after>[半반]?)
    (?![.,/]?\w*[0-9])""", re.VERBOSE | re.ASCII | re.IGNORECASE)
_FRACTIONS = {"1/4": 0.25, "¼": 0.25, "1/2": 0.5, "2/4": 0.5, "½": 0.5, "3/4": 0.75, "¾": 0.75, "半": 0.5, "반": 0.5}


def points_in(text: str, position: int = 0, with_unit: bool = False) -> float | None:
    """The number at a position of a text, in points; twice the number of stones (子).  None if there is none.

    A number that goes on in another way (1e3, 6.5.1, 1/3) is none.  with_unit: only one that has a unit.
    """
    match = _NUMBER.match(text, position)
    if not match or with_unit and not (match["unit"] or match["half"]):
        return None
    number = float((match["decimal"] or "0").replace(",", "."))
    number += sum(_FRACTIONS.get(match[name] or "", 0)
                  for name in ("fraction", "and_fraction", "symbol", "half", "half_after"))
    return (-number if match["sign"] == "-" else number) * (2 if match["unit"] == "子" else 1)

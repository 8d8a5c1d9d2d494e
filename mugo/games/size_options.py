"""Board sizes as values of options, for argparse.

    --size 9        parse_size -> (9, 9)       parse_square_size -> 9
    --size 13x9     parse_size -> (9, 13)      parse_square_size: this needs a square board
"""
import argparse

from mugo.core.files import BadInput
from mugo.games.coords import interpret_size, square_size


def parse_size(text: str) -> tuple[int, int]:
    """(rows, columns) of a --size.  Raises ArgumentTypeError."""
    try:
        return interpret_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def parse_square_size(text: str) -> int:
    """The number of rows of a --size that is a square board's.  Raises ArgumentTypeError."""
    try:
        return square_size(parse_size(text))
    except BadInput as error:
        raise argparse.ArgumentTypeError(str(error)) from None

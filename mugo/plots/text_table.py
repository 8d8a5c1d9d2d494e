"""Tables as lines of text, aligned also where names are Chinese, Japanese or Korean.

    format_table([["komi", "games"], ["6.5", "10"], ["0.5", "1,234"]])  ->  komi  games
                                                                            6.5      10
                                                                            0.5   1,234
"""
import unicodedata
from collections.abc import Sequence


def display_width(text: str) -> int:
    """Columns that a text takes in a terminal: two for a Chinese character, none for a combining accent."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def truncate(text: str, columns: int) -> str:
    """The text, cut to at most this many terminal columns, "?" for each control character."""
    width, end = 0, 0                    # end: of what fits with "…"
    for i, c in enumerate(text):
        width += display_width(c)
        if width < columns:
            end = i + 1
        if width > columns:
            text = text[:end] + "…"
            break
    return "".join(c if c.isprintable() else "?" for c in text)


def format_table(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table; the first `left` columns are aligned left, the others right."""
    if not rows:
        return []
    widths = [max(display_width(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell + " " * (width - display_width(cell)) if k < left else " " * (width - display_width(cell)) + cell
                 for k, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def side_by_side(blocks: Sequence[Sequence[str]]) -> list[str]:
    """Blocks of lines from left to right, four spaces between them; an empty block has no width."""
    widths = [max((display_width(line) for line in block), default=0) for block in blocks]
    lines = []
    for i in range(max((len(block) for block in blocks), default=0)):
        cells = [block[i] if i < len(block) else "" for block in blocks]
        lines.append("    ".join(cell + " " * (width - display_width(cell))
                                 for cell, width in zip(cells, widths, strict=True)).rstrip())
    return lines

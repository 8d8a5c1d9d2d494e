"""Griffe extension: the lines `name: meaning` of a docstring become a list in the API reference.

    size, komi: of the first board.                - `size`, `komi`: of the first board.
    lag: seconds that a move costs                 - `lag`: seconds that a move costs
    beyond its own time.                             beyond its own time.
    Raises BadInput for a negative lag.
                                                   Raises BadInput for a negative lag.
"""
import re

import griffe

NAMES = re.compile(r"(?P<names>[a-z_]\w*(?:, [a-z_]\w*)*): (?P<meaning>\S.*)")
SENTENCE = re.compile(r"(Raises|Returns|Yields) ")


def with_lists(text: str) -> str:
    """The docstring as Markdown.  Indented blocks and doctests are code."""
    out: list[str] = []
    in_list = after_list = in_doctest = False
    for line in text.split("\n"):
        names = NAMES.fullmatch(line)
        in_doctest = line.startswith(">>> ") or in_doctest and bool(line.strip())
        if names:
            out += [] if in_list else [""]
            out.append("- " + ", ".join(f"`{name}`" for name in names["names"].split(", ")) + f": {names['meaning']}")
            in_list = True
        elif in_list and SENTENCE.match(line):
            out += ["", line]
            in_list = False
        elif in_list and line.strip():
            out.append("  " + line)
        elif in_doctest:
            out.append("    " + line)
        else:
            if line.startswith("    ") and after_list:
                out += ["<!-- the list ends here -->", ""]      # or Markdown takes the block for a part of the item
            out.append(line)
            after_list = in_list or after_list and not line.strip()
            in_list = False
    return "\n".join(out)


class Lists(griffe.Extension):
    """Applies `with_lists` to every docstring."""

    def on_instance(self, *, obj: griffe.Object, **_) -> None:
        if obj.docstring:
            obj.docstring.value = with_lists(obj.docstring.value)

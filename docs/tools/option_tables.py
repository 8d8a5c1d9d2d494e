"""Write the tables of options in docs/ from the dataclasses that define them.

    python docs/tools/option_tables.py

A table stands between a line `<!-- options TOPIC: ... -->`, with a topic of `mugo help`, and the line END.
tests/test_docs.py checks that each is the current one.
"""
import re
from pathlib import Path

from mugo.cli.help import TOPICS
from mugo.core.options import option_table

END = "<!-- end -->\n"
TABLE = re.compile(r"(<!-- options (\w+): written by docs/tools/option_tables\.py -->\n).*?" + END, re.DOTALL)
PAGES = sorted(Path(__file__).parents[1].glob("*.md"))


def with_tables(text: str) -> str:
    """A page with its current tables."""
    return TABLE.sub(lambda match: f"{match[1]}\n{option_table(*TOPICS[match[2]].load())}\n\n{END}", text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_tables(page.read_text()))

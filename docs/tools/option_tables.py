"""Write the tables of options in docs/ from the dataclasses that define them.

    python docs/tools/option_tables.py

A table stands between the lines BEGIN and END.  tests/test_docs.py checks that it is the current one.
"""
from pathlib import Path

from mugo.core.options import option_table
from mugo.players.options import PLAYERS_DEFAULTS
from mugo.players.searcher import PlayOptions
from mugo.search.settings import Settings

BEGIN, END = "<!-- options: written by docs/tools/option_tables.py -->\n", "<!-- end -->\n"
PAGE = Path(__file__).parents[1] / "search.md"


def with_table(text: str) -> str:
    """A page with the current table."""
    before, rest = text.split(BEGIN)
    table = option_table([PlayOptions, Settings], PLAYERS_DEFAULTS)
    return f"{before}{BEGIN}\n{table}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))

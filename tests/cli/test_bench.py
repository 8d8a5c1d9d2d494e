"""`mugo bench`: the signature of the search, held here for the whole project."""
import re

from mugo.cli import main as cli

# A commit that changes this number changes what the search does, and its message says the new number.
SIGNATURE = 97_443


def test_the_search_has_its_signature(capsys):
    assert cli.main(["bench"]) == 0
    *lines, signature = capsys.readouterr().out.splitlines()
    rows = [re.fullmatch(r"(uct|mcts) +(go|gomoku) +\d+x\d+ +([\d,]+) +[\d,]+", line) for line in lines[1:]]
    assert sum(int(row[3].replace(",", "")) for row in rows) == SIGNATURE
    assert signature == f"signature {SIGNATURE:,}"


def test_the_bench_runs_at_least_once(capsys):
    assert cli.main(["bench", "--times", "0"]) == 2
    assert "--times is at least 1, not 0" in capsys.readouterr().err

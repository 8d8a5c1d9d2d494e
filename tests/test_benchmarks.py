"""Benchmarks that are quick enough for a test: hostile files take no more memory and time than others."""
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(not importlib.util.find_spec("py7zr"), reason="py7zr is not installed")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource limits")
def test_hostile_files_cost_a_line_and_little_memory():
    words = [sys.executable, ROOT / "benchmarks" / "hostile.py", "--quick", "--seconds", "60"]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in printed.splitlines() if "|" in line][2:]
    assert len(rows) == 4
    for name, _, peak, _, status, line in rows:
        assert status == ("0" if name.startswith("GTP") else "2"), name      # GTP's errors are replies
        assert line.startswith(("mugo analyze: ", "? ")), line
        assert float(peak) < 400, name

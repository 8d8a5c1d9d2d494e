"""The page's modules without a browser: tests/web/page/*.test.mjs, run by node."""
import subprocess
from pathlib import Path

import pytest

from page_modules import NODE, needs_node

TESTS = sorted((Path(__file__).parent / "page").glob("*.test.mjs"))


@needs_node
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_of_node(path):
    done = subprocess.run([NODE, "--no-warnings", "--test", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout

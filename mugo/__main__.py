"""python -m mugo COMMAND ... does what the installed `mugo COMMAND ...` does."""
import sys
from pathlib import Path

if (_root := str(Path(__file__).resolve().parent.parent)) not in sys.path:
    sys.path.append(_root)               # the file itself was run, from a clone that is not installed

from mugo.cli.main import run  # noqa: E402

if __name__ == "__main__":
    run()

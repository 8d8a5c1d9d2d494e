"""python -m mugo COMMAND ... does what the installed `mugo COMMAND ...` does."""
import sys

from mugo.cli import main

if __name__ == "__main__":
    sys.exit(main())

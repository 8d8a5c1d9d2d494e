"""python main.py COMMAND ... does what the installed `mugo COMMAND ...` does."""
from mugo.cli.main import run

if __name__ == "__main__":
    run()

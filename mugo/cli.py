"""The command table.  Each command is a module with `add_arguments` and `command`; only the one
asked for is imported, so `mugo gtp random` does not wait for TensorFlow."""
import argparse
import importlib
import os
import sys
from concurrent.futures import BrokenExecutor

from mugo import __version__
from mugo.files import BadInput
from mugo.renamed import refuse_renamed_options

# command: (module, what it does)
COMMANDS = {
    "preprocess": ("data.preprocess", "read SGF archives into a data set"),
    "show": ("data.summary", "say what is in a data set"),
    "export": ("data.export", "write a data set's planes and moves as .npy files"),
    "train": ("training.train", "train a network on a data set"),
    "selfplay": ("selfplay.selfplay", "train a network from nothing by self-play: Gomoku, or Go on small boards"),
    "evaluate": ("training.evaluate", "say how well a network predicts"),
    "gtp": ("gtp.command", "play over the Go Text Protocol"),
    "web": ("web.app", "open a board in the browser: play, analyse, look at games"),
    "analysis": ("analysis.command", "answer queries of KataGo's analysis protocol"),
    "match": ("match.tournament", "let players or GTP programs play each other"),
    "analyze": ("review.command", "review games move by move"),
    "play": ("tui.play", "play in the terminal against any player"),
    "demo": ("demo", "do all of this on the sample games, in some minutes"),
}
# Options that had another name before; an error for the old one gives the new one.
RENAMED_OPTIONS: dict[str, str] = {
}
# What to install where a package is missing: the extra of pyproject.toml.
EXTRAS = {"keras": "train", "tensorflow": "train", "onnx": "train", "jax": "jax", "matplotlib": "pictures",
          "py7zr": "7z", "starlette": "web", "uvicorn": "web"}


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status: 0 done, 2 bad input (one line on stderr), 130 Ctrl-C."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if sys.stdin is None:                                # closed by whoever started this
        sys.stdin = open(os.devnull)
    if hasattr(sys.stdout, "reconfigure"):               # a player's name need not be in the terminal's letters
        sys.stdout.reconfigure(errors="backslashreplace")
    parser = argparse.ArgumentParser(prog="mugo", description="A Go program that learns from people.")
    parser.add_argument("--version", action="version", version=f"MuGo {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = next((name for name in arguments if name in COMMANDS), None)
    try:
        for name, (module, what) in COMMANDS.items():
            of_command = commands.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")
            if name == asked:
                chosen = importlib.import_module(f"mugo.{module}")
                chosen.add_arguments(of_command)
                refuse_renamed_options(arguments, of_command._option_string_actions)
        args = parser.parse_args(arguments)
        return chosen.command(args)
    except BadInput as error:
        return _failed(asked, str(error))
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        return _failed(asked, f"this needs the package {error.name}: pip install 'mugo[{extra}]'")
    except KeyboardInterrupt:
        print(f"\nmugo {asked}: stopped; nothing that was saved is lost", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())       # or Python complains once more
        return 1
    except BrokenExecutor:
        return _failed(asked, "a process that worked for it was killed (is the memory full?); the same command goes on "
                              "where it was")
    except MemoryError as error:
        return _failed(asked, f"this needs more memory than there is: {error or 'it is full'}")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _failed(asked, f"{where}{error.strerror or error}")


def _failed(command: str | None, line: str) -> int:
    print(f"mugo {command}: {line}", file=sys.stderr)
    return 2

"""The commands of `mugo`.

A command is a function of two modules:

    mugo.gtp.options    add_gtp_arguments(parser)     imports nothing compiled and no Keras: --help comes at once
    mugo.gtp.command    command(args)                 the module in its row; returns the exit status

    exit status   0 success   1 stdout was closed   2 bad input or a failure, one line on stderr   130 Ctrl-C
"""
import argparse
import contextlib
import importlib
import io
import itertools
import os
import signal
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import NoReturn

from mugo.cli.help import TOPICS, topics_of
from mugo.core.files import BadInput, printable
from mugo.core.config import (
    own_config, own_config_file, read_config, set_values, split_config, suggestion, without_queries)
from mugo.core.options import Parser
from mugo.core.version import pip_install

# group: its commands; command: (module, help, example)
GROUPS: dict[str, dict[str, tuple[str, str, str]]] = {
    "Play": {
        "play": ("tui.play", "play in the terminal", "play mcts --size 9"),
        "web": ("web.app", "serve a board for the browser: play, analyse, review games", "web --size 19"),
        "site": ("web.site", "write the page as a static site that needs no server of MuGo", "site -o site"),
        "gtp": ("gtp.command", "play over the Go Text Protocol", "gtp mcts --seconds 5"),
        "analysis": ("analysis.command", "answer queries of KataGo's analysis protocol", "analysis mcts"),
    },
    "Review and matches": {
        "review": ("reviews.command", "review game records move by move", "review game.sgf -o review"),
        "match": ("match.tournament", "play matches between players and GTP programs",
                  "match 'mcts --seconds 2' 'gnugo --mode gtp --chinese-rules' --games 20 -o match"),
    },
    "Data and training": {
        "download": ("data.download", "fetch public archives of game records",
                     "download https://example.org/gamerecords/ -o games"),
        "preprocess": ("data.preprocess", "read SGF archives into a data set", "preprocess games -o dataset"),
        "show": ("data.summary", "print the statistics of a data set", "show dataset"),
        "export": ("data.export", "write a data set's planes and moves as .npy files", "export dataset -o arrays"),
        "train": ("training.train", "train a network on a data set", "train dataset -o run --minutes 30"),
        "selfplay": ("selfplay.run", "train a network by self-play: Gomoku, or Go on small boards",
                     "selfplay gomoku --size 6 --k 4 -o six"),
        "label": ("training.label", "write what a teacher, a network or KataGo, says of positions of a data set",
                  "label dataset --network policy-19 -o large"),
        "evaluate": ("training.evaluate", "measure accuracy and calibration of networks on a data set",
                     "evaluate policy-9 dataset"),
        "quantize": ("training.quantize", "add an int8 graph to a network, which plays several times as fast",
                     "quantize run dataset"),
        "convert": ("training.convert", "write a network as a file of ONNX", "convert policy-9 policy-9.onnx"),
    },
    "Tools": {
        "bench": ("cli.bench", "measure the speed of the search, and print the signature of what it does", "bench"),
        "doctor": ("cli.doctor", "examine this machine and installation, for bug reports", "doctor"),
        "help": ("cli.help", "show the help of a command, or all options of a kind, for example of the search",
                 "help search"),
        "completion": ("cli.completion", "print a script that completes commands and options in a shell",
                       "completion bash"),
        "demo": ("cli.demo", "preprocess, train, evaluate and play on the sample games, in a few minutes",
                 "demo --minutes 1"),
    },
}
COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}
GREETING = """MuGo plays, analyses and learns Go.  Begin with one of these:

  mugo web                   a board in the browser: play, analyse, review games
  mugo play                  a game in the terminal
  mugo review GAME.sgf       what the mistakes of a game were
  mugo gtp mcts              the engine for Sabaki, GoGui, Lizzie and other programs

mugo --help lists all commands, and mugo help COMMAND explains one."""
INTERRUPTED = 130
# What is true after Ctrl-C of a command that writes files
INTERRUPTED_TEXT = {
    **dict.fromkeys(("train", "selfplay", "label"), "; what was saved is complete, and --resume continues"),
    **dict.fromkeys(("download", "preprocess", "review", "demo"),
                    "; what was finished is kept, and the same command continues"),
}
# package: the extra of pyproject.toml that installs it
EXTRAS = {"keras": "train", "tensorflow": "train", "tensorboard": "train",
          "jax": "jax", "pyarrow": "data", "matplotlib": "pictures", "py7zr": "7z", "backports": "7z",
          "starlette": "web", "uvicorn": "web", "websockets": "web", "dask": "distributed",
          "distributed": "distributed", "shtab": "completion"}
REQUIRED = ("llvmlite", "numpy", "numba", "onnxruntime", "pandas", "platformdirs", "safetensors",
            "sgfmill", "tqdm")           # of every install


def run() -> NoReturn:
    """The program: `main`, and the end of the process."""
    status = INTERRUPTED
    with contextlib.suppress(KeyboardInterrupt):         # another Ctrl-C, while `main` reports the first
        try:
            status = main()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python's own end is not interrupted
    if status == INTERRUPTED:            # threads of a network's backend may still run; Python's own end aborts then
        for stream in sys.stdout, sys.stderr:
            with contextlib.suppress(OSError):
                stream.flush()
        if workers := sys.modules.get("multiprocessing.util"):       # semaphores that are left are a warning on stderr
            workers._run_finalizers(0)
        os._exit(status)
    sys.exit(status)


def main(arguments: list[str] | None = None) -> int:
    """Run a command, by default that of sys.argv; returns the exit status.  Raises SystemExit for --help, --version."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _open_standard_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):         # the terminal's encoding may lack letters of a player's name
        sys.stdout.reconfigure(errors="backslashreplace")
    name = None
    try:
        words, files = split_config(arguments)
        name = next((word for word in words if not word.startswith("-")), None)
        return _run(name, words, files)
    except BadInput as error:
        return _fail(name, str(error))
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in REQUIRED:
            return _fail(name, f"this needs the package {package}, which {sys.executable} does not have: activate the "
                               "environment in which MuGo is installed, or install it (pip install -e .)")
        if package not in EXTRAS:
            raise
        extra = "train" if name == "train" and package == "pyarrow" else EXTRAS[package]     # it contains `data`
        if extra == "train" and os.environ.get("KERAS_BACKEND") == "jax":
            extra = "jax"                                # as large, without TensorFlow
        return _fail(name, f"this needs the package {package}: {pip_install(extra)}")
    except KeyboardInterrupt:
        print(f"\nmugo {name}: interrupted{INTERRUPTED_TEXT.get(name or '', '')}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())       # or Python reports it again at its exit
        return 1
    except BrokenExecutor:
        return _fail(name, "a worker process was killed, perhaps for want of memory; "
                           "the same command continues where it stopped")
    except MemoryError as error:
        return _fail(name, f"out of memory: {error}" if str(error) else "out of memory")
    except OSError as error:
        path = f"{error.filename}: " if error.filename else ""
        return _fail(name, f"{path}{error.strerror or error}")


def _open_standard_streams() -> None:
    """Open the null device for standard streams that the parent process has closed; the next file would become one."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)               # gets the lowest free descriptor
    sys.stdin = sys.stdin or open(os.devnull)
    sys.stdout = sys.stdout or open(os.devnull, "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")


class _PrintVersions(argparse.Action):
    """--version: the versions of MuGo, of what it runs on and of its networks; imported only for it."""

    def __call__(self, parser, namespace, values, option_string=None):
        from mugo.cli.doctor import versions
        from mugo.core.version import bundled_networks

        print("\n".join([*(f"{name} {version}" for name, version in versions().items()),
                         *(f"network {path.stem}" for path in bundled_networks().values())]))
        parser.exit()


def overview() -> str:
    """The text of `mugo --help`: all commands in groups."""
    lines = ["usage: mugo COMMAND ...", "", "Learn, train and play computer Go on an ordinary laptop."]
    for group, commands in GROUPS.items():
        lines += ["", f"{group}:", *(f"  {name:<12}{help_text}" for name, (_, help_text, _) in commands.items())]
    return "\n".join([*lines, "", "mugo help COMMAND explains one.  mugo --version prints the versions of MuGo and of "
                      "what it runs on."])


class _MainParser(Parser):
    def format_help(self) -> str:
        return overview() + "\n"


def add_command(subparsers, name: str) -> argparse.ArgumentParser:
    """Add the parser of a command.  subparsers: what ArgumentParser.add_subparsers returns."""
    _, description, example = COMMANDS[name]
    topics = ", ".join(f"mugo help {topic}" for topic in topics_of(name))
    parser = subparsers.add_parser(name, help=description, description=description[0].upper() + description[1:] + ".",
                                   epilog=f"Example: mugo {example}"
                                   + (topics and f"\nMore options, with all defaults: {topics}."), allow_abbrev=False,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, name)
    # For --help: split_config takes it away before the parser sees a command line.
    parser.add_argument("--config", metavar="FILE", help="options from a TOML file, for example simulations = 400")
    return parser


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the arguments of a command."""
    package = COMMANDS[name][0].partition(".")[0]
    getattr(importlib.import_module(f"mugo.{package}.options"), f"add_{name}_arguments")(parser)


def _run(name: str | None, arguments: list[str], files: list[Path]) -> int:
    """Parse the arguments and run the command.  name: the command among them, if any.  files: of --config."""
    if not arguments or arguments == ["help"]:
        print(overview() if arguments else GREETING)
        return 0
    parser = _MainParser(prog="mugo")
    parser.add_argument("--version", action=_PrintVersions, nargs=0)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    if name is None:                                     # --help, --version, or a command is missing
        _refuse_unknown_options(parser, arguments)
        parser.parse_args(arguments)
    if name is None or name not in COMMANDS:
        raise BadInput(f"{name!r} is no command{suggestion(name or '', COMMANDS)} (commands: {', '.join(COMMANDS)})")
    if name == "help" and arguments[-1] in COMMANDS:
        add_command(subparsers, arguments[-1]).print_help()
        if arguments[-1] not in TOPICS:
            return 0
        print()
    subparser = add_command(subparsers, name)
    given = [(own_config(name), f"{own_config_file()}, [{name}]")]
    for values, source in [*given, *((read_config(file), f"--config {file}") for file in files)]:
        set_values(subparser, without_queries(values, arguments, source), source)
    _refuse_unknown_options(subparser, arguments[arguments.index(name) + 1:])
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise BadInput(f"unrecognized arguments: {' '.join(unknown)} (see mugo {name} --help)")
    return importlib.import_module(f"mugo.{COMMANDS[name][0]}").command(args)


def _refuse_unknown_options(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Raise BadInput for an option that a command does not have.  argparse would first take its value for a positional
    argument, and complain of that."""
    options = [option for action in parser._actions for option in action.option_strings]
    for word in itertools.takewhile(lambda word: word != "--", words):
        option = word.partition("=")[0]
        if word.startswith("--") and " " not in word and option not in options:
            raise BadInput(f"there is no option {option}{suggestion(option, options)} (see {parser.prog} --help)")


def _fail(name: str | None, line: str) -> int:
    """Print the error line of a command; returns exit status 2."""
    program = f"mugo {name}" if name in COMMANDS else "mugo"
    print(f"{program}: {printable(line)}", file=sys.stderr)
    return 2

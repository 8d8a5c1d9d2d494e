"""MkDocs hook: what pages leave to the sources.

    <!-- help: COMMAND -->     what `mugo COMMAND --help` prints
    <!-- output: TOOL.py -->   what `python docs/tools/TOOL.py` prints: Markdown
    <!-- api: PACKAGE -->      the package's docstring, then each of its modules, in the order in which it names them
"""
import argparse
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from mugo.cli.main import COMMANDS, add_config_arguments  # noqa: E402  (the repository is on no path when MkDocs loads this file)


def on_page_markdown(markdown: str, **_) -> str:
    """The page's Markdown with its placeholders replaced."""
    markdown = re.sub(r"<!-- help: (\w+) -->", lambda found: f"```text\n{help_of(found[1])}```", markdown)
    markdown = re.sub(r"<!-- output: (\w+\.py) -->", lambda found: output_of(found[1]), markdown)
    return re.sub(r"<!-- api: (\w+) -->", lambda found: api(found[1]), markdown)


def help_of(command: str) -> str:
    """The help text of a command, 100 columns wide."""
    module, description = COMMANDS[command]
    os.environ["COLUMNS"] = "100"
    parser = argparse.ArgumentParser(prog=f"mugo {command}", description=f"{description[0].upper()}{description[1:]}.")
    add_config_arguments(parser)
    importlib.import_module(f"mugo.{module}").add_arguments(parser)
    return parser.format_help()


def output_of(tool: str) -> str:
    """What a program of docs/tools prints."""
    return subprocess.run([sys.executable, ROOT / "docs" / "tools" / tool], check=True, capture_output=True,
                          text=True).stdout


def api(package: str) -> str:
    """mkdocstrings' directives for a package and its modules."""
    folder = ROOT / "mugo" / package
    docstring = (folder / "__init__.py").read_text()
    modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    def place(name: str) -> int:
        found = re.search(rf"(?m)^    .*\b{name}\b", docstring)
        return found.end() if found else 10**6

    modules.sort(key=place)
    heading = "    options: {show_root_heading: true, show_root_full_path: true, show_root_toc_entry: true}"
    return "\n\n".join([f"::: mugo.{package}", *(f"::: mugo.{package}.{name}\n{heading}" for name in modules)])

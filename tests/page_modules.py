"""Functions of the page's modules that need no browser, called in node."""
import functools
import json
import shutil
import subprocess
from typing import Any

import pytest

import mugo

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
SCRIPT = """
import { createInterface } from "node:readline";
const found = {};
for (const name of ["sgf", "edit_properties", "properties", "coordinates", "opponents", "texts", "chains", "coach"]) {
  Object.assign(found, await import(`FOLDER/${name}.js`));
}
for await (const line of createInterface({ input: process.stdin })) {
  const [name, args] = JSON.parse(line);
  console.log(JSON.stringify(found[name](...args) ?? null));
}
"""


@functools.cache
def _node() -> subprocess.Popen:
    """A process that answers each line [name, arguments] with a line; it ends with the tests."""
    script = SCRIPT.replace("FOLDER", f"{mugo.__path__[0]}/web/static/core")
    return subprocess.Popen([NODE, "--no-warnings", "--input-type=module", "-e", script], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)


def call(name: str, *arguments: Any) -> Any:
    """What a function of the page returns, arguments and value as JSON."""
    node = _node()
    node.stdin.write(json.dumps([name, arguments]).encode() + b"\n")
    node.stdin.flush()
    return json.loads(node.stdout.readline())


def format_game(game: dict, written_info: dict | None = None) -> str:
    """A game of sgf.tree as the page saves it.  written_info: the game information that the root's properties have
    (None: all)."""
    nodes = [node | {"analysis": {"win_rate": node["win_rate"], "lead": node.get("lead"), "visits": node["visits"],
                                  "moves": []}} if "win_rate" in node else node for node in game["nodes"]]
    return call("formatGame", game | {"nodes": nodes}, game["info"] if written_info is None else written_info)

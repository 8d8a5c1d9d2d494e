"""The package reads and writes no pickle, and runs no text as code.

Numba's cache, in a folder that only its owner can write, aside: tests/core/test_shared_cache.py."""
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mugo.nn.network_file import TensorFile

PACKAGE = Path(__file__).parents[1] / "mugo"
# Modules that write or read pickles or code, of Python and of packages.
PICKLING = {"pickle", "_pickle", "cPickle", "pickletools", "marshal", "shelve", "copyreg", "joblib", "dill",
            "cloudpickle", "jsonpickle", "pandas.io.pickle"}
# Functions, by their last name, whoever has them.
UNSAFE_CALLS = {"read_pickle", "to_pickle", "enable_unsafe_deserialization", "eval", "exec", "getoutput",
                "getstatusoutput", "unsafe_load"}
SHELLS = {"os.system", "os.popen"}
# An argument and the only values that it may have, as source.
ARGUMENTS = {"allow_pickle": ("False",), "safe_mode": ("True",), "shell": ("False",), "weights_only": ("True",)}
# Functions of numpy with allow_pickle, and how many arguments stand before it.  Those that write have True as default.
READERS = {"load": 2}
WRITERS = {"save": 2}


def unsafe(source: str) -> Iterator[str]:
    """What in a module reads or writes pickles, or runs text: 'line: what'."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            names = []
        for name in names:
            if any(name == module or name.startswith(module + ".") for module in PICKLING):
                yield f"{node.lineno}: import {name}"
        if isinstance(node, ast.Call):
            yield from (f"{node.lineno}: {found}" for found in unsafe_call(node))


def unsafe_call(call: ast.Call) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if name in UNSAFE_CALLS or f"{owner}.{name}" in SHELLS:
        yield f"{name}()"
    if name in ("__import__", "import_module") and any(
            isinstance(argument, ast.Constant) and argument.value in PICKLING for argument in call.args):
        yield ast.unparse(call)
    if owner in ("np", "numpy") and name in READERS | WRITERS:
        if len(call.args) > (READERS | WRITERS)[name] or \
                name in WRITERS and "allow_pickle" not in [keyword.arg for keyword in call.keywords]:
            yield f"{owner}.{name} without allow_pickle=False"
    for keyword in call.keywords:
        if keyword.arg in ARGUMENTS and ast.unparse(keyword.value) not in ARGUMENTS[keyword.arg]:
            yield f"{keyword.arg}={ast.unparse(keyword.value)}"


@pytest.mark.parametrize("source", [
    "import pickle", "import os, marshal", "from pickle import loads", "from joblib import load",
    "from pandas.io import pickle", "def f():\n    import shelve", "importlib.import_module('pickle')",
    "np.load(path, allow_pickle=True)", "np.load(path, 'r', True)", "np.load(path, allow_pickle=flag)",
    "np.save(path, array)", "np.save(path, array, allow_pickle=True)",
    "keras.models.load_model(path, safe_mode=False)", "keras.config.enable_unsafe_deserialization()",
    "pd.read_pickle(path)", "table.to_pickle(path)", "eval(text)", "exec(code)", "os.system(command)",
    "subprocess.run(command, shell=True)"])
def test_what_is_unsafe_is_found(source):
    assert list(unsafe(source))


@pytest.mark.parametrize("source", [
    "import json", "from mugo.data import picklers", "re.compile(text)", "platform.system()",
    "np.load(path, mmap_mode='r')", "np.load(path, allow_pickle=False)", "np.save(path, array, allow_pickle=False)",
    "keras.models.load_model(path, safe_mode=True)"])
def test_what_is_safe_is_not(source):
    assert not list(unsafe(source))


def test_the_package_has_no_pickle_and_runs_no_text():
    sources = sorted(PACKAGE.rglob("*.py"))
    assert len(sources) > 100
    found = [f"{path.relative_to(PACKAGE)}:{each}" for path in sources for each in unsafe(path.read_text())]
    # pandas.DataFrame.eval, of what the user types
    assert [re.sub(r":\d+:", ":", each) for each in found] == ["data/games_table.py: eval()"]


def test_the_bundled_networks_are_safetensors():
    networks = sorted((PACKAGE.parent / "models").glob("*.safetensors"))
    assert networks
    for path in networks:
        assert {dtype for dtype, _ in TensorFile(path).shapes.values()} == {"F32"}, path

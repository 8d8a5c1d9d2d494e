"""The versions of MuGo, of what it runs on, and of its networks, for `mugo --version` and `mugo doctor`.  Imports none
of them."""
import importlib.metadata
import platform
import re
from pathlib import Path

from mugo import __version__
from mugo.core.files import is_temporary

# The distributions that matter for speed, results and bug reports; the others are pure Python.
PACKAGES = ("numpy", "numba", "llvmlite", "onnxruntime", "onnxruntime-gpu", "onnxruntime-openvino",
            "onnxruntime-directml", "pandas", "pyarrow", "safetensors", "keras", "tensorflow", "jax", "starlette",
            "uvicorn", "distributed")


def versions() -> dict[str, str]:
    """MuGo, Python, the operating system, and each of PACKAGES that is installed: name -> version."""
    found = {"MuGo": __version__, "Python": f"{platform.python_implementation()} {platform.python_version()}",
             "system": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def network_folders() -> list[Path]:
    """The folders with bundled networks: inside the installed package, or next to it in a clone."""
    package = Path(__file__).resolve().parents[1]
    return [package / "models", package.parent / "models"]


def bundled_networks() -> dict[str, Path]:
    """The newest file of each bundled network by its name, sorted: policy-19 -> .../policy-19-v10.safetensors."""
    newest: dict[str, tuple[int, Path]] = {}
    for folder in reversed(network_folders()):
        for path in folder.glob("*.safetensors"):
            name, version = re.fullmatch(r"(.+?)(?:-v(\d+))?", path.stem, re.DOTALL).groups()
            if not is_temporary(path.name) and int(version or 0) >= newest.get(name, (0,))[0]:
                newest[name] = int(version or 0), path
    return {name: path for name, (_, path) in sorted(newest.items())}


def describe_versions() -> str:
    """A line for each version, MuGo's first and those of the bundled networks last."""
    return "\n".join([*(f"{name} {version}" for name, version in versions().items()),
                      *(f"network {path.stem}" for path in bundled_networks().values())])

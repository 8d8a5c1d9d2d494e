"""The versions of MuGo and of what it runs on, for `mugo --version` and `mugo doctor`.  Imports none of them."""
import importlib.metadata
import platform

from mugo import __version__

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


def describe_versions() -> str:
    """A line for each version, MuGo's first."""
    return "\n".join(f"{name} {version}" for name, version in versions().items())

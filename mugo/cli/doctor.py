"""What a bug report needs to know of a machine:  mugo doctor > report.txt

    versions        MuGo, Python, the packages
    processor       its instruction sets, its cores, whether int8 is fast on it
    backends        ONNX Runtime's execution providers, GPUs, what can train
    caches          compiled code: where, how much, whose
    networks        each bundled network: whether it can be read and played
    problems        what is wrong, one line each

Imports neither Keras nor TensorFlow: processes of their own say what these train on.  The home folder is written as ~,
and nothing names the user or the machine.
"""
import argparse
import contextlib
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput, error_line
from mugo.core.machine import CUDA_EXTRAS, available_cores, nvidia_gpus
from mugo.core.version import VERSION, other_mugo, pip_install

FEATURES = ("sse4.2", "avx", "avx2", "fma", "avx512f", "avx512vnni", "avxvnni", "amx-int8", "neon", "dotprod", "i8mm",
            "sve")
VARIABLES = ("KERAS_BACKEND", "XDG_CACHE_HOME", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS",
             "CUDA_VISIBLE_DEVICES", "TF_ENABLE_ONEDNN_OPTS", "ORT_DISABLE_ALL_OPTIMIZATION")
# The distributions that matter for speed, results and bug reports; the others are pure Python.
PACKAGES = ("numpy", "numba", "llvmlite", "onnxruntime", "onnxruntime-gpu", "onnxruntime-openvino",
            "onnxruntime-directml", "pandas", "pyarrow", "safetensors", "keras", "tensorflow", "jax", "starlette",
            "uvicorn", "distributed")
BACKEND_SECONDS = 120     # to import a backend and find its devices
FAILURES = (BadInput, OSError, ImportError, RuntimeError, ValueError)


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo doctor`; returns the exit status, 2 where there are problems."""
    report = examine()
    print(json.dumps(report, indent=2) if arguments.json else format_report(report))
    return 2 if report["problems"] else 0


def versions() -> dict[str, str]:
    """MuGo, Python, the operating system, and each of PACKAGES that is installed: name -> version."""
    found = {"MuGo": VERSION, "Python": f"{platform.python_implementation()} {platform.python_version()}",
             "system": platform.platform()}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def examine() -> dict[str, Any]:
    """The report: section -> {name: text, number or list}; "problems" is a list of lines."""
    problems = [problem] if (problem := other_mugo()) else []
    report: dict[str, Any] = {"versions": versions()}
    for section in processor, backends, caches, networks:
        report[section.__name__] = section(problems)
    report["environment"] = {name: _without_home(os.environ[name]) for name in VARIABLES if name in os.environ}
    report["problems"] = problems
    return report


def format_report(report: dict[str, Any]) -> str:
    """The report as text to paste: a heading for each section, and two blanks before each of its lines."""
    lines = []
    for name, section in report.items():
        if isinstance(section, dict):
            section = [f"{key}: {_in_words(value)}" for key, value in section.items()]
        lines += [name, *(f"  {line}" for line in section or ["none"])]
    return "\n".join(lines)


def _in_words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@contextlib.contextmanager
def _noting(problems: list[str], what: str) -> Iterator[None]:
    """Note a failure as a problem, and go on."""
    try:
        yield
    except FAILURES as error:
        problems.append(_without_home(f"{what}: {error_line(error)}"))


def _without_home(text: str) -> str:
    home = os.path.expanduser("~")
    return text.replace(home, "~") if len(home) > 1 else text


# ---- sections; each returns its lines, and notes problems

def processor(problems: list[str]) -> dict[str, Any]:
    """The processor, and what ONNX Runtime and numba get out of it."""
    from mugo.nn.inference import cpu_features, has_exact_int8, has_fast_int8, machine

    found: dict[str, Any] = {"name": _processor_name(), "architecture": machine(), "cores": os.cpu_count(),
                             "cores of this process": available_cores()}
    with contextlib.suppress(ValueError, OSError, AttributeError):
        found["memory"] = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2 ** 30:.1f} GiB"
    with _noting(problems, "processor"):
        found["features"] = [name for name in FEATURES if name in cpu_features()]
        found["int8 is faster than float32"] = has_fast_int8()
        found["int8 is exact"] = has_exact_int8()
    return found


def _processor_name() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def backends(problems: list[str]) -> dict[str, Any]:
    """What runs networks and what trains them."""
    found: dict[str, Any] = {}
    with _noting(problems, "onnxruntime"):
        import onnxruntime

        found["providers of ONNX Runtime"] = [name.removesuffix("ExecutionProvider")
                                              for name in onnxruntime.get_available_providers()]
    found["GPUs"] = nvidia_gpus()
    for backend in CUDA_EXTRAS:
        if {"keras", backend} <= versions().keys():
            found[f"training on {backend}"] = _training_devices(backend, problems)
            if found["GPUs"] and "GPU" not in found[f"training on {backend}"]:
                problems.append(f"training on {backend}: it sees none of this machine's GPUs: "
                                f"{pip_install(CUDA_EXTRAS[backend])}")
    return found


def _training_devices(backend: str, problems: list[str]) -> str:
    """What `mugo train` trains on, as a process says that imports this backend: '2 GPUs (NVIDIA A100)'."""
    program = "from mugo.nn.keras.devices import describe_devices; print(describe_devices())"
    with _noting(problems, f"training on {backend}"):
        ended = subprocess.run([sys.executable, "-c", program], env=os.environ | {"KERAS_BACKEND": backend},
                               capture_output=True, text=True, timeout=BACKEND_SECONDS)
        if ended.returncode:
            raise RuntimeError((ended.stderr.strip() or "it ended without a message").splitlines()[-1])
        return ended.stdout.splitlines()[-1]
    return "nothing"


def caches(problems: list[str]) -> dict[str, Any]:
    """The folder of compiled code."""
    from mugo.core.shared_cache import cache_folder, is_shipped

    folder = cache_folder()
    found: dict[str, Any] = {
        "compiled functions": "those of the wheel" if is_shipped() else "from the cache" if any(folder.rglob("*.nbc"))
        else "none yet: the first start compiles", "compiled code": _without_home(str(folder))}
    if not os.access(folder, os.W_OK):
        problems.append(_without_home(f"compiled code: {folder} cannot be written: every start compiles for a minute"))
        return found
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return found | {"files": len(sizes), "size": f"{sum(sizes) / 2 ** 20:.1f} MiB",
                    "free space there": f"{shutil.disk_usage(folder).free / 2 ** 30:.1f} GiB"}


def networks(problems: list[str]) -> dict[str, Any]:
    """The bundled networks: size, precision, and whether ONNX Runtime opens them."""
    from mugo.core.version import bundled_networks
    from mugo.nn.inference import Network

    found: dict[str, Any] = {}
    paths = bundled_networks().values()
    for path in paths:
        with _noting(problems, path.stem):
            network = Network(path, threads=1)
            outputs = [name for name, has in (("value", network.has_value), ("ownership", network.has_ownership))
                       if has]
            found[path.stem] = (f"{path.stat().st_size / 2 ** 20:.1f} MiB, {network.game} {network.size}x{network.size}"
                                f", {network.precision}, {' and '.join(['policy', *outputs])}")
    if not paths:
        problems.append("networks: none came with this installation")
    return found

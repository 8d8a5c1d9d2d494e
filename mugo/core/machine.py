"""This machine: the cores that this process may use, the memory of its C library, GPUs that its driver knows."""
import ctypes
import os
import subprocess
import sys

# Parameters of glibc's mallopt (malloc.h), and their values for `keep_freed_memory`.
MALLOC_OPTIONS = {"M_MMAP_MAX": (-4, 0), "M_TRIM_THRESHOLD": (-1, 2 ** 31 - 1), "M_ARENA_MAX": (-8, 1)}
CUDA_EXTRAS = {"tensorflow": "cuda", "jax": "jax-cuda"}      # backends of Keras: what installs them with CUDA


def available_cores() -> int:
    """The cores that this process may use: a container or `taskset` may give it fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def keep_freed_memory() -> bool:
    """Have glibc keep the memory that this process frees (docs/lab/benchmarks.md, "Memory of training"); returns
    whether it does: not with another C library.  There is one arena, or each would keep its own."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None     # musl has none
    return mallopt is not None and all(mallopt(*option) == 1 for option in MALLOC_OPTIONS.values())


def nvidia_gpus() -> list[str]:
    """Name, driver and memory of each NVIDIA GPU; [] without its driver, or if CUDA_VISIBLE_DEVICES is empty or -1."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        return []
    try:
        ended = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
                               capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip().replace(", ", " / ") for line in ended.stdout.splitlines() if line.strip()]

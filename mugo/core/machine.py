"""What this machine has: the cores that this process may use, and the GPUs that its driver knows."""
import os
import subprocess

CUDA_EXTRAS = {"tensorflow": "cuda", "jax": "jax-cuda"}      # backends of Keras: what installs them with CUDA


def available_cores() -> int:
    """The cores that this process may use: a container or `taskset` may give it fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def nvidia_gpus() -> list[str]:
    """Name, driver and memory of each NVIDIA GPU that the environment does not hide, without serial numbers; [] without
    NVIDIA's driver, or where CUDA_VISIBLE_DEVICES is empty or -1."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        return []
    try:
        ended = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
                               capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip().replace(", ", " / ") for line in ended.stdout.splitlines() if line.strip()]

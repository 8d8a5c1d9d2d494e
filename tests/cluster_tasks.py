"""Tasks for the tests of clusters, in a module that worker processes can import; and a local cluster."""
import contextlib
import os
import signal
import time
from pathlib import Path


@contextlib.contextmanager
def local_cluster(workers: int = 2, **options):
    """A Dask cluster of processes of this machine; yields it.  A worker that is killed is started again."""
    import dask
    import distributed

    with dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.admin.system-monitor.disk": False}):
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50,
                                      **options) as cluster:
            yield cluster


def square(number: int) -> int:
    return number * number


def log_and_square(arguments: tuple[Path, int]) -> int:
    """Append the number to a file, and return its square."""
    path, number = arguments
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{number}\n".encode())
    os.close(descriptor)
    return number * number


def kill_once(arguments: tuple[Path, int]) -> int:
    """The square of the number; for 3, the process is killed first, unless the file exists that then is made."""
    path, number = arguments
    if number == 3 and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def kill(name: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(path: Path) -> None:
    path.read_bytes()


def sleep_while(path: Path) -> str:
    """Wait until the file is gone."""
    while path.exists():
        time.sleep(0.02)
    return "done"


def process_id(number: int) -> int:
    return os.getpid()

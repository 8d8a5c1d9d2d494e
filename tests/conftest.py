"""The order of all tests; skipped ones fail where MUGO_REQUIRE_ALL=1 says that everything they need is installed
(.ci/run sets it)."""
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_once import made_once

from mugo.plots import figures

gc.disable()        # until all tests are collected: what is imported stays

# A shell starts what runs in its background with Ctrl-C ignored, and so would be what tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# With a process for each core, threads of the small networks here would wait for each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS":
        os.environ.setdefault(name, "1")

# Parts of a skip's reason that are allowed even then.
ALLOWED_SKIPS = (
    "collection of nasty files is not here", # SGF files of third parties, kept outside the repository
    "no game records here",                  # archives of real games, kept outside the repository too
    "could not import 'torch'",              # an example of the library's page
    "could not import 'jax'",                # the other Keras backend; .ci/run installs it later and runs these again
    "several devices train on JAX",          # so do these
    "MUGO_LOWEST=1",                         # a check of an environment that .ci/run makes besides
    "signals",                               # POSIX only
    "no VNNI instructions",                  # x86 processors of before 2019, on which int8 is refused
)


render = figures.render


@pytest.fixture(autouse=True, scope="session")
def blank_pictures() -> Iterator[None]:
    """Pictures are drawn, and not rendered, which takes half a second each: reviews, runs and evaluations make many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "render", lambda figure, path: Path(path).write_bytes(b"\x89PNG"))
        yield


@pytest.fixture(scope="session")
def built_kernels(tmp_path_factory) -> Path:
    """The folder of kernels.wasm.  MUGO_WASM names one that is there already: a build takes a minute."""
    def build(folder: Path) -> None:
        done = subprocess.run([sys.executable, "-m", "mugo.kernels", "build", "--wasm", "-o", folder],
                              capture_output=True, text=True)
        assert not done.returncode, done.stderr

    return Path(os.environ.get("MUGO_WASM") or made_once(tmp_path_factory, "wasm", build))


@pytest.fixture
def rendered_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test that sees what a picture shows, or that it can be rendered."""
    monkeypatch.setattr(figures, "render", render)


def fail_instead_of_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skipped report into a failed one, unless its reason is in ALLOWED_SKIPS."""
    if not report.skipped or hasattr(report, "wasxfail") or os.environ.get("MUGO_REQUIRE_ALL") != "1":
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not any(allowed in reason for allowed in ALLOWED_SKIPS):
        report.outcome = "failed"
        report.longrepr = f"MUGO_REQUIRE_ALL=1, and this was skipped: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    fail_instead_of_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    fail_instead_of_skip(report)
    return report


def pytest_collection_finish() -> None:
    """The garbage collector looks no more at what was imported, which takes it half a second each time."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest first.  Then search first in the first half of the tests, and networks in the second: two
    workers that began with a search, before numba has a cache, would each compile all of it."""
    longest, first, second, rest = [], [], [], []
    for item in items:
        if item.get_closest_marker("runs") or item.get_closest_marker("notebooks"):
            longest.append(item)
        else:
            {"mcts": first, "nn": second}.get(item.path.parent.name, rest).append(item)
    second.sort(key=lambda item: item.path.name, reverse=True)       # its searches last: test_inference, test_bundled
    cut = max(0, len(items) // 2 - len(first))
    items[:] = [*longest, *first, *rest[:cut], *second, *rest[cut:]]

"""mugo.core.machine."""
import subprocess
import sys

import pytest

from mugo.core.machine import keep_freed_memory

FAULTS = """
import resource, sys
from mugo.core.machine import keep_freed_memory
if sys.argv[1] == "keep" and not keep_freed_memory():
    sys.exit(3)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(16):
    b"x" * 2 ** 25
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="of glibc")
def test_memory_that_is_freed_is_used_again_without_the_kernel():
    kept, given_back = (subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, text=True)
                        for how in ("keep", "give back"))
    if kept.returncode == 3:
        pytest.skip("another C library")
    assert int(kept.stdout) * 8 < int(given_back.stdout)         # 16 pieces of 32 MB, one after the other


def test_other_systems_keep_their_way(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not keep_freed_memory()

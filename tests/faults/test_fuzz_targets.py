"""Each target of fuzzing on its seeds, on damaged seeds, and on what was found before."""
import pytest
from damage import damaged
from fuzz_targets import FOUND, TARGETS

TRIED = {"analysis": 10, "network": 20, "gtp": 15}


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_keeps_its_promises(name):
    target = TARGETS[name]
    for seed in [*target.seeds(), *FOUND.get(name, [])]:
        target.run(seed)
        for _, data in damaged(seed, TRIED.get(name, 40) if seed else 0):
            target.run(data)
    for data in b"", b"\x00", b"\xff" * 100, b"(" * 1000, b"[" * 1000, b"{}", b'{"id": 1e999}':
        target.run(data)


def test_what_was_found_is_of_a_target():
    assert FOUND.keys() <= TARGETS.keys()

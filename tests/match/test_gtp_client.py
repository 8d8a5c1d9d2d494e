"""Driving other programs: what they answer, and every way in which they fail to."""
import sys
import threading
import time

import pytest
from fakes import FAKE, is_running

from mugo.files import BadInput
from mugo.match import gtp_client
from mugo.match.gtp_client import CRASH, GARBAGE, HANG, REFUSED, EngineFault, Program, side_of


@pytest.fixture
def start():
    """Starts fakes, and ends them when the test is over."""
    running = []

    def program(told: str = "", **log) -> Program:
        running.append(Program(side_of(f"{FAKE} {told}"), **log))
        return running[-1]

    yield program
    for program in running:
        program.close(at_once=True)


def fault(program: Program, line: str, **limit) -> EngineFault:
    with pytest.raises(EngineFault) as caught:
        program.ask(line, **limit)
    return caught.value


@pytest.mark.parametrize("how", ["", "eol=crlf", "'banner=Fake 1.0\nCopyright = nobody'",
                                 "eol=crlf 'banner=\n\n'"])
def test_a_reply_is_the_text_after_its_mark(start, how):
    program = start(f"{how} D4")
    assert program.ask("name") == "Fake"
    assert program.ask("genmove b") == "D4"
    assert program.ask("clear_board") == ""
    assert program.knows("genmove") and not program.knows("mugo-explain")


def test_a_player_of_ours_is_started_with_its_options():
    side = side_of("random --seed 3")
    assert side.ours
    assert side.command == (sys.executable, "-m", "mugo", "gtp", "random", "--seed", "3")
    assert not side_of("gnugo --mode gtp").ours


def test_a_player_of_ours_is_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    program = Program(side_of("random"))
    assert program.ask("name") == "MuGo random"
    program.close()


@pytest.mark.parametrize("text, told", [("no-such-program --gtp", "no-such-program: cannot be started: No such file"),
                                        ("gnugo '", "is no command line: No closing quotation"),
                                        (" ", "a side is a player")])
def test_what_is_no_program_is_said_in_one_line(text, told):
    with pytest.raises(BadInput, match=told):
        Program(side_of(text))


def test_a_crash_is_told_with_its_last_words(start):
    program = start("CRASH")
    program.ask("name")
    crash = fault(program, "genmove b")
    assert (crash.kind, str(crash)) == (CRASH, "ended with status 1 at 'genmove b': out of memory")
    assert fault(program, "genmove w").kind == CRASH


def test_a_hang_ends_after_the_seconds_given(start):
    program = start("HANG")
    program.ask("name")
    begun = time.perf_counter()
    hang = fault(program, "genmove b", seconds=0.2)
    assert (hang.kind, str(hang)) == (HANG, "gave no reply to 'genmove b' in 0.2 seconds")
    assert time.perf_counter() - begun < 2


def test_garbage_is_told(start):
    program = start("GARBAGE")
    program.ask("name")
    garbage = fault(program, "genmove b")
    assert garbage.kind == GARBAGE
    assert str(garbage) == "answered 'genmove b' with 'thinking about it', not with = or ?"


def test_a_refusal_leaves_the_program_running(start):
    program = start("REFUSE D4")
    program.ask("name")
    assert (fault(program, "genmove b").kind, program.ask("genmove b")) == (REFUSED, "D4")


def test_lines_nobody_asked_for_are_no_replies(start):
    program = start("banner=hello")
    program.ask("name")
    program._lines.put(b"= D4\n")
    unasked = fault(program, "genmove b")
    assert (unasked.kind, str(unasked)) == (GARBAGE, "wrote '= D4' without being asked")


def test_a_flood_of_lines_takes_no_memory(start, monkeypatch):
    monkeypatch.setattr(gtp_client, "MOST_LINES", 100)
    program = start("FLOOD")
    program.ask("name")
    assert fault(program, "genmove b").kind == GARBAGE
    time.sleep(0.2)
    assert program._lines.qsize() <= 102


def test_closing_ends_the_children_too(start, tmp_path):
    program = start(f"child={tmp_path / 'number'} HANG")
    program.ask("name")
    child = int((tmp_path / "number").read_text())
    assert is_running(child)
    program.close(at_once=True)
    until = time.monotonic() + 5
    while is_running(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(child)


def test_closing_wakes_whoever_waits_for_a_reply(start):
    program = start("HANG")
    program.ask("name")
    faults = []
    waiting = threading.Thread(target=lambda: faults.append(fault(program, "genmove b", seconds=60)))
    waiting.start()
    time.sleep(0.1)
    program.close(at_once=True)
    waiting.join(5)
    assert [fault.kind for fault in faults] == [CRASH]


def test_what_goes_to_stderr_is_logged(start, tmp_path):
    program = start("CRASH", log=tmp_path / "log.txt")
    program.ask("name")
    fault(program, "genmove b")
    assert (tmp_path / "log.txt").read_text() == "out of memory\n"

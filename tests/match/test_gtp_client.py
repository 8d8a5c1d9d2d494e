"""The GTP client: responses, and every kind of fault."""
import sys
import threading
import time

import pytest
from fakes import FAKE_ENGINE, is_running

from mugo.core import program
from mugo.core.files import BadInput
from mugo.match.gtp_client import CRASH, PROTOCOL_ERROR, REFUSED, EngineFault, GtpClient, participant_of


@pytest.fixture
def start():
    """A function that starts a fake engine; it is ended after the test."""
    running = []

    def client(arguments: str = "", **log) -> GtpClient:
        running.append(GtpClient(participant_of(f"{FAKE_ENGINE} {arguments}"), **log))
        return running[-1]

    yield client
    for client in running:
        client.close(force=True)


def fault(client: GtpClient, line: str, **limit) -> EngineFault:
    with pytest.raises(EngineFault) as caught:
        client.send_command(line, **limit)
    return caught.value


@pytest.mark.parametrize("arguments", ["", "eol=crlf", "'banner=Fake 1.0\nCopyright = nobody'",
                                 "eol=crlf 'banner=\n\n'"])
def test_a_response_is_the_text_after_the_equals_sign(start, arguments):
    client = start(f"{arguments} D4")
    assert client.send_command("name") == "Fake"
    assert client.send_command("genmove b") == "D4"
    assert client.send_command("clear_board") == ""
    assert client.known_command("genmove") and not client.known_command("mugo-explain")
    assert not start(f"{arguments} refuse=known_command").known_command("genmove")


def test_a_player_of_mugo_is_started_with_its_options():
    participant = participant_of("random --seed 3")
    assert participant.is_player
    assert participant.executed()[0] == sys.executable
    assert participant.executed()[3:] == participant.command == ("gtp", "random", "--seed", "3")


def test_a_player_of_mugo_imports_nothing_from_the_current_folder(tmp_path, monkeypatch):
    for name in "random", "mugo", "numpy", "sitecustomize":
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w'); raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    client = GtpClient(participant_of("random"))
    try:
        assert client.send_command("name") == "MuGo random"
    finally:
        client.close()
    assert not (tmp_path / "imported").exists()
    assert not participant_of("gnugo --mode gtp").is_player


@pytest.mark.parametrize("text, error", [("no-such-program --gtp", "no-such-program: cannot be started: No such file"),
                                        ("gnugo '", "is no command line: No closing quotation"),
                                        (" ", "a participant is a player")])
def test_a_program_that_cannot_be_started_is_one_line(text, error):
    with pytest.raises(BadInput, match=error):
        GtpClient(participant_of(text))


def test_a_program_runs_on_after_a_refused_command(start):
    client = start("REFUSE D4")
    client.send_command("name")
    assert (fault(client, "genmove b").kind, client.send_command("genmove b")) == (REFUSED, "D4")


def test_output_without_a_command_is_a_protocol_error(start):
    client = start("banner=hello")
    client.send_command("name")
    client._lines.put(b"= D4\n")
    unasked = fault(client, "genmove b")
    assert (unasked.kind, str(unasked)) == (PROTOCOL_ERROR, "wrote '= D4' without a command")


@pytest.mark.parametrize("word, message", [("FLOOD", "with 'endless output', not"), ("ENDLESS", "a line of more than"),
                                           ("LINES", "more than 1,048,576 bytes")])
def test_endless_output_does_not_fill_the_memory(start, word, message):
    client = start(word)
    client.send_command("name")
    error = fault(client, "genmove b")
    assert error.kind == PROTOCOL_ERROR and message in str(error)
    time.sleep(0.2)
    assert client._lines.qsize() <= program.MAX_QUEUED_LINES + 1


def test_closing_ends_child_processes(start, tmp_path):
    client = start(f"child={tmp_path / 'number'} HANG")
    client.send_command("name")
    child = int((tmp_path / "number").read_text())
    assert is_running(child)
    client.close(force=True)
    until = time.monotonic() + 5
    while is_running(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(child)


def test_closing_ends_a_command_that_waits(start):
    client = start("HANG")
    client.send_command("name")
    faults = []
    waiting = threading.Thread(target=lambda: faults.append(fault(client, "genmove b", timeout=60)))
    waiting.start()
    time.sleep(0.1)
    client.close(force=True)
    waiting.join(5)
    assert [fault.kind for fault in faults] == [CRASH]

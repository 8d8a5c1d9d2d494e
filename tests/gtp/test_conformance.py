"""GTP version 2, draft 2: what each of its commands does, and which commands MuGo and other programs have.

The commands and the texts of failures are written from the specification:
http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html
"""
import csv
import re
from pathlib import Path

import pytest
from fakes import GNUGO, gnugo
from gtp.test_engine import FirstPlayer, new_engine

from mugo.games.gomoku import GomokuPosition
from mugo.gtp.engine import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "gtp.md"
TABLE = Path(__file__).with_name("other_programs.csv")
REQUIRED = """protocol_version name version known_command list_commands quit boardsize clear_board komi play
    genmove""".split()
TOURNAMENTS = "fixed_handicap place_free_handicap set_free_handicap time_settings time_left final_score".split() + [
    "final_status_list"]
REGRESSION = ["loadsgf", "reg_genmove"]
OPTIONAL = ["undo", "showboard"]


def test_every_command_of_the_specification_is_there_and_described():
    page = PAGE.read_text(encoding="utf-8").partition("### GTP 2\n")[2].partition("\n### ")[0]
    for name in REQUIRED + TOURNAMENTS + REGRESSION + OPTIONAL:
        assert name in COMMANDS and f"`{name}" in page, name


@pytest.mark.parametrize("game, names", [("go", REQUIRED + TOURNAMENTS + REGRESSION + OPTIONAL),
                                         ("gomoku", REQUIRED + REGRESSION + OPTIONAL)])
def test_the_commands_are_listed_and_known_and_in_gomoku_the_required_ones(game, names):
    engine = new_engine(start=GomokuPosition(5, 4) if game == "gomoku" else None)
    assert set(names) <= set(engine.answer("list_commands").split())
    for name in names:
        assert engine.answer(f"known_command {name}") == "= true\n\n"
    assert engine.answer("known_command frobnicate") == "= false\n\n"


FAILURES = {
    "unknown command": ("frobnicate",),
    "unacceptable size": ("boardsize 26",),
    "syntax error": ("boardsize x", "komi x", "play b", "play b I4", "genmove", "genmove green", "time_settings 1 2",
                     "time_left b x 1", "final_status_list ill", "reg_genmove"),
    "invalid number of stones": ("fixed_handicap 1", "fixed_handicap 10", "place_free_handicap 1"),
    "board not empty": ("play b D4; fixed_handicap 2", "play b D4; place_free_handicap 2",
                        "play b D4; set_free_handicap D4 Q4"),
    "bad vertex list": ("set_free_handicap D4", "set_free_handicap D4 D4", "set_free_handicap D4 pass",
                        "boardsize 2; set_free_handicap A1 A2 B1 B2"),
    "illegal move": ("play b D4; play w D4",),
    "cannot undo": ("undo",),
    "cannot load file": ("loadsgf nowhere.sgf",),
}


@pytest.mark.parametrize("lines, failure", [(lines, failure) for failure, rows in FAILURES.items() for lines in rows])
def test_failures_have_the_texts_that_the_specification_prescribes(lines, failure):
    engine = new_engine()
    *before, last = lines.split("; ")
    for line in before:
        assert engine.answer(line).startswith("= ")
    board = engine.answer("showboard")
    assert engine.answer(f"17 {last}") == f"?17 {failure}\n\n"
    assert engine.answer("showboard") == board                    # a command that fails changes nothing


def test_replies_have_the_types_of_the_specification():
    engine = new_engine(size=9)
    for line, pattern in {
        "protocol_version": "2", "name": ".+", "version": ".+", "boardsize 9": "", "clear_board": "", "komi 5.5": "",
        "fixed_handicap 2": "C3 G7|G7 C3", "play W e5": "", "genmove black": r"[A-HJ][1-9]|pass|resign", "undo": "",
        "reg_genmove b": r"[A-HJ][1-9]|pass|resign", "time_settings 60 0 0": "", "time_left B 10 0": "",
        "final_score": r"0|[BW]\+\d+(\.\d+)?", "final_status_list dead": r"([A-HJ][1-9]( |\n)?)*", "quit": "",
    }.items():
        assert re.fullmatch(rf"=5 (?:{pattern})\n\n", engine.answer(f"5 {line}")), line


def test_a_handicap_that_is_placed_may_have_fewer_stones_than_asked_for_and_never_fewer_than_two():
    for asked in (2, 5, 9, 12, 80):
        engine = new_engine(FirstPlayer(), size=9)
        placed = engine.answer(f"place_free_handicap {asked}").split()[1:]
        assert 2 <= len(placed) <= asked and len(set(placed)) == len(placed) == (engine.position.stones != 0).sum()


def comparison():
    """The table of other programs: command -> cells."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {name: cells for name, *cells in list(csv.reader(file))[1:]}


def test_the_page_has_the_commands_of_others_that_are_missing():
    page = PAGE.read_text(encoding="utf-8").partition("## Compared with other programs\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([\w-]+)`", page)) == {
        name for name, cells in comparison().items() if cells[0] == "no"}


def test_the_comparison_has_every_command_and_tells_the_truth():
    table = comparison()
    assert {name for name, cells in table.items() if cells[0] == "yes"} == {
        name for name in COMMANDS if not name.startswith("mugo-")}
    assert all(cells[0] == "no" or name in COMMANDS for name, cells in table.items())
    for name in REQUIRED + TOURNAMENTS:
        assert table[name] == ["yes"] * 4, name


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
def test_the_comparison_tells_the_truth_of_gnu_go():
    with gnugo() as client:
        known = set(client.send_command("list_commands").split())
    for name, cells in comparison().items():
        assert cells[2] == ("yes" if name in known else "no"), name

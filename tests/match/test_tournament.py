"""Whole matches: rows and SGF files, stopping and continuing, programs that fail, scoring."""
import argparse
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes import FAKE_ENGINE, is_running

import mugo
from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.core.options import options_of
from mugo.games.go import GoPosition
from mugo.match import tournament
from mugo.match.gtp_client import participant_of
from mugo.match.match_folder import COLUMNS, MatchFolder
from mugo.match.tournament import MatchOptions, match_settings, with_unique_names
from mugo.nn.network_file import find_network
from mugo.sgf.parser import read_records


def match(*words, expect=0):
    assert cli.main(["match", *map(str, words)]) == expect


def rows_of(folder):
    with open(folder / "games.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


FIRST = f"{FAKE_ENGINE} A1 B1 C1"
RULES = ("--size", 3, "--komi", 0.5)


def test_a_match_writes_rows_and_sgf_files(tmp_path, capsys):
    match(FIRST, f"{FAKE_ENGINE} explain=fine", *RULES, "--games", 4, "--jobs", 2, "-o", tmp_path / "m", "--json")
    summary = json.loads(capsys.readouterr().out)
    first, second = summary["participants"]
    assert (summary["games"], first["wins"], second["losses"]) == (4, 4, 4)
    assert first["as_black"]["games"] == first["as_white"]["games"] == 2
    assert summary["duplicates"] == 2
    rows = rows_of(tmp_path / "m")
    assert sorted(int(row["number"]) for row in rows) == [0, 1, 2, 3]
    assert {row["winner"] for row in rows} == {FIRST}
    record, = read_records((tmp_path / "m" / "sgf" / "00000.sgf").read_bytes())
    assert (record.result, record.black, record.komi, len(record.moves)) == ("B+8.5", FIRST, 0.5, 6 + 1)
    text = (tmp_path / "m" / "sgf" / "00000.sgf").read_text()
    assert "C[fine]" in text and "ended by: two passes" in text


@pytest.mark.parametrize("time", ["60", "60/5/2", "0/3x5", "60+5"])
def test_a_match_is_played_on_clocks_and_continued_with_them(time, tmp_path, capsys):
    words = FIRST, FAKE_ENGINE, *RULES, "--time", time, "-o", tmp_path / "m"
    match(*words, "--games", 1)
    assert f"\ntime {time}, at most 300 seconds" in (tmp_path / "m" / "sgf" / "00000.sgf").read_text()
    match(*words, "--games", 2)
    assert [row["end"] for row in rows_of(tmp_path / "m")] == ["two passes"] * 2
    match(FIRST, FAKE_ENGINE, *RULES, "--time", "61", "-o", tmp_path / "m", expect=2)


@pytest.mark.parametrize("openings, moves", [((), 0), (("--openings", 2), 2)])
def test_an_sgf_file_names_the_moves_of_the_opening(tmp_path, openings, moves):
    """A network must not learn random moves as the players'."""
    match(FAKE_ENGINE, FAKE_ENGINE, *RULES, *openings, "--games", 1, "-o", tmp_path / "m")
    record, = read_records((tmp_path / "m" / "sgf" / "00000.sgf").read_bytes())
    assert (record.opening_moves, len(record.moves)) == (moves, moves + 2)


def test_more_games_continue_a_match(tmp_path, capsys):
    folder = tmp_path / "m"
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 2, "-o", folder)
    before = rows_of(folder)
    with open(folder / "games.csv", "a") as file:
        file.write('2,1,"half a li')
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 3, "-o", folder)
    rows = rows_of(folder)
    assert rows[:2] == before and [row["number"] for row in rows] == ["0", "1", "2"]
    capsys.readouterr()
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 3, "-o", folder)
    assert "3      3" in capsys.readouterr().out and rows_of(folder) == rows


def test_a_match_depends_on_its_networks_and_configurations_by_their_bytes(tmp_path, monkeypatch):
    """Under one name: what a run has learned since, or the bundled network of a later version."""
    monkeypatch.chdir(tmp_path)

    def noted() -> dict[str, str]:
        players = "policy --network run", "random --config my.toml", "random"
        return tournament.checksums([participant_of(player) for player in players], None, GoPosition(5))

    Path("run").mkdir()
    shutil.copy(find_network("policy-9"), "run/network.safetensors")
    Path("my.toml").write_text("seed = 1")
    before = noted()
    shutil.copy(find_network("policy-19-small"), "run/network.safetensors")
    Path("my.toml").write_text("seed = 2")
    after = noted()
    assert before.keys() == after.keys() == {"run", "my.toml"} and all(before[name] != after[name] for name in after)
    MatchFolder(tmp_path / "m", {"checksums": before}).add(A_GAME, "")
    with pytest.raises(BadInput, match="m holds another match: (run|my.toml) has changed since"):
        MatchFolder(tmp_path / "m", {"checksums": after})
    (tmp_path / "m" / "match.json").write_text(json.dumps({"format": 3, "checksums": []}))       # as nobody writes it
    with pytest.raises(BadInput, match="m holds another match: checksums"):
        MatchFolder(tmp_path / "m", {"checksums": after})


def test_the_name_of_a_player_with_a_typo_gets_a_suggestion(capsys):
    assert cli.main(["match", "random", "mcst --simulations 5", "--games", "1"]) == 2
    assert "mcst: cannot be started: No such file or directory; did you mean mcts?" in capsys.readouterr().err


def test_participants_with_the_same_name_are_numbered():
    names = [each.name for each in with_unique_names([participant_of(text) for text in ("uct", "mcts", "uct", "uct")])]
    assert names == ["uct", "mcts", "uct (2)", "uct (3)"]


def test_the_folder_of_another_match_is_refused(tmp_path, capsys):
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 1, "-o", tmp_path / "m")
    match(FIRST, FAKE_ENGINE, "--size", 3, "--games", 1, "-o", tmp_path / "m", expect=2)
    assert "holds another match: komi 0.5, not 7.5; give -o another folder" in capsys.readouterr().err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").touch()
    match(FIRST, FAKE_ENGINE, *RULES, "-o", tmp_path / "other", expect=2)
    assert "exists already and holds no match" in capsys.readouterr().err


A_GAME = dict.fromkeys(COLUMNS, "") | {
    "number": "0", "result": "0", "end": "two passes", "moves": "2", "date": "2026-11-27", "game_hash": "0" * 16,
    **{f"{colour}_{name}": "1" if name == "moves" else "0.100" for colour in ("black", "white")
       for name in ("moves", "seconds", "max_seconds")}}


def test_a_match_without_a_game_gives_way_to_another(tmp_path, capsys):
    match(FIRST, "no-such-program", *RULES, "--games", 1, "-o", tmp_path / "m", expect=2)
    assert "no-such-program: cannot be started" in capsys.readouterr().err
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 1, "-o", tmp_path / "m")
    assert len(rows_of(tmp_path / "m")) == 1
    assert json.loads((tmp_path / "m" / "match.json").read_text())["participants"] == [FIRST, FAKE_ENGINE]


def test_a_match_is_continued_only_with_the_same_options(tmp_path):
    values = {bool: lambda value: not value, int: lambda value: 7, float: lambda value: 7.0}

    def settings(**changes):
        words = argparse.Namespace(participants=["uct", "mcts"], sprt=None, rules=None)
        return match_settings(words, MatchOptions(**changes), GoPosition(9))

    MatchFolder(tmp_path, settings()).add(A_GAME, "")
    MatchFolder(tmp_path, settings())
    assert {"participants", "sprt", "rules", "handicap", "komi", "size"} <= settings().keys()
    for name, each in options_of(MatchOptions).items():
        other = each.choices[-1] if each.choices else values.get(each.kind, lambda value: "x")(each.default)
        with pytest.raises(BadInput, match=f"holds another match: {name.replace('_', ' ')} "):
            MatchFolder(tmp_path, settings(**{name: other}))


def test_programs_get_the_rules_in_one_word(tmp_path, capsys):
    words = f"{FAKE_ENGINE} log={tmp_path / 'log'}", "random", *RULES, "--rules", "New Zealand", "--games", 2
    match(*words)
    sent = {line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("kgs-rules")}
    assert sent == {"kgs-rules new_zealand"} and capsys.readouterr().err == ""


def test_a_program_that_refuses_the_rules_is_one_line(tmp_path, capsys):
    match(f"{FIRST} refuse=kgs-rules", FAKE_ENGINE, *RULES, "--rules", "aga", "--games", 2, "-o", tmp_path / "m")
    assert capsys.readouterr().err == (f"mugo: {FIRST} refuse=kgs-rules: answered 'kgs-rules aga' with "
                                       "'? unknown command'; it plays by its own rules\n")
    assert {row["end"] for row in rows_of(tmp_path / "m")} == {"two passes"}


def test_a_match_with_sprt_ends_when_it_is_decided(tmp_path, capsys):
    words = (FIRST, FAKE_ENGINE, *RULES, "--sprt", 0, 100, "--games", 100, "-o", tmp_path / "m")
    match(*words, "--json")
    summary = json.loads(capsys.readouterr().out)
    assert summary["sprt"]["accepted"] == "H1"
    assert summary["sprt"]["pairs"] == {"0": 0, "0.5": 0, "1": 0, "1.5": 0, "2": 12}
    rows = rows_of(tmp_path / "m")
    assert 24 <= len(rows) < 90 and set(range(24)) <= {int(row["number"]) for row in rows}
    match(*words)                                        # nothing is left to play
    assert rows_of(tmp_path / "m") == rows
    assert ("SPRT of +0 and +100 Elo: H1 accepted: more than +0 Elo; LLR 2.96 (-2.94 to 2.94); game pairs with 0, 0.5, "
            "..., 2 points: 0, 0, 0, 0, 12") in capsys.readouterr().out
    match(*words[:-5], 10, *words[-4:], expect=2)
    assert "sprt 0.0, 100.0, not 0.0, 10.0" in capsys.readouterr().err


def test_a_program_is_started_once_and_again_only_after_a_fault(tmp_path, capsys):
    crashing = f"{FAKE_ENGINE} log={tmp_path / 'crashing'} B2 CRASH"
    match(f"{FAKE_ENGINE} log={tmp_path / 'steady'} A1 C1", crashing, *RULES, "--games", 3, "-o", tmp_path / "m")
    output = capsys.readouterr()
    assert "faults of" in output.out and "crash 3" in output.out
    assert "White ended with status 1 at 'genmove w': out of memory" in output.err
    assert (tmp_path / "steady").read_text().count("START") == 1
    assert (tmp_path / "crashing").read_text().count("START") == 3
    log, = (path for path in (tmp_path / "m" / "logs").iterdir() if path.stat().st_size)
    assert log.read_text() == "out of memory\n" * 3


def test_a_program_that_does_not_work_ends_the_match_at_once(capsys):
    match(FIRST, f"{FAKE_ENGINE} refuse=boardsize", *RULES, expect=2)
    assert "answered 'boardsize 3' with '? unknown command'" in capsys.readouterr().err
    match(FIRST, "no-such-program", *RULES, expect=2)
    assert "no-such-program: cannot be started" in capsys.readouterr().err


def test_several_participants_get_ratings(capsys):
    match(FIRST, FAKE_ENGINE, f"{FAKE_ENGINE} A1 A2 resign", *RULES, "--games", 2, "--json")
    summary = json.loads(capsys.readouterr().out)
    assert [participant["games"] for participant in summary["participants"]] == [4, 4, 4]
    assert summary["participants"][0]["elo"] == {"value": 0, "low": 0, "high": 0}
    assert len(summary["pairs"]) == 3


@pytest.mark.parametrize("is_kept", [True, False])
def test_an_interrupted_match_prints_the_score_so_far_and_what_is_kept(is_kept, tmp_path, capsys, monkeypatch):
    def add_game(folder, *arguments):
        add(folder, *arguments)
        if len(folder.rows) == 2:
            raise KeyboardInterrupt

    add = tournament.add_game
    monkeypatch.setattr(tournament, "add_game", add_game)
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 4, *["-o", tmp_path / "m"] * is_kept, expect=130)
    output = capsys.readouterr()
    assert re.search(r"A1 B1 C1 +2 +2 +0 +0 ", output.out)       # games, wins, draws, losses
    assert output.err.splitlines()[-1] == "mugo match: interrupted after 2 games, which " + (
        f"{tmp_path / 'm'} has; the same command continues" if is_kept else "are not kept without -o FOLDER")


def test_a_match_is_played_in_a_thread():
    """As in a notebook's server, and in a pool of threads."""
    with ThreadPoolExecutor(1) as pool:
        summary = pool.submit(mugo.play_match, FIRST, FAKE_ENGINE, games=1, size=3, komi=0.5).result()
    assert summary["participants"][0]["wins"] == 1


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("number, status", [
    (signal.SIGKILL, -9), (signal.SIGINT, 130), pytest.param(signal.SIGTERM, 130, marks=pytest.mark.slow)])
def test_a_match_that_was_stopped_is_continued(tmp_path, number, status):
    slow = f"{FAKE_ENGINE} child={tmp_path / 'child'} SLEEP0.1 A1"
    words = ["match", slow, FAKE_ENGINE, *map(str, RULES), "--games", "6", "--jobs", "2", "-o", str(tmp_path / "m")]
    running = subprocess.Popen([sys.executable, str(Path(__file__).parents[2] / "main.py"), *words],
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=restore_sigint)
    until = time.monotonic() + 60
    while len(complete_rows(tmp_path / "m")) < 2 and running.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    running.send_signal(number)
    errors = running.communicate(timeout=30)[1].decode()
    assert running.returncode == status
    if number != signal.SIGKILL:
        assert re.search(r"interrupted after \d games, which .* has; the same command continues", errors)
        assert "Traceback" not in errors
        assert not is_running(int((tmp_path / "child").read_text()))
    games = complete_rows(tmp_path / "m")
    assert 2 <= len(games) < 6
    match(*words[1:])
    rows = rows_of(tmp_path / "m")
    assert rows[:len(games)] == games
    assert sorted(int(row["number"]) for row in rows) == list(range(6)) and tuple(rows[0]) == COLUMNS


def restore_sigint():
    """Children inherit ignored signals, and a shell may have started the tests with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def complete_rows(folder):
    """The complete rows of a games.csv that is being written."""
    try:
        text = (folder / "games.csv").read_text()
    except FileNotFoundError:
        return []
    return list(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()))


def test_players_of_mugo_play_a_match(tmp_path, capsys):
    match("random --seed 1", "random --seed 2", "--size", 5, "--games", 4, "--openings", 3,
          "-o", tmp_path / "m")
    rows = rows_of(tmp_path / "m")
    assert {row["end"] for row in rows} == {"two passes"}
    assert len({row["game_hash"] for row in rows}) == 4
    by_opening = {}
    for row in rows:
        record, = read_records((tmp_path / "m" / "sgf" / f"{int(row['number']):05d}.sgf").read_bytes())
        by_opening.setdefault(row["opening"], set()).add(tuple(record.moves[:3].tolist()))
    assert [len(lines) for lines in by_opening.values()] == [1, 1] and len(set.union(*by_opening.values())) == 2


def test_a_game_that_was_written_twice_counts_once(tmp_path):
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 2, "-o", tmp_path / "m")
    rows = (tmp_path / "m" / "games.csv").read_text().splitlines(keepends=True)
    (tmp_path / "m" / "games.csv").write_text("".join([*rows, rows[1]]))
    folder = MatchFolder(tmp_path / "m", json.loads((tmp_path / "m" / "match.json").read_text()))
    assert sorted(row["number"] for row in folder.rows) == ["0", "1"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A match of two games between two participants."""
    folder = tmp_path_factory.mktemp("match") / "m"
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 2, "-o", folder)
    return folder


def edit(folder, line, **values):
    """Change values of a line of games.csv, counted from 0."""
    with open(folder / "games.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[line] |= values
    with open(folder / "games.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize("values, message", [
    ({"number": "9" * 5000}, "line 2: the number: "),
    ({"number": "1"}, "line 2: the black is .*, not "),               # the other one has Black in this game
    ({"black": "nobody"}, "line 2: the black is 'nobody', not "),
    ({"winner": ""}, "line 2: the winner is '', not "),
    ({"result": "won"}, "line 2: the winner is .*, not ''"),
    ({"moves": "1e9"}, "the moves: '1e9' is not an integer"),
    ({"black_seconds": "nan"}, "the black_seconds: 'nan' is not a finite number"),
    ({"opening": "7"}, "the opening is '7', not '0'"),
    ({"game_hash": "0" * 200_000}, "field larger than field limit"),
])
def test_a_damaged_row_is_named_before_a_game_is_played(finished, values, message, tmp_path, capsys):
    folder = shutil.copytree(finished, tmp_path / "m")
    edit(folder, 0, **values)
    before = (folder / "games.csv").read_bytes()
    match(FIRST, FAKE_ENGINE, *RULES, "--games", 4, "-o", folder, expect=2)
    assert re.search(message, capsys.readouterr().err)
    assert (folder / "games.csv").read_bytes() == before


def test_rows_with_too_few_or_too_many_values_are_named(finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "m")
    match_json = json.loads((folder / "match.json").read_text())
    head, first, *others = (folder / "games.csv").read_text().splitlines(keepends=True)
    for line in first.rstrip("\n") + ",a,b\n", "0,0,random\n":
        (folder / "games.csv").write_text("".join([head, line, *others]))
        with pytest.raises(BadInput, match="games.csv, line 2: not 18 values; delete the line"):
            MatchFolder(folder, match_json)
    (folder / "games.csv").write_bytes("".join([head, first]).encode() + "1,0,é".encode()[:-1])     # cut off
    assert [row["number"] for row in MatchFolder(folder, match_json).rows] == [first[0]]


@pytest.mark.parametrize("name, text, message", [
    ("match.json", "[" * 200_000, "match.json cannot be read"),
    ("match.json", None, "match.json is not a regular file"),
    ("match.json", '{"sides": ["uct", "random"], "size": 3}',
     "m holds a match of format 1, written by another version of MuGo"),
    ("games.csv", "a,b\n1,2\n", "games.csv was not written by this program")])
def test_a_file_of_another_program_version_or_kind_is_named(name, text, message, tmp_path):
    MatchFolder(tmp_path / "m", {"size": 3})
    path = tmp_path / "m" / name
    path.unlink()
    path.write_text(text) if text else os.mkfifo(path)
    with pytest.raises(BadInput, match=message):
        MatchFolder(tmp_path / "m", {"size": 3})


def test_a_search_depends_on_the_bundled_network_for_searches_too():
    def noted(player: str) -> set[str]:
        return set(tournament.checksums([participant_of(player)], None, GoPosition(19)))

    assert noted("policy") == {"policy-19"} and noted("mcts") == {"policy-19", "search-19"}
    assert noted("mcts --network policy-19-small") == {"policy-19-small"} and noted("uct") == set()

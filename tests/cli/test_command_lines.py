"""Command lines that cannot be carried out: one line names the option and the value, and nothing is written."""
import shlex

import pytest

from mugo.cli import main as cli

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

# a command line -> words that its error has.  game.sgf is there, x.sgf is not.
WRONG = {
    "--nosuch": ["--nosuch", "mugo --help"], "help nosuch": ["'nosuch'", "search"], "learn": ["'learn'", "gtp"],
    "train": ["DATASET", "--output"], "train a -o b --filters x": ["--filters", "'x'"],
    "play --komi ７.5": ["--komi", "'７.5'"], "play --seconds 0": ["--seconds 0"],
    "play uct --secnds 3": ["--secnds", "--seconds", "mugo play --help"],
    "play uct --second 3": ["--second; did you mean --seconds?"],
    "play --sise 9": ["--sise", "did you mean --size?"], "gtp --vists 100": ["--vists; did you mean --visits?"],
    "play --simulation 100": ["--simulation; did you mean --simulations?"], "plya": ["'plya'", "did you mean play?"],
    "play --game gomoku --komi 0": ["--komi", "Go,", "Gomoku"],
    "play uct --k 5": ["--k", "Gomoku,"], "play uct --exactly": ["--exactly", "Gomoku,"],
    "play --move 3": ["--move", "--load"], "play --load x.sgf --move -1": ["--move", "-1"],
    "play --load x.sgf --k 5": ["--k", "--load"], "play uct --load x.sgf --size 9": ["--size", "--load"],
    "play uct --game gomoku --size 4 --k 5": ["4x4", "5"],
    "gtp random --name 'a\n\nb'": ["--name", r"a\n\nb"], "gtp random --lag -1": ["--lag -1"],
    "gtp random --size 0": ["0x0"], "gtp random --size nine": ["--size", "'nine'"],
    "gtp random --komi 1e300": ["--komi 1e+300"], "gtp random --rules house": ["--rules", "house"],
    "gtp random --rules ''": ["--rules", "''"], "play random --load ''": ["is not a file"],
    "gtp policy --temperature -1": ["--temperature -1"], "gtp policy --rank 15k": ["policy-19", "15k"],
    "web --port 70000": ["--port 70000"], "web --jobs 0": ["--jobs 0"], "web --network nobody": ["'nobody'"],
    "web --k 4": ["--k", "Gomoku,"], "web --size 20": ["20x20"], "web --game gomoku --size 20": ["19x19", "20x20"],
    "web --allowed-host https://go.example.org": ["--allowed-host", "'https://go.example.org'"],
    "analysis random": ["random"], "analysis uct --jobs 0": ["--jobs 0"],
    "analysis uct --jobs 1025": ["--jobs 1025", "at most 1024"],
    "analysis mcts -override-config maxVisits=many": ["-override-config", "maxVisits"],
    "analysis mcts -override-config rootPolicyTemperature=0": ["-override-config", "rootPolicyTemperature", "above 0"],
    "analysis mcts -override-config numAnalysisThreads=1_0": ["-override-config", "'1_0'"],
    "review game.sgf --player random": ["--player", "'random'"], "review game.sgf --jobs 0": ["--jobs"],
    "review game.sgf --player uct --fast": ["--fast", "uct"], "review game.sgf --fast --seconds 1": ["--fast"],
    "review game.sgf --simulations 0": ["--simulations 0"], "review game.sgf --komi 1e300": ["--komi 1e+300"],
    "review game.sgf --resign 0.1": ["--resign"],
    "review game.sgf --network gomoku-6-4": ["Gomoku, 4 in a row"],
    "match random": ["two participants"], "match random random --games 1_000": ["--games", "'1_000'"],
    "match random random --games 1000000000": ["--games 1000000000"],
    f"match random random --openings {'9' * 5000}": ["--openings", "9999"],
    "match random random --openings policy --opening-moves 5000": ["--opening-moves 5000"],
    "match random random --max-moves 4096": ["--max-moves 4096"],
    "match random random --move-timeout 1e10": ["--move-timeout 1e+10"],
    "match random random --game gomoku --ko simple": ["--ko", "Go,"],
    "match random random --game gomoku --k 9": ["8x8", "9"],
    "match random random --sprt 5 5": ["--sprt 5 5"], "match random random --sprt 0 1e9": ["--sprt 0 1e+09"],
    "match random random uct --sprt 0 5": ["--sprt", "two"],
    "match random random --no-alternate --sprt 0 5": ["--sprt", "alternating"],
}


@pytest.mark.parametrize("words", WRONG, ids=lambda words: words[:60])
def test_a_wrong_command_line_gets_one_line_and_status_2(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[5]KM[0.5];B[cc];W[cb])")
    assert cli.main(shlex.split(words)) == 2
    error = capsys.readouterr().err
    command = words.partition(" ")[0]
    assert error.startswith(f"mugo {command}: " if command in cli.COMMANDS else "mugo: ")
    assert error.count("\n") == 1 and len(error) < 1000
    assert all(named in error for named in WRONG[words]), error
    assert [path.name for path in tmp_path.iterdir()] == ["game.sgf"]

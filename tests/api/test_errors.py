"""What the library says of arguments and files that are wrong: one exception, one sentence, which names the thing."""
import zipfile
from pathlib import Path

import pytest

import mugo

GAME = Path(__file__).parents[2] / "data" / "gnugo-9x9-000.sgf"


@pytest.fixture(scope="module")
def network():
    return mugo.load_network("gomoku-6-4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data set "games"; "bad.sgf", "empty.zip", and the folder "nothing"."""
    folder = tmp_path_factory.mktemp("wrong")
    mugo.preprocess(GAME, folder / "games")
    (folder / "bad.sgf").write_text("(;SZ[9];B[aa];W[aa])")
    zipfile.ZipFile(folder / "empty.zip", "w").close()
    (folder / "nothing").mkdir()
    return folder


P = mugo.Position
WRONG = [
    (lambda n, f: P(25), "a board is 2x2 to 19x19, not 25x25"),
    (lambda n, f: P("9 by 9"), "'9 by 9' is not a board size, such as 9, or 13x9"),
    (lambda n, f: P(komi="six"), "komi is a number, at least -1e+06, not 'six'"),
    (lambda n, f: P(komi=1e9), "komi is a number from -1,000,000 to 1,000,000, not 1e+09"),
    (lambda n, f: P(rules="house"), "'house' is not a name of rules (known are tromp-taylor, chinese"),
    (lambda n, f: P(handicap=10), "no fixed handicap of 10 stones on 19x19 (2 to 9)"),
    (lambda n, f: P(game="chess"), "game is 'go' or 'gomoku', not 'chess'"),
    (lambda n, f: P(9, game="gomoku", komi=6.5), "komi is for Go, and this is Gomoku"),
    (lambda n, f: P(9, game="gomoku", k=20), "3 to 9 in a row can win on 9x9, not 20"),
    (lambda n, f: P.from_text("X . \n X"), "a drawing has rows of equal length of X, O and ."),
    (lambda n, f: P.from_text("X X \n X X"), "a black stone cannot be placed on"),
    (lambda n, f: P(9).play("I5"), "'I5' is not a vertex on 9x9 (A-J without I, 1-9)"),
    (lambda n, f: P(9).play("E5", "E5"), "illegal move: E5 is occupied"),
    (lambda n, f: P(9).play("E5", colour="red"), "a colour is 'B' or 'W', not 'red'"),
    (lambda n, f: P(5, game="gomoku").play("pass"), "illegal move: pass is not a move of Gomoku"),
    (lambda n, f: mugo.read_sgf(f / "none.sgf"), "none.sgf cannot be read: No such file or directory"),
    (lambda n, f: mugo.read_sgf(f / "bad.sgf"), "bad.sgf: move 2: White A9 is occupied"),
    (lambda n, f: mugo.Game.from_sgf("hello"), "no game found: an SGF game begins with '(;'"),
    (lambda n, f: mugo.Game(P(9), black_rank=5), "black_rank of a game is a text, not 5"),
    (lambda n, f: mugo.read_archive(f / "none.zip"), "none.zip: no such file or folder"),
    (lambda n, f: mugo.read_archive(f / "nothing"), "no SGF file and no archive in this folder"),
    (lambda n, f: mugo.load_network("policy-21"), "there is no network 'policy-21'"),
    (lambda n, f: mugo.load_network("policy-9", precision="int4"), "int4: must be one of auto, int8, float32"),
    (lambda n, f: mugo.load_network().policy(P(9, game="gomoku", k=4)), "no bundled network for Gomoku, 4 in"),
    (lambda n, f: n.policy(P(6)), "plays Gomoku, 4 in a row, not Go"),
    (lambda n, f: n.policy(P(6, game="gomoku").play(*"A1 A2 B1 B2 C1 C2 D1".split())), "the game is over"),
    (lambda n, f: n.policy(P(6, game="gomoku"))["Z1"], "'Z1' is not a vertex on 6x6"),
    (lambda n, f: n.policy("A1"), "a mugo.Position or a list of them was expected, not a str"),
    (lambda n, f: mugo.search(P(6), "policy-9"), "a network of mugo.load_network was expected, not a str"),
    (lambda n, f: mugo.search(P(6), seconds=-1), "seconds is a number, at least 0.001, not -1"),
    (lambda n, f: mugo.search(P(6), simulations=9, threads=0), "threads 0: must be at least 1"),
    (lambda n, f: mugo.search(P(6), simulations=9, batch=2), "batch is an option of mcts, and the player is uct"),
    (lambda n, f: mugo.search(P(6), simulations=9, rollout="none"), "rollout none needs a network"),
    (lambda n, f: mugo.move_name(400), "a move index on 19x19 is 0 to 361, not 400"),
    (lambda n, f: mugo.preprocess(f / "games", f / "other"), "no SGF file and no archive in this folder"),
    (lambda n, f: mugo.preprocess(GAME, f / "other", test=2), "test 2: must be at most 1"),
    (lambda n, f: mugo.review("game"), "a mugo.Game was expected, not a str"),
    (lambda n, f: mugo.player("uct", rank="2d"), "uct has no network"),
    (lambda n, f: mugo.player("uct", simulations=0), "simulations 0: must be at least 1"),
    (lambda n, f: mugo.player("kata"), "'kata'"),
    (lambda n, f: mugo.load_dataset(f), "is not a data set: meta.json is missing"),
    (lambda n, f: mugo.load_dataset(f / "games").batches(split="training"),
     "split is one of train, validation, test, or None for all, not 'training'"),
    (lambda n, f: mugo.load_dataset(f / "games").batches(targets=("komi",)),
     "targets are of moves, outcomes, ownership, not komi"),
    (lambda n, f: mugo.load_dataset(f / "games").batches(where="rank > 3"), "rank"),
    (lambda n, f: mugo.load_dataset(f / "games").batches(size=19), "no training games on 19x19"),
    (lambda n, f: mugo.load_dataset(f / "games").batches(size="9x9"), "size is a whole number, at least 1, not '9x9'"),
    (lambda n, f: mugo.load_dataset(f / "games").batches(seed=1 << 70), "seed is at most 4294967295, not 11805916"),
    (lambda n, f: mugo.play_match("uct"), "a match takes two participants or more"),
    (lambda n, f: mugo.play_match("uct", "uct", games=0), "games 0: must be at least 1"),
]


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[message[:50] for _, message in WRONG])
def test_a_mistake_is_one_exception_with_one_sentence(number, network, folder):
    call, expected = WRONG[number]
    with pytest.raises(mugo.MugoError) as caught:
        call(network, folder)
    message = str(caught.value)
    assert expected in message and "\n" not in message and "--" not in message


@pytest.mark.parametrize(("arguments", "expected"), [
    ({"learning_rate": 5}, "learning_rate 5: must be at most 1"), ({"positions": 1.5}, "positions: invalid int value")])
def test_options_of_training_are_checked(arguments, expected, folder):
    pytest.importorskip("keras")
    with pytest.raises(mugo.MugoError, match=expected):
        mugo.train(folder / "games", folder / "run", **arguments)
    assert not (folder / "run").exists()


def test_an_unknown_keyword_is_pythons_own_error():
    with pytest.raises(TypeError, match=r"search\(\) has no option 'seeds'; did you mean seed\?"):
        mugo.search(P(6), simulations=9, seeds=1)
    with pytest.raises(TypeError, match=r"review\(\) has no option 'fast': `mugo help search` lists them"):
        mugo.review(mugo.read_sgf(GAME), fast=True)
    with pytest.raises(TypeError, match="there is no option 'tests'; did you mean test\\?"):
        mugo.preprocess(GAME, "other", tests=1)
    with pytest.raises(TypeError, match="there is no option 'simulation'; did you mean simulations\\?"):
        mugo.player("uct", simulation=9)
    with pytest.raises(TypeError, match="there is no option 'handicaps'; did you mean handicap\\?"):
        mugo.play_match("uct", "random", handicaps=2)
    with pytest.raises(TypeError, match=r"Game\(\) has no argument 'komi': the texts of a game are black, white"):
        mugo.Game(P(6), komi="5")


def test_a_position_that_a_game_does_not_have_is_named():
    game = mugo.Game(P(5).play("C3"))
    assert [len(game[n].moves) for n in (-2, -1, 0, 1)] == [0, 1, 0, 1]
    for index in -3, 2:
        with pytest.raises(IndexError, match=f"a position of this game is 0 to 1, not {index}"):
            game[index]

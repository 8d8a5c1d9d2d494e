"""The main job on the sample games, from archives to a game:  mugo demo

    mugo preprocess -> mugo show -> mugo train -> mugo evaluate -> a game of the network against `random`

Prints what each step found; the commands and their tables go to FOLDER/log.txt.  Stopped and run again, it resumes.
"""
import argparse
import contextlib
import time
from pathlib import Path

import pandas as pd

from mugo.cli import main as cli
from mugo.core.files import BadInput, atomic_write
from mugo.core.options import Option
from mugo.data.dataset import load_dataset
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import point_of_index
from mugo.games.go import GoPosition
from mugo.games.scoring import final_result
from mugo.nn.inference import Network
from mugo.players.registry import make_player
from mugo.players.player import Player
from mugo.plots.svg import board_svg
from mugo.sgf.convert import format_record, record_from_position

MAX_MOVES = 722                          # a game of a raw policy may never end


def run(log: Path, *arguments: str) -> None:
    """Run a mugo command; what it prints is appended to the log.  Raises BadInput if it fails, KeyboardInterrupt if it
    was interrupted."""
    with log.open("a", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        print(f"$ mugo {' '.join(arguments)}", flush=True)
        status = cli.main(list(arguments))
        print()
    if status == cli.INTERRUPTED:
        raise KeyboardInterrupt
    if status:
        raise BadInput(f"`mugo {arguments[0]}` ended with status {status}")


def play_out(players: dict[int, Player], position: GoPosition) -> GoPosition:
    """The position after two passes, or after MAX_MOVES moves."""
    while not position.is_over and position.plies < MAX_MOVES:
        position = position.play(players[position.to_play].select_move(position))
    return position


def play_game(folder: Path, network: Network) -> str:
    """Play a game of the network (Black) against `random`; writes game.sgf, game.svg and what_it_sees.svg.  Returns the
    result in words."""
    black, white = make_player("policy", network=network), make_player("random", seed=1)
    end = play_out({BLACK: black, WHITE: white}, GoPosition(network.size))
    result = final_result(end)
    record = record_from_position(end, black=network.name, white=white.name, result=result,
                                  date=time.strftime("%Y-%m-%d"))
    with atomic_write(folder / "game.sgf") as path:
        path.write_text(format_record(record), encoding="utf-8")
    *_, example = (position for position in end.positions() if position.plies <= 30)
    priors = network.evaluate([example], symmetries=True).priors[0]
    shares = {point_of_index(i, network.size): share for i, share in enumerate(priors[:-1].tolist())}
    caption = f"probabilities of the network for move {example.plies + 1}, in percent"
    for name, svg in (("game", board_svg(end, caption=f"{network.name} (Black) against random: {result}")),
                      ("what_it_sees", board_svg(example, shares=shares, caption=caption))):
        with atomic_write(folder / f"{name}.svg") as path:
            path.write_text(svg, encoding="utf-8")
    return f"{result} in {end.plies} moves"


def sample_games() -> Path:
    """The archive of 19x19 games in data/ of the repository.  Raises BadInput if it is not there."""
    for folder in (Path("data"), Path(__file__).resolve().parents[2] / "data"):
        games = sorted(folder.glob("gnugo-19x19.*"))
        if games:
            return games[0]
    raise BadInput("the sample games were not found: run this in a clone of the repository, or name archives of games")


def accuracy(folder: Path) -> float:
    """Top-1 on the test games, from 0 to 1, as `mugo evaluate` has written it."""
    return float(pd.read_csv(folder / "evaluation.csv").loc[0, "top1"])


def legal_moves(size: int) -> int:
    """About how many moves are legal in a position of a game: as many as 0.7 of the points."""
    return int(round(0.7 * size ** 2, -1 if size > 9 else 0))


def command(args: argparse.Namespace) -> int:
    Option("minutes", float, above=0).check(args.minutes)             # before the sample games are read
    folder, log = args.output, args.output / "log.txt"
    data, trained = folder / "games", folder / "run"
    games = args.games or [str(sample_games())]
    folder.mkdir(parents=True, exist_ok=True)
    print(f"MuGo learns Go from game records. All files go to {folder}/, all details to {log}.\n")
    say("1. Read", f"the games in {', '.join(games)}")
    run(log, "preprocess", *games, "-o", str(data), "--validation", "0.1", "--test", "0.1")
    run(log, "show", str(data))
    splits = load_dataset(data).used_games["split"].value_counts()
    say("", f"{splits.get('train', 0):,} games to learn from, {splits.get('test', 0):,} to test with")
    if (trained / "checkpoint.safetensors").exists():
        say("2. Learn", f"as {trained} was begun; for other --minutes give -o another folder")
        run(log, "train", str(data), "-o", str(trained), "--resume")
    else:
        say("2. Learn", f"to predict the next move: {args.minutes:g} minutes of training")
        run(log, "train", str(data), "-o", str(trained), "--minutes", f"{args.minutes:g}",
            "--checkpoint-positions", "16000")
    say("3. Test", "on games that it has not seen")
    run(log, "evaluate", str(trained), str(data), "-o", str(folder / "evaluation"))
    network = Network(trained)
    say("", f"{accuracy(folder):.1%} of the moves predicted; a guess is right about once in "
        f"{legal_moves(network.size)} times")
    say("4. Play", f"against random moves: {play_game(folder, network)}")
    print()
    say("Look at", f"{folder}/what_it_sees.svg", "the moves that the network expects")
    say("", f"{folder}/game.svg", f"the end of its game; the record is {folder}/game.sgf")
    say("", f"{trained}/curve.png", "what it has learned over time")
    say("Play", f"mugo play policy --network {trained}", "against this network, in the terminal")
    say("", "mugo web", "against a stronger one that comes with MuGo, in the browser")
    return 0


def say(step: str, text: str, explanation: str = "") -> None:
    """Print a line of the demo's account."""
    print(f"{step:8}", f"{text:40} {explanation}" if explanation else text, flush=True)

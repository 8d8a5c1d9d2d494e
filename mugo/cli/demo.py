"""The main job on the sample games, from archives to a game:  mugo demo

    mugo preprocess -> mugo show -> mugo train -> mugo evaluate -> a game of the network against `random`

Prints each command and runs it, all in one folder.  Stopped and run again, it resumes.  The game is written as an
SGF file and two pictures.
"""
import argparse
import time
from pathlib import Path

import numpy as np

from mugo.cli import main as cli
from mugo.core.files import BadInput, atomic_write
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import format_gtp, move_index, point_of_index
from mugo.games.go import Position
from mugo.games.scoring import final_result
from mugo.core.options import Option
from mugo.nn.inference import Network
from mugo.players.options import make_player
from mugo.players.player import Player
from mugo.plots import diagrams
from mugo.sgf.convert import record_from_position
from mugo.sgf.writer import format_record

MAX_MOVES = 722                          # a game of a raw policy may never end


def run(*arguments: str) -> None:
    """Print and run a mugo command.  Raises BadInput if it fails, KeyboardInterrupt if it was interrupted."""
    print(f"\n$ mugo {' '.join(arguments)}", flush=True)
    status = cli.main(list(arguments))
    if status == cli.INTERRUPTED:
        raise KeyboardInterrupt
    if status:
        raise BadInput(f"`mugo {arguments[0]}` ended with status {status}")


def play_out(players: dict[int, Player], position: Position) -> Position:
    """The position after two passes, or after MAX_MOVES moves."""
    while not position.is_over and position.plies < MAX_MOVES:
        position = position.play(players[position.to_play].select_move(position))
    return position


def play_game(folder: Path, network: Network) -> None:
    """Play a game of the network (Black) against `random`; writes game.sgf, game.png and what_it_sees.png."""
    black, white = make_player("policy", network=network), make_player("random", seed=1)
    end = play_out({BLACK: black, WHITE: white}, Position(network.size))
    result = final_result(end)
    record = record_from_position(end, black=network.name, white=white.name, result=result,
                                  date=time.strftime("%Y-%m-%d"))
    with atomic_write(folder / "game.sgf") as path:
        path.write_text(format_record(record), encoding="utf-8")
    title = f"{network.name} (Black) against random: {result} after {end.plies} moves"
    diagrams.save_diagram(end, folder / "game.png", title=title)
    *_, example = (position for position in end.positions() if position.plies <= 30)
    labels = draw_policy(network, example, folder / "what_it_sees.png",
                         f"probabilities of the network for move {example.plies + 1}")
    print(f"\n{title}\nfive most probable points for move {example.plies + 1}: "
          + ", ".join(f"{format_gtp(point, network.size)} {label}" for point, label in labels.items()))


def draw_policy(network: Network, position: Position, path: Path, title: str) -> dict[int, str]:
    """Write a picture of the network's policy; returns the five most probable points, best first, and their labels."""
    priors = network.evaluate([position], symmetries=True).priors[0]
    best = [point_of_index(int(i), network.size) for i in np.argsort(-priors[:-1])[:5]]
    labels = {point: f"{priors[move_index(point, network.size)]:.0%}" for point in best}
    diagrams.save_diagram(position, path, priors[:-1].reshape(network.size, network.size), labels, title)
    return labels


def sample_games() -> Path:
    """The archive of 19x19 games in data/ of the repository.  Raises BadInput if it is not there."""
    for folder in (Path("data"), Path(__file__).resolve().parent.parent / "data"):
        games = sorted(folder.glob("gnugo-19x19.*"))
        if games:
            return games[0]
    raise BadInput("the sample games were not found: run this in a clone of the repository, or name archives of games")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="*", metavar="GAMES",
                        help="SGF files, folders of them, and archives (default: the sample games in data/)")
    parser.add_argument("-o", "--output", type=Path, default=Path("demo"), metavar="FOLDER",
                        help="folder of all results (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=2, metavar="X",
                        help="minutes of training (default: %(default)s)")


def command(args: argparse.Namespace) -> int:
    Option("minutes", float, above=0).check(args.minutes)             # before the sample games are read
    folder = args.output
    data, trained = folder / "games", folder / "run"
    run("preprocess", *(args.games or [str(sample_games())]), "-o", str(data), "--validation", "0.1", "--test", "0.1")
    run("show", str(data))
    if (trained / "checkpoint.safetensors").exists():
        print(f"\n{trained} is trained as it was begun; for other --minutes give -o another folder", flush=True)
        run("train", str(data), "-o", str(trained), "--resume")
    else:
        run("train", str(data), "-o", str(trained), "--minutes", f"{args.minutes:g}", "--checkpoint-positions", "16000")
    run("evaluate", str(trained), str(data), "-o", str(folder / "evaluation"))
    play_game(folder, Network(trained))
    print(f"\nThe network over GTP:  mugo gtp policy --network {trained}\nResults:")
    for path in sorted([*folder.rglob("*.png"), folder / "game.sgf"]):
        print(f"  {path}")
    return 0

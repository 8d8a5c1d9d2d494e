"""How well networks' values tell the moves of one position apart, which is what a search needs.

    python benchmarks/siblings.py GAMES ... --engine "katago analysis -config FILE -model FILE" --network NAME ...
        [--positions 100] [--moves 5] [--size 19] [--seed 0]

Positions are drawn from the games without handicap, one of each.  The moves that the first network likes best are
played, and the engine, whose configuration says how many visits it takes (maxVisits = 16), judges what follows.  The
squared error of a network's value, from -1 to 1, has a part that is common to the moves of a position, which changes no
choice, and one of each move.  Prints both, with standard errors, and the correlation with the engine's values and leads
within positions.
"""
import argparse
import json
import random
import subprocess

import numpy as np

import mugo
from mugo.plots.terminal import format_table


def drawn(paths: list[str], size: int, count: int, rng: random.Random) -> list[mugo.Position]:
    """A random position of each of `count` games without handicap, before the last ten moves."""
    games = [game for game in mugo.read_archive(paths, replay=False)
             if game.info["size"] == f"{size}x{size}" and not game.info["handicap"] and len(game.moves) > 20]
    return [game[rng.randrange(len(game.moves) - 10)] for game in rng.sample(games, min(count, len(games)))]


def judged(command: str, positions: list[mugo.Position]) -> np.ndarray:
    """float (n, 2): the engine's value and lead of each position, for its side to move."""
    engine = subprocess.Popen(command, shell=True, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    assert engine.stdin and engine.stdout
    for number, position in enumerate(positions):
        print(json.dumps({"id": str(number), "moves": position.moves, "rules": "chinese", "komi": position.komi,
                          "boardXSize": position.size, "boardYSize": position.size}), file=engine.stdin)
    engine.stdin.close()
    found = np.full((len(positions), 2), np.nan)
    for line in engine.stdout:
        answer = json.loads(line)
        if not (root := answer.get("rootInfo")):
            raise SystemExit(f"the engine answered {line}")
        number = int(answer["id"])
        sign = 1 if root["currentPlayer"] == positions[number].to_move else -1
        found[number] = sign * (2 * root["winrate"] - 1), sign * root["scoreLead"]
    return found


def parts(values: np.ndarray, truth: np.ndarray) -> list[str]:
    """The two parts of the squared error of values, float (positions, moves), with standard errors."""
    errors = values - truth
    common = errors.mean(axis=1, keepdims=True)
    each = ((errors - common) ** 2).sum(axis=1) / (errors.shape[1] - 1)
    shared = common[:, 0] ** 2 - each / errors.shape[1]
    return [f"{part.mean():.3f} ± {part.std() / len(part) ** 0.5:.3f}" for part in (shared, each)]


def correlation(values: np.ndarray, truth: np.ndarray) -> str:
    """The correlation of values with the truth within positions."""
    within = [each - each.mean(axis=1, keepdims=True) for each in (values, truth)]
    return f"{np.corrcoef(within[0].ravel(), within[1].ravel())[0, 1]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--engine", required=True, help="a command that speaks KataGo's analysis protocol and reports "
                                                        "win rates of the side to move")
    parser.add_argument("--network", nargs="+", required=True)
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--moves", type=int, default=5)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    networks = [mugo.load_network(name) for name in args.network]
    played = []
    for position in drawn(args.games, args.size, args.positions, random.Random(args.seed)):
        best = [move for move in networks[0].policy(position) if move != "pass"][:args.moves]
        if len(best) == args.moves and not position.is_over:
            played += [position.play(move) for move in best]
    shape = -1, args.moves
    truth = judged(args.engine, played)
    rows = [["network", "common error", "of each move", "correlation of values", "of leads"]]
    for name, network in zip(args.network, networks, strict=True):
        found = network.evaluate(played)
        values = np.array([np.nan if one.win_rate is None else 2 * one.win_rate - 1 for one in found]).reshape(shape)
        leads = np.array([np.nan if one.lead is None else one.lead for one in found]).reshape(shape)
        true_values, true_leads = (truth[:, column].reshape(shape) for column in (0, 1))
        rows.append([name, *parts(values, true_values), correlation(values, true_values),
                     correlation(leads, true_leads)])
    print(f"{len(played) // args.moves} positions, {args.moves} moves each")
    print("\n".join(format_table(rows)))


if __name__ == "__main__":
    main()

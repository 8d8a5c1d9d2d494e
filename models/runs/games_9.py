"""Games for a round of expert iteration on 9x9, as in the first round of policy-9-v6: komis and leads of all sizes.

    python models/runs/games_9.py FOLDER

The bundled policy-9 plays them, and GNU Go.  On two cores of an AMD Zen 4 the matches took 35 minutes, two at once;
here they follow one another.  A second call goes on where the first one was stopped.
"""
import argparse
import itertools
import random
from pathlib import Path

import mugo

SEARCH = "mcts --network policy-9 --simulations 64 --no-early-stop --resign 0"
SAMPLED = "randompolicy --network policy-9 --resign 0"
GNU_GO = "gnugo --mode gtp --level 10 --positional-superko"
POLICY = {"openings": "policy", "opening_moves": 4}
MATCHES = [                              # one player, or two, number of games, options
    ([SEARCH], 180, {"seed": 31} | POLICY),
    ([SEARCH], 110, {"seed": 42, "openings": "policy", "opening_moves": 8}),
    ([SEARCH], 120, {"seed": 41, "openings": 6}),
    ([SEARCH, GNU_GO], 60, {"seed": 32, "openings": 3}),
    *(([SEARCH], 26, {"seed": 43, "komi": komi} | POLICY) for komi in (0.5, 3.5, 5.5, 9.5, 11.5, 14.5)),
    ([SAMPLED], 200, {"seed": 35}),
    ([SAMPLED], 100, {"seed": 45, "openings": 4}),
    *(([SEARCH], games, {"seed": 51, "komi": komi, "openings": "B" if komi > 0 else "W"})
      for komi, games in ((25.5, 60), (45.5, 60), (65.5, 40), (-30.5, 60), (-60.5, 40))),
    ([SEARCH, SAMPLED], 60, {"seed": 58, "komi": 60.5, "openings": "B"}),
    ([SAMPLED], 100, {"seed": 54, "komi": 55.5, "openings": "B"}),
    ([SAMPLED], 100, {"seed": 55, "komi": -45.5, "openings": "W"}),
]


def uneven_opening(rng: random.Random, ahead: str) -> str:
    """A record in which `ahead`, B or W, plays two to six stones; the other side plays up to two, and else passes."""
    stones, others = rng.randint(2, 6), rng.randint(0, 2)
    cells = list(itertools.product(range(1, 8), repeat=2))               # not those on the first line
    rng.shuffle(cells)
    own, other = cells[:stones], cells[stones:stones + others]
    played = rng.sample(range(stones), min(others, stones))
    moves = ""
    for turn in range(stones):
        for colour in "BW":
            cell = own.pop() if colour == ahead else other.pop() if turn in played else None
            moves += f";{colour}[{''.join('abcdefghi'[line] for line in cell) if cell else ''}]"
    return f"(;GM[1]FF[4]SZ[9]KM[7.5]{moves})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the games; the openings go to FOLDER-B and FOLDER-W")
    folder = parser.parse_args().folder
    for ahead, seed in (("B", 1), ("W", 2)):
        openings = folder.with_name(f"{folder.name}-{ahead}")
        openings.mkdir(parents=True, exist_ok=True)
        rng = random.Random(seed)
        for number in range(120):
            (openings / f"{number:03}.sgf").write_text(uneven_opening(rng, ahead))
    for number, (players, games, options) in enumerate(MATCHES):
        if options.get("openings") in ("B", "W"):
            options = options | {"openings": str(folder.with_name(f"{folder.name}-{options['openings']}"))}
        players = players if len(players) > 1 else [*players, f"{players[0]} --seed 77"]
        mugo.play_match(*players, games=games, folder=folder / str(number), size=9, **options)


if __name__ == "__main__":
    main()

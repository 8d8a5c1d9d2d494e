"""Time management by a clock that counts simulations: --time-extension against none, by SPRT.

    python benchmarks/time_management.py --extension 2 --games 200
    python benchmarks/time_management.py --extension 1.5 --network policy-19-small --rate 20 --main 120

Both sides have the same main time, and a simulation costs 1 / RATE seconds of it.  So the result does not depend on
what else the machine does.  Openings are random moves, each played with both colours.
"""
import argparse

from mugo.games.board import BLACK, EMPTY
from mugo.games.go import Position
from mugo.games.scoring import without_dead
from mugo.intervals import wilson_interval
from mugo.match.openings import random_opening
from mugo.players.options import open_network
from mugo.players.player import RESIGN
from mugo.players.searcher import MCTS, UCT, PlayOptions, SearchPlayer
from mugo.players.time_control import Clock, absolute
from mugo.search.search import Search
from mugo.sprt import SPRT


class CountedSearch(Search):
    """A search whose seconds are its simulations, at `rate` a second."""

    def __init__(self, settings, network, rate):
        super().__init__(settings, network, now=lambda: self.simulations_run / rate)


def play(black, white, start, main):
    """1 if Black wins, -1 if White does; players are pairs of settings for a new SearchPlayer and its clock."""
    players = {BLACK: black(), -BLACK: white()}
    clocks = {colour: Clock(absolute(main), lag=0) for colour in players}
    position = start
    while not position.is_over and position.plies < 3 * position.size ** 2:
        clock, player = clocks[position.to_play], players[position.to_play]
        stones = int((position.stones != EMPTY).sum())
        before = player.search.now()
        point = player.select_move(position, seconds=clock.seconds(position.size, stones),
                                   max_seconds=clock.max_seconds(position.size, stones))
        clock.spend(player.search.now() - before)
        if point == RESIGN:
            return -position.to_play
        position = position.play(point)
    return 1 if without_dead(position).score() > 0 else -1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", type=float, default=2.0)
    parser.add_argument("--select-by", default="visits", help="of both sides")
    parser.add_argument("--network", help="play mcts (default: uct)")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--main", type=float, default=60.0, help="seconds of main time")
    parser.add_argument("--rate", type=float, default=500.0, help="simulations a second")
    parser.add_argument("--games", type=int, default=200, help="at most")
    parser.add_argument("--sprt", type=float, nargs=2, default=(0, 40), metavar=("ELO0", "ELO1"))
    args = parser.parse_args()
    if args.games < 2 or args.extension < 1 or args.main <= 0 or args.rate <= 0:
        parser.error("--games is at least 2, --extension at least 1, --main and --rate are above 0")
    network = open_network(args.network, 1) if args.network else None

    def player(extension):
        search = CountedSearch(MCTS if network else UCT, network, args.rate)
        return SearchPlayer("player", search, PlayOptions(select_by=args.select_by, time_extension=extension))

    def pairs():
        for number in range(args.games // 2):
            start = random_opening(Position(args.size), 4, 1, number)
            points = 0
            for is_black in True, False:
                sides = [lambda: player(args.extension), lambda: player(1.0)]
                result = play(*(sides if is_black else sides[::-1]), start, args.main)
                points += (result == (1 if is_black else -1))
            yield points

    test, played = SPRT(*args.sprt), []
    for points in pairs():
        played.append(points)
        found = test.run(played)
        print(f"{sum(played)} of {2 * len(played)} won, LLR {found.ratio:+.2f}", flush=True)
        if found.accepted:
            break
    rate = wilson_interval(sum(played), 2 * len(played))
    print(f"extension {args.extension:g}: {sum(played)} of {2 * len(played)} won, {rate.value:.1%} ({rate.low:.1%} to "
          f"{rate.high:.1%}); LLR {found.ratio:+.2f}, {found.accepted or 'undecided'}")


if __name__ == "__main__":
    main()

"""Points that players lose by territory after the end of a game, by moves in settled territory.

    python benchmarks/territory_endgame.py [GAMES ...] [--players "policy" "uct --simulations 200"] [--max-games 40]

GAMES are SGF files or archives of finished games (default: the sample games on 9x9).  The passes at the end of a game
are taken back.  Then the player moves for the side to move, and GNU Go (Debian's package gnugo) answers under Japanese
rules, until both have passed.  The loss is by how many points that side's territory score is lower than at once after
two passes: once where the player knows Japanese rules, and once where it plays by area.  GNU Go counts both positions
too.
"""
import argparse
from collections import Counter
from itertools import islice
from pathlib import Path

from final_status import SAMPLES, TIMEOUT, recorded_games

from mugo.games import scoring
from mugo.games.board import BLACK
from mugo.games.coords import PASS, format_gtp, interpret_gtp
from mugo.games.go import Position
from mugo.games.position import COLOUR_LETTERS
from mugo.games.rules import NAMED_RULES, Rules
from mugo.match.game_runner import interpret_score
from mugo.match.gtp_client import GtpClient, participant_of
from mugo.match.referee import setup_commands
from mugo.players.options import add_arguments, player_from_arguments
from mugo.plots.text_table import format_table

GNUGO = "gnugo --mode gtp --level 1 --japanese-rules --never-resign"
JAPANESE = NAMED_RULES["japanese"]
MAX_MOVES = 60
PLAYERS = ["policy", "uct --simulations 200", "mcts --simulations 50"]


def player_of(text: str):
    """The player of a command line, which never resigns."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return player_from_arguments(parser.parse_args([*text.split(), "--seed", "1", "--resign", "0"]), "go")


def play_to_end(player, gnugo: GtpClient, position: Position) -> tuple[Position, int]:
    """(the position after both have passed, moves of the player that are no passes)."""
    colour, moves = position.to_play, 0
    for line in setup_commands(position, handicap=True):
        gnugo.send_command(line)
    while not position.is_over and moves < MAX_MOVES:
        letter = COLOUR_LETTERS[position.to_play].lower()
        if position.to_play == colour:
            point = player.select_move(position)
            moves += point != PASS
            gnugo.send_command(f"play {letter} {format_gtp(point, position.size)}")
        else:
            point = interpret_gtp(gnugo.send_command(f"genmove {letter}", TIMEOUT), position.size)
        position = position.play_unchecked(point, position.to_play)
    return position, moves


def gnugo_score(gnugo: GtpClient, position: Position) -> float:
    """Black's lead by GNU Go's count."""
    for line in setup_commands(position, handicap=True):
        gnugo.send_command(line)
    return interpret_score(gnugo.send_command("final_score", TIMEOUT))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", type=Path, default=[SAMPLES])
    parser.add_argument("--players", nargs="+", default=PLAYERS, metavar="PLAYER")
    parser.add_argument("--max-games", type=int, metavar="N", help="stop after so many games")
    args = parser.parse_args()
    gnugo = GtpClient(participant_of(GNUGO))
    starts = []
    for _, position, _ in islice(recorded_games(args.games), args.max_games):
        while position.last == PASS:
            position = position.undo()
        starts.append(position)
    rows = [["player", "rules it knows", "passes at once", "moves", "points lost", "worst", "by GNU Go's count"]]
    for text in args.players:
        player = player_of(text)
        for name, rules in (("japanese", JAPANESE), ("area", Rules())):
            losses, gnugo_losses, moves = Counter(), 0.0, Counter()
            for start in starts:
                end, n = play_to_end(player, gnugo, start.with_rules(rules))
                sign = 1 if start.to_play == BLACK else -1
                before, after = start.with_rules(JAPANESE), end.with_rules(JAPANESE)
                losses[sign * (scoring.final_score(before) - scoring.final_score(after))] += 1
                moves[n] += 1
                gnugo_losses += sign * (gnugo_score(gnugo, before) - gnugo_score(gnugo, after))
            n = len(starts)
            rows.append([text, name, f"{moves[0] / n:.0%}", f"{sum(k * m for k, m in moves.items()) / n:.2f}",
                         f"{sum(k * m for k, m in losses.items()) / n:.2f}", f"{max(losses):g}",
                         f"{gnugo_losses / n:.2f}"])
    print(f"{len(starts)} games")
    print("\n".join(format_table(rows)))
    gnugo.close()


if __name__ == "__main__":
    main()

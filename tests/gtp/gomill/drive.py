"""Two games of a program with itself, run by gomill (Python 2.7): python2 drive.py LOG PROGRAM ARGUMENT...

Prints the results as a line of JSON.  LOG: a file that gets every line between gomill and Black's program.  Needs the
package gomill.
"""
import json
import sys

from gomill import gtp_controller, gtp_games


def main(log, command):
    report = []
    with open(log, "w") as log_file:
        for handicap in None, 2:
            players = gtp_controller.Game_controller("black", "white")
            for colour in "bw":
                players.set_player_subprocess(colour, command)
            players.get_controller("b").channel.enable_logging(log_file)
            game = gtp_games.Gtp_game(players, 7, 6.5, 300)
            for colour in "bw":
                game.allow_scorer(colour)
                game.set_claim_allowed(colour)
            game.prepare()
            if handicap:
                game.set_handicap(handicap, True)
            game.run()
            cpu_times, cpu_errors = players.get_gtp_cpu_times()
            description = gtp_controller.Engine_description.from_controller(players.get_controller("w"))
            players.close_players()
            result = game.result
            report.append({"result": result.sgf_result, "detail": result.detail, "moves": len(game.get_moves()),
                           "comments": [comment for _, _, comment in game.get_moves() if comment],
                           "cpu_times": cpu_times, "cpu_errors": sorted(cpu_errors),
                           "description": description.get_long_description(),
                           "errors": players.describe_late_errors(),
                           "is_forfeit": result.is_forfeit, "player": result.describe()})
    print(json.dumps(report))


main(sys.argv[1], sys.argv[2:])

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
            game.prepare()
            if handicap:
                game.set_handicap(handicap, True)
            game.run()
            players.close_players()
            result = game.result
            report.append({"result": result.sgf_result, "detail": result.detail, "moves": len(game.get_moves()),
                           "errors": players.describe_late_errors(),
                           "is_forfeit": result.is_forfeit, "player": result.describe()})
    print(json.dumps(report))


main(sys.argv[1], sys.argv[2:])

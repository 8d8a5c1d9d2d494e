"""Plays moves with KaTrain's opponents that play like people, by KaTrain's own code:  drive_people.py COMMAND QUERIES

COMMAND and QUERIES are those of drive_game.py.  Prints the moves and what KaTrain says of them, as a line of JSON.
"""
import json
import os
import shlex
import sys

from drive_game import KaTrain
from katrain.core import ai
from katrain.core.engine import KataGoEngine
from katrain.core.game import Game

OPPONENTS = [("ai:human", {"human_kyu_rank": 8, "modern_style": False}),
             ("ai:human", {"human_kyu_rank": -2, "modern_style": True}), ("ai:pro", {"pro_year": 1914})]


def main(command, queries):
    sys.argv = sys.argv[:1]                      # KaTrain reads the command line
    program = KaTrain()
    program._config["engine"] |= {"max_visits": 10, "fast_visits": 5, "_enable_ownership": True}
    engine = KataGoEngine(program, program._config["engine"] | {
        "altcommand": f"tee {shlex.quote(queries)} | {command}", "backend": "custom"})
    game = program.game = Game(program, engine, game_properties={"SZ": "9", "KM": "6.5", "RU": "japanese"})
    played = []
    for mode, settings in OPPONENTS * 2:         # each with both colours
        move, node = ai.generate_ai_move(game, mode, settings)
        played.append([move.player, move.gtp(), node.ai_thoughts])
    print(json.dumps({"played": played, "messages": program.messages}), flush=True)
    os._exit(0)                                  # KaTrain's threads read on


main(*sys.argv[1:])

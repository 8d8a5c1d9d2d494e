"""Plays and analyzes games on a rectangle by KaTrain's own code, under its rules, with each of its extra analyses and
opponents: python drive_game.py COMMAND QUERIES

COMMAND is what a user enters in the place of KataGo's; the queries that KaTrain writes are kept in the file QUERIES.
Prints what KaTrain shows, as a line of JSON.  Needs the package katrain.  drive_people.py plays with the opponents that
need a network of human moves.
"""
import json
import os
import shlex
import sys
import time
from unittest.mock import MagicMock

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_NO_FILELOG": "1"}

from katrain.core import ai  # noqa: E402 -- kivy reads the environment when it is imported
from katrain.core.base_katrain import KaTrainBase  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402
from katrain.core.tsumego_frame import tsumego_frame_from_katrain_game  # noqa: E402
from pysgf import Move  # noqa: E402

RULES = ("japanese", "chinese", "korean", "aga", "tromp-taylor", "new zealand", "stone_scoring",
         '{"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI", "suicide": false}')
MODES = "extra", "equalize", "alternative", "sweep"
HUMAN = {"ai:human", "ai:pro"}
HANDICAP = "(;SZ[5:4]KM[0.5]HA[2]AB[bb][db]RU[chinese];W[cc];B[bc];W[])"
PROBLEM = "(;SZ[9]KM[6.5]RU[japanese]AB[bg][cg][dg][dh][di]AW[bh][ch][ci])"


class KaTrain(KaTrainBase):
    """KaTrain without its window; `messages` are its errors and what it says of warnings."""

    def __init__(self):
        self.messages: list[str] = []
        super().__init__(force_package_config=True)
        self.controls = MagicMock()
        self.pondering = False

    def log(self, message, level=0):
        if level == -1 or "'warning'" in str(message):           # OUTPUT_ERROR
            self.messages.append(str(message))

    def __call__(self, *message):
        self.messages.append(str(message))


def main(command, queries):
    sys.argv = sys.argv[:1]                      # KaTrain reads the command line
    program = KaTrain()
    program._config["engine"] |= {"max_visits": 30, "fast_visits": 10, "_enable_ownership": True}
    engine = KataGoEngine(program, program._config["engine"] | {
        "altcommand": f"tee {shlex.quote(queries)} | {command}", "backend": "custom"})
    report: dict[str, object] = {"scores": {}, "moves": {}, "played": {}}

    def wait():
        while not engine.is_idle():
            time.sleep(0.05)
        time.sleep(0.05)

    def new_game(**options):
        engine.on_new_game()
        program.game = Game(program, engine, **options)
        return program.game

    for rules in RULES:
        game = new_game(game_properties={"SZ": "5:4", "KM": "1.5", "RU": rules})
        for player, vertex in ("B", "C2"), ("W", "C3"):
            game.play(Move.from_gtp(vertex, player=player))
        wait()
        report["scores"][rules] = [node.score for node in game.root.nodes_in_tree]

    game = new_game(move_tree=KaTrainSGF.parse_sgf(HANDICAP))
    game.redo(9)
    wait()
    for mode in MODES:
        game.analyze_extra(mode)
        wait()
        report["moves"][mode] = len(game.current_node.analysis["moves"])
    game.set_region_of_interest([0, 2, 0, 2])
    program.pondering = True
    game.analyze_extra("ponder")
    time.sleep(3)
    game.analyze_extra("stop")
    wait()
    game.set_region_of_interest([0, 0, 0, 0])
    for mode, settings in program._config["ai"].items():
        if mode not in HUMAN:
            move, _ = ai.generate_ai_move(game, mode, settings)
            report["played"][mode] = move.gtp()
            wait()
            game.undo()

    game = new_game(move_tree=KaTrainSGF.parse_sgf(PROBLEM))
    wait()
    node, region = tsumego_frame_from_katrain_game(game, 6.5, black_to_play_p=True, ko_p=False, margin=2)
    game.set_current_node(node)
    node.analyze(engine)
    wait()
    report |= {"frame": len(node.placements), "frame score": node.score, "messages": program.messages}
    print(json.dumps(report), flush=True)
    os._exit(0)                                  # KaTrain's threads read on


if __name__ == "__main__":
    main(*sys.argv[1:])

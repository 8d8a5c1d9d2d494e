"""Analyzes a short game with an engine by KaTrain's own code: python drive.py COMMAND QUERIES

COMMAND is what a user enters in the place of KataGo's; the queries that KaTrain writes are kept in the file QUERIES.
Prints what KaTrain shows, as a line of JSON.  Needs the package katrain.
"""
import json
import os
import shlex
import sys
import time

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_NO_FILELOG": "1"}

from katrain.core.engine import KataGoEngine  # noqa: E402 -- kivy reads the environment when it is imported
from katrain.core.game_node import GameNode  # noqa: E402
from pysgf import Move  # noqa: E402


class KaTrain:
    """What an engine asks of the program: to log a message."""
    def __init__(self):
        self.errors = []

    def log(self, message, level=0):
        if level == -1:                  # OUTPUT_ERROR
            self.errors.append(str(message))

    def __call__(self, *message):
        self.errors.append(str(message))


def main(command, queries):
    program = KaTrain()
    engine = KataGoEngine(program, {
        "altcommand": f"tee {shlex.quote(queries)} | {command}", "backend": "custom", "max_visits": 60,
        "fast_visits": 25, "max_time": 8.0, "wide_root_noise": 0.04, "_enable_ownership": True})
    root = GameNode(properties={"SZ": "9", "KM": "6.5", "RU": "japanese"})
    nodes = [root]
    for player, vertex in ("B", "E5"), ("W", "E3"), ("B", "C4"):
        nodes.append(nodes[-1].play(Move.from_gtp(vertex, player=player)))
    for node in nodes:
        node.analyze(engine, analyze_fast=node is root)
    nodes[-1].analyze(engine, refine_move=Move.from_gtp("G4", player="W"), visits=10)
    nodes[-1].analyze(engine, region_of_interest=[0, 4, 0, 4], visits=10)
    time.sleep(0.5)                      # until the queries are written
    engine.wait_to_finish()
    last = nodes[-1]
    report = {
        "errors": program.errors, "complete": [node.analysis_complete for node in nodes],
        "scores": [node.score for node in nodes], "win rates": [node.winrate for node in nodes],
        "visits": [node.root_visits for node in nodes] if hasattr(root, "root_visits") else None,
        "ownership": [len(node.ownership) for node in nodes], "policy": [len(node.policy) for node in nodes],
        "moves": [move["move"] for move in last.candidate_moves],
        "points lost": [move["pointsLost"] for move in last.candidate_moves]}
    print(json.dumps(report), flush=True)
    os._exit(0)                          # KaTrain's threads read on


main(*sys.argv[1:])

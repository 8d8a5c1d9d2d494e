"""The opponents that a person can choose in the browser, in the order of their levels: the later ones use a network, or
search more.  static/core/opponents.js describes each.
"""
from dataclasses import dataclass, replace
from itertools import pairwise

from mugo.core.files import BadInput
from mugo.games.position import BasePosition
from mugo.players.registry import NETWORK_PLAYERS, SEARCHERS, default_select_by, default_settings, make_player
from mugo.players.player import Player
from mugo.players.searcher import PlayOptions

MAX_EDGES = 1_000_000                    # of a session's search tree, 40 MB


@dataclass(frozen=True)
class Opponent:
    """A player.  play_options: of players that search."""
    key: str
    group: str
    player: str
    play_options: PlayOptions = PlayOptions()


OPPONENTS = (
    Opponent("random", "reading", "random"),
    *(Opponent(f"uct-{n}", "reading", "uct", PlayOptions(simulations=n)) for n in (100, 200, 400, 1000, 10_000)),
    Opponent("uct-5s", "reading", "uct", PlayOptions(seconds=5)),
    Opponent("randompolicy", "intuition", "randompolicy"),
    Opponent("policy", "intuition", "policy"),
    *(Opponent(f"mcts-{n}", "both", "mcts", PlayOptions(simulations=n)) for n in (10, 50, 200, 800)),
    Opponent("mcts-5s", "both", "mcts", PlayOptions(seconds=5)),
)
LEVELS = {opponent.key: level for level, opponent in enumerate(OPPONENTS, 1)}
# Matches of the bundled networks: games won, of games played, against the previous opponent, by the size of the board.
LADDER = {
    "random": {},
    "uct-100": {9: (60, 60), 13: (20, 20), 19: (20, 20)},
    "uct-200": {9: (80, 100), 13: (51, 60)},
    "uct-400": {9: (78, 100), 13: (41, 49)},
    "uct-1000": {9: (79, 100)},
    "randompolicy": {9: (29, 60)},
    "policy": {9: (61, 100)},
    "mcts-10": {9: (49, 60)},
    "mcts-50": {9: (52, 60)},
    "mcts-200": {9: (30, 38)},
    "mcts-800": {},
}
# (key, shape of the board) -> the share of games that it "wins", in per cent, against a "level"; or, from matches with
# GNU Go 3.8 at level 10, "from" and "to" in kyu, "from" alone for that or stronger, or the player that it is "above"
# (docs/reference/players.md).
ABOVE_GNU_GO = {"above": "GNU Go"}
STRENGTHS = {(key, (size, size)): {"wins": round(100 * won / played), "level": LEVELS[before]}
             for (before, _), (key, matches) in pairwise(LADDER.items())
             for size, (won, played) in matches.items()} | {
    ("uct-1000", (19, 19)): {"from": 6, "to": 12}, ("randompolicy", (19, 19)): {"from": 4, "to": 9},
    ("policy", (19, 19)): {"from": 6}, ("mcts-50", (19, 19)): ABOVE_GNU_GO,
    ("policy", (9, 9)): ABOVE_GNU_GO, ("mcts-50", (9, 9)): ABOVE_GNU_GO}


def find_opponent(key: str) -> Opponent:
    """The opponent with this key.  Raises BadInput."""
    if found := [opponent for opponent in OPPONENTS if opponent.key == key]:
        return found[0]
    raise BadInput(f"unknown opponent {key[:20]!r} (known: {', '.join(each.key for each in OPPONENTS)})")


def list_opponents(position: BasePosition, has_network: bool, is_bundled: bool) -> list[dict]:
    """The opponents in a position's game: "key", "level", "group", "player", its "simulations" or "seconds" per move
    (null: no limit), and "strength" (null: not measured).  is_bundled: whether the networks come with MuGo."""
    strengths = STRENGTHS if position.game == "go" else {}
    return [{"key": opponent.key, "level": LEVELS[opponent.key], "group": opponent.group, "player": opponent.player,
             "simulations": opponent.play_options.simulations, "seconds": opponent.play_options.seconds,
             "strength": strengths.get((opponent.key, position.shape))
             if is_bundled or opponent.player not in NETWORK_PLAYERS else None}
            for opponent in OPPONENTS if has_network or opponent.player not in NETWORK_PLAYERS]


def make_opponent(opponent: Opponent, game: str, network) -> Player:
    """The player of an opponent.  In Gomoku it never resigns, so that the person gets to see the winning row."""
    settings = replace(default_settings(opponent.player, game), max_edges=MAX_EDGES) \
        if opponent.player in SEARCHERS else None
    play_options = replace(opponent.play_options, select_by=default_select_by(opponent.player, game))
    if game != "go":
        play_options = replace(play_options, resign=0)
    return make_player(opponent.player, network=network, settings=settings, play_options=play_options)

"""The opponents that a person can choose in the browser: players at several strengths."""
from dataclasses import dataclass, replace

from mugo.core.files import BadInput
from mugo.games.position import BasePosition
from mugo.players.options import NETWORK_PLAYERS, make_player
from mugo.players.player import Player
from mugo.players.searcher import PlayOptions, default_select_by, default_settings

MAX_EDGES = 1_000_000                    # of a session's search tree, about 30 MB


@dataclass(frozen=True)
class Opponent:
    """A player and its strength.  play_options: of players that search."""
    key: str
    group: str
    name: str
    player: str
    play_options: PlayOptions = PlayOptions()


SEARCH, NETWORK, BOTH = "Search only", "Network only", "Network and search"
GROUP_NOTES = {"go": {SEARCH: "good on small boards", NETWORK: "plays like people"}, "gomoku": {}}
OPPONENTS = (
    Opponent("random", SEARCH, "Random moves", "random"),
    *(Opponent(f"uct-{n}", SEARCH, f"{n:,} simulations", "uct", PlayOptions(simulations=n))
      for n in (100, 1000, 10_000)),
    Opponent("uct-5s", SEARCH, "5 seconds per move", "uct", PlayOptions(seconds=5)),
    Opponent("randompolicy", NETWORK, "Sampled moves", "randompolicy"),
    Opponent("policy", NETWORK, "The most likely move", "policy"),
    *(Opponent(f"mcts-{n}", BOTH, f"{n:,} simulations", "mcts", PlayOptions(simulations=n)) for n in (50, 200, 800)),
    Opponent("mcts-5s", BOTH, "5 seconds per move", "mcts", PlayOptions(seconds=5)),
)
# What matches of the bundled networks have measured: (key, shape of the board) -> strength, GNU Go's as that of version
# 3.8 at level 10.  docs/reference/players.md has the scale.
STRENGTHS = {("uct-1000", (19, 19)): "6 to 12 kyu", ("randompolicy", (19, 19)): "4 to 9 kyu",
             ("policy", (19, 19)): "2 to 6 kyu", ("mcts-50", (19, 19)): "above GNU Go",
             ("policy", (9, 9)): "above GNU Go", ("mcts-50", (9, 9)): "above GNU Go"}


def find_opponent(key: str) -> Opponent:
    """The opponent with this key.  Raises BadInput."""
    for opponent in OPPONENTS:
        if opponent.key == key:
            return opponent
    raise BadInput(f"unknown opponent {key[:20]!r} (known: {', '.join(each.key for each in OPPONENTS)})")


def list_opponents(position: BasePosition, has_network: bool, is_bundled: bool) -> list[dict]:
    """"key", "name", "group" and "strength" of the opponents in a position's game; without a network only those that
    need none.  is_bundled: whether the networks are those that come with MuGo, whose strength was measured.
    """
    notes = GROUP_NOTES[position.game]
    strengths = STRENGTHS if position.game == "go" else {}
    return [{"key": opponent.key, "name": opponent.name,
             "strength": strengths.get((opponent.key, position.shape))
             if is_bundled or opponent.player not in NETWORK_PLAYERS else None,
             "group": f"{opponent.group} ({notes[opponent.group]})" if opponent.group in notes else opponent.group}
            for opponent in OPPONENTS if has_network or opponent.player not in NETWORK_PLAYERS]


def make_opponent(opponent: Opponent, game: str, network) -> Player:
    """The player of an opponent.  In Gomoku it never resigns, so that the person gets to see the winning row."""
    settings = replace(default_settings(opponent.player, game), max_edges=MAX_EDGES)
    play_options = replace(opponent.play_options, select_by=default_select_by(opponent.player, game))
    if game != "go":
        play_options = replace(play_options, resign=0)
    return make_player(opponent.player, network=network, settings=settings, play_options=play_options)

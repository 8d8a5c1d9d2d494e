"""Positions, what networks and searches say of them, and scores, as JSON.

    {"stones": "....X..O", "to_play": "B", "illegal": {...}, ...}          describe_position

Points are GTP vertices.  All win rates are Black's, from 0 to 1; all leads are Black's too, in points.
"""
import base64

import numpy as np

from mugo.core.files import BadInput
from mugo.games.board import BLACK
from mugo.games.coords import board_points, format_gtp, interpret_gtp
from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.position import COLOUR_LETTERS, STONE_MARKS, BasePosition
from mugo.games.scoring import ScoringSession
from mugo.nn.inputs import People
from mugo.players.evaluation import network_lead, ownership_by
from mugo.mcts.result import SearchResult, distinct
from mugo.sgf.tree import format_move
from mugo.web.requests import as_bad_input

SEARCH_MOVES = 20                        # moves of a search result that are sent, and those symmetric to them


def describe_position(position: BasePosition) -> dict:
    """The board and the rules' view of it.

    "stones": row by row from the top, 'X', 'O', '.'.  "illegal": point -> why the side to move may not play there.
    Go: "captures" of "B" and "W", and "result" where the game has ended with no result.  Gomoku: "row", the points of
    the winning row, and "result", null before the end.
    """
    size = position.shape
    legal = set(position.legal_points().tolist())
    points = board_points(size).tolist()
    stones = position.stones.ravel().tolist()
    description = {
        "stones": "".join(STONE_MARKS[stone] for stone in stones),
        "to_play": COLOUR_LETTERS[position.to_play],
        "last_move": None if position.last is None else format_gtp(position.last, size),
        "illegal": {format_gtp(point, size): position.why_illegal(point)
                    for point, stone in zip(points, stones, strict=True) if not stone and point not in legal},
        "is_over": position.is_over,
    }
    if isinstance(position, GomokuPosition):
        return description | {"row": [format_gtp(point, size) for point in position.row],
                              "result": position.result() if position.is_over else None}
    no_result = {"result": position.result()} if position.is_no_result else {}
    return description | no_result | {"captures": {COLOUR_LETTERS[colour]: stones
                                                   for colour, stones in position.captures.items()}}


@as_bad_input()
def play(position: BasePosition, vertex: str) -> dict:
    """`describe_position` after a move of the side to move, and "move": 'B Q16'.  Raises BadInput if it is illegal."""
    point = interpret_gtp(vertex, position.shape)
    return describe_position(position.play(point)) | {"move": format_move(position.to_play, point, position.shape)}


def planes(position: BasePosition) -> dict:
    """All input planes: "packed", base64 of the bytes of each point; plane k is bit k % 8 of byte k // 8."""
    return {"packed": base64.b64encode(encode([position])[0].tobytes()).decode()}


def policy(position: BasePosition, network, rank: str | None = None) -> dict:
    """A network's "priors", of every point row by row and of a pass, averaged over the symmetries, its "win_rate", null
    without a value head, and "lead", null without scores.  rank: of both players, "3d" say; None: unknown."""
    if rank is not None and not network.takes_people:
        raise BadInput("the network does not take who plays")
    people = {} if rank is None else {"people": People(rank, rank)}
    output = network.evaluate([position], symmetries=True, **people)
    return {"priors": [round(float(prior), 5) for prior in output.priors[0]],
            "win_rate": None if (win_rate := output.win_rate()) is None else black_win_rate(win_rate, position),
            "lead": black_lead(output.score(0)[0], position)}


def black_win_rate(win_rate: float, position: BasePosition) -> float:
    return round(win_rate if position.to_play == BLACK else 1 - win_rate, 4)


def black_lead(lead: float | None, position: BasePosition) -> float | None:
    return None if lead is None else round(lead * position.to_play, 2)


def ownership(position: BasePosition, network) -> dict:
    """The "ownership", by rollouts and by the network: integers from -100 (White) to 100 (Black), row by row; and the
    "lead" of Black in points, by a network that has scores, else by the ownership."""
    owners, lead = ownership_by(network, _require_go(position)), network_lead(network, position)
    of_owners = float(owners.sum()) - position.komi - position.handicap_bonus
    return {"ownership": _percent(owners), "lead": round(of_owners if lead is None else lead, 1)}


def _require_go(position: BasePosition) -> GoPosition:
    if not isinstance(position, GoPosition):
        raise BadInput("Gomoku has no ownership and no score")
    return position


def _percent(ownership: np.ndarray) -> list[int]:
    return np.rint(100 * ownership).astype(int).ravel().tolist()


def format_search(result: SearchResult) -> dict:
    """A search result: statistics of the root and of the most visited "moves", and "ownership" or null.  "symmetry_of":
    the move that was searched in its stead, or null.  "is_full": whether the tree is, which then reads no deeper."""
    position = result.position
    size = position.shape
    searched = [info.point for info in distinct(result.moves) if info.visits][:SEARCH_MOVES]
    return {
        "win_rate": black_win_rate(result.win_rate, position), "lead": black_lead(result.score_lead, position),
        "visits": result.visits, "is_full": result.is_full,
        "simulations": result.simulations, "seconds": round(result.seconds, 2),
        "moves": [{"move": format_gtp(info.point, size), "win_rate": black_win_rate(info.win_rate, position),
                   "lead": black_lead(info.score_lead, position), "visits": info.visits, "prior": round(info.prior, 4),
                   "symmetry_of": info.symmetry_of and format_gtp(info.symmetry_of.point, size),
                   "pv": [format_gtp(point, size) for point in info.pv]}
                  for info in result.moves if (info.symmetry_of or info).point in searched],
        "ownership": None if result.ownership is None else _percent(result.ownership),
    }


def format_thinking(result: SearchResult, position: BasePosition) -> dict:
    """The search of a player for its move: `format_search`, with null for all win rates and leads if it has searched
    with another komi than the game's (players.searcher.balanced)."""
    thinking = format_search(result)
    if result.position is not position:
        for values in (thinking, *thinking["moves"]):
            values.update(win_rate=None, lead=None)
    return thinking


@as_bad_input()
def score(position: BasePosition, dead: list | None, toggle: str | None) -> dict:
    """The score of a finished game: "dead", "area" row by row ('B', 'W', '.' for neutral), "points" of both sides,
    "prisoners", which are part of them (null by area), "komi", "handicap_bonus" and "result".

    dead: vertices of dead stones; None: those that rollouts take for dead.  toggle: the toggle of a chain, to switch.
    """
    size = position.shape
    session = ScoringSession(_require_go(position),
                             None if dead is None else [interpret_gtp(str(vertex), size) for vertex in dead])
    if toggle is not None:
        session.toggle(interpret_gtp(str(toggle), size))
    area = session.ownership()
    return {"dead": [format_gtp(point, size) for point in sorted(session.dead)],
            "area": "".join(COLOUR_LETTERS.get(int(owner), ".") for owner in area.ravel()),
            "points": {COLOUR_LETTERS[colour]: points for colour, points in session.points().items()},
            "prisoners": {COLOUR_LETTERS[colour]: prisoners for colour, prisoners in session.prisoners().items()}
            if position.counts_territory else None,
            "komi": position.komi, "handicap_bonus": position.handicap_bonus, "result": session.result()}

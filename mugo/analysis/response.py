"""What a line of KataGo's analysis protocol tells of a turn: a Thought in, an object of JSON out.

    {"id": "foo", "turnNumber": 1, "isDuringSearch": false,
     "moveInfos": [{"move": "C3", "visits": 70, "winrate": 0.47, "scoreLead": -1.2, "pv": ["C3", "G7"], ...}, ...],
     "rootInfo": {"winrate": 0.46, "visits": 100, "scoreLead": -1.5, "currentPlayer": "W", ...},
     "ownership": [0.1, 0.2, ...], "policy": [0.001, -1, ...]}

Win rates, scores and owners are those of the side that the query names, Black if it names none.  Boards are rows
from the top.

Rollouts tell who owns what, and so by how much; they do not tell it of each move.  The score of a move is that of
the position, moved by as much as the win rates of the two differ, if scores lie around their mean as a bell: it
orders the moves as the win rates do, and its unit is points.
"""
import functools
import hashlib
import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np

from mugo.analysis.request import Query
from mugo.games import scoring
from mugo.games.board import BLACK
from mugo.games.coords import format_gtp, move_index, symmetries
from mugo.games.go import Position
from mugo.intervals import lower_confidence_bound
from mugo.search.result import MoveInfo, SearchResult

OWNED_BY = 50             # rollouts that tell who owns what after a move: 2 ms on 19x19
# The score's standard deviation, in those that it would have if each point went its own way: points go by groups.
# In rollouts it is 3.4 to 5.2 on 9x9, but people end closer to each other than random moves do.
SPREAD = 2.0
DOUBT = 4                 # visits that a move needs to be as much known by its own win rate as by the position's
CERTAIN = 0.01            # a win rate nearer to 0 or 1 says no more about the score
UNKNOWN = -1.0            # what KataGo writes where a network has no such output


def format_answer(query: Query, turn: int, result: SearchResult, ownership: np.ndarray | None, policy: np.ndarray,
                  raw: float, pv_visits: Callable[[Sequence[int]], list[int]], during: bool = False,
                  hurry: bool = False) -> dict:
    """The answer to a turn of a query.

    thought: its branches are told as they stand.  owners: float32 (size, size), 1 Black, -1 White; without them
    scores are 0.  policy: float64 (size² + 1,), -1 for what is illegal.  raw: the win rate of the side to move by
    the network alone.  visits_along: as Search has it.  during: the search goes on.  hurry: who owns what after
    each move is left out, even if it is asked for, because that takes new rollouts.
    """
    position = result.position
    size, to_play = position.size, position.to_play
    view = to_play if query.view is None else query.view
    is_mine = view == to_play
    lead = spread = 0.0
    if ownership is not None:
        lead = (float(ownership.sum()) - position.komi) * to_play
        spread = SPREAD * math.sqrt(float((1 - ownership ** 2).sum()))

    def numbers(win_rate: float, visits: int) -> dict:
        """What is told alike of a move and of the root; win_rate: of the side to move."""
        low = lower_confidence_bound(win_rate, visits)
        known = (win_rate * visits + result.win_rate * DOUBT) / (visits + DOUBT)
        score = lead + spread * (_deviations(known) - _deviations(result.win_rate))
        seen, seen_low = (win_rate, low) if is_mine else (1 - win_rate, 1 - low)
        score = round(score if is_mine else -score, 3)
        return {"visits": visits, "weight": float(visits), "winrate": round(seen, 6), "lcb": round(seen_low, 6),
                "utility": round(2 * seen - 1, 6), "utilityLcb": round(2 * seen_low - 1, 6), "scoreLead": score,
                "scoreMean": score, "scoreSelfplay": score, "scoreStdev": round(spread, 3)}

    def move(order: int, info: MoveInfo) -> dict:
        line = info.pv[:query.pv_length]
        fields = {"move": format_gtp(info.point, size), "order": order, "prior": round(info.prior, 6),
                "pv": [format_gtp(point, size) for point in line], **numbers(info.win_rate, info.visits),
                "edgeVisits": info.visits, "edgeWeight": float(info.visits),
                "playSelectionValue": float(info.visits)}
        if query.line_visits:
            fields["pvVisits"] = pv_visits(line)
        if (query.moves_ownership or query.moves_ownership_spread) and not hurry:
            owned = scoring.ownership(_after(position, info.pv), OWNED_BY)
            fields |= _ownership(owned, view, query.moves_ownership, query.moves_ownership_spread)
        return fields

    this, symmetric = hashes(position)
    answer = {
        "id": query.id, "turnNumber": turn, "isDuringSearch": during,
        "moveInfos": [move(order, info) for order, info in enumerate(result.moves)],
        "rootInfo": {
            "currentPlayer": "B" if to_play == BLACK else "W", "thisHash": this, "symHash": symmetric,
            **numbers(result.win_rate, result.visits), "rawWinrate": round(raw if is_mine else 1 - raw, 6),
            "rawLead": 0.0, "rawScoreSelfplay": 0.0, "rawScoreSelfplayStdev": 0.0, "rawNoResultProb": 0.0,
            "rawStWrError": UNKNOWN, "rawStScoreError": UNKNOWN, "rawVarTimeLeft": UNKNOWN}}
    if ownership is not None:
        answer |= _ownership(ownership, view, query.ownership, query.ownership_spread)
    if query.policy:
        answer["policy"] = [round(share, 8) if share >= 0 else -1 for share in policy.tolist()]
    return answer


def no_answer(query: Query, turn: int) -> dict:
    """The answer to a turn that nobody has looked at before it was terminated."""
    return {"id": query.id, "turnNumber": turn, "isDuringSearch": False, "noResults": True}


def policy_of(position: Position, priors: np.ndarray) -> np.ndarray:
    """float64 (size² + 1,): the priors (likewise) of legal moves, as shares of 1; -1 for the others."""
    legal = legal_indices(position)
    policy = np.full(len(priors), -1.0)
    policy[legal] = np.maximum(priors[legal], 1e-12)     # a network that is sure may leave the rest nothing at all
    policy[legal] /= policy[legal].sum()
    return policy


def legal_indices(position: Position) -> list[int]:
    """The move indices of all legal moves, the pass last."""
    return [*(move_index(point, position.size) for point in position.legal_points().tolist()), position.size ** 2]


def hashes(position: Position) -> tuple[str, str]:
    """A name for the board, whose turn it is and the ko; and one that turned and mirrored boards share."""
    size = position.size
    cells = position.stones.ravel().astype(np.int8)
    ko = int(position.board[0]["ko"])
    if ko:
        cells[move_index(ko, size)] = 2
    turned = [cells[symmetry[:-1]].tobytes() for symmetry in symmetries(size)]     # the first as it is
    return tuple(hashlib.blake2b(bytes([position.to_play == BLACK]) + board, digest_size=16).hexdigest().upper()
                 for board in (turned[0], min(turned)))


@functools.lru_cache(1 << 12)
def _deviations(win_rate: float) -> float:
    """By how many standard deviations the mean score leads where so many games are won."""
    return NormalDist().inv_cdf(min(max(win_rate, CERTAIN), 1 - CERTAIN))


def _ownership(ownership: np.ndarray, view: int, mean: bool, spread: bool) -> dict:
    """The fields about owners: their mean over rollouts, for the viewer, and its standard deviation."""
    fields = {}
    if mean:
        fields["ownership"] = [round(owner, 4) for owner in (ownership.ravel() * view).tolist()]
    if spread:
        deviation = np.sqrt(np.maximum(1 - ownership.astype(np.float64).ravel() ** 2, 0))
        fields["ownershipStdev"] = [round(owner, 4) for owner in deviation.tolist()]
    return fields


def _after(position: Position, line: Sequence[int]) -> Position:
    """The position after a line, as far as it can be played: a tree that knows no history may repeat a position."""
    for point in line:
        if position.why_illegal(point):
            break
        position = position.play(point)
    return position

"""Formatting a response of KataGo's analysis protocol: a SearchResult in, an object of JSON out.

    {"id": "foo", "turnNumber": 1, "isDuringSearch": false,
     "moveInfos": [{"move": "C3", "visits": 70, "winrate": 0.47, "scoreLead": -1.2, "pv": ["C3", "G7"], ...}, ...],
     "rootInfo": {"winrate": 0.46, "visits": 100, "scoreLead": -1.5, "currentPlayer": "W", ...},
     "ownership": [0.1, 0.2, ...], "policy": [0.001, -1, ...]}

For a query that says who plays (humanSLProfile) moves have "humanPrior", rootInfo "humanWinrate", "humanScoreMean" and
"humanScoreStdev", and with the policy comes "humanPolicy": what the network says for these people, without a search.

Win rates, scores and ownership are for the colour that the query names, by default Black.  Arrays of points are
row by row from the top.

Scores are a network's, where it has them: means over the leaves of the search.  Without them, rollouts give the
ownership of points, and so the score of the position, but not that of each move.  The score of a move is then estimated
from its win rate: the position's score plus the difference of the two win rates in standard deviations of the score, as
if scores were normally distributed.  So scores order the moves as win rates do, in points.

KataGo's thisHash and symHash are left out: others than KataGo's own make Ogatak warn.

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from mugo.analysis.request import Query
from mugo.games import scoring
from mugo.games.coords import BoardSize, format_gtp, move_index
from mugo.games.go import GoPosition
from mugo.games.position import COLOUR_LETTERS
from mugo.players.evaluation import legal_moves, score_estimate
from mugo.mcts.result import MoveInfo, SearchResult

PRIOR_VISITS = 4          # weight of the position's win rate, in visits, in the win rate that a move's score is from
MIN_WIN_RATE = 0.01       # win rates nearer to 0 or 1 say no more about the score
UNKNOWN = -1.0            # what KataGo writes where a network has no such output


class RawEvaluation(NamedTuple):
    """What a network says of a position, without a search; None for an output that it does not have.

    policy: float64 (points + 1,), the pass last, as `legal_policy` returns it.
    win_rate, score_lead, score_stdev: the side to move's, from 0 to 1 and in points.
    human: the same for the people of the query.
    """
    policy: np.ndarray
    win_rate: float | None = None
    score_lead: float | None = None
    score_stdev: float | None = None
    human: "RawEvaluation | None" = None

    def seen_by_opponent(self) -> "RawEvaluation":
        """Win rates and leads of the other side."""
        return self._replace(win_rate=None if self.win_rate is None else 1 - self.win_rate,
                             score_lead=None if self.score_lead is None else -self.score_lead,
                             human=self.human and self.human.seen_by_opponent())


@dataclass(frozen=True)
class _Values:
    """The values of a move or of the root as JSON fields.

    win_rate: the root's.  lead, stdev: its score's.  All are of the side to move.
    as_opponent: report them for the opponent.
    """
    win_rate: float
    lead: float
    stdev: float
    as_opponent: bool

    def fields(self, win_rate: float, visits: int, lcb: float, lead: float | None = None, stdev: float | None = None,
               score_utility: float = 0.0) -> dict[str, Any]:
        """The fields of a move or of the root.  lead, stdev: its score's; None: estimate it."""
        if lead is None or stdev is None:
            smoothed = (win_rate * visits + self.win_rate * PRIOR_VISITS) / (visits + PRIOR_VISITS)
            lead = self.lead + self.stdev * (_normal_quantile(smoothed) - _normal_quantile(self.win_rate))
            stdev = self.stdev
        score = round(-lead if self.as_opponent else lead, 3)
        of_score = -score_utility if self.as_opponent else score_utility
        win_rate, lcb = (1 - win_rate, 1 - lcb) if self.as_opponent else (win_rate, lcb)
        return {"visits": visits, "weight": float(visits), "winrate": round(win_rate, 6), "lcb": round(lcb, 6),
                "utility": round(2 * win_rate - 1 + of_score, 6),
                "utilityLcb": round(2 * lcb - 1 + of_score, 6), "scoreLead": score,
                "scoreMean": score, "scoreSelfplay": score, "scoreStdev": round(stdev, 3)}


def format_response(query: Query, turn: int, result: SearchResult, ownership: np.ndarray | None, raw: RawEvaluation,
                    pv_visits: Callable[[Sequence[int]], list[int]], is_during_search: bool = False,
                    moves_ownership: Sequence[np.ndarray] = ()) -> dict[str, Any]:
    """The response to a turn of a query.

    result: the search's of the turn's position; all its moves are reported, in its order.
    ownership: float32 (rows, columns), 1 Black, -1 White; None: scores that are not the network's are 0.
    pv_visits: the visits of each move of a variation, as TreeArrays.pv_visits.
    is_during_search: whether more responses follow.
    moves_ownership: the ownership after each move, as `ownership`; () leaves it out.
    """
    position = result.position
    perspective = query.overrides.perspective or position.to_play
    as_opponent = perspective != position.to_play
    lead, stdev = score_estimate(result, ownership) or (0.0, 0.0)
    values = _Values(result.win_rate, lead, stdev, as_opponent)
    moves = []
    for order, info in enumerate(result.moves):
        fields = _move_fields(query, order, info, values, position.shape, pv_visits)
        if raw.human is not None:
            fields["humanPrior"] = round(float(raw.human.policy[move_index(info.point, position.shape)]), 6)
        if moves_ownership:
            fields |= _ownership_fields(moves_ownership[order], perspective, query, "MovesOwnership")
        moves.append(fields)
    raw = raw.seen_by_opponent() if as_opponent else raw
    raw_lead = round(raw.score_lead or 0.0, 3)
    response: dict[str, Any] = {
        "id": query.id, "turnNumber": turn, "isDuringSearch": is_during_search,
        "moveInfos": moves,
        "rootInfo": {
            "currentPlayer": COLOUR_LETTERS[position.to_play],
            **values.fields(result.win_rate, result.visits, result.lower_bound, score_utility=result.score_utility),
            "rawWinrate": round(0.5 if raw.win_rate is None else raw.win_rate, 6),
            "rawLead": raw_lead, "rawScoreSelfplay": raw_lead, "rawNoResultProb": 0.0,
            "rawScoreSelfplayStdev": round(raw.score_stdev or 0.0, 3),
            "rawStWrError": UNKNOWN, "rawStScoreError": UNKNOWN, "rawVarTimeLeft": UNKNOWN,
            **_human_fields(raw.human)}}
    if ownership is not None:
        response |= _ownership_fields(ownership, perspective, query, "Ownership")
    if "Policy" in query.included:
        response["policy"] = _policy_field(raw.policy)
        if raw.human is not None:
            response["humanPolicy"] = _policy_field(raw.human.policy)
    return response


def _policy_field(policy: np.ndarray) -> list[float]:
    return [round(prior, 8) if prior >= 0 else -1 for prior in policy.tolist()]


def _human_fields(human: RawEvaluation | None) -> dict[str, float]:
    """What the network says of the root for the people of the query, by KataGo's names, as far as it has it."""
    fields = {} if human is None else {"humanWinrate": human.win_rate, "humanScoreMean": human.score_lead,
                                       "humanScoreStdev": human.score_stdev}
    return {name: round(value, 6 if name == "humanWinrate" else 3) for name, value in fields.items()
            if value is not None}


def _move_fields(query: Query, order: int, info: MoveInfo, values: _Values, size: BoardSize,
                 pv_visits: Callable[[Sequence[int]], list[int]]) -> dict[str, Any]:
    pv = info.pv[:1 + query.overrides.pv_length]
    fields = {"move": format_gtp(info.point, size), "order": order, "prior": round(info.prior, 6),
              "pv": [format_gtp(point, size) for point in pv],
              **values.fields(info.win_rate, info.visits, info.lower_bound, info.score_lead, info.score_stdev,
                              info.score_utility),
              "edgeVisits": info.visits, "edgeWeight": float(info.visits), "playSelectionValue": float(info.visits)}
    if "PVVisits" in query.included:
        fields["pvVisits"] = pv_visits((info.symmetry_of or info).pv[:len(pv)])
    if info.symmetry_of is not None:
        fields["isSymmetryOf"] = format_gtp(info.symmetry_of.point, size)
    if "NoResultValue" in query.included:
        fields["noResultValue"] = 0.0                    # every game ends with a result
    return fields


def no_results(query: Query, turn: int) -> dict[str, Any]:
    """The response to a turn that was terminated before its search began."""
    return {"id": query.id, "turnNumber": turn, "isDuringSearch": False, "noResults": True}


def legal_policy(position: GoPosition, priors: np.ndarray) -> np.ndarray:
    """Priors of the legal moves, normalised to a sum of 1, and -1 for illegal moves.

    priors, and the result: float64 (points + 1,), the pass last.
    """
    legal = [move_index(point, position.shape) for point in legal_moves(position)]
    policy = np.full(len(priors), -1.0)
    policy[legal] = np.maximum(priors[legal], 1e-12)     # all legal priors may have underflowed to 0
    policy[legal] /= policy[legal].sum()
    return policy


@functools.lru_cache(1 << 12)
def _normal_quantile(win_rate: float) -> float:
    """The mean, in standard deviations, of normally distributed scores of which this fraction is won."""
    return NormalDist().inv_cdf(min(max(win_rate, MIN_WIN_RATE), 1 - MIN_WIN_RATE))


def _ownership_fields(ownership: np.ndarray, perspective: int, query: Query, name: str) -> dict[str, list[float]]:
    """The mean ownership, 1 for the perspective's colour, and its standard deviation, as far as the query includes
    them under this name."""
    fields = {}
    if name in query.included:
        fields["ownership"] = [round(value, 4) for value in (ownership.ravel() * perspective).tolist()]
    if f"{name}Stdev" in query.included:
        fields["ownershipStdev"] = [round(value, 4) for value in scoring.ownership_stdev(ownership).ravel().tolist()]
    return fields

"""What a query of KataGo's analysis protocol asks for: an object of JSON in, a Query out.  Nothing is analysed here.

    {"id": "foo", "moves": [["B", "D4"]], "rules": "chinese", "boardXSize": 9, "boardYSize": 9}
      --read_query-->  Query(id "foo", positions after 0 and 1 moves, turns (1,), komi 7.5, ...)
                       and warnings: what the query asks for and does not get

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
import math
import re
from dataclasses import dataclass

import numpy as np

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import MAX_SIZE, MIN_SIZE, PASS, WHITE_BIT, interpret_gtp, move_index, point_at
from mugo.games.go import IllegalMove, Position, position_of
from mugo.games.position import COLOUR_OF
from mugo.sgf.record import Record

MOST_VISITS = 2 ** 50
MOST_PRIORITY = 2 ** 62
MOST_KOMI = 150
OURS = {"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": False, "hasButton": False}
# Rules by name: how they differ from Tromp and Taylor's without suicide, and the points that White gets for Black's
# N handicap stones.
NAMED = {
    "tromp-taylor": {"suicide": True},
    "chinese": {"ko": "SIMPLE", "whiteHandicapBonus": "N"},
    "chinese-ogs": {"whiteHandicapBonus": "N"},
    "chinese-kgs": {"whiteHandicapBonus": "N"},
    "japanese": {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI"},
    "korean": {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI"},
    "stone-scoring": {"ko": "SIMPLE", "tax": "ALL"},
    "ancient-area": {"ko": "SIMPLE", "tax": "ALL"},
    "ancient-territory": {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "ALL"},
    "aga": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"},
    "bga": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"},
    "french": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"},
    "aga-button": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1", "hasButton": True},
    "new-zealand": {"ko": "SITUATIONAL", "suicide": True},
    "nz": {"ko": "SITUATIONAL", "suicide": True},
    "ing": {"suicide": True, "whiteHandicapBonus": "N"},
    "goe": {"suicide": True, "whiteHandicapBonus": "N"},
}
COUNTING = ("scoring", "tax", "hasButton")
VALUES = {"ko": ("SIMPLE", "POSITIONAL", "SITUATIONAL"), "scoring": ("AREA", "TERRITORY"),
          "tax": ("NONE", "SEKI", "ALL"), "suicide": (False, True), "hasButton": (False, True),
          "whiteHandicapBonus": ("0", "N", "N-1"), "friendlyPassOk": (False, True)}
VIEWS = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}
# Fields and settings that a search by KataGo has and this one has not.
UNFOLLOWED = ("rootPolicyTemperature", "rootFpuReductionMax")
KNOWN = {"id", "moves", "initialStones", "initialPlayer", "rules", "komi", "whiteHandicapBonus", "boardXSize",
         "boardYSize", "analyzeTurns", "maxVisits", "maxTime", "analysisPVLen", "includeOwnership",
         "includeOwnershipStdev", "includeMovesOwnership", "includeMovesOwnershipStdev", "includePolicy",
         "includePVVisits", "avoidMoves", "allowMoves", "overrideSettings", "reportDuringSearchEvery",
         "firstReportDuringSearchAfter", "priority", "priorities", *UNFOLLOWED}


class Refused(Exception):
    """A query that cannot be answered.  field: where it is wrong; None where it is no query at all."""

    def __init__(self, text: str, field: str | None = None):
        super().__init__(text)
        self.field = field


@dataclass(frozen=True)
class Query:
    """What is to be analysed, and what is to be told.

    positions: after 0, 1, 2 ... moves.  turns: of those, the ones to analyse, in order; priorities: of each.
    visits, seconds: limits of each search; None where the query names none.
    allowed, avoided: colour -> points (and PASS) for its next move; a colour that is not there may play anything.
    view: the colour that win rates, scores and owners are told of; None the side to move.
    noise: the share of noise in the priors at the root; None as the player has it.
    progress_interval, first_report: seconds between two reports during the search, and before the first; None: none.
    """
    id: str
    positions: tuple[Position, ...]
    turns: tuple[int, ...]
    priorities: tuple[int, ...]
    visits: int | None
    seconds: float | None
    allowed: dict[int, frozenset[int]]
    avoided: dict[int, frozenset[int]]
    view: int | None
    noise: float | None
    progress_interval: float | None
    first_report: float | None
    pv_length: int
    ownership: bool
    ownership_spread: bool
    moves_ownership: bool
    moves_ownership_spread: bool
    policy: bool
    line_visits: bool

    def points(self, position: Position) -> list[int] | None:
        """The points (and PASS) that may be looked at, of those that are legal; None if that is all of them."""
        allowed, avoided = self.allowed.get(position.to_play), self.avoided.get(position.to_play)
        if allowed is None and avoided is None:
            return None
        legal = [*position.legal_points().tolist(), PASS]
        return [point for point in legal if (allowed is None or point in allowed) and point not in (avoided or ())]


def read_query(fields: dict, line: int = 1000) -> tuple[Query, list[tuple[str, str]]]:
    """The query, and (field, text) of each warning.  `line` moves of what is expected are told by default.

    A field that is null is one that is not there.  Raises Refused.
    """
    fields = {name: value for name, value in fields.items() if value is not None}
    warnings: list[tuple[str, str]] = []
    for name in fields:
        if name not in KNOWN:
            warnings.append((name, "unknown field: ignored"))
        elif name in UNFOLLOWED:
            warnings.append((name, "this search has no such setting: ignored"))
    settings = _settings(fields, warnings)
    size = _size(fields)
    stones = dict(reversed(pair) for pair in _moves(fields.get("initialStones", []), "initialStones", size, False))
    if "moves" not in fields:
        raise Refused("must be an array of pairs, as [[\"B\", \"D4\"], [\"W\", \"pass\"]]", "moves")
    moves = _moves(fields["moves"], "moves", size)
    komi = _komi(fields, stones, warnings)
    first = moves[0][0] if moves else WHITE if _handicap(stones) else BLACK
    if "initialPlayer" in fields:
        first = _player(fields["initialPlayer"], "initialPlayer")
    positions = _positions(size, komi, stones, moves, first)
    turns, priorities = _turns(fields, len(moves))
    allowed, avoided = _restrictions(fields, size, warnings)
    every = _number(fields, "reportDuringSearchEvery", 0.001, 1e6)
    visits = _integer(fields, "maxVisits", 1, MOST_VISITS)
    seconds = _number(fields, "maxTime", 0, math.inf)
    query = Query(
        id=fields["id"], positions=positions, turns=turns, priorities=priorities,
        visits=settings.get("maxVisits") if visits is None else visits,
        seconds=settings.get("maxTime") if seconds is None else seconds,
        allowed=allowed, avoided=avoided, view=settings.get("reportAnalysisWinratesAs", BLACK),
        noise=settings.get("wideRootNoise"), progress_interval=every,
        first_report=_number(fields, "firstReportDuringSearchAfter", 0.001, 1e6) or every,
        pv_length=_integer(fields, "analysisPVLen", 1, 1000) or settings.get("analysisPVLen") or line,
        ownership=_flag(fields, "includeOwnership"), ownership_spread=_flag(fields, "includeOwnershipStdev"),
        moves_ownership=_flag(fields, "includeMovesOwnership"),
        moves_ownership_spread=_flag(fields, "includeMovesOwnershipStdev"),
        policy=_flag(fields, "includePolicy"), line_visits=_flag(fields, "includePVVisits"))
    return query, warnings


# -- values of a kind

def _is_integer(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _integer(fields: dict, name: str, least: int, most: int) -> int | None:
    value = fields.get(name)
    if value is not None and not (_is_integer(value) and least <= value <= most):
        raise Refused(f"must be an integer from {least} to {most}", name)
    return value


def _number(fields: dict, name: str, least: float, most: float) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most \
            or not abs(value) < 1e300:
        raise Refused(f"must be a number from {least:g} to {most:g}" if most < math.inf
                      else f"must be a number of {least:g} or more", name)
    return float(value)


def _flag(fields: dict, name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise Refused("must be true or false", name)
    return value


def _player(value, field: str) -> int:
    if not isinstance(value, str) or value.lower() not in COLOUR_OF:
        raise Refused(f"must be \"B\" or \"W\", not {_shown(value)}", field)
    return COLOUR_OF[value.lower()]


def _point(value, field: str, size: int, may_pass: bool = True) -> int:
    """The point of a GTP vertex, or of '(x,y)' with both from 0 in the upper left corner."""
    if not isinstance(value, str):
        raise Refused(f"must be made of GTP vertices, not {_shown(value)}", field)
    pair = re.fullmatch(r"\((\d{1,2}),(\d{1,2})\)", value, re.ASCII)
    if pair and int(pair[1]) < size and int(pair[2]) < size:
        return point_at(int(pair[2]), int(pair[1]), size)
    try:
        point = interpret_gtp(value, size)
    except ValueError as error:
        raise Refused(f"could not parse board location: {error}", field) from None
    if point == PASS and not may_pass:
        raise Refused("a stone stands on a point, and not on a pass", field)
    return point


def _shown(value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# -- the position

def _size(fields: dict) -> int:
    for name in "boardXSize", "boardYSize":
        if _integer(fields, name, MIN_SIZE, MAX_SIZE) is None:
            raise Refused(f"must be an integer from {MIN_SIZE} to {MAX_SIZE}", name)
    if fields["boardXSize"] != fields["boardYSize"]:
        raise Refused(f"only square boards are played here, not {fields['boardXSize']}x{fields['boardYSize']}",
                      "boardYSize")
    return fields["boardXSize"]


def _moves(pairs, field: str, size: int, may_pass: bool = True) -> list[tuple[int, int]]:
    """(colour, point) of each."""
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise Refused("must be an array of pairs, as [[\"B\", \"D4\"], [\"W\", \"Q16\"]]", field)
    return [(_player(pair[0], field), _point(pair[1], field, size, may_pass)) for pair in pairs]


def _handicap(stones: dict[int, int]) -> int:
    """How many stones Black got ahead: two or more, with none of White's on the board."""
    return len(stones) if len(stones) > 1 and WHITE not in stones.values() else 0


def _komi(fields: dict, stones: dict[int, int], warnings: list[tuple[str, str]]) -> float:
    """What White is given in all, by komi and for handicap stones."""
    rules = _rules(fields, warnings)
    bonus = fields.get("whiteHandicapBonus", rules.get("whiteHandicapBonus", "0"))
    bonus = str(bonus) if _is_integer(bonus) else bonus
    if bonus not in VALUES["whiteHandicapBonus"]:
        raise Refused("must be \"0\", \"N\" or \"N-1\"", "whiteHandicapBonus")
    komi = _number(fields, "komi", -MOST_KOMI, MOST_KOMI)
    if komi is None:
        komi = 6.5 if rules.get("scoring") == "TERRITORY" else 7.0 if rules.get("hasButton") else 7.5
    handicap = _handicap(stones)
    return komi + {"0": 0, "N": handicap, "N-1": max(handicap - 1, 0)}[bonus]


def _rules(fields: dict, warnings: list[tuple[str, str]]) -> dict:
    """The rules asked for.  Warns of those that count otherwise; of suicide and ko, which hardly ever matter, only
    where the query spells them out: a name such as "chinese" asks for a way of counting."""
    rules = fields.get("rules")
    if isinstance(rules, str):
        name = re.sub(r"[ _]", "-", rules.strip().lower()).replace("tromptaylor", "tromp-taylor")
        if name not in NAMED:
            raise Refused(f"could not parse rules: {_shown(rules)} (known are {', '.join(NAMED)})", "rules")
        rules, compared = NAMED[name], COUNTING
    elif isinstance(rules, dict):
        rules = {key: str(value).upper() if isinstance(value, str) or _is_integer(value) else value
                 for key, value in rules.items()}
        for key, value in rules.items():
            if key not in VALUES or not any(value is known or isinstance(value, str) and value == known
                                            for known in VALUES[key]):
                raise Refused(f"could not parse rules: {_shown(key)} is {_shown(value)}", "rules")
        compared = tuple(OURS)
    else:
        raise Refused("must be a name such as \"chinese\" or \"tromp-taylor\", or an object of rules", "rules")
    odd = [f"{key} {value}" for key in compared if (value := rules.get(key, OURS[key])) != OURS[key]]
    if odd:
        warnings.append(("rules", f"not followed: {', '.join(odd)}.  Area is counted, under positional superko, and "
                                  "suicide is illegal"))
    return rules


def _positions(size: int, komi: float, stones: dict[int, int], moves: list[tuple[int, int]], first: int
               ) -> tuple[Position, ...]:
    """The position after 0, 1, 2 ... moves.  Games under other rules may repeat a position: that is let pass."""
    bits = {BLACK: 0, WHITE: WHITE_BIT}
    setup, played = (np.array([move_index(point, size) + bits[colour] for colour, point in coded], np.int16)
                     for coded in ([(colour, point) for point, colour in stones.items()], moves))
    try:
        start = position_of(Record(size, setup, played[:0], first, komi))
    except IllegalMove as error:
        raise Refused(str(error), "initialStones") from None
    if not moves:
        return (start,)
    try:
        line = position_of(Record(size, setup, played, first, komi)).positions()
    except IllegalMove as error:
        raise Refused(f"Illegal {error}", "moves") from None
    return (start, *list(line)[1:])


# -- which turns, which moves, which settings

def _turns(fields: dict, last: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The turns, in order, and the priority of each."""
    turns = fields.get("analyzeTurns", [last])
    if not isinstance(turns, list) or not all(map(_is_integer, turns)):
        raise Refused("must be an array of integers: turns to analyse", "analyzeTurns")
    for turn in turns:
        if not 0 <= turn <= last:
            raise Refused(f"invalid turn number: {turn} (0 to {last})", "analyzeTurns")
    if not turns:
        raise Refused("names no turn", "analyzeTurns")
    if "priorities" not in fields:
        priority = _integer(fields, "priority", -MOST_PRIORITY, MOST_PRIORITY) or 0
        chosen = sorted(set(turns))
        return tuple(chosen), (priority,) * len(chosen)
    priorities = fields["priorities"]
    if "analyzeTurns" not in fields or "priority" in fields:
        raise Refused("goes with analyzeTurns and without priority", "priorities")
    if not isinstance(priorities, list) or len(priorities) != len(turns) \
            or not all(_is_integer(number) and abs(number) <= MOST_PRIORITY for number in priorities):
        raise Refused("must be an array of integers, one for each of analyzeTurns", "priorities")
    by_turn = dict(sorted(zip(turns, priorities, strict=True)))
    return tuple(by_turn), tuple(by_turn.values())


def _restrictions(fields: dict, size: int, warnings: list[tuple[str, str]]
                  ) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
    """Colour -> the points it may play, and colour -> those it may not."""
    if "allowMoves" in fields and "avoidMoves" in fields:
        raise Refused("allowMoves and avoidMoves do not go together", "allowMoves")
    found: dict[str, dict[int, frozenset[int]]] = {"allowMoves": {}, "avoidMoves": {}}
    for name, points in found.items():
        entries = fields.get(name, [])
        if not isinstance(entries, list) or not all(
                isinstance(entry, dict) and {"player", "moves", "untilDepth"} <= entry.keys() for entry in entries):
            raise Refused("must be an array of objects with player, moves and untilDepth", name)
        if name == "allowMoves" and len(entries) > 1:
            raise Refused("has one entry at the most", name)
        for entry in entries:
            colour = _player(entry["player"], name)
            if not isinstance(entry["moves"], list):
                raise Refused("moves must be an array of GTP vertices", name)
            if not _is_integer(entry["untilDepth"]) or entry["untilDepth"] < 1:
                raise Refused("untilDepth must be an integer of 1 or more", name)
            points[colour] = points.get(colour, frozenset()) | {_point(at, name, size) for at in entry["moves"]}
        if any(entry["untilDepth"] > 1 for entry in entries):
            warnings.append((name, "only the next move is restricted, as by untilDepth 1"))
    return found["allowMoves"], found["avoidMoves"]


def _settings(fields: dict, warnings: list[tuple[str, str]]) -> dict:
    """Those of overrideSettings that mean something here.  Values may be strings: KataGo reads them so."""
    given = fields.get("overrideSettings", {})
    if not isinstance(given, dict):
        raise Refused("must be an object", "overrideSettings")
    read = {}
    unknown = []
    try:
        for name, value in given.items():
            if value is None:
                continue
            if name == "reportAnalysisWinratesAs":
                view = str(value).upper().replace("_", "")
                if view not in VIEWS:
                    raise Refused(f"must be one of {', '.join(VIEWS)}", name)
                read[name] = VIEWS[view]
            elif name in ("maxVisits", "maxPlayouts"):
                read["maxVisits"] = _integer({name: _unquoted(value)}, name, 1, MOST_VISITS)
            elif name == "maxTime":
                read[name] = _number({name: _unquoted(value)}, name, 0, math.inf)
            elif name == "wideRootNoise":
                read[name] = min(_number({name: _unquoted(value)}, name, 0, math.inf), 1.0)
            elif name == "analysisPVLen":
                read[name] = _integer({name: _unquoted(value)}, name, 1, 1000)
            else:
                unknown.append(name)
    except Refused as refused:
        raise Refused(f"{refused.field} {refused}", "overrideSettings") from None
    except ValueError as error:
        raise Refused(str(error), "overrideSettings") from None
    if unknown:
        warnings.append(("overrideSettings", f"this program has no such settings: {', '.join(unknown)}"))
    return read


def _unquoted(value):
    """The number in a string; any other value as it is."""
    if not isinstance(value, str):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number


"""Parsing and checking a query of KataGo's analysis protocol: an object of JSON in, a Query out.  No analysis here.

    {"id": "foo", "moves": [["B", "D4"]], "rules": "chinese", "boardXSize": 9, "boardYSize": 9}
      --parse_query-->  Query(id "foo", game, turns (1,), ...)
                        and warnings about fields that are ignored

White's points for handicap stones are added to the komi.  Rules that are not supported are accepted with a warning.

Fields are read here and in parameters.py; each error is an InvalidQuery that names the field.

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
import json
from dataclasses import dataclass, replace

import numpy as np

from mugo.analysis.parameters import Fields, InvalidQuery, Overrides, read, read_overrides
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import (
    MAX_MOVES, MAX_SIZE, MIN_SIZE, PASS, WHITE_BIT, BoardSize, interpret_gtp, move_index)
from mugo.games.go import GoPosition, IllegalMove
from mugo.games.position import COLOUR_OF
from mugo.games.rules import FIELDS as RULE_FIELDS
from mugo.games.rules import SPIGHT, Rules, parse_rules, shorten
from mugo.mcts.root import AvoidedMoves
from mugo.mcts.records import MAX_DEPTH
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of

MAX_PRIORITY = 2 ** 62
MAX_KOMI = 400                           # as KataGo's own limit
REPORT_SECONDS = 0.001, 1e6              # from, to
NO_OVERRIDES = Overrides()
# Settings that a query has as fields of its own too, and what its responses contain.
SETTINGS = "maxVisits", "maxTime", "analysisPVLen", "rootPolicyTemperature", "rootFpuReductionMax"
INCLUDED = "Ownership", "OwnershipStdev", "MovesOwnership", "MovesOwnershipStdev", "Policy", "PVVisits", "NoResultValue"
FIELDS = {"id", "moves", "initialStones", "initialPlayer", "rules", "komi", "whiteHandicapBonus", "boardXSize",
          "boardYSize", "analyzeTurns", "avoidMoves", "allowMoves", "overrideSettings", "reportDuringSearchEvery",
          "firstReportDuringSearchAfter", "priority", *SETTINGS, *(f"include{name}" for name in INCLUDED)}


@dataclass(frozen=True, eq=False)
class Query:
    """What is to be analyzed, and what the responses contain.

    game: its stones, moves and komi; all moves are legal.
    turns: after how many moves to analyze, in order.
    avoided: the moves that are left out, down to a depth.
    overrides: the limits and settings of each search, and the form of the responses.
    report_every, first_report_after: seconds between reports during the search, and before the first; None for no
    reports.
    included: those of INCLUDED that the responses have.
    """
    id: str
    game: Record
    turns: tuple[int, ...]
    priority: int
    avoided: AvoidedMoves
    overrides: Overrides
    report_every: float | None
    first_report_after: float | None
    included: frozenset[str]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the board."""
        return self.game.shape

    def position(self, turn: int) -> GoPosition:
        """The position after `turn` moves, made anew: a game of 300 moves takes 0.1 ms."""
        return _start(self.game).play_moves(self.game.moves[:turn])


def parse_query(fields: Fields, base: Overrides = NO_OVERRIDES, player: str = "mcts"
                ) -> tuple[Query, list[tuple[str, str]]]:
    """The query of a JSON object, and (field, text) of each warning.  A null field counts as absent.

    base: for all queries.  player: as in read_overrides.  Raises InvalidQuery.
    """
    fields = {name: value for name, value in fields.items() if value is not None}
    warnings = [(name, "unknown field: ignored") for name in fields if name not in FIELDS]
    overrides = _read_overrides(fields, base, player, warnings)
    game = _read_game(fields, warnings)
    turns = _read_turns(fields, len(game.moves))
    priority = read(fields, "priority", int, -MAX_PRIORITY, MAX_PRIORITY) or 0
    avoided = _read_avoided(fields, game.shape)
    report_every = read(fields, "reportDuringSearchEvery", float, *REPORT_SECONDS)
    first_report_after = read(fields, "firstReportDuringSearchAfter", float, *REPORT_SECONDS) or report_every
    included = frozenset(name for name in INCLUDED if read(fields, f"include{name}", bool))
    return Query(fields["id"], game, turns, priority, avoided, overrides, report_every, first_report_after,
                 included), warnings


def _is_integer(value: object) -> bool:
    """Whether a JSON value is an integer; true and false are not."""
    return type(value) is int


# -- the position

def _read_game(fields: Fields, warnings: list[tuple[str, str]]) -> Record:
    """The stones, moves and komi of a query.  Its moves may repeat a position, as other rules allow."""
    for name in "boardXSize", "boardYSize":
        read({name: 0} | fields, name, int, MIN_SIZE, MAX_SIZE)       # 0: each must be given
    size = fields["boardYSize"], fields["boardXSize"]
    setup = _parse_moves(fields.get("initialStones", []), "initialStones", size, may_pass=False)
    stones = {point: colour for colour, point in setup}
    if len(stones) < len(setup):
        raise InvalidQuery("two stones are on one point", "initialStones")
    if "moves" not in fields:
        raise InvalidQuery("must be an array of pairs, as [[\"B\", \"D4\"], [\"W\", \"pass\"]]", "moves")
    moves = _parse_moves(fields["moves"], "moves", size)
    handicap = len(stones) if len(stones) > 1 and WHITE not in stones.values() else 0
    rules, komi = _read_rules(fields, handicap, warnings)
    first = moves[0][0] if moves else WHITE if handicap else BLACK
    if "initialPlayer" in fields:
        first = _parse_colour(fields["initialPlayer"], "initialPlayer")
    game = Record(size, _encode([(colour, point) for point, colour in stones.items()], size), _encode(moves, size),
                  first, komi, rules=json.dumps(rules.as_json()))
    try:
        start = _start(game)
    except IllegalMove as error:
        raise InvalidQuery(str(error), "initialStones") from None
    try:
        start.play_moves(game.moves)
    except IllegalMove as error:
        raise InvalidQuery(f"Illegal {error}", "moves") from None
    return game


def _read_rules(fields: Fields, handicap: int, warnings: list[tuple[str, str]]) -> tuple[Rules, float]:
    """(the rules as far as they are supported, White's points by komi and for handicap stones).  Appends a warning
    about rules that are ignored.
    """
    try:
        rules = parse_rules(fields.get("rules"))
    except TypeError as error:
        raise InvalidQuery(str(error), "rules") from None
    except ValueError as error:
        raise InvalidQuery(f"could not parse rules: {error}", "rules") from None
    different = [name for name in rules.diff(rules.supported())]
    if rules.ko == SPIGHT:
        different.append("ko")
    if different:
        warnings.append(("rules", f"ignored: {rules.describe(different)}.  Moves are searched without suicide, and "
                                  "there is no button, no tax but that on seki, and no Spight superko"))
    bonus = fields.get("whiteHandicapBonus", rules.white_handicap_bonus)
    bonus = str(bonus) if _is_integer(bonus) else bonus
    if bonus not in RULE_FIELDS["whiteHandicapBonus"][1]:
        raise InvalidQuery("must be \"0\", \"N\" or \"N-1\"", "whiteHandicapBonus")
    komi = read(fields, "komi", float, -MAX_KOMI, MAX_KOMI)
    points = replace(rules, white_handicap_bonus=bonus).handicap_bonus(handicap)
    return rules.supported(), (rules.default_komi if komi is None else komi) + points


def _start(game: Record) -> GoPosition:
    """The position before the first move, with the first player to move.  Raises IllegalMove."""
    position = position_of(game, 0)
    assert isinstance(position, GoPosition)
    return position.with_turn(game.first_player)


def _encode(moves: list[tuple[int, int]], size: BoardSize) -> np.ndarray:
    """int16 (n,): the encoded move of each (colour, point), as in games.coords."""
    return np.array([move_index(point, size) + (WHITE_BIT if colour == WHITE else 0) for colour, point in moves],
                    np.int16)


def _parse_colour(value: object, field: str) -> int:
    """BLACK or WHITE, from "B" or "W".  Raises InvalidQuery."""
    if not isinstance(value, str) or value.lower() not in COLOUR_OF:
        raise InvalidQuery(f"must be \"B\" or \"W\", not {shorten(value)}", field)
    return COLOUR_OF[value.lower()]


def _parse_point(value: object, field: str, size: BoardSize, may_pass: bool = True) -> int:
    """The point of a GTP vertex.  Raises InvalidQuery."""
    if not isinstance(value, str):
        raise InvalidQuery(f"must be made of GTP vertices, not {shorten(value)}", field)
    try:
        point = interpret_gtp(value, size)
    except ValueError as error:
        raise InvalidQuery(f"could not parse board location: {error}", field) from None
    if point == PASS and not may_pass:
        raise InvalidQuery("a stone must be on a point, not on a pass", field)
    return point


def _parse_moves(pairs: object, field: str, size: BoardSize, may_pass: bool = True) -> list[tuple[int, int]]:
    """(colour, point) of each of [["B", "D4"], ...].  Raises InvalidQuery."""
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise InvalidQuery("must be an array of pairs, as [[\"B\", \"D4\"], [\"W\", \"Q16\"]]", field)
    if len(pairs) > MAX_MOVES:
        raise InvalidQuery(f"must have at most {MAX_MOVES} entries, not {len(pairs)}", field)
    return [(_parse_colour(pair[0], field), _parse_point(pair[1], field, size, may_pass)) for pair in pairs]


# -- which turns, which moves, which settings

def _read_turns(fields: Fields, last: int) -> tuple[int, ...]:
    """The turns to analyze, in order."""
    turns = fields.get("analyzeTurns", [last])
    if not isinstance(turns, list) or not all(map(_is_integer, turns)):
        raise InvalidQuery("must be an array of integers: turns to analyze", "analyzeTurns")
    for turn in turns:
        if not 0 <= turn <= last:
            raise InvalidQuery(f"invalid turn number: {turn} (0 to {last})", "analyzeTurns")
    if not turns:
        raise InvalidQuery("must have at least one turn", "analyzeTurns")
    return tuple(sorted(set(turns)))


def _read_avoided(fields: Fields, size: BoardSize) -> AvoidedMoves:
    """allowMoves or avoidMoves."""
    if "allowMoves" in fields and "avoidMoves" in fields:
        raise InvalidQuery("allowMoves and avoidMoves cannot be combined", "allowMoves")
    avoided, allowed_colours = AvoidedMoves(), set()
    for name in "allowMoves", "avoidMoves":
        entries = fields.get(name, [])
        if not isinstance(entries, list) or not all(
                isinstance(entry, dict) and {"player", "moves", "untilDepth"} <= entry.keys() for entry in entries):
            raise InvalidQuery("must be an array of objects with player, moves and untilDepth", name)
        for entry in entries:
            colour = _parse_colour(entry["player"], name)
            if name == "allowMoves" and colour in allowed_colours:
                raise InvalidQuery("must have at most one entry for each player", name)
            if not isinstance(entry["moves"], list):
                raise InvalidQuery("moves must be an array of GTP vertices", name)
            if not _is_integer(entry["untilDepth"]) or entry["untilDepth"] < 1:
                raise InvalidQuery("untilDepth must be an integer of 1 or more", name)
            points = {_parse_point(vertex, name, size) for vertex in entry["moves"]}
            depth = min(entry["untilDepth"], MAX_DEPTH)
            if name == "allowMoves":
                allowed_colours.add(colour)
                avoided.allow(colour, points, depth, size)
            else:
                avoided.avoid(colour, points, depth)
    return avoided


def _read_overrides(fields: Fields, base: Overrides, player: str, warnings: list[tuple[str, str]]) -> Overrides:
    """The overrides of overrideSettings, and then of SETTINGS, on top of `base`.  Appends a warning about those without
    effect."""
    values = fields.get("overrideSettings", {})
    if not isinstance(values, dict):
        raise InvalidQuery("must be an object", "overrideSettings")
    try:
        overrides, ignored = read_overrides(values, base, player)
    except InvalidQuery as error:
        raise InvalidQuery(f"{error.field} {error}", "overrideSettings") from None
    if ignored:
        warnings.append(("overrideSettings", f"this player has no such settings: {', '.join(ignored)}"))
    overrides, ignored = read_overrides({name: fields.get(name) for name in SETTINGS}, overrides, player)
    warnings += [(name, "this player has no such setting: ignored") for name in ignored]
    return overrides

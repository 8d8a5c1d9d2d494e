"""A record's positions on its main line, and its rules (RU): Record --> Position, Position, ...

    'Japanese', '日本ルール', '일본룰', 'Territory'    --parse_record_rules-->    NAMED_RULES["japanese"]
    NAMED_RULES["new-zealand"]                       --record_name-->           'New Zealand'

And the position after each node of a tree: moves, and setup stones in any node (AB, AW, AE, PL).

    position -- play_node(properties) --> NodePosition(position, is_start, illegal)

A move that the rules allow is played; repetitions are allowed.  A node that sets up stones or the turn makes a *new
start*: the position after it has no history, so superko starts anew.  A move that the rules forbid is carried out as
SGF says (the stone is placed, and chains without liberties are removed), and makes a new start too.  What leads to no
position, as stones without liberties, leaves the board as it was.

Specification: https://www.red-bean.com/sgf/properties.html#B, #AB, #PL
"""
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mugo.games.board import BLACK, EMPTY, LEGAL, WHITE, legality
from mugo.games.coords import PASS, BoardSize, format_gtp, format_size, interpret_sgf, row_col
from mugo.games.game import new_game
from mugo.games.go import GoPosition, illegal_move
from mugo.games.history import decode
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES, BasePosition, IllegalMove
from mugo.games.rules import KOMI, NAMED_RULES, SIMPLE, Rules, parse_rules
from mugo.sgf.nodes import Node, Properties, children_of
from mugo.sgf.parser import SETUP, interpret_setup
from mugo.sgf.record import BadRecord, Record

# What the rules of a record begin with that are not one of NAMED_RULES by its own name.  OGS also calls its Chinese
# rules "ogs", and some of its records have "age" for AGA.
_BEGINNINGS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in {
    "japanese": "jap|jp|日本|일본|territor",
    "korean": "kor|kr|한국|韩国|韓国|韓國",
    "chinese": "chin|cn|中国|中國|중국",
    "chinese-ogs": r"ogs\b",
    "aga": r"ag[ae]\b|amer",
    "bga": r"bga\b|british",
    "french": "fran",
    "ing": r"ing\b|应氏|應氏|応氏",
    "new-zealand": r"nz\b|new.?zealand|新西[兰蘭]|紐西蘭|ニュージーランド|뉴질랜드",
    "tromp-taylor": "tromp",
}.items()}

# What may follow a name: 'AGA rules', 'AGA規則'.
_WORD_FOR_RULES = re.compile("(rules?|ruleset|règles?|regeln|规则|規則|ルール|규칙|룰)$", re.IGNORECASE)
# How records spell the names whose words do not all begin with a capital letter alone; SGF knows AGA, GOE and NZ.
_SPELLINGS = {"chinese-ogs": "Chinese-OGS", "chinese-kgs": "Chinese-KGS", "aga": "AGA", "bga": "BGA",
              "aga-button": "AGA-Button", "new-zealand": "New Zealand", "nz": "NZ", "goe": "GOE"}


def empty_board_of(record: Record, komi: float = KOMI) -> BasePosition:
    """The empty board of a record's game.  komi: for a game of Go whose record has none.  Raises BadInput."""
    if record.k:
        return new_game("gomoku", record.shape, k=record.k, exactly=record.exactly)
    position = GoPosition(record.shape, komi if record.komi is None else record.komi)
    position.handicap = record.handicap
    return position.with_rules(parse_record_rules(record.rules) or Rules())


def position_of(record: Record, plies: int | None = None, komi: float = KOMI) -> BasePosition:
    """The position of a game record after some moves, by default all.

    Superko is not checked, as games by Japanese rules repeat positions.  komi: of records that have none.
    Raises IllegalMove, which names the move and its number, and BadInput if a Gomoku board is too small for k in a row.
    """
    position, moves = _start(record, komi), record.moves[:plies]
    if isinstance(position, GoPosition):
        position = position.play_moves(moves)
    else:
        *_, position = positions_of(record, plies, komi)
    if len(moves) < len(record.moves):
        return position.with_turn(decode(position.board[0], record.moves[len(moves)])[1])
    return position if len(moves) else position.with_turn(record.first_player)


def positions_of(record: Record, plies: int | None = None, komi: float = KOMI) -> Iterator[BasePosition]:
    """The start of a game record, then the position after each of its moves.  Raises IllegalMove at an illegal one;
    arguments as in `position_of`."""
    position = _start(record, komi)
    yield position
    for move in record.moves[:plies]:
        point, colour = decode(position.board[0], move)
        if why_illegal(position, point, colour):
            raise illegal_move(position, point, colour)
        position = position.play_unchecked(point, colour)
        yield position


def why_illegal(position: BasePosition, point: int, colour: int) -> str | None:
    """As BasePosition.why_illegal, but a repetition of a position is allowed."""
    if position.game == "go" and (point == PASS or legality(position.board[0], point, colour) == LEGAL):
        return None
    return position.why_illegal(point, colour)


def _start(record: Record, komi: float) -> BasePosition:
    """The position of a game record before its first move.  Raises IllegalMove for a stone that cannot be placed."""
    position = empty_board_of(record, komi)
    stones = [decode(position.board[0], stone) for stone in record.setup]
    black, white = ([point for point, colour in stones if colour == wanted] for wanted in (BLACK, WHITE))
    position = position.with_stones(black, white)
    if isinstance(position, GoPosition):
        position.handicap = record.handicap
    return position


def parse_record_rules(text: str) -> Rules | None:
    """The rules of a record (RU), as 'Japanese', 'Japan', '日本', 'AGA rules' or 'Chinese (2002)'; None if they are not
    known."""
    text = unicodedata.normalize("NFKC", text).strip()
    try:
        return parse_rules(_WORD_FOR_RULES.sub("", text.split("(")[0].strip()))
    except ValueError:
        return next((NAMED_RULES[name] for name, begin in _BEGINNINGS.items() if begin.match(text)), None)


def record_bonus(text: str, handicap: int) -> int:
    """White's points for the handicap stones of a record with these rules (RU), for area scoring; 0 for rules that are
    not known."""
    rules = parse_record_rules(text)
    return rules.area_bonus(handicap) if rules is not None else 0


def record_name(rules: Rules, handicap: int) -> str:
    """Rules (RU) for a record of a game with these handicap stones: the name by which they were asked for, that of the
    same rules, or KataGo's text.  MuGo's own have no name: that of rules with the same scoring and points.
    """
    if not rules.name and rules == Rules(white_handicap_bonus=rules.white_handicap_bonus):
        return next(name for name in ("Chinese", "AGA", "New Zealand")
                    if record_bonus(name, handicap) == rules.handicap_bonus(handicap))
    name = rules.name or next((name for name, named in NAMED_RULES.items() if named == rules), "")
    if name:
        return _SPELLINGS.get(name) or name.title()
    return "Japanese" if replace(rules, ko=SIMPLE) == NAMED_RULES["japanese"] else rules.as_text()


def rules_name(position: GoPosition) -> str:
    """Rules (RU) for a record of this game: position_of gives it the same scoring and points for handicap stones."""
    return record_name(position.rules, position.handicap)


# ---- nodes

_SETUP_OR_TURN = frozenset((*SETUP, "PL"))


class NodePosition(NamedTuple):
    """The position after a node.  is_start: whether it has no history.  illegal: why the rules forbid the node, ''."""
    position: BasePosition
    is_start: bool = False
    illegal: str = ""


def has_setup(properties: Properties) -> bool:
    """Whether a node sets up stones."""
    return any(value.strip() for ident in SETUP for value in properties.get(ident, ()))


def move_of(properties: Properties, size: BoardSize) -> tuple[int, int] | None:
    """(colour, point) of a node's move, Black's if it has two; None if there is none, or if it is not on the board."""
    for colour, letter in COLOUR_LETTERS.items():
        if letter in properties:
            try:
                return colour, interpret_sgf(properties[letter][0].decode("ascii", "replace").strip(), size)
            except ValueError:
                return None
    return None


def next_colours(nodes: Sequence[Node]) -> list[int]:
    """For each node the colour of the first move after it along first children; EMPTY if there is none."""
    colours = [EMPTY] * len(nodes)
    for index, children in reversed([*enumerate(children_of(nodes))]):
        if children:
            first = nodes[children[0]].properties
            colours[index] = BLACK if "B" in first else WHITE if "W" in first else colours[children[0]]
    return colours


def positions_of_nodes(nodes: Sequence[Node], start: BasePosition) -> Iterator[NodePosition]:
    """The position after each node, in order.  start: before the root, an empty board."""
    following = next_colours(nodes)
    waiting = [len(children) for children in children_of(nodes)]
    after: dict[int, BasePosition] = {-1: start}         # of the nodes whose children are not all played
    for index, node in enumerate(nodes):
        played = play_node(after[node.parent], node.properties, following[index])
        if waiting[index]:
            after[index] = played.position
        if node.parent >= 0:
            waiting[node.parent] -= 1
            if not waiting[node.parent]:
                del after[node.parent]
        yield played


def play_node(position: BasePosition, properties: Properties, next_colour: int = EMPTY) -> NodePosition:
    """The position after a node: its setup, then its move.

    next_colour: who is to move after a setup without PL, because the next move is this colour's; EMPTY: unknown, the
    turn stays.
    """
    is_start, illegal = False, ""
    if not properties.keys().isdisjoint(_SETUP_OR_TURN):
        try:
            after = _set_up(position, properties, next_colour)
            position, is_start = after, after is not position
        except (IllegalMove, BadRecord) as error:
            illegal = str(error)
    if properties.keys().isdisjoint(("B", "W")):
        return NodePosition(position, is_start, illegal)
    move = move_of(properties, position.shape)
    if move is None:
        value = properties["B" if "B" in properties else "W"][0][:20].decode("utf-8", "replace")
        return NodePosition(position, is_start, f"{value!r} is not a point on {format_size(position.shape)}")
    colour, point = move
    reason = why_illegal(position, point, colour)
    try:
        if not reason:
            return NodePosition(position.play_unchecked(point, colour), is_start, illegal)
    except IllegalMove as error:                         # too many moves
        reason = str(error)
    illegal = f"{COLOUR_NAMES[colour]} {format_gtp(point, position.shape)} {reason}"
    try:
        return NodePosition(_force(position, point, colour), True, illegal)
    except IllegalMove:
        return NodePosition(position, is_start, illegal)


def _set_up(position: BasePosition, properties: Properties, next_colour: int) -> BasePosition:
    """The position after AB, AW, AE and PL; `position` itself if they change nothing."""
    stones = position.stones.copy()
    setup = interpret_setup(properties, position.shape)
    for index, colour in setup.items():
        stones[divmod(index, position.shape[1])] = colour
    turn = properties["PL"][0].strip()[:1].upper() if "PL" in properties else b""
    to_play = {b"B": BLACK, b"W": WHITE}.get(turn) or (next_colour if setup else EMPTY) or position.to_play
    if to_play == position.to_play and np.array_equal(stones, position.stones):
        return position
    return position.with_board(stones, to_play)


def _force(position: BasePosition, point: int, colour: int) -> BasePosition:
    """The new start after a move that the rules forbid."""
    stones = position.stones.copy()
    if place := row_col(point, position.shape):
        stones[place] = EMPTY
        stones = position.with_board(stones, colour).play_unchecked(point, colour).stones
    return position.with_board(stones, -colour)

"""What a board in the browser is told of a position: requests of plain JSON in, answers of plain JSON out.

    {"game": {"size": 9, "komi": 7, ...}, "moves": ["B E5", "W C3"]}       a request names its position so,
    {"game": {"name": "gomoku", "size": 8, "k": 5, "exactly": false, ...}, "moves": ["B E5"]}        or so
    {"stones": "....X..O", "to_play": "B", "illegal": {...}, ...}          look

The board itself belongs to the page: it sends the whole game each time, so nothing here remembers anything.
Vertices are GTP's.  All win rates are Black's, from 0 to 1.  Every function raises BadInput for a request that
makes no sense.
"""
import base64
from dataclasses import replace

import numpy as np

from mugo.files import BadInput
from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, WHITE_BIT, board_points, format_gtp, interpret_gtp, move_index
from mugo.games.game import encode
from mugo.games.go import fixed_handicap
from mugo.games.position import COLOUR_LETTERS, COLOUR_OF, STONE_MARKS, BasePosition
from mugo.games.scoring_session import ScoringSession
from mugo.search.result import SearchResult
from mugo.sgf.convert import record_from_position, replay_record
from mugo.sgf.tree import (
    empty_board,
    game_from_position,
    interpret_move,
    require_field,
    require_number,
)

MAX_MOVES = 2000                         # of a game
SHOWN = 20                               # moves of a search


# ---- which position

def new_game(request: dict) -> dict:
    """The start that `size`, `komi` and `handicap` (0, or 2 to 9 fixed stones) describe, or of Gomoku `size`, `k`
    and `exactly`; see sgf.tree.read_game."""
    position = empty_board(request)
    if position.game != "go":
        return game_from_position(position)
    handicap = require_field(request, "handicap", int)
    try:
        return game_from_position(
            position.with_handicap(fixed_handicap(position.size, handicap)) if handicap else position)
    except ValueError as error:
        raise BadInput(str(error)) from None


def position_of_request(request: dict) -> BasePosition:
    """The position after `moves` in `game`; like the records of Go, it forbids no repetition."""
    game, moves = require_field(request, "game", dict), require_field(request, "moves", list)
    start = empty_board(game)
    size = start.size
    if len(moves) > MAX_MOVES:
        raise BadInput(f"a game has {MAX_MOVES:,} moves at the most, not {len(moves):,}")
    try:
        black, white = ([interpret_gtp(str(vertex), size) for vertex in require_field(game, name, list)]
                        for name in ("black", "white"))
        if PASS in black + white:
            raise ValueError("a stone cannot stand on 'pass'")
        start = start.with_stones(black, white, COLOUR_OF.get(str(game.get("first")).lower(), BLACK))
        if start.game == "go":
            start.handicap = int(require_number(game, "handicap", 361))
        played = [interpret_move(str(move), size) for move in moves]
        coded = [move_index(point, size) + (WHITE_BIT if colour == WHITE else 0) for colour, point in played]
        return replay_record(replace(record_from_position(start), moves=np.array(coded, np.int16)))
    except ValueError as error:              # IllegalMove is one
        raise BadInput(str(error)) from None


# ---- what it looks like

def look(position: BasePosition) -> dict:
    """The board: `stones` row by row from the top ('X', 'O', '.'), whose turn it is, and for every empty point that
    may not be played on, why; of Go the captures, of Gomoku the winning `row` and the `result`, once there is one."""
    size = position.size
    legal = set(position.legal_points().tolist())
    points = board_points(size).tolist()
    stones = position.stones.ravel().tolist()
    return {
        "stones": "".join(STONE_MARKS[stone] for stone in stones),
        "to_play": COLOUR_LETTERS[position.to_play],
        "last": None if position.last is None else format_gtp(position.last, size),
        "illegal": {format_gtp(point, size): position.why_illegal(point)
                    for point, stone in zip(points, stones, strict=True) if not stone and point not in legal},
        "over": position.is_over,
    } | ({"captures": {COLOUR_LETTERS[colour]: taken for colour, taken in position.captures.items()}}
         if position.game == "go"
         else {"row": [format_gtp(point, size) for point in position.row],
               "result": position.result() if position.is_over else None})


def play(position: BasePosition, vertex: str) -> dict:
    """`look` after a move of the side to move, with the `move` as it is kept.  BadInput says what forbids it."""
    try:
        point = interpret_gtp(vertex, position.size)
        letter = COLOUR_LETTERS[position.to_play]
        return look(position.play(point)) | {"move": f"{letter} {format_gtp(point, position.size)}"}
    except ValueError as error:
        raise BadInput(str(error)) from None


def planes(position: BasePosition) -> dict:
    """All planes that a network sees: `packed` is base64 of some bytes for each point (six of Go, one of Gomoku),
    from the top left; bit k % 8 of byte k // 8 is plane k."""
    return {"packed": base64.b64encode(encode([position])[0].tobytes()).decode()}


def policy(position: BasePosition, network) -> dict:
    """What a network expects: `priors` of every point, row by row, and of a pass; and Black's win rate."""
    priors, values = network.evaluate([position], tta=True)
    return {"priors": [round(float(prior), 5) for prior in priors[0]],
            "black": None if values is None else blacks((1 + float(values[0])) / 2, position)}


def blacks(win_rate: float, position: BasePosition) -> float:
    """The side to move's win rate as Black's."""
    return round(win_rate if position.to_play == BLACK else 1 - win_rate, 4)


def outcome(position: BasePosition) -> float:
    """A game that is over as a win rate of Black's."""
    return (1 + float(np.sign(position.score()))) / 2


def ownership(position: BasePosition) -> dict:
    """Who owns what when rollouts end: `owners`, from -100 (White) to 100, row by row."""
    _check_go(position)
    return {"owners": _percent(scoring.ownership(position))}


def _check_go(position: BasePosition) -> None:
    if position.game != "go":
        raise BadInput("nobody owns points in Gomoku")


def _percent(owner: np.ndarray) -> list[int]:
    return np.rint(100 * owner).astype(int).ravel().tolist()


def format_result(found: SearchResult) -> dict:
    """What a search has found so far."""
    position = found.position
    size = position.size
    return {
        "black": blacks(found.win_rate, position), "visits": found.visits, "simulations": found.simulations,
        "seconds": round(found.seconds, 2),
        "moves": [{"move": format_gtp(info.point, size), "black": blacks(info.win_rate, position),
                   "visits": info.visits, "prior": round(info.prior, 4),
                   "line": [format_gtp(point, size) for point in info.pv]}
                  for info in found.moves[:SHOWN] if info.visits],
        "owners": None if found.ownership is None else _percent(found.ownership),
    }


# ---- the count

def score(position: BasePosition, dead: list | None, toggle: str | None) -> dict:
    """The count of a finished game.

    dead: vertices of dead stones; None lets rollouts say.  toggle: a vertex of a chain that is alive instead of
    dead, or dead instead of alive.
    Returns the `dead`, the `area` row by row ('B', 'W', '.' for nobody's), points of both sides, and the `result`.
    """
    _check_go(position)
    size = position.size
    scoring_session = ScoringSession(position, None if dead is None else [_point(vertex, size) for vertex in dead])
    if toggle is not None:
        scoring_session.toggle(_point(toggle, size))
    area = scoring_session.ownership()
    return {"dead": [format_gtp(point, size) for point in sorted(scoring_session.dead)],
            "area": "".join(COLOUR_LETTERS.get(int(owner), ".") for owner in area.ravel()),
            "points": {COLOUR_LETTERS[colour]: int((area == colour).sum()) for colour in (BLACK, WHITE)},
            "komi": position.komi, "result": scoring_session.result()}


def _point(vertex: object, size: int) -> int:
    """The point a page names.  Raises BadInput."""
    try:
        return interpret_gtp(str(vertex), size)
    except ValueError as error:
        raise BadInput(str(error)) from None


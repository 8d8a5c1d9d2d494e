"""GoGui's extensions of GTP: positions set up and played in one go, and pictures over its board.

    gogui-analyze_commands    =
                              gfx/Policy/mugo-policy              what GoGui's menu shows: how to draw it/name/command
                              plist/Plane 12: liberties 1/mugo-plane 12

The pictures are of the position as it stands, for the side to move:

    gfx      lines of COLOR, LABEL, TRIANGLE, CIRCLE, VAR, TEXT        dboard   -1 White's to 1 Black's, in rows
    plist    points that are marked                                    sboard   a text for each point, in rows

For what a search finds it looks at the position for LOOK seconds, on top of what its tree holds already.

As a ruler (Game > Rules) MuGo tells GoGui the rules: gogui-rules_game_id and the like.

https://github.com/Remi-Coulom/gogui/tree/master/doc/manual/xml (analyze.xml, setup.xml, interrupt.xml, rules.xml)
"""
from collections.abc import Iterable, Sequence

import numpy as np

from mugo.games import gomoku, planes, scoring
from mugo.games.board import BLACK
from mugo.games.coords import PASS, board_points, format_gtp, move_index
from mugo.games.game import encode
from mugo.games.planes import Plane, unpack
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES, STONE_MARKS, BasePosition, IllegalMove
from mugo.gtp.protocol import SYNTAX_ERROR, Failure, answers, commands_of, read_colour, read_count, read_vertex
from mugo.search.result import SearchResult

LOOK = 1.0                # seconds
SHOWN = 12                # moves of a search or a policy that get a label
WIDTHS = (5, 3, 2)        # branches of the search tree shown at each depth
HOT = (224, 48, 32)       # the colour of the likeliest move


def _plane_names(table: Sequence[Plane]) -> tuple[str, ...]:
    names = []
    for plane in table:
        parts = plane.meaning.split(", ")
        if plane.depth == 1:
            names.append(plane.name)
        elif plane.depth == len(parts):
            names += [f"{plane.name} {part}" for part in parts]
        else:
            names += [f"{plane.name} {k}" for k in range(1, plane.depth + 1)]
    return tuple(names)


# By game: 'stone colour mine', 'liberties 1' ... 'liberties 8' (or more), 'ladder capture'
PLANE_NAMES = {"go": _plane_names(planes.PLANES), "gomoku": _plane_names(gomoku.PLANES)}


@answers("gogui-analyze_commands")
def _analyze_commands(engine) -> str:
    lines = ["gfx/Policy/mugo-policy", "gfx/Search/mugo-search", "var/Principal Variation/mugo-pv",
             "hstring/Search Tree/mugo-tree", "string/Last Move Explained/mugo-explain",
             "dboard/Ownership/mugo-ownership", "plist/Dead Stones/final_status_list dead",
             "plist/Seki/final_status_list seki", "string/Score/final_score",
             "sboard/Liberties/mugo-liberties", "gfx/Ladders/mugo-ladders", "param/Parameters/mugo-param"]
    known = commands_of(engine.position.game)
    lines = [line for line in lines if line.split("/")[-1].split(" ")[0] in known]
    return "\n".join(lines + [f"plist/Plane {k}: {name}/mugo-plane {k}"
                              for k, name in enumerate(PLANE_NAMES[engine.position.game])])


@answers("gogui-interrupt")
def _interrupt(engine) -> None:
    """That it is known says that a line '# interrupt' ends the search for a move."""


# ---- playing and setting up

@answers("gogui-play_sequence")
def _play_sequence(engine, *words: str) -> None:
    """Moves, all of them or none."""
    position = engine.position
    for side, point in _pairs(words, position.size):
        try:
            position = position.play(point, side)
        except IllegalMove as illegal:
            raise Failure("illegal move", str(illegal)) from None
    engine.position = position


@answers("gogui-setup")
def _setup(engine, *words: str) -> None:
    """Stones on an empty board."""
    if engine.position.stones.any():
        raise Failure("board not empty")
    stones = {point: side for side, point in _pairs(words, engine.position.size)}
    if PASS in stones:
        raise Failure(SYNTAX_ERROR, "a pass is no stone")
    try:
        engine.position = engine.start(engine.position.size).with_turn(engine.position.to_play).with_stones(
            [point for point, side in stones.items() if side == BLACK],
            [point for point, side in stones.items() if side != BLACK])
    except IllegalMove as illegal:
        raise Failure("invalid position", str(illegal)) from None


@answers("gogui-setup_player")
def _setup_player(engine, colour: str) -> None:
    engine.position = engine.position.with_turn(read_colour(colour))


@answers("gg-undo")
def _undo(engine, moves: str = "1") -> None:
    """So many moves, or none if there are fewer."""
    position = engine.position
    for _ in range(read_count(moves)):
        try:
            position = position.undo()
        except IllegalMove as illegal:
            raise Failure("cannot undo", str(illegal)) from None
    engine.go_to(position)


def _pairs(words: Sequence[str], size: int) -> list[tuple[int, int]]:
    """(colour, point) of words that are colours and vertices by turns."""
    if len(words) % 2:
        raise Failure(SYNTAX_ERROR, "pairs of a colour and a vertex are wanted")
    return [(read_colour(colour), read_vertex(vertex, size))
            for colour, vertex in zip(words[::2], words[1::2], strict=True)]


# ---- the rules

@answers("gogui-rules_game_id")
def _game_id(engine) -> str:
    return engine.position.game


@answers("gogui-rules_board")
def _board(engine) -> str:
    """X, O and . in rows, the top one first."""
    return _rows([STONE_MARKS[stone] for stone in engine.position.stones.ravel().tolist()], engine.position.size)


@answers("gogui-rules_board_size")
def _board_size(engine) -> str:
    return str(engine.position.size)


@answers("gogui-rules_legal_moves")
def _legal_moves(engine) -> str:
    """None when the game is over: so GoGui knows that it is."""
    position = engine.position
    if position.is_over:
        return ""
    return _vertices(position.legal_points(), position.size) + " pass" * position.may_pass


@answers("gogui-rules_side_to_move")
def _side_to_move(engine) -> str:
    return COLOUR_NAMES[engine.position.to_play].lower()


@answers("gogui-rules_final_result")
def _final_result(engine) -> str:
    position = engine.position
    if not position.is_over:
        return "unknown"
    score = (scoring.without_dead(position) if position.may_pass else position).score()
    return "draw" if score == 0 else "black" if score > 0 else "white"


# ---- the position

@answers("mugo-liberties", "go")
def _liberties(engine) -> str:
    board = engine.position.board[0]
    points = board_points(engine.position.size)
    counts = np.where(board["colour"][points] != 0, board["liberties"][board["head"][points]], 0)
    return _rows(['""' if count == 0 else str(count) for count in counts.tolist()], engine.position.size)


@answers("mugo-ownership", "go")
def _ownership(engine) -> str:
    """By rollouts; what dead stones stand on is their taker's."""
    ownership = scoring.ownership(engine.position).ravel()
    return _rows([f"{owner:.2f}" for owner in ownership.tolist()], engine.position.size)


@answers("mugo-ladders", "go")
def _ladders(engine) -> str:
    """Moves that take a chain in a ladder, and that save an own one from being taken."""
    names = PLANE_NAMES["go"]
    takes, saves = (_lit(engine.position, names.index(name)) for name in ("ladder capture", "ladder escape"))
    lines = [f"TRIANGLE {takes}"] * bool(takes) + [f"CIRCLE {saves}"] * bool(saves)
    lines.append(f"TEXT moves that take a chain in a ladder (triangles): {len(takes.split())}; "
                 f"that save one (circles): {len(saves.split())}")
    return "\n".join(lines)


@answers("mugo-plane")
def _plane(engine, *words: str) -> str:
    """The points of a plane, by its number from 0 or its name, where the network sees a 1."""
    text, names = " ".join(words), PLANE_NAMES[engine.position.game]
    if text.isascii() and text.isdigit() and int(text) < len(names):
        return _lit(engine.position, int(text))
    if text not in names:
        raise Failure("unknown plane", f"{text!r} is none of the {len(names)}: {', '.join(names)}")
    return _lit(engine.position, names.index(text))


@answers("mugo-planes")
def _planes(engine) -> str:
    """The names of all planes."""
    return "\n" + "\n".join(f"{k} {name}" for k, name in enumerate(PLANE_NAMES[engine.position.game]))


def _lit(position: BasePosition, k: int) -> str:
    lit = unpack(encode([position]), len(PLANE_NAMES[position.game]))[0, ..., k]
    return _vertices(board_points(position.size)[lit.ravel() != 0], position.size)


def _vertices(points: Iterable[int], size: int) -> str:
    return " ".join(format_gtp(int(point), size) for point in points)


def _rows(texts: Sequence[str], size: int) -> str:
    return "\n" + "\n".join(" ".join(texts[row * size:(row + 1) * size]) for row in range(size))


# ---- what the network and the search think

@answers("mugo-policy")
def _policy(engine) -> str:
    """The network's priors, in percent on the likeliest moves."""
    player, position = engine.player, engine.position
    network = player.network
    if network is None:
        raise Failure("no network", f"{player.name} plays without one")
    engine.wait_until_ready()
    priors = network.evaluate([position], tta=True)[0][0]
    points = sorted(position.legal_points().tolist(), key=lambda point: -priors[move_index(point, position.size)])
    shares = [float(priors[move_index(point, position.size)]) for point in points]
    return "\n".join([*_heat(points, shares, position.size),
                      *([f"TEXT pass {float(priors[-1]):.1%}"] if position.may_pass else [])])


@answers("mugo-search")
def _search(engine) -> str:
    """Visits as colours and percent, and what is expected on the board."""
    result = _result(engine)
    size, side = result.position.size, result.position.to_play
    found = [info for info in result.moves if info.point != PASS]
    total = max(sum(info.visits for info in result.moves), 1)
    lines = _heat([info.point for info in found], [info.visits / total for info in found], size)
    return "\n".join([*lines, f"VAR {_moves(result.moves[0].pv, side, size)}"] + [
        f"TEXT win rate {result.win_rate:.1%} for {COLOUR_LETTERS[side]}, {result.visits} visits"])


@answers("mugo-pv")
def _pv(engine) -> str:
    """The moves that the search expects."""
    result = _result(engine)
    return _vertices(result.moves[0].pv, result.position.size)


@answers("mugo-tree")
def _tree(engine) -> str:
    """The most visited branches, three moves deep."""
    _result(engine)
    size = engine.position.size
    lines: list[str] = []

    def add(moves: tuple[int, ...]) -> None:
        for info in engine.player.search.moves_after(moves)[:WIDTHS[len(moves)]]:
            if info.visits:
                lines.append(f"{'  ' * len(moves)}{format_gtp(info.point, size):4} {info.visits:7d} visits "
                             f"{info.win_rate:6.1%} win rate {info.prior:6.1%} prior")
                if len(moves) + 1 < len(WIDTHS):
                    add((*moves, info.point))

    add(())
    return "\n" + "\n".join(lines)


def _result(engine) -> SearchResult:
    """What the search says of this position."""
    player, position = engine.player, engine.position
    if player.search is None:
        raise Failure("no search", f"{player.name} does not search")
    engine.wait_until_ready()
    return player.search.search(position, seconds=LOOK, should_stop=engine.is_interrupted)


def _heat(points: Sequence[int], shares: Sequence[float], size: int) -> list[str]:
    """Lines that colour points by their share of the whole, the more the redder, and label the first of them."""
    top = max(shares, default=0) or 1.0
    lines = []
    for point, share in zip(points, shares, strict=True):
        if share > 0.01 * top:
            colour = "".join(f"{round(255 - share / top * (255 - part)):02x}" for part in HOT)
            lines.append(f"COLOR #{colour} {format_gtp(point, size)}")
    labels = " ".join(f"{format_gtp(point, size)} {100 * share:.0f}" for point, share in
                      list(zip(points, shares, strict=True))[:SHOWN] if share >= 0.005)
    return lines + [f"LABEL {labels}"] * bool(labels)


def _moves(line: Sequence[int], side: int, size: int) -> str:
    """Moves of both sides by turns, as VAR has them."""
    return " ".join(f"{COLOUR_LETTERS[side * (-1) ** k].lower()} {format_gtp(point, size).upper()}"
                    for k, point in enumerate(line))

"""GoGui's extensions of GTP, and MuGo's commands for a part of the board.

    gogui-analyze_commands    =
                              gfx/Policy/mugo-policy              GoGui's menu: how to draw it/its name/the command
    mugo-region A1 G6         genmove and analyses search this rectangle only, until `mugo-region` or a new game
    mugo-tsumego-frame        =  black      the board around the stones is filled; black attacks

Pictures are of the current position, for the side to move: `gfx` has lines of COLOR, LABEL, VAR and TEXT, `dboard` a
number from -1 (White) to 1 for each point.  mugo-search searches for SEARCH_SECONDS.

https://github.com/Remi-Coulom/gogui/tree/master/doc/manual/xml (analyze.xml, setup.xml, interrupt.xml, rules.xml)
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING


from mugo.games.board import BLACK
from mugo.games.coords import PASS, BoardSize, format_gtp, point_at, row_col, shape_of
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES, STONE_MARKS, IllegalMove
from mugo.games.tsumego import attacker_of, with_tsumego_frame
from mugo.gtp.analyze import select_by_of
from mugo.gtp.protocol import (
    COMMANDS, SYNTAX_ERROR, GtpError, command, fails_as, format_vertices, parse_colour, parse_stones, parse_vertex)
from mugo.players.evaluation import analyze, moves_by_prior, ownership_by

if TYPE_CHECKING:                        # the engine imports its commands
    from mugo.gtp.engine import GtpEngine

SEARCH_SECONDS = 1.0
MAX_LABELS = 12           # moves of a heat map that get a label
HOT = (224, 48, 32)       # RGB of the highest value of a heat map; the lowest is white


@command("gogui-analyze_commands")
def _analyze_commands(engine: GtpEngine) -> str:
    """Those that the player can do: a policy needs a network, and a picture of the search a search."""
    lines = ["gfx/Policy/mugo-policy", "gfx/Search/mugo-search", "string/Last Move Explained/mugo-explain",
             "dboard/Ownership/mugo-ownership", "plist/Dead Stones/final_status_list dead",
             "plist/Seki/final_status_list seki", "string/Final Status/final_status %p", "string/Score/final_score",
             "plist/Stones/list_stones %c", "param/Parameters/mugo-param"]
    known = set(COMMANDS.names(engine.position.game))
    known -= {"mugo-policy"} if engine.player.network is None else set()
    known -= {"mugo-search"} if engine.player.search is None else set()
    return "\n".join(line for line in lines if line.split("/")[-1].split(" ")[0] in known)


@command("gogui-interrupt")
def _interrupt(engine: GtpEngine) -> None:
    """Does nothing: GoGui sends the line `# interrupt`, which ends a search, to engines that have this command."""


# ---- moves and setup

@command("gogui-play_sequence")
@fails_as("illegal move", IllegalMove)
def _play_sequence(engine: GtpEngine, *words: str) -> None:
    """Play moves: all of them, or none if one is illegal."""
    position = engine.position
    for colour, point in parse_stones(words, position.shape):
        position = engine.play_move(position, point, colour)
    engine.position = position


@command("gogui-setup")
@fails_as("invalid position", IllegalMove)
def _setup(engine: GtpEngine, *words: str) -> None:
    """Put stones on an empty board."""
    if engine.position.stones.any():
        raise GtpError("board not empty")
    stones = {point: colour for colour, point in parse_stones(words, engine.position.shape)}
    if PASS in stones:
        raise GtpError(SYNTAX_ERROR, "a stone cannot be on a pass")
    board = engine.empty_board(engine.position.shape).with_turn(engine.position.to_play)
    engine.position = board.with_stones([point for point, colour in stones.items() if colour == BLACK],
                                        [point for point, colour in stones.items() if colour != BLACK])


@command("gogui-setup_player")
def _setup_player(engine: GtpEngine, colour: str) -> None:
    engine.position = engine.position.with_turn(parse_colour(colour))


# ---- MuGo as the referee of Gomoku.  Of Go GoGui knows the rules; it would begin a new game on our board, and throw
# the one that is open away.

command("gogui-rules_game_id", "gomoku")(lambda engine: engine.position.game)
command("gogui-rules_board_size", "gomoku")(lambda engine: str(engine.position.size))
command("gogui-rules_side_to_move", "gomoku")(lambda engine: COLOUR_NAMES[engine.position.to_play].lower())


@command("gogui-rules_board", "gomoku")
def _rules_board(engine: GtpEngine) -> str:
    """X, O and . in rows, the top row first."""
    return _rows([STONE_MARKS[stone] for stone in engine.position.stones.ravel().tolist()], engine.position.shape)


@command("gogui-rules_legal_moves", "gomoku")
def _rules_legal_moves(engine: GtpEngine) -> str:
    """Empty when the game is over; that is how GoGui learns it."""
    position = engine.position
    if position.is_over:
        return ""
    return format_vertices(position.legal_points(), position.shape) + " pass" * position.may_pass


@command("gogui-rules_final_result", "gomoku")
def _rules_final_result(engine: GtpEngine) -> str:
    position = engine.position
    if not position.is_over:
        return "unknown"
    score = position.score()
    return "draw" if score == 0 else "black" if score > 0 else "white"


# ---- pictures of the position

@command("mugo-ownership", "go")
def _ownership(engine: GtpEngine) -> str:
    """The ownership, 1 Black, -1 White, by rollouts and by the player's network if it has it."""
    engine.wait_until_ready()
    ownership = ownership_by(engine.player.network, engine.go_position()).ravel()
    return _rows([f"{value:.2f}" for value in ownership.tolist()], engine.position.shape)


def _rows(texts: Sequence[str], size: BoardSize) -> str:
    rows, cols = shape_of(size)
    return "\n" + "\n".join(" ".join(texts[row * cols:(row + 1) * cols]) for row in range(rows))


# ---- pictures of the policy and the search

@command("mugo-policy")
def _policy(engine: GtpEngine) -> str:
    """A heat map of the network's priors, in percent."""
    player, position = engine.player, engine.position
    network = player.network
    if network is None:
        raise GtpError("no network", f"{player.name} uses none")
    engine.wait_until_ready()
    priors = network.evaluate([position], symmetries=True).priors[0]
    moves = [(point, prior) for point, prior in moves_by_prior(position, priors) if point != PASS]
    return "\n".join([*_heat_map(moves, position.shape),
                      *([f"TEXT pass {float(priors[-1]):.1%}"] if position.may_pass else [])])


@command("mugo-search")
def _search(engine: GtpEngine) -> str:
    """A heat map of the visits, in percent, and the principal variation."""
    player = engine.player
    if player.search is None:
        raise GtpError("no search", f"{player.name} does not search")
    engine.wait_until_ready()
    result = analyze(player.search, engine.position, seconds=SEARCH_SECONDS, select_by=select_by_of(player),
                     control=engine.control())
    size, to_play = result.position.shape, result.position.to_play
    total = max(sum(info.visits for info in result.moves), 1)
    lead = "" if result.score_lead is None else f", lead {result.score_lead:+.1f}"
    lines = _heat_map([(info.point, info.visits / total) for info in result.moves if info.point != PASS], size)
    variation = " ".join(f"{COLOUR_LETTERS[to_play * (-1) ** k].lower()} {format_gtp(point, size).upper()}"
                         for k, point in enumerate(result.moves[0].pv))
    return "\n".join([*lines, f"VAR {variation}"] + [
        f"TEXT win rate {result.win_rate:.1%}{lead} for {COLOUR_LETTERS[to_play]}, {result.visits} visits"])


def _heat_map(moves: Sequence[tuple[int, float]], size: BoardSize) -> list[str]:
    """Lines that colour points from white to HOT and label the first.  moves: (point, fraction), the highest first."""
    highest = max((fraction for _, fraction in moves), default=0) or 1.0
    lines = []
    for point, fraction in moves:
        if fraction > 0.01 * highest:
            colour = "".join(f"{round(255 - fraction / highest * (255 - part)):02x}" for part in HOT)
            lines.append(f"COLOR #{colour} {format_gtp(point, size)}")
    labels = " ".join(f"{format_gtp(point, size)} {100 * fraction:.0f}"
                      for point, fraction in moves[:MAX_LABELS] if fraction >= 0.005)
    return lines + [f"LABEL {labels}"] * bool(labels)


@command("mugo-region")
def _region(engine: GtpEngine, *corners: str) -> str:
    """Two opposite corners: genmove and analyses search the moves between them, and passes below the root.

    Without arguments: the whole board.  The reply has the points.
    """
    if not corners:
        engine.region = None
        return ""
    if len(corners) != 2:
        raise GtpError(SYNTAX_ERROR, "expected two corners")
    if engine.player.search is None:
        raise GtpError("no search", f"{engine.player.name} does not search")
    size = engine.position.shape
    points = [parse_vertex(corner, size) for corner in corners]
    if PASS in points:
        raise GtpError(SYNTAX_ERROR, "a pass is not a corner")
    rows, cols = zip(*(row_col(point, size) or (0, 0) for point in points), strict=True)
    region = [point_at(row, col, size) for row in range(min(rows), max(rows) + 1)
              for col in range(min(cols), max(cols) + 1)]
    engine.region = frozenset(region)
    return format_vertices(region, size)


@command("mugo-tsumego-frame", game="go")
def _tsumego_frame(engine: GtpEngine, *attacker: str) -> str:
    """A new start, without history: the position with a frame around its stones that settles the rest of the board.

    COLOUR: who attacks, by default the side whose stones are outside; the reply names it.
    """
    if len(attacker) > 1:
        raise GtpError(SYNTAX_ERROR, "expected one colour")
    position, region = engine.go_position(), engine.region
    colour = parse_colour(attacker[0]) if attacker else attacker_of(position)
    engine.start_game(with_tsumego_frame(position, colour))
    engine.region = region
    return COLOUR_NAMES[colour or BLACK].lower()

"""MuGo's commands for a part of the board: a region, and the frame of a life-and-death problem.

    mugo-region A1 G6              genmove and analyses search this rectangle only, until `mugo-region`,
                                   a new game or loadsgf
    mugo-tsumego-frame             =  black               the board around the stones is filled; black attacks
"""
from mugo.games.board import BLACK
from mugo.games.coords import PASS, point_at, row_col
from mugo.games.position import COLOUR_NAMES
from mugo.games.tsumego import attacker_of, with_tsumego_frame
from mugo.gtp.engine import GtpEngine
from mugo.gtp.protocol import SYNTAX_ERROR, GtpError, command, format_vertices, parse_colour, parse_vertex


@command("mugo-region")
def _region(engine: GtpEngine, *corners: str) -> str:
    """Two opposite corners of a rectangle: genmove and analyses search the moves in it, and passes below the root.
    Without arguments: the whole board.  The reply has the points."""
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
    """A new start, without history: the position with a frame around its stones, that settles the rest of the board.
    COLOUR: who attacks, by default the side whose stones are outside; the reply names it."""
    if len(attacker) > 1:
        raise GtpError(SYNTAX_ERROR, "expected one colour")
    position, region = engine.go_position(), engine.region
    colour = parse_colour(attacker[0]) if attacker else attacker_of(position)
    engine.start_game(with_tsumego_frame(position, colour))
    engine.region = region
    return COLOUR_NAMES[colour or BLACK].lower()

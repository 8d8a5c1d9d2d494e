"""Commands of GNU Go and GoGui that controllers use, beyond GTP 2.

    list_stones b                =  D4 Q16
    final_status D4              =  alive
    gogui-analyze_commands       =
                                 string/Score/final_score        GoGui's menu: how to show it/its name/the command

https://www.gnu.org/software/gnugo/gnugo_19.html
https://github.com/Remi-Coulom/gogui/tree/master/doc/manual/xml (analyze.xml, interrupt.xml)
"""
from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mugo.core.files import atomic_write
from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, board_points, format_gtp
from mugo.games.go import GoPosition
from mugo.games.position import COLOUR_LETTERS, IllegalMove
from mugo.games.rules import Rules
from mugo.gtp.protocol import (
    COMMANDS, SYNTAX_ERROR, GtpError, command, fails_as, format_vertices, parse_colour, parse_count, parse_path,
    parse_vertex)
from mugo.players.evaluation import moves_by_prior
from mugo.players.player import RESIGN
from mugo.sgf.convert import format_record, record_from_position
from mugo.sgf.record_positions import rules_name

if TYPE_CHECKING:                        # the engine imports its commands
    from mugo.gtp.engine import GtpEngine

TOP_MOVES = 10


@command("cputime")
def _cputime(engine: GtpEngine) -> str:
    """Seconds of processor time of all threads since the start."""
    return f"{time.process_time():.3f}"


@command("gg-undo")
@fails_as("cannot undo", IllegalMove)
def _undo(engine: GtpEngine, moves: str = "1") -> None:
    """Undo this many moves, or none if there are fewer."""
    position = engine.position
    for _ in range(parse_count(moves)):
        position = position.undo()
    engine.set_position(position)


command("get_komi")(lambda engine: f"{engine.komi:g}")       # without White's points for handicap stones


@command("captures", "go")
def _captures(engine: GtpEngine, colour: str) -> str:
    """How many stones this colour has captured."""
    return str(engine.position.captures[parse_colour(colour)])


command("top_moves_black")(lambda engine: _top_moves(engine, BLACK))
command("top_moves_white")(lambda engine: _top_moves(engine, WHITE))


def _top_moves(engine: GtpEngine, colour: int) -> str:
    """The best moves, each with a weight: the share of its visits or, without a search, its prior, in percent."""
    position = engine.position_to_move(colour)
    chosen = engine.player.select_move(position, control=engine.control())
    network, result = engine.player.network, engine.player.search_result
    if result is not None:
        total = max(sum(info.visits for info in result.moves), 1)
        moves = [(info.point, info.visits / total) for info in result.moves]
    elif network is not None:
        moves = moves_by_prior(position, network.evaluate([position], symmetries=True).priors[0])
    else:
        moves = [(chosen, 1.0)]
    return " ".join(f"{format_gtp(point, position.shape)} {100 * weight:.2f}"
                    for point, weight in moves[:TOP_MOVES] if point not in (PASS, RESIGN) and weight > 0)


@command("list_stones")
def _list_stones(engine: GtpEngine, colour: str) -> str:
    """The vertices with a stone of this colour, row by row from the top."""
    position, wanted = engine.position, parse_colour(colour)
    return format_vertices(board_points(position.shape)[position.stones.ravel() == wanted], position.shape)


@command("final_status", "go")
def _final_status(engine: GtpEngine, vertex: str) -> str:
    """What a point is at the end of the game: alive, dead, seki, white_territory, black_territory or dame.

    Eyes of chains in seki are territory where the rules count them, else dame.
    """
    position, point = engine.go_position(), parse_vertex(vertex, engine.position.shape)
    if point == PASS:
        raise GtpError(SYNTAX_ERROR, "expected a point of the board")
    for status, chains in scoring.final_statuses(position).items():
        if any(point in chain for chain in chains):
            return status
    owners = scoring.final_owners(scoring.cleared_by_rules(position), position)
    return {BLACK: "black_territory", WHITE: "white_territory"}.get(int(owners[point]), "dame")


@command("printsgf")
def _printsgf(engine: GtpEngine, *words: str) -> str | None:
    """The game as SGF: in the reply, or written to a file if one is named; "-" names none."""
    position = engine.position
    has_rules = isinstance(position, GoPosition) and bool(position.rules.name or position.rules != Rules())
    rules = rules_name(position) if isinstance(position, GoPosition) and has_rules else ""
    text = format_record(record_from_position(position, result=_result(engine), rules=rules))
    if not words or words == ("-",):
        return text
    path = parse_path(words)
    with fails_as("cannot save file", OSError):
        if not path.name or not path.parent.is_dir():
            raise GtpError("cannot save file", f"{path}: its folder does not exist, or it is a folder itself")
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return None


def _result(engine: GtpEngine) -> str:
    """The result of the game as SGF has it (RE); '' before its end."""
    position = engine.position
    if engine.resignation is not None and engine.resignation[0] is position:
        return f"{COLOUR_LETTERS[-engine.resignation[1]]}+R"
    if not position.is_over:
        return ""
    return scoring.final_result(position) if isinstance(position, GoPosition) else position.result()


# ---- GoGui

@command("gogui-analyze_commands")
def _analyze_commands(engine: GtpEngine) -> str:
    """GoGui's menu."""
    lines = ["string/Last Move Explained/mugo-explain", "plist/Dead Stones/final_status_list dead",
             "plist/Seki/final_status_list seki", "string/Final Status/final_status %p", "string/Score/final_score",
             "plist/Stones/list_stones %c", "param/Parameters/mugo-param"]
    known = COMMANDS.names(engine.position.game)
    return "\n".join(line for line in lines if line.split("/")[-1].split(" ")[0] in known)


@command("gogui-interrupt")
def _interrupt(engine: GtpEngine) -> None:
    """Does nothing: GoGui sends the line `# interrupt`, which ends a search, to engines that have this command."""

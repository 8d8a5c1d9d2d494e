"""GNU Go's commands that controllers use, beyond those of GTP 2.

    list_stones b    =  D4 Q16
    final_status D4  =  alive

The reply of each is as GNU Go's; a malformed argument is a `syntax error`, as in every other command here.

https://www.gnu.org/software/gnugo/gnugo_19.html
"""
import time

from mugo.core.files import atomic_write, error_line
from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, board_points, format_gtp
from mugo.games.go import Position as Go
from mugo.games.position import IllegalMove
from mugo.games.rules import Rules
from mugo.gtp.commands import final_score
from mugo.gtp.engine import GtpEngine
from mugo.gtp.protocol import SYNTAX_ERROR, GtpError, command, parse_colour, parse_count, parse_path, parse_vertex
from mugo.sgf.convert import record_from_position
from mugo.sgf.record_rules import rules_name
from mugo.sgf.writer import format_record


@command("cputime")
@command("gomill-cpu_time")
def _cputime(engine: GtpEngine) -> str:
    """Seconds of processor time of all threads since the start."""
    return f"{time.process_time():.3f}"


@command("gg-undo")
def _undo(engine: GtpEngine, moves: str = "1") -> None:
    """Undo this many moves, or none if there are fewer."""
    position = engine.position
    for _ in range(parse_count(moves)):
        try:
            position = position.undo()
        except IllegalMove as error:
            raise GtpError("cannot undo", str(error)) from None
    engine.set_position(position)


@command("get_komi")
def _get_komi(engine: GtpEngine) -> str:
    """The komi as it was set, without White's points for handicap stones."""
    return f"{engine.komi:g}"


@command("list_stones")
def _list_stones(engine: GtpEngine, colour: str) -> str:
    """The vertices with a stone of this colour, row by row from the top."""
    position, wanted = engine.position, parse_colour(colour)
    return " ".join(format_gtp(int(point), position.shape)
                    for point in board_points(position.shape)[position.stones.ravel() == wanted])


@command("final_status", "go")
def _final_status(engine: GtpEngine, vertex: str) -> str:
    """What a point is at the end of the game: alive, dead, seki, white_territory, black_territory or dame.

    Eyes of chains in seki are territory where they count, and dame where they do not, as by Japanese rules.
    """
    position, point = engine.go_position(), parse_vertex(vertex, engine.position.shape)
    if point == PASS:
        raise GtpError(SYNTAX_ERROR, "expected a point of the board")
    for status, chains in scoring.final_statuses(position).items():
        if any(point in chain for chain in chains):
            return status
    owners = scoring.final_owners(scoring.without_dead(position))
    return {BLACK: "black_territory", WHITE: "white_territory"}.get(int(owners[point]), "dame")


@command("printsgf")
def _printsgf(engine: GtpEngine, *words: str) -> str | None:
    """The game as SGF: in the reply, or written to a file if one is named; "-" names none."""
    result = final_score(engine) if engine.position.is_over else ""
    position = engine.position
    rules = rules_name(position) if isinstance(position, Go) and position.scoring_rules != Rules() else ""
    text = format_record(record_from_position(position, result=result, rules=rules))
    if not words or words == ("-",):
        return text
    path = parse_path(words)
    try:
        if not path.name or not path.parent.is_dir():
            raise GtpError("cannot save file", f"{path}: its folder does not exist, or it is a folder itself")
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GtpError("cannot save file", f"{path}: {error_line(error)}") from None
    return None

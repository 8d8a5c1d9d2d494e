"""The commands of GTP 2, and KGS's: a function each, of the gtp.Engine and the words after the name.

    play b D4    -->   engine.position = engine.position.play(point, BLACK)

http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html
http://www.weddslist.com/kgs/how/kgsGtp.html

A failure says what the specification says where it names one; the details go to the log.
"""
import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

from mugo import __version__
from mugo.files import BadInput, atomic_write
from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, format_gtp, interpret_gtp
from mugo.games.go import fixed_handicap
from mugo.games.gomoku import format_row
from mugo.games.position import COLOUR_NAMES, IllegalMove
from mugo.gtp.protocol import (
    SYNTAX_ERROR,
    Failure,
    answers,
    commands_of,
    read_colour,
    read_count,
    read_float,
    read_int,
    read_seconds,
    read_vertex,
)
from mugo.players.time_control import NO_LIMIT, absolute, canadian, japanese
from mugo.sgf.convert import load_position, record_from_position
from mugo.sgf.writer import format_record

# ---- about the engine

@answers("protocol_version")
def _protocol_version(engine) -> str:
    return "2"


@answers("name")
def _name(engine) -> str:
    return engine.name_told or f"MuGo {engine.player.name}"


@answers("version")
def _version(engine) -> str:
    return __version__


@answers("known_command")
def _known_command(engine, name: str) -> str:
    return "true" if name in commands_of(engine.position.game) else "false"


@answers("list_commands")
def _list_commands(engine) -> str:
    return "\n".join(commands_of(engine.position.game))


@answers("cputime")
def _cputime(engine) -> str:
    """Seconds of processor time so far, of all threads."""
    return f"{time.process_time():.3f}"


@answers("quit")
def _quit(engine) -> None:
    engine.quitting = True


# ---- setting up

@answers("boardsize")
def _boardsize(engine, size: str) -> None:
    """An empty board of this size; in Gomoku as many in a row win as before."""
    number = read_int(size)
    try:
        start = engine.start(number)
        engine.wait_until_ready()
        if number != engine.position.size:
            engine.player.warm_up(start)           # another board may need another network
    except BadInput as bad:
        raise Failure("unacceptable size", str(bad)) from None
    engine.begin_game(start)


@answers("clear_board")
def _clear_board(engine) -> None:
    engine.wait_until_ready()
    engine.begin_game(engine.start(engine.position.size))


@answers("komi")
def _komi(engine, komi: str) -> None:
    """In Gomoku it changes nothing; controllers send it for every game."""
    engine.komi = read_float(komi)
    engine.go_to(engine.position)


@answers("fixed_handicap", "go")
def _fixed_handicap(engine, stones: str) -> str:
    try:
        points = fixed_handicap(engine.position.size, read_int(stones))
    except ValueError as error:
        raise Failure("invalid number of stones", str(error)) from None
    return _place_handicap(engine, points)


@answers("place_free_handicap", "go")
def _place_free_handicap(engine, stones: str) -> str:
    """The fixed points, as many as there are: GTP lets an engine place fewer than asked for."""
    for number in range(min(read_int(stones), 9), 1, -1):
        with contextlib.suppress(ValueError):
            return _place_handicap(engine, fixed_handicap(engine.position.size, number))
    raise Failure("invalid number of stones", "at least 2, on a board of 7x7 or larger")


@answers("set_free_handicap", "go")
def _set_free_handicap(engine, *vertices: str) -> None:
    size = engine.position.size
    try:
        points = [interpret_gtp(vertex, size) for vertex in vertices]
    except ValueError as error:
        raise Failure("bad vertex list", str(error)) from None
    if PASS in points or len(set(points)) < len(points) or not 2 <= len(points) < size * size:
        raise Failure("bad vertex list", f"2 to {size * size - 1} different points are wanted")
    _place_handicap(engine, points)


def _place_handicap(engine, points: list[int]) -> str:
    if engine.position.stones.any():
        raise Failure("board not empty")
    size = engine.position.size
    engine.position = engine.start(size).with_handicap(points)
    return " ".join(format_gtp(point, size) for point in points)


# ---- playing

@answers("play")
def _play(engine, colour: str, vertex: str) -> None:
    side = read_colour(colour)
    point = read_vertex(vertex, engine.position.size)
    try:
        engine.position = engine.position.play(point, side)
    except IllegalMove as illegal:
        raise Failure("illegal move", str(illegal)) from None


@answers("genmove")
def _genmove(engine, colour: str) -> str:
    return _move(engine, read_colour(colour))


@answers("kgs-genmove_cleanup", "go")
def _genmove_cleanup(engine, colour: str) -> str:
    """A move of a game that goes on until no dead stone is left."""
    return _move(engine, read_colour(colour), cleanup=True)


def _move(engine, side: int, cleanup: bool = False) -> str:
    engine.wait_until_ready()
    return engine.generate(engine.position.with_turn(side), cleanup)


@answers("reg_genmove")
def _reg_genmove(engine, colour: str) -> str:
    side = read_colour(colour)
    engine.wait_until_ready()
    return engine.format_move(engine.player.select_move(engine.position.with_turn(side)))


@answers("mugo-explain")
def _explain(engine) -> str:
    """What the player thinks of its last move, in one line."""
    return engine.player.explain()


@answers("undo")
def _undo(engine) -> None:
    try:
        engine.go_to(engine.position.undo())
    except IllegalMove as error:
        raise Failure("cannot undo", str(error)) from None


# ---- time

@answers("time_settings")
def _time_settings(engine, main_time: str, byo_yomi_time: str, byo_yomi_stones: str) -> None:
    engine.set_clocks(canadian(read_seconds(main_time), read_seconds(byo_yomi_time), read_count(byo_yomi_stones)))


@answers("kgs-time_settings")
def _kgs_time_settings(engine, system: str, *numbers: str) -> None:
    match system, *numbers:
        case ["none"]:
            engine.set_clocks(NO_LIMIT)
        case ["absolute", main]:
            engine.set_clocks(absolute(read_seconds(main)))
        case ["canadian", _, _, _]:
            _time_settings(engine, *numbers)
        case ["byoyomi", main, period, periods]:
            engine.set_clocks(japanese(read_seconds(main), read_seconds(period), read_count(periods)))
        case _:
            raise Failure(SYNTAX_ERROR, "none, absolute MAIN, byoyomi MAIN TIME PERIODS or "
                                        "canadian MAIN TIME STONES")


@answers("time_left")
def _time_left(engine, colour: str, seconds: str, stones: str) -> None:
    # Below 0 is how some controllers show a clock that has just run out.
    engine.clocks[read_colour(colour)].correct(read_float(seconds), read_count(stones))


# ---- the end of a game

@answers("final_score")
def _final_score(engine) -> str:
    if not engine.position.may_pass:
        if not engine.position.is_over:
            raise Failure("the game is not over", "and in Gomoku nobody is ahead before that")
        return engine.position.result()
    return scoring.without_dead(engine.position).result()


@answers("final_status_list", "go")
def _final_status_list(engine, status: str) -> str:
    if status not in scoring.STATUSES:
        raise Failure(SYNTAX_ERROR, f"{status!r} is no status ({', '.join(scoring.STATUSES)})")
    size = engine.position.size
    return "\n".join(" ".join(format_gtp(point, size) for point in chain)
                     for chain in scoring.final_statuses(engine.position)[status])


# ---- looking, loading, saving

@answers("showboard")
def _showboard(engine) -> str:
    position = engine.position
    if position.game == "gomoku":
        turn = {"B+": "Black has won", "W+": "White has won", "0": "A draw"}.get(
            position.result(), f"{COLOUR_NAMES[position.to_play]} to play")
        return f"\n{position}\n{turn}.  Gomoku: {format_row(position.k, position.exactly)} wins."
    taken = position.captures
    return (f"\n{position}\n{COLOUR_NAMES[position.to_play]} to play.  Komi {engine.komi:g}.  "
            f"Black (X) has taken {taken[BLACK]}, White (O) {taken[WHITE]}.")


@answers("loadsgf")
def _loadsgf(engine, *words: str) -> None:
    """The first game of a file; with a number N, the position before move N.

    A name may hold single blanks, which GTP does not know; GoGui puts such names between quotes.
    """
    if not words:
        raise Failure(SYNTAX_ERROR, "which file?")
    number = None
    if len(words) > 1 and words[-1].isascii() and words[-1].isdigit():
        *words, number = words
    plies = None if number is None else max(read_int(number) - 1, 0)
    path = _path(words)
    try:
        engine.position = load_position(path, plies, engine.komi, engine.position.game)
    except BadInput as error:
        raise Failure("cannot load file", str(error)) from None
    except OSError as error:
        raise Failure("cannot load file", f"{path}: {error}") from None
    if engine.position.game == "go":
        engine.komi = engine.position.komi


@answers("printsgf")
def _printsgf(engine, *words: str) -> str | None:
    """The game as SGF: the reply, or written to a file if one is named."""
    result = _final_score(engine) if engine.position.is_over else ""
    text = format_record(record_from_position(engine.position, result=result))
    if not words:
        return text
    path = _path(words)
    if not path.name:
        raise Failure("cannot save file", f"{path} is no file's name")
    try:
        with atomic_write(path) as beside:
            beside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure("cannot save file", f"{path}: {error}") from None
    return None


def _path(words: Sequence[str]) -> Path:
    text = " ".join(words)
    return Path(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)

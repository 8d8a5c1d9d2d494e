"""The commands that a person can type at the board.

Each is a function of a Session and its words, registered in COMMANDS under its name; its docstring is its help.
"""
import contextlib
import inspect
import re
from pathlib import Path

import numpy as np

from mugo.core.command_table import CommandTable
from mugo.core.files import BadInput
from mugo.games.coords import PASS, BoardSize, format_gtp, interpret_gtp, interpret_size
from mugo.games.game import new_game
from mugo.games.go import GoPosition, format_komi, format_score
from mugo.games.gomoku import GomokuPosition, default_row
from mugo.nn.inputs import People
from mugo.players.evaluation import moves_by_prior, network_lead, ownership_by, sensible_moves
from mugo.plots.terminal import format_table, heatmap_array, heatmap_lines
from mugo.mcts.result import distinct
from mugo.sgf.convert import load_game
from mugo.tui.session import Session

HINTS = 5                                # moves that `hint` shows by default
LETTERS = "abcdefghijklmnopqrstuvwxyz"

COMMANDS = CommandTable()
command = COMMANDS.command


def parse_point(text: str, size: BoardSize) -> int | None:
    """The point of 'd4', 'D 4', 'd-4' or '4d'; None if the text is not a point of this board."""
    match = re.fullmatch(r"([a-z])[-,. ]?(\d{1,2})[.!]?|(\d{1,2})[-,. ]?([a-z])", text.lower())
    if not match:
        return None
    vertex = f"{match[1]}{match[2]}" if match[1] else f"{match[4]}{match[3]}"
    with contextlib.suppress(ValueError):
        return interpret_gtp(vertex, size)
    return None


# ---- moves

@command("pass", game="go")
def pass_(session: Session) -> None:
    """pass; two passes end the game"""
    session.play(PASS)


@command("resign")
def resign(session: Session) -> None:
    """resign the game"""
    if session.result:
        raise BadInput(f"the game is over: {session.result}")
    session.resign()


@command("undo")
def undo(session: Session) -> None:
    """undo your last move and the answer to it"""
    session.undo()


@command("redo")
def redo(session: Session) -> None:
    """play undone moves again"""
    session.redo()


# ---- information

@command("hint", arguments="[N]")
def hint(session: Session, number: str = str(HINTS)) -> None:
    """the N best moves with their win rates and leads, marked on the board as a, b, c ..."""
    count = _count("hint", number)
    moves = distinct(session.evaluate().moves)[:count]
    size = session.position.shape
    session.show_board({info.point: letter for letter, info in zip(LETTERS, moves, strict=False)
                        if info.point != PASS})
    rows, has_leads = [], any(info.score_lead is not None for info in moves)
    for letter, info in zip(LETTERS, moves, strict=False):
        win_rate = "" if np.isnan(info.win_rate) else f"win rate {info.win_rate:.1%}"
        weight = f"{info.visits:,} visits" if info.visits else f"prior {info.prior:.1%}"
        pv = " ".join(format_gtp(point, size) for point in info.pv[1:])
        lead = "" if info.score_lead is None else f"lead {info.score_lead:+.1f}"
        rows.append([letter, format_gtp(info.point, size), win_rate, *([lead] if has_leads else []), weight,
                     f"then {pv}" if pv else ""])
    widest = max(len(row[-1]) for row in rows)
    session.print("\n".join(format_table([[*row[:-1], row[-1].ljust(widest)] for row in rows], left=2)))


@command("heat")
def heat(session: Session) -> None:
    """a heat map of the search's visits or the network's policy, in percent"""
    moves = session.evaluate().moves
    visits = sum(info.visits for info in moves)
    shares = {info.point: info.visits / visits if visits else info.prior for info in moves}
    heatmap = heatmap_array(shares, session.position.shape)
    session.print("\n".join(heatmap_lines(session.position, heatmap, session.screen)))


@command("people", game="go", arguments="RANK [N]")
def people(session: Session, rank: str, number: str = str(HINTS)) -> None:
    """the N moves that people of a rank, 3d say, would most likely play, and what the search says of them"""
    count, network, position = _count("people", number), session.player.network, session.position
    if network is None or not network.takes_people:
        raise BadInput("this player's network does not take who plays: it was trained without --metadata-encoder")
    priors = network.evaluate([position], people=People(rank, rank)).priors[0]
    moves = moves_by_prior(position, priors, sensible_moves(position))[:count]
    found = {info.point: info for info in session.evaluate().moves}
    session.show_board({point: letter for letter, (point, _) in zip(LETTERS, moves, strict=False) if point != PASS})
    rows = [["", "", f"by {rank}", "win rate", "lead"]]
    for letter, (point, prior) in zip(LETTERS, moves, strict=False):
        info = found.get(point)
        rows.append([letter, format_gtp(point, position.shape), f"{prior:.1%}",
                     "" if info is None or np.isnan(info.win_rate) else f"{info.win_rate:.1%}",
                     "" if info is None or info.score_lead is None else f"{info.score_lead:+.1f}"])
    session.print("\n".join(format_table(rows, left=2)))


def _count(name: str, number: str) -> int:
    """The number of moves that a command lists.  Raises BadInput."""
    if not number.isdecimal() or not 1 <= int(number) <= len(LETTERS):
        raise BadInput(f"{name} takes a number from 1 to {len(LETTERS)}, not {number}")
    return int(number)


@command("score", game="go")
def score(session: Session) -> None:
    """an estimate of the score and the ownership: + or a black square is Black's, - or a white one White's"""
    assert isinstance(session.position, GoPosition)
    ownership = ownership_by(session.player.network, session.position)
    session.show_board(ownership=ownership)
    black, white = float(ownership[ownership > 0].sum()), float(-ownership[ownership < 0].sum())
    position = session.position
    komi = f"{position.area_komi:g} against the area" if position.counts_territory else format_komi(position)
    lead = network_lead(session.player.network, position)
    by = "" if lead is None else " by the network"
    lead = black - white - position.area_komi if lead is None else lead
    session.print(f"estimate {format_score(round(2 * lead) / 2)}{by}.  Points, each weighted by its ownership: "
                  f"Black {black:.0f}, White {white:.0f} and {komi}")


@command("board")
def board(session: Session) -> None:
    """show the board"""
    session.show_board()


@command("who")
def who(session: Session) -> None:
    """who plays which colour"""
    session.print(session.players_text())


@command("help")
def help_(session: Session) -> None:
    """this list"""
    rows = [("D4", "play there (d4, 4d and d 4 are the same)")]
    rows += [(f"{name} {COMMANDS[name].arguments}".strip(), inspect.getdoc(COMMANDS[name].function) or "")
             for name in COMMANDS.names(session.position.game)]
    session.print("\n".join(f"  {line}" for line in format_table(rows, left=2))
                  + "\nCtrl-C stops a search; its best move so far is used.")


# ---- the end of a game

@command("done", game="go")
def done(session: Session) -> None:
    """accept the score of a finished game"""
    if session.scoring is None:
        raise BadInput("the game is not being scored: two passes end it")
    session.finish(session.scoring.result())


# ---- games

@command("save", arguments="FILE.sgf [overwrite]")
def save(session: Session, name: str, *more: str) -> None:
    """write the game as SGF"""
    overwrite = more[-1:] == ("overwrite",)
    path = _path(name, *more[:len(more) - overwrite])
    path = path if path.suffix or path.is_dir() else path.with_suffix(".sgf")
    if not path.parent.is_dir():
        raise BadInput(f"there is no folder {path.parent}")
    if path.is_file() and not overwrite and not session.is_file_of_session(path):
        raise BadInput(f"{path} exists already: `save {path} overwrite` replaces it")
    if session.is_shared_file(path):
        raise BadInput(f"{path} has other games, which would be deleted: save this one under another name")
    session.save(path)


def _path(*words: str) -> Path:
    """The path of a file that a person names, with spaces or not, in quotes or not; `~` and `~USER` are home folders.
    Raises BadInput."""
    name = " ".join(words)
    path = Path(name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name)
    try:
        return path.expanduser()
    except RuntimeError:
        raise BadInput(f"{path.parts[0]} is not a home folder on this computer") from None


@command("load", arguments="FILE.sgf [MOVE]")
def load(session: Session, name: str, *more: str) -> None:
    """continue a game from a file, after N of its moves"""
    move = int(more[-1]) if more and more[-1].isdecimal() else None
    path, position = _path(name, *(more if move is None else more[:-1])), session.position
    loaded = load_game(path, move, position.komi, position.game, notice=session.print)
    session.start(loaded.position, loaded)


@command("new", arguments="[SIZE]")
def new(session: Session, size: str | None = None) -> None:
    """start another game, on 9 or 13x9 (columns x rows)"""
    position = session.position
    try:
        shape = position.shape if size is None else interpret_size(size)
    except ValueError as error:
        raise BadInput(str(error)) from None
    if isinstance(position, GomokuPosition):
        k = position.k if shape == position.shape else default_row(shape)
        session.start(new_game("gomoku", shape, k=k, exactly=position.exactly))
    else:
        start = new_game("go", shape, komi=position.komi)
        assert isinstance(position, GoPosition) and isinstance(start, GoPosition)
        session.start(start.with_rules(position.rules))


@command("swap")
def swap(session: Session) -> None:
    """swap colours with the player"""
    session.humans = tuple(-colour for colour in session.humans)
    session.print(session.players_text())


@command("quit")
def quit_(session: Session) -> None:
    """leave; an unsaved game is saved first"""
    session.close()

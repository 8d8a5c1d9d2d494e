"""A board between a player and a person who types.

    line of text -> Table: a word of WORDS, or a move -> position -> board_lines
                      ^                                     |
                      +------- the player's move -----------+

Nothing that is typed ends in a traceback, and no game is lost: it is written to a named file when it ends, and
when the person leaves.  How a point may be written is typed.py's, and how a finished game of Go is counted
counting.py's; one of Gomoku is not counted.
"""
import contextlib
import inspect
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from mugo.files import BadInput, atomic_write
from mugo.games import scoring
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import PASS, format_gtp, row_col
from mugo.games.game import new_game
from mugo.games.go import format_score
from mugo.games.gomoku import default_row, format_row
from mugo.games.position import COLOUR_NAMES, BasePosition, IllegalMove
from mugo.games.scoring_session import Count
from mugo.players.evaluator import evaluator_for
from mugo.players.player import RESIGN, Player
from mugo.players.searcher import SearchPlayer
from mugo.plots.diagrams import table
from mugo.plots.terminal import PLAIN, Screen, board_lines, heat_lines, points_of
from mugo.search.result import SearchResult
from mugo.sgf.convert import load_position, record_from_position
from mugo.sgf.writer import format_record
from mugo.tui.input import as_point, what_is_wrong

HINTS = 5                                # moves that `hint` names unless it is told
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# word: (method of Table, its arguments, what it does, the only game that has it or "")
WORDS: dict[str, tuple[Callable, str, str, str]] = {}


def word(name: str, arguments: str = "", game: str = "") -> Callable:
    """Make a method of Table what is done at this word; its docstring is the help.  game: the only one with it."""
    def register(function: Callable) -> Callable:
        WORDS[name] = (function, arguments, inspect.getdoc(function) or "", game)
        return function
    return register


def words_of(game: str) -> list[str]:
    """What can be typed in a game, "go" or "gomoku", beside moves."""
    return [name for name, (*_, only) in WORDS.items() if only in ("", game)]


def in_words(result: str, position: BasePosition) -> str:
    """A result of SGF's that a game has at this position: 'Black wins by 3.5', 'White wins with 5 in a row: ...'."""
    winner = {"B": "Black wins", "W": "White wins"}.get(result[:1])
    if result.endswith("R"):
        return f"{winner} by resignation"
    if position.game == "gomoku":
        row = " ".join(format_gtp(point, position.size) for point in position.row)
        return f"{winner} with {len(position.row)} in a row, {row}" if winner else "A draw: the board is full"
    return f"{winner} by {result[2:]}" if winner else "A draw"


class Table:
    """A board, a player, and a person who types.

    humans: the colours that the person plays.  read(prompt): a line of theirs; EOFError when there are no more.
    simulations, seconds: for a hint, if the player searches.  folder: where games go that nobody gave a name.
    Ctrl-C stops the player's thinking, and it plays the best so far.
    """

    def __init__(self, player: Player, position: BasePosition, humans: tuple[int, ...], *, out: TextIO,
                 read: Callable[[str], str], screen: Screen = PLAIN, simulations: int | None = None,
                 seconds: float | None = None, folder: Path = Path()):
        self.player = player
        self.position = position
        self.humans = humans
        self.result = ""
        self._undone: list[BasePosition] = []                # the last one taken back stands last
        self._count: Count | None = None                 # while a finished game is being counted
        self._out, self._read, self._screen, self._folder = out, read, screen, folder
        self._evaluator = evaluator_for(player, simulations, seconds)
        self._saved: tuple = self._state()
        self._file: Path | None = None
        self._meant = ""                                 # what a typing error probably was
        self._left = self._stopped = False

    # -- the conversation

    def run(self) -> None:
        """Play until the person leaves.  Raises BadInput for a board that the player does not play."""
        self.say(f"{self._who()}  'help' lists what you can type.")
        self._go_on()
        interrupted = False
        try:
            while not self._left:
                try:
                    if self._is_players_turn():
                        self._let_it_play()
                    else:
                        self.obey(self._read(self._prompt()))
                    interrupted = False
                except KeyboardInterrupt:
                    self.say("")
                    if interrupted:
                        break
                    interrupted = True
                    self.say("Ctrl-C once more, or 'quit', leaves; the game will be saved.")
        except EOFError:
            self.say("")
        finally:
            self._keep()

    def _is_players_turn(self) -> bool:
        return self._count is None and not self.result and not self.position.is_over \
            and self.position.to_play not in self.humans

    def _prompt(self) -> str:
        if self._count is not None:
            return "dead stones> "
        return "game over> " if self.result else f"{COLOUR_NAMES[self.position.to_play]}> "

    def obey(self, line: str) -> None:
        """Do what a line says.  Raises nothing that the line could cause."""
        words = line.split()
        if not words or [word.lower() for word in words] in (["y"], ["yes"]):
            words = [self._meant or ("done" if self._count is not None else "board")]
        if words[0].lower() == "play" and len(words) > 1:
            del words[0]
        self._meant = ""
        name, *arguments = words
        try:
            point = as_point("".join(words), self.position.size)
            if point is not None:
                self._toggle(point) if self._count is not None else self._play(point)
            elif name.lower() in WORDS:
                function, usage, _, game = WORDS[name.lower()]
                if game not in ("", self.position.game):
                    raise BadInput(f"{name.lower()!r} is for {game.capitalize()}, and this is "
                                   f"{self.position.game.capitalize()}")
                try:
                    inspect.signature(function).bind(self, *arguments)
                except TypeError:
                    raise BadInput(f"like this: {name.lower()} {usage}".rstrip()) from None
                function(self, *arguments)
            else:
                self._wonder(name)
        except (BadInput, IllegalMove, ValueError) as bad:
            self.say(str(bad))
        except OSError as error:
            self.say(f"{error.filename or name}: {error.strerror or error}")

    def _wonder(self, text: str) -> None:
        """Say what was probably meant; an empty line then means it."""
        why, self._meant = what_is_wrong(text, self.position.size, self._known())
        self.say(why + (f"; did you mean {self._meant}? (Enter: yes)" if self._meant else " (try 'help')"))

    def say(self, text: str) -> None:
        """A line, or several, for the person."""
        print(text, file=self._out, flush=True)

    def show(self, labels: dict[int, str] | None = None, ownership: np.ndarray | None = None) -> None:
        """The board, whose turn it is, and what the game is about: who has taken what, or how long a row wins."""
        position = self.position
        last = "" if position.last is None else f"   last: {COLOUR_NAMES[position.mover]} " \
            f"{format_gtp(position.last, position.size)}"
        turn = self.result or ("both have passed" if position.is_over else f"{COLOUR_NAMES[position.to_play]} to play")
        if position.game == "gomoku":
            about = f"Gomoku: {format_row(position.k, position.exactly)} wins"
        else:
            taken = position.captures
            about = f"taken by Black: {taken[BLACK]}, by White: {taken[WHITE]}   komi {position.komi:g}"
        self.say("\n" + "\n".join(board_lines(position, self._screen, labels=labels, ownership=ownership)) + "\n"
                 f"move {position.plies}: {turn}{last}\n{about}\n")

    def _go_on(self) -> None:
        """Show the board; a game that is over is counted, or in Gomoku has its result."""
        if self.position.is_over and self.position.may_pass:
            self._begin_count()
            return
        if self.position.is_over:
            self.result = self.position.result()
        self.show()
        if self.position.is_over:
            self._finish(self.result)

    # -- moving

    def _play(self, point: int) -> None:
        if self._count is not None:
            raise BadInput("the game is being counted: Enter agrees, 'undo' plays on")
        if self.result:
            raise BadInput("the game is over: 'undo' goes back, 'new' begins another")
        self.position = self.position.play(point)
        self._undone.clear()
        if self.position.is_over or not self._is_players_turn():
            self._go_on()

    def _let_it_play(self) -> None:
        colour = COLOUR_NAMES[self.position.to_play]
        with self._thinking() as (should_stop, on_progress):
            if isinstance(self.player, SearchPlayer):
                self.player.should_stop, self.player.on_progress = should_stop, on_progress
            point = self.player.select_move(self.position)
        if point == RESIGN:
            self.say(f"{colour} ({self.player.name}) resigns.")
            self._finish(f"{'B' if self.position.to_play == WHITE else 'W'}+R")
            return
        what = "passes" if point == PASS else f"plays {format_gtp(point, self.position.size)}"
        about = self.player.explain()
        self.say(f"{colour} ({self.player.name}) {what}." + (f"  {about}" if about else ""))
        self._play(point)

    @contextlib.contextmanager
    def _thinking(self) -> Iterator[tuple[Callable[[], bool], Callable[[SearchResult], None]]]:
        """While somebody thinks: Ctrl-C is heard by is_over, and watch shows on a terminal how it goes."""
        self._stopped = False
        shown = False

        def stop(*_) -> None:
            if self._stopped:
                raise KeyboardInterrupt
            self._stopped = True

        def on_progress(thought: SearchResult) -> None:
            nonlocal shown
            if self._out.isatty():
                shown = True
                best = thought.moves[0]
                self._out.write(f"\r{thought.seconds:.0f} s, {thought.simulations:,} simulations, so far "
                                f"{format_gtp(best.point, self.position.size)} ({best.win_rate:.0%})\x1b[K")
                self._out.flush()

        on_main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, stop) if on_main else None
        try:
            yield lambda: self._stopped, on_progress
        finally:
            if on_main:
                signal.signal(signal.SIGINT, before)
            if shown:
                self._out.write("\r\x1b[K")
        if self._stopped:
            self.say("stopped; this is the best so far")

    @word("pass", game="go")
    def _pass(self) -> None:
        """pass; two passes end the game"""
        self._play(PASS)

    @word("resign")
    def _resign(self) -> None:
        """give the game up"""
        if self.result:
            raise BadInput(f"the game is over: {self.result}")
        self._finish(f"{'B' if self.position.to_play == WHITE else 'W'}+R")

    @word("undo")
    def _undo(self) -> None:
        """take your last move back, and the answer to it"""
        self._count, self.result = None, ""
        self._undone.append(self.position)
        try:
            self.position = self.position.undo()
        except IllegalMove:
            self._undone.pop()
            raise
        while self.position.to_play not in self.humans and self.position.previous is not None:
            self._undone.append(self.position)
            self.position = self.position.undo()
        self.show()

    @word("redo")
    def _redo(self) -> None:
        """play again what was taken back"""
        if not self._undone:
            raise BadInput("nothing was taken back")
        self.position = self._undone.pop()
        while self._undone and self.position.to_play not in self.humans:
            self.position = self._undone.pop()
        self._go_on()

    # -- asking

    @word("hint", "[N]")
    def _hint(self, number: str = str(HINTS)) -> None:
        """the N best moves with their win rates, drawn on the board as a, b, c ..."""
        if not number.isdecimal() or not 1 <= int(number) <= len(LETTERS):
            raise BadInput(f"1 to 26 hints, not {number}")
        with self._thinking() as (should_stop, on_progress):
            found = self._evaluator.evaluate(self.position, should_stop=should_stop, on_progress=on_progress)
        choices = found.moves[:int(number)]
        size = self.position.size
        self.show({info.point: LETTERS[i] for i, info in enumerate(choices)
                   if info.point != PASS})
        rows = []
        for i, info in enumerate(choices):
            rate = "" if np.isnan(info.win_rate) else f"wins {info.win_rate:.1%}"
            weight = f"{info.visits:,} visits" if info.visits else f"{info.prior:.1%} expected"
            line = " ".join(format_gtp(point, size) for point in info.pv[1:])
            rows.append([LETTERS[i], format_gtp(info.point, size), rate, weight, f"then {line}" if line else ""])
        widest = max(len(row[-1]) for row in rows)
        self.say("\n".join(table([[*row[:-1], row[-1].ljust(widest)] for row in rows], left=2)))

    @word("heat")
    def _heat(self) -> None:
        """where the moves are that are looked at the most, in percent"""
        with self._thinking() as (should_stop, on_progress):
            choices = self._evaluator.evaluate(self.position, should_stop=should_stop, on_progress=on_progress).moves
        visits = sum(info.visits for info in choices)
        heat = {info.point: info.visits / visits if visits else info.prior for info in choices}
        self.say("\n".join(heat_lines(self.position, points_of(heat, self.position.size), self._screen)))

    @word("score", game="go")
    def _score(self) -> None:
        """an estimate of the score, with owners: + or a black square Black's, - or a white one White's"""
        ownership = scoring.ownership(self.position)
        self.show(ownership=ownership)
        black, white = float(ownership[ownership > 0].sum()), float(-ownership[ownership < 0].sum())
        self.say(f"about {format_score(round(2 * (black - white - self.position.komi)) / 2)}: Black {black:.0f}, "
                 f"White {white:.0f} and {self.position.komi:g} komi, each point as sure as it is")

    @word("chain", "POINT", game="go")
    def _chain(self, vertex: str) -> None:
        """stones and liberties of a chain"""
        point = as_point(vertex, self.position.size)
        if point is None or self.position.stones[row_col(point, self.position.size)] == EMPTY:
            raise BadInput(f"there is no stone on {vertex}")
        size, board = self.position.size, self.position.board[0]
        chain = next(chain for chain in scoring.chains(self.position) if point in chain)
        free = sorted({stone + step for stone in chain for step in (-size - 1, -1, 1, size + 1)
                       if board["colour"][stone + step] == EMPTY})
        self.say(f"{COLOUR_NAMES[int(board['colour'][point])]}, {len(chain)} stone{'s' * (len(chain) > 1)}, "
                 f"{len(free)} libert{'ies' if len(free) > 1 else 'y'}: "
                 + " ".join(format_gtp(liberty, size) for liberty in free))

    @word("board")
    def _board(self) -> None:
        """show the board"""
        self.show()

    @word("who")
    def _say_who(self) -> None:
        """who plays which colour"""
        self.say(self._who())

    def _who(self) -> str:
        if len(self.humans) == 2:
            return f"You play both colours; {self.player.name} gives hints."
        own, its = (BLACK, WHITE) if BLACK in self.humans else (WHITE, BLACK)
        return f"You are {COLOUR_NAMES[own]}; {COLOUR_NAMES[its]} is {self.player.name}."

    @word("help")
    def _help(self) -> None:
        """this list"""
        rows = [("D4", "play there (d4, 4d and d 4 are understood, too)")]
        rows += [(f"{name} {WORDS[name][1]}".strip(), WORDS[name][2]) for name in self._known()]
        self.say("\n".join(f"  {line}" for line in table(rows, left=2)) + "\nCtrl-C while it thinks: the best so far.")

    def _known(self) -> list[str]:
        return words_of(self.position.game)

    # -- the end

    def _begin_count(self) -> None:
        self._count = Count(self.position)
        self._show_count()

    def _show_count(self) -> None:
        self.show(ownership=self._count.ownership())
        self.say(f"{self._count}\nEnter agrees; a point makes the chain there dead or alive again; 'undo' plays on.")

    def _toggle(self, point: int) -> None:
        self._count.toggle(point)
        self._show_count()

    @word("done", game="go")
    def _done(self) -> None:
        """agree to the count, when a game has ended"""
        if self._count is None:
            raise BadInput("the game is not being counted: two passes end it")
        self._finish(self._count.result())

    def _finish(self, result: str) -> None:
        self._count, self.result = None, result
        self.say(self._screen.paint(f"{in_words(result, self.position)} ({result}).", bold=True))
        self._keep()

    # -- games

    @word("save", "FILE.sgf")
    def _save(self, name: str) -> None:
        """write the game as SGF"""
        path = Path(name).expanduser()
        self._write(path if path.suffix else path.with_suffix(".sgf"))

    def _write(self, path: Path) -> None:
        names = {colour: "Human" if colour in self.humans else f"MuGo {self.player.name}" for colour in (BLACK, WHITE)}
        record = record_from_position(self.position, result=self.result, black=names[BLACK], white=names[WHITE],
                           date=time.strftime("%Y-%m-%d"), rules="Chinese")
        with atomic_write(path) as beside:
            beside.write_text(format_record(record), encoding="utf-8")
        self._saved, self._file = self._state(), path
        self.say(f"saved: {path}")

    def _state(self) -> tuple:
        """What has to be saved if it changes; a row that has won needs nobody to say so."""
        is_won = self.position.is_over and not self.position.may_pass
        return self.position.moves, self.result or (self.position.result() if is_won else "")

    def _keep(self) -> None:
        """Write the game to a file of its own if there are moves that stand in none."""
        if self._state() != self._saved and self.position.plies:
            stem = time.strftime("mugo-%Y%m%d-%H%M%S")
            path = next(path for path in (self._folder / f"{stem}{end}.sgf" for end in ("", *(f"-{i}" for i in
                        range(2, 1000)))) if not path.exists())
            self._write(self._file or path)

    @word("load", "FILE.sgf [MOVE]")
    def _load(self, name: str, move: str | None = None) -> None:
        """go on from a game, or from one of its moves"""
        if move is not None and not move.isdecimal():
            raise BadInput(f"a move is a number, not {move!r}")
        position = load_position(Path(name).expanduser(), None if move is None else int(move), self.position.komi,
                                 self.position.game)
        self._begin(position)

    @word("new", "[SIZE]")
    def _new(self, size: str | None = None) -> None:
        """begin another game"""
        now = self.position
        size = str(now.size) if size is None else size
        if not size.isdecimal():
            raise BadInput(f"a size is a number, not {size!r}")
        if now.game == "gomoku":
            k = now.k if int(size) == now.size else default_row(int(size))
            self._begin(new_game(now.game, int(size), k=k, exactly=now.exactly))
        else:
            self._begin(new_game(now.game, int(size), komi=now.komi))

    def _begin(self, position: BasePosition) -> None:
        self.player.warm_up(position)                    # it may not play this board, and then the old game goes on
        self._keep()
        self.position, self.result, self._count, self._file = position, "", None, None
        self._undone.clear()
        self._saved = self._state()
        self._go_on()

    @word("swap")
    def _swap(self) -> None:
        """change sides"""
        self.humans = tuple(-colour for colour in self.humans)
        self.say(self._who())

    @word("quit")
    def _quit(self) -> None:
        """leave; a game that is not saved is saved first"""
        self._left = True

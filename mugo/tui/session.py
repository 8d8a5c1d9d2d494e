"""The game between a person and a player in the terminal.

A game is saved when it ends, when another one starts and when the person leaves, with the moves that were taken back; a
game from a file with all that the file contains (sgf.convert.LoadedGame).
"""
import time
from pathlib import Path
from typing import TextIO, cast

import numpy as np

from mugo.core.files import BadInput, atomic_write
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import MAX_MOVES, PASS, format_gtp
from mugo.games.go import NO_RESULT, GoPosition
from mugo.games.gomoku import GomokuPosition, format_row
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES, BasePosition
from mugo.games.scoring import ScoringSession
from mugo.players.evaluation import Evaluation, evaluator_for
from mugo.players.player import RESIGN, Player, SearchControl
from mugo.plots.terminal import PLAIN, Screen, board_lines
from mugo.sgf.convert import LoadedGame, format_record, record_from_position
from mugo.sgf.nodes import parse_game
from mugo.sgf.record_positions import rules_name
from mugo.tui.signals import interruptible_search

Moves = tuple[tuple[int, int], ...]      # (colour, point) of each


def format_result(result: str, position: BasePosition) -> str:
    """An SGF result in words: 'Black wins by 3.5', 'White wins with 5 in a row, A1 B1 C1 D1 E1'."""
    winner = {"B": "Black wins", "W": "White wins"}.get(result[:1])
    if result == NO_RESULT:
        return "No result: the position stood on the board three times"
    if result.endswith("R"):
        return f"{winner} by resignation"
    if isinstance(position, GomokuPosition):
        row = " ".join(format_gtp(point, position.shape) for point in position.row)
        return f"{winner} with {len(position.row)} in a row, {row}" if winner else "A draw: the board is full"
    return f"{winner} by {result[2:]}" if winner else "A draw"


class Session:
    """A person, a player and their game.

    humans: the colours that the person plays.  result: in SGF's form, '' while it goes on.  scoring: the score of a
    finished game while the person agrees to it, else None.  is_closed: set when the person leaves.
    """

    def __init__(self, player: Player, position: BasePosition, humans: tuple[int, ...], *, out: TextIO,
                 screen: Screen = PLAIN, simulations: int | None = None, seconds: float | None = None,
                 folder: Path = Path(), loaded: LoadedGame | None = None):
        """simulations, seconds: limits of the search for a hint.  folder: for games that are saved without a name.
        loaded: the file that the position is from."""
        self.player, self.humans, self.screen = player, humans, screen
        self.is_closed = False
        self._out, self._folder = out, folder
        self._evaluator = evaluator_for(player, simulations, seconds)
        self._begin(position, loaded)

    def _begin(self, position: BasePosition, loaded: LoadedGame | None) -> None:
        self.position, self.result = position, ""
        self.scoring: ScoringSession | None = None
        self._redo_stack: list[BasePosition] = []        # the position that was undone last is the last item
        self._lines: dict[Moves, str] = {}               # results, or '' of lines that were left for another move
        self._path: Path | None = None                   # where the game was saved last
        self._loaded = loaded
        self._saved = self._game_state()

    # -- output

    def print(self, text: str) -> None:
        """Print a text of one line or more."""
        print(text, file=self._out, flush=True)

    def show_board(self, labels: dict[int, str] | None = None, ownership: np.ndarray | None = None) -> None:
        """Print the board, the side to move, and the captures in Go or the rule in Gomoku.  labels, ownership: as in
        plots.terminal.board_lines."""
        position = self.position
        last = "" if position.last is None else f"   last: {COLOUR_NAMES[cast(int, position.mover)]} " \
            f"{format_gtp(position.last, position.shape)}"
        turn = self.result or ("both have passed" if position.is_over else f"{COLOUR_NAMES[position.to_play]} to play")
        if isinstance(position, GomokuPosition):
            rules = f"Gomoku: {format_row(position.k, position.exactly)} wins"
        else:
            captures = position.captures
            bonus = f" and {position.handicap_bonus:g} for handicap stones" if position.handicap_bonus else ""
            rules = f"captures: Black {captures[BLACK]}, White {captures[WHITE]}   komi {position.komi:g}{bonus}" \
                + ("   scored by territory" if position.counts_territory else "")
        self.print("\n" + "\n".join(board_lines(position, self.screen, labels=labels, ownership=ownership)) + "\n"
                   f"move {position.plies}: {turn}{last}\n{rules}\n")

    def players_text(self) -> str:
        """One line: who plays which colour, and with which network."""
        network = "" if self.player.network is None else f" ({self.player.network.describe()})"
        if len(self.humans) == 2:
            return f"You play both colours; {self.player.name}{network} gives hints."
        human, engine = (BLACK, WHITE) if BLACK in self.humans else (WHITE, BLACK)
        return f"You are {COLOUR_NAMES[human]}; {COLOUR_NAMES[engine]} is {self.player.name}{network}."

    def show_position(self) -> None:
        """Show the board.  If the game is over, start the scoring in Go, or print the result."""
        if self.position.is_over and self.position.may_pass and not self.position.is_no_result:
            self.scoring = ScoringSession(cast(GoPosition, self.position))
            self._show_score(self.scoring)
            return
        if self.position.is_over:
            self.result = self.position.result()
        self.show_board()
        if self.position.is_over:
            self.finish(self.result)
        elif self._is_full():
            self.print(f"A game has at most {MAX_MOVES:,} moves, and this one has them: 'undo' takes moves back, "
                       "'save' and 'quit' keep it.")

    def _show_score(self, scoring: ScoringSession) -> None:
        self.show_board(ownership=scoring.ownership())
        self.print(f"{scoring}\nEnter accepts the score; 'undo' continues the game.\n"
                   "A point switches its chain between dead and alive.")

    # -- moves

    def is_engine_turn(self) -> bool:
        """Whether the player, not the person, is to move."""
        return self.scoring is None and not self.result and not self.position.is_over and not self._is_full() \
            and self.position.to_play not in self.humans

    def _is_full(self) -> bool:
        """Whether the game has as many moves as a game can have."""
        return self.position.plies >= MAX_MOVES

    def play(self, point: int) -> None:
        """Play a move, or switch a chain between dead and alive while the game is scored.  Raises BadInput if the game
        is over or there is no such chain, and IllegalMove."""
        if self.scoring is not None and point != PASS:
            self.scoring.toggle(point)
            self._show_score(self.scoring)
            return
        if self.scoring is not None:
            raise BadInput("the game is being scored: Enter accepts the score, 'undo' continues the game")
        if self.result:
            raise BadInput("the game is over: 'undo' goes back, 'new' starts another")
        following = self.position.play(point)
        self._leave_undone_moves()
        self.position = following
        if self.position.is_over or not self.is_engine_turn():
            self.show_position()

    def play_engine_move(self) -> None:
        """Play the player's move.  Ctrl-C stops its search; it then plays the best move so far."""
        position, player = self.position, self.player
        colour = COLOUR_NAMES[position.to_play]
        with interruptible_search(self._out) as progress:
            point = player.select_move(position, control=SearchControl(progress.should_stop, progress.on_progress))
        if point == RESIGN:
            self.print(f"{colour} ({player.name}) resigns.")
            self.resign()
            return
        action = "passes" if point == PASS else f"plays {format_gtp(point, position.shape)}"
        explanation = player.explain()
        self.print(f"{colour} ({player.name}) {action}." + (f"  {explanation}" if explanation else ""))
        self.play(point)

    def undo(self) -> None:
        """Undo the person's last move and the player's answer to it.  Raises IllegalMove if there is none."""
        previous = self.position.undo()
        self.scoring, self.result = None, ""
        self._redo_stack.append(self.position)
        self.position = previous
        while self.position.to_play not in self.humans and self.position.plies:
            self._redo_stack.append(self.position)
            self.position = self.position.undo()
        self.show_board()

    def redo(self) -> None:
        """Play the moves again that were undone last.  Raises BadInput if there are none."""
        if not self._redo_stack:
            raise BadInput("there is no move to redo")
        self.position = self._redo_stack.pop()
        while self._redo_stack and self.position.to_play not in self.humans:
            self.position = self._redo_stack.pop()
        self.show_position()

    def _leave_undone_moves(self) -> None:
        """They cannot be redone any more, but are saved."""
        if self._redo_stack:
            self._lines.setdefault(self._line.moves, "")
            self._redo_stack.clear()

    def evaluate(self) -> Evaluation:
        """Evaluate the position with the player's search or network.  Ctrl-C stops it early."""
        with interruptible_search(self._out) as progress:
            return self._evaluator.evaluate(self.position, should_stop=progress.should_stop,
                                            on_progress=progress.on_progress)

    # -- the end of a game

    def resign(self) -> None:
        """End the game: the side to move resigns."""
        self.finish(f"{COLOUR_LETTERS[-self.position.to_play]}+R")

    def finish(self, result: str) -> None:
        """End the game with an SGF result: print and save it."""
        self.scoring, self.result = None, result
        self._leave_undone_moves()
        self._lines[self.position.moves] = result
        self.print(self.screen.style(f"{format_result(result, self.position)} ({result}).", bold=True))
        self._try_to_save()

    def start(self, position: BasePosition, loaded: LoadedGame | None = None) -> None:
        """Start another game; the old one is saved.  loaded: the file that the position is from.  Raises BadInput, and
        keeps the old game, if the player does not play this board."""
        self.player.warm_up(position)
        self.save_if_changed()
        self._begin(position, loaded)
        self.show_position()

    # -- files

    def save(self, path: Path) -> None:
        """Write the game as SGF.  Raises OSError."""
        with atomic_write(path) as temporary:
            temporary.write_text(self._sgf(), encoding="utf-8")
        self._saved, self._path = self._game_state(), path
        self.print(f"saved: {path}")

    def is_file_of_session(self, path: Path) -> bool:
        """Whether this game was saved to this file before."""
        return self._path is not None and self._path.exists() and self._path.samefile(path)

    def is_shared_file(self, path: Path) -> bool:
        """Whether this game was loaded from this file, which has other games too."""
        shared = self._loaded.shared_file if self._loaded else None
        return shared is not None and shared.exists() and path.exists() and shared.samefile(path)

    @property
    def _line(self) -> BasePosition:
        """The end of the line of play that the position is on: moves that were taken back belong to it."""
        return self._redo_stack[0] if self._redo_stack else self.position

    def _all_lines(self) -> dict[Moves, str]:
        """The lines of play that are saved, with their results: the present one, then the others."""
        line = self._line
        is_won = line.is_over and not line.may_pass
        return {line.moves: self._lines.get(line.moves) or (line.result() if is_won else "")} | self._lines

    def _sgf(self) -> str:
        lines = self._all_lines()
        if self._loaded is not None:
            return self._loaded.with_lines(lines.items())
        names = {colour: "Human" if colour in self.humans else f"MuGo {self.player.name}" for colour in (BLACK, WHITE)}
        line, (result, *_) = self._line, lines.values()
        record = record_from_position(line, result=result, black=names[BLACK], white=names[WHITE],
                                      date=time.strftime("%Y-%m-%d"),
                                      rules=rules_name(line) if isinstance(line, GoPosition) else "")
        game = LoadedGame(line, parse_game(format_record(record).encode()), 0)
        return game.with_lines(list(lines.items())[1:])

    def save_if_changed(self) -> None:
        """Save a game that has moves and changed since it was saved last: to its old file, or to a new one."""
        if self._game_state() != self._saved and any(self._all_lines()):
            self.save(self._path or self._new_path())

    def _try_to_save(self) -> bool:
        """save_if_changed; returns whether it succeeded, and prints why not."""
        try:
            self.save_if_changed()
        except OSError as error:
            self.print(f"not saved: {error.filename}: {error.strerror or error}")
            return False
        return True

    def close(self) -> None:
        """End the session; `save_or_print` follows."""
        self.is_closed = True

    def save_or_print(self) -> None:
        """Save the game; print it as SGF where that fails."""
        if not self._try_to_save():
            self.print(f"The game as SGF:\n{self._sgf()}")

    def _new_path(self) -> Path:
        """A file that does not exist yet, named after the time."""
        stem = time.strftime("mugo-%Y%m%d-%H%M%S")
        names = (f"{stem}{suffix}.sgf" for suffix in ("", *(f"-{i}" for i in range(2, 1000))))
        return next(self._folder / name for name in names if not (self._folder / name).exists())

    def _game_state(self) -> tuple:
        """All lines of play and their results: a game is saved if they have changed."""
        return tuple(self._all_lines().items())

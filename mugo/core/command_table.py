"""Tables of commands, for GTP and the terminal: a name -> a function of a context and words.

    TABLE = CommandTable()

    @TABLE.command("hint", arguments="[N]")
    def hint(session, number="5"): ...                   # its signature says how many words it takes

    TABLE.run("hint", game, session, ["3"])
"""
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mugo.core.files import BadInput


class WrongArguments(Exception):
    """A command does not take that many arguments; the message says what is missing or too much."""


@dataclass(frozen=True)
class Command:
    """A command.  game: the only game that has it, '' for all.  arguments: as a help shows them."""
    function: Callable[..., Any]
    game: str
    arguments: str


class CommandTable(dict[str, Command]):
    """The commands by their names, in the order in which they were defined."""

    def command(self, name: str, game: str = "", arguments: str = "") -> Callable:
        """Decorator: register a function under a name.  game, arguments: as in Command."""
        def register(function: Callable) -> Callable:
            self[name] = Command(function, game, arguments)
            return function
        return register

    def names(self, game: str) -> list[str]:
        """The names of the commands that a game has, "go" or "gomoku"."""
        return [name for name, command in self.items() if command.game in ("", game)]

    def run(self, name: str, game: str, context: Any, arguments: Sequence[str]) -> Any:
        """Run a command.  Raises WrongArguments, BadInput if this game does not have it, and what it raises itself."""
        command = self[name]
        refuse_other_game(name, command.game, game)
        try:
            inspect.signature(command.function).bind(context, *arguments)
        except TypeError as error:
            raise WrongArguments(str(error)) from None
        return command.function(context, *arguments)


def refuse_other_game(name: str, owner: str, game: str) -> None:
    """Raise BadInput for a command or an option that only another game has.  owner: that game, '' for all."""
    if owner not in ("", game):
        raise BadInput(f"{name} is for {owner.capitalize()}, and this is {game.capitalize()}")

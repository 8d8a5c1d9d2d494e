"""Options of the game: --game, --size, --k, --exactly, --komi, --rules, --handicap --> the first position.

    mugo gtp uct --game gomoku --size 15          Gomoku on 15x15, 5 in a row
    mugo gtp mcts --network gomoku-6-4            the game of the network: Gomoku on 6x6, 4 in a row
    mugo gtp mcts                                 Go on 19x19
"""
import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mugo.core.command_table import refuse_other_game
from mugo.core.files import BadInput
from mugo.core.options import add_options, check, given, option, options_of
from mugo.games.coords import BoardSize, interpret_size, size_value
from mugo.games.rules import GAMES, KOMI, MAX_KOMI, NAMED_RULES, Rules, rules_to_play
from mugo.players.options import trained_for

if TYPE_CHECKING:                        # compiled, and --help needs none of it
    from mugo.games.go import GoPosition
    from mugo.games.position import BasePosition

HANDICAP_KOMI = 0.5
GOMOKU_SIZE = 8


@dataclass(frozen=True)
class GameOptions:
    """The game and how it begins.  Raises BadInput for values out of range."""
    game: str | None = option(None, "the game that is played", choices=GAMES, common=True,
                              shown_default="the game of --network, or go")
    size: str | None = option(None, "board size: N, or COLUMNSxROWS such as 13x9", metavar="N", common=True,
                              shown_default=f"of Go the command's own, of Gomoku that of --network, or {GOMOKU_SIZE}")
    k: int | None = option(None, "number of stones in a row that wins", player="Gomoku",
                           shown_default="3 on 3x3, 4 up to 6x6, else 5")
    exactly: bool = option(False, "more than k in a row do not win", player="Gomoku")
    komi: float | None = option(
        None, "White's points", least=-MAX_KOMI, most=MAX_KOMI, common=True, player="Go",
        shown_default=f"{KOMI:g}, by territory {NAMED_RULES['japanese'].default_komi:g}, "
                      f"with a handicap {HANDICAP_KOMI:g}")
    rules: str | None = option(None, "japanese or korean (territory), chinese, aga, ..., or KataGo's JSON",
                               shown_default="area scoring", common=True, metavar="NAME", player="Go")
    handicap: int = option(0, "Black's handicap stones, placed as GTP's fixed_handicap does", common=True,
                           player="Go")

    def __post_init__(self):
        check(self)


def add_arguments(parser: argparse.ArgumentParser, size: str, *, network: bool = True, handicap: bool = False) -> None:
    """Add the options of the game.

    size: the default board size of Go, for the help.  network: whether the command has --network, whose game and size
    are the defaults.  handicap: whether to add --handicap.
    """
    defaults = {"size": f"{size}; in Gomoku that of --network, or {GOMOKU_SIZE}"} if network else {
        "size": f"{size}; in Gomoku {GOMOKU_SIZE}", "game": "go"}
    add_options(parser, GameOptions, () if handicap else ("handicap",), defaults)


def first_position(args: argparse.Namespace, size: int) -> "BasePosition":
    """The empty board or handicap stones that a command line asks for.  size: the default in Go.  Raises BadInput."""
    from mugo.games.game import new_game
    options, trained = GameOptions(**given(GameOptions, args)), trained_for(args)
    game = options.game or trained.get("game", "go")
    refuse_other_options(args, game)
    try:
        shape = None if options.size is None else interpret_size(options.size)
    except ValueError as error:
        raise BadInput(f"--size: {error}") from None
    if game == "go":
        return start_of_go(shape or size, requested_rules(args), options.komi, options.handicap)
    if trained.get("game") != game:
        trained = {}
    board = shape or trained.get("size", GOMOKU_SIZE)
    own = size_value(board) == trained.get("size") and options.k is None
    return new_game(game, board, k=trained["k"] if own else options.k,
                    exactly=options.exactly or own and trained["exactly"])


def start_of_go(size: BoardSize, rules: Rules | None = None, komi: float | None = None, handicap: int = 0
                ) -> "GoPosition":
    """The empty board of Go, or GTP's fixed handicap stones.  rules, komi: None: the default.  Raises BadInput."""
    from mugo.games.game import new_game
    from mugo.games.go import GoPosition
    rules = rules or Rules()
    default = HANDICAP_KOMI if handicap else rules.default_komi
    start = new_game("go", size, komi=default if komi is None else komi)
    assert isinstance(start, GoPosition)
    return with_fixed_handicap(start.with_rules(rules), handicap)


def with_fixed_handicap(start: "GoPosition", stones: int) -> "GoPosition":
    """An empty board with n of GTP's fixed handicap stones; 0: as it is.  Raises BadInput."""
    from mugo.games.go import fixed_handicap
    try:
        return start.with_handicap(fixed_handicap(start.shape, stones)) if stones else start
    except ValueError as error:
        raise BadInput(str(error)) from None


def refuse_other_options(args: argparse.Namespace, game: str, *kinds: type) -> None:
    """Raise BadInput for an option of the other game, of GameOptions and of further dataclasses."""
    for kind in (GameOptions, *kinds):
        for name, each in options_of(kind).items():
            value = getattr(args, name, None)
            if each.player.lower() in GAMES and value is not None and value is not False:
                refuse_other_game(f"--{each.name}", each.player.lower(), game)


def requested_rules(args: argparse.Namespace) -> Rules | None:
    """The rules that a command line asks for, as far as they are supported; None if it names none.  Raises BadInput."""
    try:
        return None if args.rules is None else rules_to_play(args.rules).supported()
    except ValueError as error:
        raise BadInput(f"--rules: {error}") from None

"""Command-line options of the game: --game, --size, --k, --exactly, --komi, --rules, --handicap --> the first position.

    mugo gtp uct --game gomoku --size 15          Gomoku on 15x15, 5 in a row
    mugo gtp mcts --network gomoku-6-4            the game of the network: Gomoku on 6x6, 4 in a row
    mugo gtp mcts                                 Go on 19x19
"""
import argparse

from mugo.core.command_table import refuse_other_game
from mugo.core.files import BadInput
from mugo.core.options import argument_type
from mugo.games.coords import interpret_size, size_value
from mugo.games.game import GAMES, new_game
from mugo.games.go import Position, fixed_handicap
from mugo.games.position import BasePosition
from mugo.games.rules import KOMI, NAMED_RULES, Rules, rules_to_play
from mugo.players.options import NETWORK_PLAYERS

HANDICAP_KOMI = 0.5
GOMOKU_SIZE = 8
# Options of one game only, in some commands, and their defaults where they are not None.
GAME_OPTIONS = {"go": ("komi", "handicap", "rules", "ko", "scoring"), "gomoku": ("k", "exactly")}
NOT_GIVEN = {"handicap": 0, "rules": "", "exactly": False, "ko": "superko", "scoring": "own"}


def add_arguments(parser: argparse._ActionsContainer, size: str, *, handicap: bool = False) -> None:
    """Add the options of the game.  size: the default board size of Go, as text for the help.  handicap: and
    --handicap."""
    parser.add_argument("--game", choices=GAMES, help="(default: the game of --network, or go)")
    parser.add_argument("--size", type=argument_type(interpret_size),
                        help="of the board: N, or COLUMNSxROWS as 13x9 (default: "
                        f"{size}; in Gomoku that of --network, or {GOMOKU_SIZE})")
    parser.add_argument("--k", type=int, metavar="K", help="in Gomoku: how many in a row win (default: 3 on 3x3, 4 up "
                        "to 6x6, else 5)")
    parser.add_argument("--exactly", action=argparse.BooleanOptionalAction, default=False,
                        help="in Gomoku: more than K in a row do not win "
                        "(default: they do)")
    parser.add_argument("--komi", type=float, help=f"in Go (default: {KOMI:g}, or "
                        f"{NAMED_RULES['japanese'].default_komi:g} by territory"
                        f"{f', or {HANDICAP_KOMI:g} with a handicap' if handicap else ''})")
    parser.add_argument("--rules", default="", metavar="NAME",
                        help="in Go: japanese or korean (territory), chinese, aga, ..., or KataGo's JSON "
                        "(default: area scoring)")
    if handicap:
        parser.add_argument("--handicap", type=int, default=0, metavar="N",
                            help="in Go: Black's handicap stones, placed as GTP's fixed_handicap does")


def first_position(args: argparse.Namespace, size: int) -> BasePosition:
    """The empty board that a command line asks for, or that with handicap stones.  size: the default in Go.  Raises
    BadInput."""
    trained = trained_for(args)
    game = args.game or trained.get("game", "go")
    refuse_other_options(args, game)
    if game == "go":
        rules = rules_of(args) or Rules()
        handicap = getattr(args, "handicap", 0)
        default = HANDICAP_KOMI if handicap else rules.default_komi
        start = new_game(game, size if args.size is None else args.size,
                         komi=default if args.komi is None else args.komi)
        assert isinstance(start, Position)
        return with_fixed_handicap(start.with_rules(rules), handicap)
    if trained.get("game") != game:
        trained = {}
    size = trained.get("size", GOMOKU_SIZE) if args.size is None else args.size
    own = size_value(size) == trained.get("size") and args.k is None
    return new_game(game, size, k=trained["k"] if own else args.k, exactly=args.exactly or own and trained["exactly"])


def with_fixed_handicap(start: Position, stones: int) -> Position:
    """An empty board with so many of GTP's fixed handicap stones; 0: as it is.  Raises BadInput."""
    try:
        return start.with_handicap(fixed_handicap(start.shape, stones)) if stones else start
    except ValueError as error:
        raise BadInput(str(error)) from None


def refuse_other_options(args: argparse.Namespace, game: str) -> None:
    """Raise BadInput for an option of the other game."""
    other = next(name for name in GAMES if name != game)
    for name in GAME_OPTIONS[other]:
        if getattr(args, name, None) not in (None, NOT_GIVEN.get(name)):
            refuse_other_game(f"--{name}", other, game)


def rules_of(args: argparse.Namespace) -> Rules | None:
    """The rules that a command line asks for, as far as they are followed; None if it names none.  Raises BadInput."""
    if not getattr(args, "rules", ""):
        return None
    try:
        return rules_to_play(args.rules).followed()
    except ValueError as error:
        raise BadInput(f"--rules: {error}") from None


def trained_for(args: argparse.Namespace) -> dict:
    """"game", "size", "k" and "exactly" of the network that a command line names; {} if it names none.
    Raises BadInput."""
    name, player = getattr(args, "network", None), getattr(args, "player", None)
    if name is None or player not in NETWORK_PLAYERS:
        return {}
    from mugo.nn.bundled import find_network  # here, so that others start without it
    from mugo.nn.metadata import read_metadata
    about = read_metadata(find_network(name))
    return {"game": about.get("game", "go"), "size": about["size"], "k": about.get("k"),
            "exactly": about.get("exactly", False)}

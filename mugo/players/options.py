"""Options of players and of the game on command lines; the player and the first position that a command line asks for.

    mugo gtp uct --game gomoku --size 15          Gomoku on 15x15, 5 in a row
    mugo gtp mcts --network gomoku-6-4            the game of the network: Gomoku on 6x6, 4 in a row
    mugo gtp mcts                                 Go on 19x19
"""
import argparse
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mugo.core.command_table import refuse_other_game
from mugo.core.files import BadInput
from mugo.core.limits import PLAY_PRECISIONS
from mugo.core.options import (
    NETWORK_HELP, add_options, check, check_player, given, option, options_of, provider_option)
from mugo.games.coords import BoardSize, interpret_size, size_value
from mugo.games.rules import GAMES, KOMI, MAX_KOMI, NAMED_RULES, Rules, rules_to_play
from mugo.mcts.settings import RAVE_C, SCORE_UTILITY, UCB_C, Settings
from mugo.nn.inputs import RANK_NAMES, People
from mugo.players.play_options import PlayOptions
from mugo.players.registry import (
    GOMOKU_MCTS, MCTS, NETWORK_PLAYERS, PLAYERS, TEMPERATURE, UCT, default_select_by, default_settings, make_player)

if TYPE_CHECKING:                        # compiled, and --help needs none of it
    from mugo.games.go import GoPosition
    from mugo.games.position import BasePosition
    from mugo.players.player import Player

GO_SIZE = 19              # the board of Go by default
HANDICAP_KOMI = 0.5
GOMOKU_SIZE = 8
# KataGo's profiles: cpp/neuralnet/sgfmetadata.cpp
RANKS_PROFILE = re.compile(r"(rank|preaz)_(\d{1,2}[kd])(?:_(\d{1,2}[kd]))?", re.ASCII)
YEAR_PROFILE = re.compile(r"proyear_(\d{4})", re.ASCII)
PRO_YEARS = range(1800, 2024)


def people_of_profile(profile: str) -> People | None:
    """Who plays by KataGo's name of a profile (humanSLProfile), when Black is to move; None where it says nothing.
    docs/reference/gtp.md has the table.  Raises BadInput for others.
    """
    if profile in ("", "_", '""'):
        return None
    if (match := RANKS_PROFILE.fullmatch(profile)) and {match[2], match[3] or match[2]} <= {*RANK_NAMES[:-1]}:
        return People(match[2], match[3] or match[2], "kgs", {"rank": 2020, "preaz": 2016}[match[1]])
    if (match := YEAR_PROFILE.fullmatch(profile)) and int(match[1]) in PRO_YEARS:
        return People("pro", "pro", year=int(match[1]))
    raise BadInput(f"unknown humanSLProfile {profile!r:.40}: must be such as rank_5k, preaz_3d, rank_5k_3d (Black's "
                   f"rank, White's; 20k to 9d) or proyear_1985 ({PRO_YEARS[0]} to {PRO_YEARS[-1]})")


@dataclass(frozen=True)
class PlayerOptions:
    """Options of all players: the network, and how it is used.  Raises BadInput for values out of range."""
    network: str | None = option(
        None, NETWORK_HELP,
        shown_default="the bundled network for the board, in Go the nearest", common=True, metavar="NETWORK")
    precision: str = option("auto", "precision of the network: auto is int8 where this processor multiplies int8 "
                            "faster and the network has an int8 graph, else float32",
                            choices=PLAY_PRECISIONS, common=True)
    provider: str = provider_option()
    rank: str | None = option(None, "choose moves as players of this rank do, against one of the same: 5k, 3d, 9p or "
                              "pro; policy then samples. The network needs a metadata encoder", common=True,
                              shown_default="unknown", metavar="RANK")
    style: int | None = option(None, "choose moves as people did in this year; otherwise as --rank", least=1, most=9999,
                               shown_default="unknown", metavar="YEAR")
    human_profile: str | None = option(
        None, "who plays by KataGo's name of a profile, rank_5k, preaz_3d, rank_5k_3d (Black's rank, White's) or "
        "proyear_1985, instead of --rank and --style", shown_default="unknown", metavar="PROFILE",
        katago="humanSLProfile")
    temperature: float | None = option(
        None, "of policy, randompolicy and --human-move-prop: 0 plays the best move, 1 samples from the priors",
        least=0, most=1e9, katago="chosenMoveTemperature",
        shown_default=f"{TEMPERATURE:g} for randompolicy; 0 for policy; 1 with --rank, --style, --human-profile and "
        "--human-move-prop")

    def __post_init__(self):
        check(self)
        _ = self.people

    @property
    def people(self) -> People | None:
        """Who plays, when Black is to move; None if that is unknown.  Raises BadInput for a rank that is none."""
        if self.human_profile is not None:
            return people_of_profile(self.human_profile)
        return People(self.rank, self.rank, year=self.style) if self.rank or self.style else None


# Defaults of settings that differ by player or game, in words.
PLAYERS_DEFAULTS = {
    "rollout": f"{UCT.rollout}; in Gomoku mcts {GOMOKU_MCTS.rollout}",
    "lambda_": f"{MCTS.lambda_:g}; in Gomoku {GOMOKU_MCTS.lambda_:g}",
    "c": f"mcts {MCTS.c:g}, in Gomoku {GOMOKU_MCTS.c:g}; uct {RAVE_C:g}, without RAVE {UCB_C:g}",
    "fpu_reduction_max": f"{MCTS.fpu_reduction_max:g}; in Gomoku {GOMOKU_MCTS.fpu_reduction_max:g}",
    "dynamic_score_utility_factor": f"{SCORE_UTILITY:g} up to 9x9, else 0; in Gomoku "
                                    f"{GOMOKU_MCTS.dynamic_score_utility_factor:g}",
    "max_pass_prior": f"{MCTS.max_pass_prior:g}", "unsettled_prior": f"{MCTS.unsettled_prior:g}",
    "rave": "on", "heuristic_priors": "on", "root_symmetry_pruning": "on"}
# Options that choose a move, or decide when a search that chooses one ends: a review only evaluates.
CHOICE_OPTIONS = ("rank", "style", "human_profile", "temperature", "human_move_prop", "early_stop", "lcb_stdevs",
                  "min_visit_prop_for_lcb", "select_by", "dynamic_komi", "resign", "resign_moves")


def add_arguments(parser: argparse.ArgumentParser, default: str | None = "mcts", without: Collection[str] = (),
                  players: Collection[str] = tuple(PLAYERS)) -> None:
    """Add the positional argument PLAYER, and the options of all players.

    default: the player; None: it depends on the board.  without: fields that are left out.  players: the choices.
    """
    meanings = "; ".join(f"{name}: {entry.help}" for name, entry in PLAYERS.items() if name in players)
    parser.add_argument("player", nargs="?", default=default, choices=players, metavar="PLAYER",
                        help=f"{meanings} (default: "
                        f"{default or 'mcts, or uct where there is no network for the board'})")
    add_player_options(parser, without)


def add_player_options(parser: argparse.ArgumentParser, without: Collection[str] = (),
                       defaults: Mapping[str, str] | None = None) -> None:
    """The options of all players.  without: as in add_arguments.  defaults: of PlayOptions, as in add_options."""
    add_options(parser, PlayerOptions, without)
    group = parser.add_argument_group("search, of uct and mcts")
    add_options(group, PlayOptions, without, defaults)
    add_options(group, Settings, without, PLAYERS_DEFAULTS)


def _given(kind: type, args: argparse.Namespace) -> dict[str, Any]:
    """As core.options.given.  Raises BadInput for an option that only another player has."""
    values = given(kind, args)
    check_player(kind, values, args.player)
    return values


def player_options(args: argparse.Namespace) -> PlayerOptions:
    """The options of a command line.  Raises BadInput."""
    return PlayerOptions(**given(PlayerOptions, args))


def default_size(args: argparse.Namespace) -> int:
    """The board size of Go for a command line: that of its network's training, or 19.  Raises BadInput."""
    return trained_for(args).get("size", GO_SIZE)


def trained_for(args: argparse.Namespace) -> dict:
    """"game", "size", "k" and "exactly" of the network that a command line names; {} if it names none.
    Raises BadInput."""
    name, player = getattr(args, "network", None), getattr(args, "player", None)
    if name is None or player not in NETWORK_PLAYERS:
        return {}
    from mugo.nn.network_file import find_network, read_metadata  # here, so that others start without it
    about = read_metadata(find_network(name))
    return {"game": about.get("game", "go"), "size": about["size"], "k": about.get("k"),
            "exactly": about.get("exactly", False)}


def settings_from_arguments(args: argparse.Namespace, game: str = "go") -> Settings:
    """The search settings of a command line, for a game, "go" or "gomoku".  Raises BadInput."""
    values = _given(Settings, args)
    settings = default_settings(args.player, game) if PLAYERS[args.player].settings else UCT
    # --rollout or --lambda alone asks for both: the default of neither does not apply.
    if settings == GOMOKU_MCTS and ("lambda_" in values or values.get("rollout", "none") != "none"):
        settings = replace(settings, rollout=MCTS.rollout, lambda_=MCTS.lambda_)
    return replace(settings, **values)


def play_options_from_arguments(args: argparse.Namespace, game: str = "go") -> PlayOptions:
    """The play options of a command line, for a game, "go" or "gomoku".  Raises BadInput."""
    values: dict[str, Any] = {"select_by": default_select_by(args.player, game)} | _given(PlayOptions, args)
    return PlayOptions(**values)


def player_from_arguments(args: argparse.Namespace, game: str = "go", network=None) -> "Player":
    """The player of a command line, for a game, "go" or "gomoku".  network: an open one instead of --network.  Raises
    BadInput."""
    options = player_options(args)
    player = make_player(args.player, network=network or options.network, seed=args.seed,
                         temperature=options.temperature, settings=settings_from_arguments(args, game),
                         play_options=play_options_from_arguments(args, game),
                         precision=options.precision, provider=options.provider, people=options.people)
    if player.search is not None:
        player.search.reports_full_tree = True
    return player


# ---- the game

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


def add_game_arguments(parser: argparse.ArgumentParser, size: str, *, network: bool = True, handicap: bool = False
                       ) -> None:
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

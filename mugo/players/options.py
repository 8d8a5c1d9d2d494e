"""Command-line options of players: the arguments, their defaults, and the player that they make."""
import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from mugo.files import BadInput
from mugo.limits import SEED
from mugo.nn.runtime import PRECISIONS, PROVIDERS, check_options
from mugo.players.player import Player, RandomPlayer
from mugo.players.policy import TEMPERATURE, PolicyPlayer
from mugo.players.searcher import (
    DEFAULT_PLAY_OPTIONS,
    GOMOKU_MCTS,
    MCTS,
    SECONDS,
    SELECT_BY,
    UCT,
    PlayOptions,
    SearchPlayer,
    default_select_by,
    default_settings,
)
from mugo.search.search import Search
from mugo.search.settings import (
    EXPAND_AFTER,
    LAMBDA,
    LAMBDA_LARGE,
    PUCT_C,
    RAVE_C,
    ROLLOUT_RULES,
    ROLLOUTS,
    ROOT_FPU_SHARE,
    UCB_C,
    Settings,
)

PLAYERS = ("random", "policy", "randompolicy", "uct", "mcts")
SEARCHERS = ("uct", "mcts")
NETWORK_PLAYERS = ("policy", "randompolicy", "mcts")
GO_SIZE = 19              # the board of Go by default


def make_player(name: str, *, network=None, seed: int | None = None, temperature: float = TEMPERATURE,
                tta: bool = True, settings: Settings | None = None,
                play_options: PlayOptions = DEFAULT_PLAY_OPTIONS, game: str = "go", precision: str = "auto",
                provider: str = "cpu") -> Player:
    """The player of this name.

    network: a name or file that nn.inference.Network opens, or an open network; None: the bundled ones, by board.
    precision, provider: with which a network that is not open is opened (nn.runtime).
    seed: the same seed plays the same moves.  temperature: of `randompolicy` only.
    tta: test-time augmentation of `policy` and `randompolicy`: priors averaged over the 8 symmetries.
    settings, play_options: of `uct` and `mcts` only; a seed in the settings takes precedence over `seed`.
    game: whose default settings are used without `settings`.
    Raises BadInput for an unknown name, options out of range or a network that cannot be opened.
    """
    if name not in PLAYERS:
        raise BadInput(f"{name!r} is no player ({', '.join(PLAYERS)})")
    check_options(precision, provider)
    if seed is not None and not SEED[0] <= seed <= SEED[1]:
        raise BadInput(f"a seed is {SEED[0]} to {SEED[1]}, not {seed}")
    if name == "random":
        return RandomPlayer(seed)
    if name == "uct":
        return SearchPlayer(name, Search(settings or replace(UCT, seed=seed)), play_options)
    if network is None or isinstance(network, str | Path):
        threads = settings.threads if settings and name == "mcts" else None
        network = open_network(network, threads, precision, provider)
    if name == "mcts":
        settings = settings or replace(default_settings(name, game), seed=seed)
        return SearchPlayer(name, Search(settings, network), play_options)
    return PolicyPlayer(network, temperature=temperature if name == "randompolicy" else 0, tta=tta, seed=seed)


def open_network(name: str | Path | None, threads: int | None = None, precision: str = "auto", provider: str = "cpu"):
    """The network of this name or file, or, None, the bundled ones.  precision, provider: see nn.runtime.

    Raises BadInput.
    """
    from mugo.nn.inference import BundledNetworks, Network  # here, so that `random` and `uct` start without it
    if name is None:
        return BundledNetworks(threads, precision, provider)
    return Network(name, threads, precision, provider)


def add_network_arguments(parser: argparse.ArgumentParser) -> None:
    """--precision and --provider, with which a network is opened."""
    parser.add_argument("--precision", choices=PRECISIONS, default="auto",
                        help="of the network: auto is int8 where this processor multiplies int8 faster and the network "
                        "has an int8 graph, else float32 (default: %(default)s)")
    parser.add_argument("--provider", choices=tuple(PROVIDERS), default="cpu",
                        help="the execution provider of ONNX Runtime; all but cpu need another onnxruntime package "
                        "(default: %(default)s)")


def add_arguments(parser: argparse.ArgumentParser, default: str | None = "policy", by_option: bool = False) -> None:
    """The options of all players.  The player is an argument of its own, or with `by_option` --player."""
    name: str = "--player" if by_option else "player"
    optional: dict[str, Any] = {} if by_option else {"nargs": "?"}
    what = default or "mcts, or uct where there is no network for the board"
    parser.add_argument(name, default=default, choices=PLAYERS, help=f"the player (default: {what})", **optional)
    parser.add_argument("--network", metavar="NAME",
                        help="a network's file, the folder of a training run, or the name of a bundled network.  A "
                        "network trained on game records plays Go on boards of every size, one from self-play its own "
                        "game and board (default: the bundled network for the board, in Go the nearest)")
    add_network_arguments(parser)
    parser.add_argument("--seed", type=int, help="of random numbers: the same seed plays the same moves")
    parser.add_argument("--temperature", type=float, default=TEMPERATURE, metavar="T",
                        help="of randompolicy: 0 plays the best move, 1 samples from the priors"
                             " (default: %(default)s)")
    parser.add_argument("--tta", action=argparse.BooleanOptionalAction, default=True,
                        help="of policy and randompolicy: test-time augmentation, priors averaged over the 8 "
                             "symmetries (default: on)")
    _add_search_arguments(parser.add_argument_group("search, of uct and mcts"))
    _add_puct_arguments(parser.add_argument_group("search, of mcts"))
    group = parser.add_argument_group("moves of uct and mcts")
    group.add_argument("--select-by", choices=SELECT_BY,
                       help="play the most visited move, the one with the highest mean value, or the one with the "
                            "highest lower confidence bound of its value (default: lcb of mcts in Go, else visits)")
    _add_numbers(group, {
        "lcb_stdevs": "standard errors of that bound below the mean",
        "min_visit_prop_for_lcb": "proportion of the most visits that a move needs to be chosen by it"})
    group.add_argument("--time-extension", type=float, default=PlayOptions.time_extension, metavar="F",
                       help="on a clock, up to this times its share for a move whose choice is unclear, and half of it "
                            "for an obvious one; 1: neither (default: %(default)s)")
    group.add_argument("--dynamic-komi", action=argparse.BooleanOptionalAction, default=True,
                       help="in a handicap game, search with the komi that makes the position about even (default: on)")
    group.add_argument("--resign", type=float, default=PlayOptions.resign, metavar="W",
                       help="resign below this win rate; 0 never (default: %(default)s)")
    group.add_argument("--resign-moves", type=int, default=PlayOptions.resign_moves, metavar="N",
                       help="own moves in a row below it (default: %(default)s)")


def _add_numbers(group: argparse._ArgumentGroup, helps: dict[str, str]) -> None:
    """An option for each of these fields of Settings; None where it is not given."""
    for name, text in helps.items():
        default = getattr(MCTS, name)
        group.add_argument(f"--{name.replace('_', '-')}", type=type(default), metavar="N",
                           help=f"{text} (default: {default:g})")


def _add_puct_arguments(group: argparse._ArgumentGroup) -> None:
    _add_numbers(group, {
        "fpu_reduction_max": "first-play urgency is the mean value of the node less this times the root of the sum of "
                             "the priors of the moves with visits; in Gomoku 0 by default"})
    group.add_argument("--root-fpu-reduction-max", type=float, metavar="N",
                       help=f"the same at the root (default: {ROOT_FPU_SHARE:g} of --fpu-reduction-max)")
    _add_numbers(group, {
        "cpuct_exploration_log": "growth of c with the logarithm of visits: L in c + L ln((N + BASE) / BASE)",
        "cpuct_exploration_base": "BASE of that",
        "root_policy_temperature": "priors at the root become prior^(1 / T)",
        "max_pass_prior": "what the network gives the pass beyond this goes to the other moves"})
    group.add_argument("--gumbel", action=argparse.BooleanOptionalAction, default=False,
                       help="Gumbel AlphaZero's search, for few simulations; it needs --simulations (default: off)")
    _add_numbers(group, {
        "max_num_considered_actions": "of --gumbel: moves in the first round of sequential halving",
        "gumbel_scale": "of --gumbel: scale of the noise", "c_visit": "of --gumbel: weight of values beside visits",
        "c_scale": "of --gumbel: scale of values"})


def _add_search_arguments(group) -> None:
    flag = argparse.BooleanOptionalAction
    group.add_argument("--simulations", type=int, metavar="N", help="simulations for a move")
    group.add_argument("--seconds", type=float, metavar="S", help="seconds for a move, at most "
                       f"(default: {SECONDS:g} without --simulations or a clock)")
    group.add_argument("--threads", type=int, default=1, metavar="N",
                       help="threads that search one tree (uct), or for rollouts and the network (mcts) "
                            "(default: %(default)s)")
    group.add_argument("--rollout", choices=ROLLOUTS, help="how leaves are evaluated: by uniformly random games, with "
                       "MoGo's patterns (in Gomoku `threats`: win at once, or block a win), by games of the network "
                       "against itself, or by the value head alone.  `uct --rollout uniform --no-rave "
                       "--no-heuristic-priors` is plain UCT (default: "
                       f"{UCT.rollout}; in Gomoku uct threats, mcts {GOMOKU_MCTS.rollout})")
    group.add_argument("--rollout-rules", metavar="RULES", help="what MoGo's rollouts of Go do besides, with commas "
                       f"between: {', '.join(ROLLOUT_RULES)} (default: {Settings.rollout_rules})")
    group.add_argument("--rollouts", type=int, default=1, metavar="N",
                       help="rollouts for each leaf (default: %(default)s)")
    group.add_argument("--lambda", dest="lambda_", type=float, metavar="L", help="of mcts: the weight of rollouts in "
                       f"the value of a leaf; the rest is the value head's (default: {LAMBDA:g}, on boards of more "
                       f"than 13x13 {LAMBDA_LARGE:g}; in Gomoku 0)")
    group.add_argument("--c", type=float, metavar="C", help="exploration constant: sqrt(2) is UCB1's in theory "
                       f"(default: uct {RAVE_C:g}, without RAVE {UCB_C:g}; mcts {PUCT_C:g})")
    group.add_argument("--fpu", type=float, metavar="U", help="first-play urgency, the value of an unvisited move.  "
                       "uct: a win rate (default: infinite, every move without an AMAF value is visited once "
                       "first); mcts: a value from -1 to 1 (default: the mean value of the "
                       "node, less --fpu-reduction-max)")
    group.add_argument("--rave", action=flag, default=None, help="of uct: rapid action value estimation (Gelly and "
                       "Silver 2007): moves are rated by what rollouts in which they come later say (default: on)")
    group.add_argument("--rave-bias", type=float, metavar="B",
                       help="the bias b of RAVE's schedule: the smaller, the longer its values count "
                            f"(default: {Settings.rave_bias:g})")
    group.add_argument("--heuristic-priors", action=flag, default=None, help="of uct: moves begin with "
                       "virtual visits and wins by rules of thumb: captures, patterns, distance to the last move, in "
                       "Gomoku threats (default: on)")
    group.add_argument("--expand-after", type=int, metavar="N",
                       help=f"visits before a node is expanded (default: uct {EXPAND_AFTER}, without priors 1, mcts "
                            "0)")
    group.add_argument("--batch", type=int, metavar="N",
                       help="leaves evaluated together (default: mcts one for each 32 visits of the root, up to 8; "
                            "uct 1)")
    group.add_argument("--max-edges", type=int, default=Settings.max_edges, metavar="N",
                       help="size of the tree in edges; 40 bytes for each that is used (default: %(default)s)")
    group.add_argument("--transpositions", action=flag, default=True,
                       help="positions reached by different orders of moves share a node (default: on)")
    group.add_argument("--reuse-tree", action=flag, default=True, help="keep the tree between moves (default: on)")
    group.add_argument("--early-stop", action=flag, default=True,
                       help="stop when the result is proven, when one move is left, and when no simulation that is "
                            "left can change the move (default: on)")
    group.add_argument("--random-symmetry", action=flag, default=False,
                       help="of mcts: evaluate each leaf in a random one of the 8 symmetries (default: off)")
    group.add_argument("--dirichlet-weight", type=float, default=0, metavar="E",
                       help="of mcts: the weight of Dirichlet noise in the priors of the root (default: 0)")
    group.add_argument("--dirichlet-alpha", type=float, default=Settings.dirichlet_alpha, metavar="A",
                       help="of that noise (default: %(default)s)")


def default_size(args: argparse.Namespace) -> int:
    """The board size of Go for a command line: that of its network's training, or 19.  Raises BadInput."""
    if args.network is None or args.player not in NETWORK_PLAYERS:
        return GO_SIZE
    from mugo.nn.bundled import find_network
    from mugo.nn.metadata import read_metadata
    return read_metadata(find_network(args.network))["size"]


def settings_from_arguments(args: argparse.Namespace, game: str = "go") -> Settings:
    """The search settings of a command line, for a game, "go" or "gomoku".  Raises BadInput."""
    given = {field.name: getattr(args, field.name) for field in fields(Settings)}
    given = {name: value for name, value in given.items() if value is not None}
    settings = default_settings("mcts" if args.player == "mcts" else "uct", game)
    # --rollout or --lambda alone asks for both: Gomoku's default of neither does not apply.
    if args.player == "mcts" and game == "gomoku" and (
            "lambda_" in given or given.get("rollout", "none") != "none"):
        settings = replace(settings, rollout=MCTS.rollout, lambda_=LAMBDA)
    return replace(settings, **given)


def select_by_from_arguments(args: argparse.Namespace, game: str = "go") -> str:
    """PlayOptions.select_by of a command line, for a game, "go" or "gomoku"."""
    return args.select_by or ("visits" if args.gumbel else default_select_by(args.player, game))


def player_from_arguments(args: argparse.Namespace, game: str = "go") -> Player:
    """The player of a command line, for a game, "go" or "gomoku".  Raises BadInput."""
    if args.player == "mcts" and args.gumbel and args.simulations is None:
        raise BadInput("--gumbel needs --simulations: it shares them between the moves")
    if args.player == "mcts" and args.gumbel and args.select_by not in (None, "visits"):
        raise BadInput(f"--gumbel plays the move that sequential halving ends with: leave --select-by {args.select_by} "
                       "out")
    play_options = PlayOptions(args.simulations, args.seconds, select_by_from_arguments(args, game),
                               args.time_extension, args.dynamic_komi, args.resign, args.resign_moves)
    return make_player(args.player, network=args.network, seed=args.seed, temperature=args.temperature,
                       tta=args.tta, settings=settings_from_arguments(args, game), play_options=play_options,
                       precision=args.precision, provider=args.provider)

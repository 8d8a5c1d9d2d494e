"""The options that a review depends on: one frozen record, for worker processes and fingerprints.

A Namespace of the command line -- review_options --> ReviewOptions, of which outputs.py makes a Reviewer
"""
import argparse
from dataclasses import dataclass, replace

from mugo.core.files import BadInput
from mugo.core.options import add_options, check, given, option
from mugo.core.parallel import add_scheduler_argument
from mugo.games.rules import KOMI, MAX_KOMI
from mugo.mcts.settings import DEFAULT_SETTINGS, Settings
from mugo.players import options as player_options
from mugo.players.options import PlayerOptions
from mugo.players.registry import PLAYERS, SEARCHERS

SIMULATIONS = 400         # for a position, including the visits of the reused tree: about a second
MIN_GAMES = 5             # of a player, to estimate the rank


@dataclass(frozen=True)
class ReviewOptions:
    """All that shapes a review, with the game: `fingerprint` hashes every field.  Raises BadInput.

    network: a name or a file that other machines know too; None for the bundled ones.  opened: how it is opened.
    simulations, seconds: limits of the search of a position; None without one.  settings: the search's.
    """
    player: str = option("mcts", "the player that evaluates the positions",
                         choices=[name for name in PLAYERS if name != "random"], common=True)
    fast: bool = option(False, "no search: priors and win rates of the network alone", common=True)
    komi: float = option(KOMI, "White's points in games that name no komi", least=-MAX_KOMI, most=MAX_KOMI, common=True)
    opened: PlayerOptions = PlayerOptions()
    simulations: int | None = None
    seconds: float | None = None
    settings: Settings = DEFAULT_SETTINGS

    def __post_init__(self):
        check(self)
        if self.fast and (self.simulations or self.seconds):
            raise BadInput("--fast searches nothing: leave --simulations and --seconds out")
        if self.player == "uct" and self.fast:
            raise BadInput("--fast uses the network alone, and uct has none")

    @property
    def network(self) -> str | None:
        return self.opened.network

    @property
    def has_search(self) -> bool:
        return not self.fast and self.player in SEARCHERS


def review_options(args: argparse.Namespace) -> ReviewOptions:
    """The options of a command line.  Raises BadInput for a combination that cannot review."""
    from mugo.nn.network_file import name_everywhere  # compiled, and --help needs none of it
    args = argparse.Namespace(**vars(args) | {"player": args.player or ReviewOptions.player})
    limits, opened = player_options.play_options_from_arguments(args), player_options.player_options(args)
    network = None if opened.network is None or args.player == "uct" else name_everywhere(opened.network)
    options = ReviewOptions(
        **given(ReviewOptions, args), opened=replace(opened, network=network), simulations=limits.simulations,
        seconds=limits.seconds,
        # Without early stop: the best move may be known long before its win rate is.
        settings=replace(player_options.settings_from_arguments(args), early_stop=False))
    return replace(options, simulations=SIMULATIONS) if options.has_search and not (
        options.simulations or options.seconds) else options


def add_review_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `mugo review`."""
    parser.add_argument("games", nargs="+", metavar="GAMES", help="SGF files, folders of them, and archives")
    parser.add_argument("-o", "--output", default="review", metavar="FOLDER",
                        help="folder for the SGF, CSV, text and graphs of each game (default: %(default)s)")
    add_options(parser, ReviewOptions)
    parser.add_argument("--rank-of", metavar="NAME", help="also estimate the rank of this player from all games, at "
                        f"least {MIN_GAMES}; the network needs a metadata encoder")
    parser.add_argument("--jobs", type=int, metavar="N", help="games reviewed at the same time (default: 1)")
    add_scheduler_argument(parser)
    parser.add_argument("--colour", "--color", action=argparse.BooleanOptionalAction, default=True,
                        help="colours in the terminal")
    player_options.add_player_options(parser, player_options.CHOICE_OPTIONS, {
        "simulations": f"{SIMULATIONS}, no limit with --seconds", "seconds": "no limit"})

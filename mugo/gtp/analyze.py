"""Analysis over GTP: search results streamed while the search runs, in the formats that clients read.

    kata-analyze b 50 ownership true
    =
    info move D4 visits 120 ... pv D4 Q16 info move Q16 visits 80 ... pv Q16 D4 ownership 0.03 -0.11 ...
    info move D4 visits 260 ...                          half a second later, and so on until another line arrives
    (an empty line)

    lz-analyze, kata-analyze                        search until another line arrives
    lz-, kata-, cgos-genmove_analyze                search as genmove does, and play the move
    kata-search_analyze, ..._cancellable            search as genmove does, and play nothing

The arguments and the formats are analyze_formats'.

The commands `analyze` and `genmove_analyze` are not there, as KataGo does not list them: Sabaki prefers them to the
others, and versions of it differ in whether their win rates may be fractions.  It takes `kata-analyze` instead.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
https://github.com/SabakiHQ/Sabaki/blob/master/docs/guides/engine-analysis-integration.md
"""
import time
from dataclasses import replace
from functools import partial

from mugo.core.files import BadInput
from mugo.games.coords import MAX_MOVES
from mugo.games.position import BasePosition
from mugo.gtp.analyze_formats import Format, format_cgos, format_kata, format_lz, parse_analyze_options
from mugo.gtp.engine import MAX_SIMULATIONS, GtpEngine
from mugo.gtp.protocol import GtpError, command
from mugo.players.estimates import infos_by_network, moves_by_prior
from mugo.players.evaluator import TOP_MOVES
from mugo.search.result import MoveInfo, SearchResult

POLL_SECONDS = 0.01       # between two checks for input, when nothing is left to search


def result_from_policy(network, position: BasePosition, symmetries: bool = False) -> SearchResult:
    """A network's evaluation as a SearchResult: every legal move with one visit, the highest prior first.

    The win rates and scores of the first TOP_MOVES moves are the network's after each of them, those of the others the
    network's at the position, as for all moves where the game is as long as a game can be; 0.5 without a value head.
    Raises BadInput for a game of Gomoku that is over.
    """
    if position.is_over and not position.may_pass:
        raise BadInput("the game is over: there is no move to analyze")
    output = network.evaluate([position], symmetries=symmetries)
    moves = moves_by_prior(position, output.priors[0])
    win_rate = 0.5 if output.values is None else (1 + float(output.values[0])) / 2
    top = 0 if output.values is None or position.plies >= MAX_MOVES else TOP_MOVES
    infos = infos_by_network(network, position, moves[:top], visits=1, symmetries=symmetries)
    infos += [MoveInfo(point, prior, 1, win_rate, (point,)) for point, prior in moves[top:]]
    lead, stdev = output.score(0)
    return SearchResult(position, tuple(infos), win_rate, visits=1, simulations=1, seconds=0.0, depth=1.0, nodes=1,
                        rollouts=0, ownership=output.board_ownership(0, position), score_lead=lead,
                        score_stdev=stdev)


# ---- commands

def _analyze(engine: GtpEngine, *words: str, format_result: Format) -> None:
    """Search the position and stream the results until another line arrives."""
    options = parse_analyze_options(words, engine.position, format_result is format_kata)
    player = engine.player
    search, network = player.search, player.network
    if search is None and network is None:
        raise GtpError("cannot analyze", f"{player.name} has neither a search nor a network")
    engine.wait_until_ready()
    position = engine.position.with_turn(options.colour)

    def write_result(result: SearchResult) -> None:
        engine.write_line(format_result(result, options, player))

    if search is None:
        result = result_from_policy(network, position)
        if options.allowed_moves is not None:
            allowed = tuple(info for info in result.moves if info.point in options.allowed_moves)
            result = replace(result, moves=allowed or result.moves)
        engine.start_reply()
        write_result(result)
    else:
        search.check(position)
        engine.start_reply()
        result = search.search(
            position, simulations=MAX_SIMULATIONS, allowed_moves=options.allowed_moves, should_stop=engine.has_input,
            progress_interval=options.interval, on_progress=write_result)
        if not engine.has_input():                       # decided: the search has ended by itself
            write_result(result)
    while not engine.has_input():
        time.sleep(POLL_SECONDS)


class Cancellation:
    """Whether a search has been ended by another line.  An instance is a function for `should_stop`."""

    def __init__(self, engine: GtpEngine):
        self._has_input = engine.has_input
        self.happened = False

    def __call__(self) -> bool:
        self.happened = self.happened or self._has_input()
        return self.happened


def _genmove_analyze(engine: GtpEngine, *words: str, format_result: Format, stream: bool = True, play: bool = True,
                     cancellable: bool = False) -> None:
    """Generate a move, and play it or not; stream the results of its search, and at the end the final one.

    cancellable: any line ends the search, and the reply is then `play cancelled`.  `allow` and `avoid` are ignored, and
    the log says so.
    """
    options = parse_analyze_options(words, engine.position, format_result is format_kata)
    if options.allowed_moves is not None:
        engine.log("genmove_analyze: allow and avoid are ignored; kata-analyze supports them")
    position = engine.position_to_move(options.colour)
    player, cancellation = engine.player, Cancellation(engine)
    if player.search is not None:
        player.search.check(position)
    engine.start_reply()

    def write_result(result: SearchResult) -> None:
        engine.write_line(format_result(result, options, player))

    vertex = (engine.generate_move if play else engine.propose_move)(
        options.colour, on_progress=write_result if stream else None, progress_interval=options.interval,
        should_stop=cancellation if cancellable else None)
    result = player.search_result
    if result is None and player.search is None and player.network is not None:
        result = result_from_policy(player.network, position)
    if result is not None:
        write_result(result)
    engine.write_line("play cancelled" if cancellation.happened else f"play {vertex}")


command("lz-analyze")(partial(_analyze, format_result=format_lz))
command("kata-analyze")(partial(_analyze, format_result=format_kata))
command("lz-genmove_analyze")(partial(_genmove_analyze, format_result=format_lz))
command("kata-genmove_analyze")(partial(_genmove_analyze, format_result=format_kata))
command("cgos-genmove_analyze")(partial(_genmove_analyze, format_result=format_cgos, stream=False))
command("kata-search_analyze")(partial(_genmove_analyze, format_result=format_kata, play=False))
command("kata-search_analyze_cancellable")(
    partial(_genmove_analyze, format_result=format_kata, play=False, cancellable=True))

"""Gomill's commands, which its ringmaster uses: comments on moves, claims of a win, a description of the engine.

    gomill-genmove_ex b claim    =  claim         the search has proven that Black wins
                                 =  D4            it has not, and D4 has been played

gomill-cpu_time is GNU Go's cputime (gnugo.py), gomill-explain_last_move is mugo-explain (commands.py).

https://mjw.woodcraft.me.uk/gomill/doc/0.8.3/gtp_extensions.html
"""
from mugo import __version__
from mugo.gtp.engine import GtpEngine
from mugo.gtp.protocol import command, parse_colour

KEYWORDS = ("claim",)


@command("gomill-genmove_ex")
def _genmove_ex(engine: GtpEngine, *words: str) -> str:
    """Without arguments the keywords; else as genmove.  With `claim` a win that the search has proven is claimed, and
    nothing is played.  Other keywords are ignored, as Gomill asks for."""
    if not words:
        return "\n".join(KEYWORDS)
    position = engine.position_to_move(parse_colour(words[0]))
    engine.wait_until_ready()
    point = engine.select_move(position)
    result = engine.player.search_result
    if "claim" in words[1:] and result is not None and result.proven == 1:
        return "claim"
    engine.play_own_move(position, point)
    return engine.format_move(point)


@command("gomill-describe_engine")
def _describe_engine(engine: GtpEngine) -> str:
    """Name and version, the network, and all options, a line each."""
    network = engine.player.network
    lines = [f"{engine.name or f'MuGo {engine.player.name}'} {__version__}"]
    lines += [] if network is None else [f"network: {network.describe()}"]
    lines += [f"{name} {engine.parameters.value(name)}" for name in engine.parameters.names()]
    return "\n".join(lines)

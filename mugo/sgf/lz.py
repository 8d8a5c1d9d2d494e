"""The text of an analysis for the SGF property LZ, as Lizzie and LizzieYzy have it.  The page reads and writes it in
web/static/core/lz.js.

    MuGo 46.6 70 -1.20                       the program, the win rate, the visits, and the score if there is one
    move D4 visits 40 winrate 5340 scoreMean -1.20 pv D4 Q16 info move Q16 visits 30 winrate 5210 pv Q16 D4

The first win rate is for the player who has just moved, in percent.  All other values are of the side to move:
win rates in hundredths of a percent, scores in points.  LizzieYzy has the analysis of the root in LZOP: with an LZ
there it takes each analysis for that of the next node.

An analysis is a dictionary with the fields of the web server's search results, all from Black's point of view:

    {"win_rate": 0.534, "lead": 1.2, "visits": 70,
     "moves": [{"move": "D4", "win_rate": 0.534, "lead": 1.2, "visits": 40, "pv": ["D4", "Q16"]}]}

https://github.com/featurecat/lizzie, https://github.com/yzyray/lizzieyzy (SGFParser.formatNodeData)
"""
import math
from typing import Any

from mugo.games.board import BLACK

PROPERTY, ROOT_PROPERTY = "LZ", "LZOP"
WRITTEN_MOVES, WRITTEN_PLIES = 3, 8

Analysis = dict[str, Any]


def format_analysis(analysis: Analysis, to_play: int) -> str:
    """The text of LZ for a node after which a colour is to play."""
    rate = 10_000 - _side_rate(analysis["win_rate"], to_play)
    tenths = (rate + 5) // 10
    score = "" if analysis["lead"] is None else " " + _format_score(analysis["lead"], to_play)
    moves = " info ".join(_format_move(move, to_play) for move in analysis["moves"][:WRITTEN_MOVES])
    return f"MuGo {tenths // 10}.{tenths % 10} {analysis['visits']}{score}\n{moves}"


def _format_move(move: Analysis, to_play: int) -> str:
    score = "" if move["lead"] is None else f" scoreMean {_format_score(move['lead'], to_play)}"
    return (f"move {move['move']} visits {move['visits']} winrate {_side_rate(move['win_rate'], to_play)}{score} pv "
            + " ".join(move["pv"][:WRITTEN_PLIES]))


def _side_rate(win_rate: float, to_play: int) -> int:
    """The win rate of a side in hundredths of a percent from Black's, from 0 to 1."""
    rate = _nearest(10_000 * win_rate)
    return rate if to_play == BLACK else 10_000 - rate


def _format_score(lead: float, to_play: int) -> str:
    """The lead of a side, with two decimals, from Black's."""
    hundredths = _nearest(100 * lead) * (1 if to_play == BLACK else -1)
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"


def _nearest(number: float) -> int:
    """The nearest integer, as JavaScript's Math.round has it: the page writes the same text."""
    return math.floor(number + 0.5)

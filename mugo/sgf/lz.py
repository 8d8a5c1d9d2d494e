"""The analysis of a node in the SGF property LZ, as Lizzie and LizzieYzy have it: text <-> analysis.

    MuGo 46.6 70 -1.20                       the program, the win rate, the visits, and the score if there is one
    move D4 visits 40 winrate 5340 scoreMean -1.20 pv D4 Q16 info move Q16 visits 30 winrate 5210 pv Q16 D4

The first win rate is that of the player who has just moved, in percent.  All other values are of the side to move:
win rates in hundredths of a percent, scores in points.  Visits may be 1.2k or 3m; LizzieYzy puts a standard deviation
behind the score, and more keys into a move.  LizzieYzy has the analysis of the root in LZOP: with an LZ there it takes
each analysis for that of the next node.

An analysis is a dictionary with the fields of the web server's search results, all from Black's point of view:

    {"win_rate": 0.534, "lead": 1.2, "visits": 70,
     "moves": [{"move": "D4", "win_rate": 0.534, "lead": 1.2, "visits": 40, "pv": ["D4", "Q16"]}]}

https://github.com/featurecat/lizzie, https://github.com/yzyray/lizzieyzy (SGFParser.formatNodeData)
"""
import math
import re
from typing import Any

from mugo.games.board import BLACK
from mugo.games.coords import BoardSize, format_gtp, interpret_gtp

PROPERTY, ROOT_PROPERTY = "LZ", "LZOP"
WRITTEN_MOVES, WRITTEN_PLIES = 3, 8
READ_MOVES, READ_PLIES = 20, 20          # of files of other programs
_NUMBER = re.compile(r"-?\d{1,7}(?:\.\d{1,20})?", re.ASCII)
_VISITS = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)([km]?)", re.ASCII)
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}

Analysis = dict[str, Any]


# ---- writing

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


# ---- reading

def interpret_analysis(text: str, size: BoardSize, to_play: int) -> Analysis | None:
    """The analysis in the text of LZ, for a node after which a colour is to play; None where there is none to read.

    A move that is not well formed is left out.  A variation ends before what is no vertex.
    """
    head, _, line = text.partition("\n")
    words = head.split()
    if len(words) < 3:
        return None
    rate, visits = _number(words[1], 0, 100), _visits(words[2])
    if rate is None or not visits:
        return None
    score = _number(words[3]) if len(words) > 3 else None
    infos = re.split(r"\binfo\b", line.partition("\n")[0])
    moves = [move for info in infos if (move := _interpret_move(info.split(), size, to_play))]
    return {"win_rate": _black_rate(10_000 - _nearest(100 * rate), to_play), "lead": _black_lead(score, to_play),
            "visits": visits, "moves": moves[:READ_MOVES]}


def _interpret_move(words: list[str], size: BoardSize, to_play: int) -> Analysis | None:
    """A move from its keys and values, of which "pv" is the last with one value for each ply."""
    end = words.index("pv") if "pv" in words else len(words)
    values = dict(zip(words[:end:2], words[1:end:2], strict=False))
    vertex, visits = _vertex(values.get("move", ""), size), _visits(values.get("visits", ""))
    rate = _number(values.get("winrate", ""), 0, 10_000)
    if vertex is None or visits is None or rate is None:
        return None
    pv = []
    for word in words[end + 1:end + 1 + READ_PLIES]:
        if (ply := _vertex(word, size)) is None:
            break
        pv.append(ply)
    return {"move": vertex, "win_rate": _black_rate(_nearest(rate), to_play),
            "lead": _black_lead(_number(values.get("scoreMean", "")), to_play), "visits": visits, "pv": pv or [vertex]}


def _vertex(word: str, size: BoardSize) -> str | None:
    try:
        return format_gtp(interpret_gtp(word, size), size)
    except ValueError:
        return None


def _visits(word: str) -> int | None:
    match = _VISITS.fullmatch(word)
    return _nearest(float(match[1]) * _UNITS[match[2]]) if match else None


def _number(word: str, least: float = -1000, most: float = 1000) -> float | None:
    """The number of a word; None if it is none, or out of range."""
    number = float(word) if _NUMBER.fullmatch(word) else math.nan
    return number if least <= number <= most else None


def _black_rate(rate: int, to_play: int) -> float:
    """Black's win rate, from 0 to 1, from that of a side in hundredths of a percent."""
    return (rate if to_play == BLACK else 10_000 - rate) / 10_000


def _black_lead(lead: float | None, to_play: int) -> float | None:
    return None if lead is None else _nearest(100 * lead) * (1 if to_play == BLACK else -1) / 100

"""The game's own SGF with a comment on every move, and the best line as a variation where a move has a loss.

All that the file contains is kept.  Properties that are added (https://www.red-bean.com/sgf/properties.html):

    C      the comment of a move; of the root: who reviewed the game, and the summary
    BM     bad move: 1 a mistake, 2 a blunder
    AN     the annotator, MuGo, if the file names none
    LZ     the evaluation and the best moves of the position, for Lizzie and the page; LZOP that of the root

    MuGo 46.6 70 -1.20                       LZ: the program, the win rate, the visits, and the score if there is one
    move D4 visits 40 winrate 5340 scoreMean -1.20 pv D4 Q16 info move Q16 visits 30 winrate 5210 pv Q16 D4

The first win rate is for the player who has just moved, in percent.  All other values are of the side to move: win
rates in hundredths of a percent, scores in points.  With LZ in the root LizzieYzy takes each analysis for that of the
next node.  The page reads and writes the same text (web/static/core/lz.js).

https://github.com/featurecat/lizzie, https://github.com/yzyray/lizzieyzy (SGFParser.formatNodeData)
"""
import math
from collections.abc import Sequence
from typing import Any

from mugo.games.board import BLACK
from mugo.games.coords import BoardSize, format_gtp, format_sgf
from mugo.games.position import COLOUR_LETTERS, IllegalMove
from mugo.players.evaluation import Evaluation
from mugo.reviews.report import comment, format_point, percent, points, summary
from mugo.reviews.move_review import MoveReview, Review
from mugo.sgf.nodes import Node, escaped, format_nodes, main_line

MOVE_ANNOTATIONS = ("BM", "DO", "IT", "TE")              # at most one of them on a node
VERDICT_PROPERTIES = {"mistake": ("BM", b"1"), "blunder": ("BM", b"2")}
PROPERTY, ROOT_PROPERTY = "LZ", "LZOP"
WRITTEN_MOVES, WRITTEN_PLIES = 3, 8      # of LZ

# The fields of the web server's search results, all from Black's point of view: {"win_rate": 0.534, "lead": 1.2,
# "visits": 70, "moves": [{"move": "D4", "win_rate": 0.534, "lead": 1.2, "visits": 40, "pv": ["D4", "Q16"]}]}
Analysis = dict[str, Any]


def annotated_sgf(review: Review, nodes: Sequence[Node], reviewed_by: str) -> bytes:
    """The game with the review in it, as SGF in UTF-8.

    nodes: the game's, as sgf.parser.read_trees yields them.  reviewed_by: a line about the reviewer.
    """
    written = list(nodes)
    with_move = [index for index in main_line(nodes) if not nodes[index].properties.keys().isdisjoint(("B", "W"))]
    if with_move:
        _add_analyses(written, review, [max(nodes[with_move[0]].parent, 0), *with_move])
    for move, index in zip(review.moves, with_move, strict=False):
        node = _with_comment(written[index], comment(review, move))
        if move.verdict in VERDICT_PROPERTIES and node.properties.keys().isdisjoint(MOVE_ANNOTATIONS):
            ident, value = VERDICT_PROPERTIES[move.verdict]
            node = node.with_values(**{ident: value})
        written[index] = node
        if move.verdict in VERDICT_PROPERTIES and move.best_move != move.point and node.parent >= 0:
            _add_variation(written, node.parent, review, move)
    root = _with_comment(written[0], reviewed_by + "\n\n" + "\n".join(summary(review)))
    written[0] = root.in_utf_8().with_values(**({} if "AN" in root.properties else {"AN": b"MuGo"}))
    return format_nodes(written)


def _add_analyses(nodes: list[Node], review: Review, of_positions: Sequence[int]) -> None:
    """Add the property LZ to the node of each position, unless it has one."""
    turns = [*(move.colour for move in review.moves), review.positions[-1].to_play]
    for index, evaluation, to_play in zip(of_positions, review.evaluations, turns, strict=False):
        ident = PROPERTY if index else ROOT_PROPERTY
        if evaluation is not None and nodes[index].properties.keys().isdisjoint((PROPERTY, ident)):
            text = format_analysis(_analysis(evaluation, to_play, review.record.shape), to_play)
            nodes[index] = nodes[index].with_values(**{ident: escaped(text)})


def _analysis(evaluation: Evaluation, to_play: int, size: BoardSize) -> Analysis:
    """An evaluation from Black's point of view."""
    assert evaluation.win_rate is not None

    def values(win_rate: float, lead: float | None) -> dict[str, float | None]:
        return {"win_rate": win_rate if to_play == BLACK else 1 - win_rate,
                "lead": None if lead is None else lead * to_play}

    return {**values(evaluation.win_rate, evaluation.score_lead), "visits": evaluation.visits,
            "moves": [{"move": format_gtp(info.point, size), **values(info.win_rate, info.score_lead),
                       "visits": info.visits, "pv": [format_gtp(point, size) for point in info.pv]}
                      for info in evaluation.moves if info.visits]}


def _with_comment(node: Node, text: str) -> Node:
    """The node with a text after its comment, whose raw value stays as it is."""
    before = node.properties.get("C", [b""])[0]
    return node.with_values(C=before + b"\n\n" * bool(before) + escaped(text))


def _add_variation(nodes: list[Node], parent: int, review: Review, move: MoveReview) -> None:
    """Add the principal variation below the node before the move, up to its first illegal move."""
    position = review.positions[move.number - 1].with_turn(move.colour)
    index = parent
    for point in move.pv:
        colour = position.to_play
        try:
            position = position.play(point)
        except IllegalMove:
            break
        nodes.append(Node(index, {COLOUR_LETTERS[colour]: [format_sgf(point, position.shape).encode()]}))
        if index == parent:
            lead = "" if move.lead_before is None else f", lead {points(move.lead_before)}"
            nodes[-1] = _with_comment(nodes[-1], f"Better than {format_point(review, move.point)}: "
                                                 f"win rate {percent(move.win_rate_before)}{lead}")
        index = len(nodes) - 1


# ---- LZ

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

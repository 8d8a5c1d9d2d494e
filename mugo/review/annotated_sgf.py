"""The game's own SGF with a comment on every move, and the best line as a variation where a move has a loss.

All that the file contains is kept.  Properties that are added (SGF FF[4], https://www.red-bean.com/sgf/properties.html):

    C      the comment of a move; of the root: who reviewed the game, and the summary
    DO     doubtful: an inaccuracy
    BM     bad move: 1 a mistake, 2 a blunder
    AN     the annotator, MuGo, if the file names none
"""
from sgfmill import sgf, sgf_grammar

from mugo.games.board import BLACK
from mugo.games.coords import row_col
from mugo.games.position import IllegalMove
from mugo.review.report import comment, format_point, percent, summary
from mugo.review.review import MoveReview, Review

MOVE_ANNOTATIONS = ("BM", "DO", "IT", "TE")              # at most one of them on a node
VERDICT_PROPERTIES = {"inaccuracy": ("DO", b""), "mistake": ("BM", b"1"), "blunder": ("BM", b"2")}


def annotated_sgf(review: Review, tree: sgf_grammar.Coarse_game_tree, reviewed_by: str) -> bytes:
    """The game with the review in it, as SGF.

    tree: the game, as sgf.parser.read_trees yields it.  reviewed_by: a line about the reviewer.
    """
    game = sgf.Sgf_game.from_coarse_game_tree(tree)
    nodes = [node for node in game.get_main_sequence() if node.has_property("B") or node.has_property("W")]
    for move, node in zip(review.moves, nodes, strict=False):
        node.add_comment_text(comment(review, move))
        if move.verdict not in VERDICT_PROPERTIES:
            continue
        if not any(node.has_property(name) for name in MOVE_ANNOTATIONS):
            node.set_raw(*VERDICT_PROPERTIES[move.verdict])
        if move.best_move != move.point and node.parent is not None:
            _add_variation(node.parent, review, move)
    root = game.get_root()
    if not root.has_property("AN"):
        root.set("AN", "MuGo")
    root.add_comment_text(reviewed_by + "\n\n" + "\n".join(summary(review)))
    return game.serialise()


def _add_variation(parent: sgf.Tree_node, review: Review, move: MoveReview) -> None:
    """Add the principal variation below the node before the move, up to its first illegal move."""
    position = review.positions[move.number - 1].with_turn(move.colour)
    node = parent
    for point in move.pv:
        colour = position.to_play
        try:
            position = position.play(point)
        except IllegalMove:
            break
        node = node.new_child()
        cell = row_col(point, position.size)             # sgfmill counts rows from the bottom; None is a pass
        node.set_move("b" if colour == BLACK else "w", cell and (position.size - 1 - cell[0], cell[1]))
        if node.parent is parent:
            node.add_comment_text(f"Better than {format_point(review, move.point)}: "
                                  f"win rate {percent(move.win_rate_before)}")

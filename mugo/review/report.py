"""A review on paper: tables for the terminal, a CSV, the game with comments and variations, a graph.

    Review --+-- summary, swing_table, swing_board    lines of text
             +-- csv_text                             COLUMNS, one row a move
             +-- commented                            the file's own SGF, with what is said of each move
             +-- win_rate_graph                       PNG or SVG
"""
import csv
import io
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sgfmill import sgf, sgf_grammar

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, format_gtp, row_col
from mugo.games.go import COLOUR_NAMES, IllegalMove
from mugo.plots.figures import BLUE, GREY, INK, RED, escape_mathtext, save_charts
from mugo.plots.terminal import PLAIN, Screen, board_lines
from mugo.plots.text_table import format_table, truncate
from mugo.review.review import VERDICTS, Review, Row

COLUMNS = ("move", "colour", "point", "rank", "probability", "win_rate_before", "win_rate_after", "loss", "verdict",
           "best", "best_probability", "line")
WORDS = ("good", "inaccuracy", "mistake", "blunder")
INKS = {"blunder": RED, "mistake": "#d9822b", "inaccuracy": "#d4b13f"}
# A share of the board's points: on 19x19 the opening ends with move 60, the middle game with move 150.
PHASES = (("opening", 0, 1 / 6), ("middle game", 1 / 6, 5 / 12), ("endgame", 5 / 12, np.inf))


def vertex(row_point: int, review: Review) -> str:
    """A point of the game's board as people write it."""
    return format_gtp(row_point, review.record.size)


def percent(share: float | None) -> str:
    """'54.0%'; '' for what nobody judged."""
    return "" if share is None else f"{share:.1%}"


def ordinal(number: int) -> str:
    """'1st', '2nd', '11th'."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def player_name(review: Review, colour: int) -> str:
    """'Black (Shusaku 4d)', as far as the record says."""
    record = review.record
    name, rank = (record.black, record.black_rank) if colour == BLACK else (record.white, record.white_rank)
    about = " ".join(truncate(text, 30) for text in (name, rank) if text)
    return COLOUR_NAMES[colour] + (f" ({about})" if about else "")


# ---- text

def summary(review: Review) -> list[str]:
    """How each side played: what its moves cost, and how often they were the network's first or among its first
    five, by phase."""
    head = ["", "moves", *(["good", "inaccuracies", "mistakes", "blunders", "mean loss"] if _judged(review) else []),
            "top 1", "top 5"]
    rows = [head]
    for colour in BLACK, WHITE:
        own = [row for row in review.rows if row.colour == colour]
        if own:
            rows.append([player_name(review, colour), *_figures(own)])
    area = review.record.size ** 2
    for name, low, high in PHASES:
        part = [row for row in review.rows if low * area < row.number <= high * area]
        if part:
            rows.append([f"{name}, moves {part[0].number}-{part[-1].number}", *_figures(part)])
    return format_table(rows) + ([f"the record cannot be followed further: {review.stopped}"] if review.stopped else [])


def _judged(review: Review) -> bool:
    return any(row.lost is not None for row in review.rows)


def _figures(rows: Sequence[Row]) -> list[str]:
    lost = [row.lost for row in rows if row.lost is not None]
    verdicts = [row.verdict for row in rows]
    costs = [*(str(verdicts.count(word)) for word in WORDS), percent(float(np.mean(np.maximum(lost, 0))))] if lost \
        else []
    return [str(len(rows)), *costs, *(f"{np.mean([row.rank <= n for row in rows]):.0%}" for n in (1, 5))]


def swing_table(review: Review, most: int = 10) -> list[str]:
    """The moves that cost the most, the worst first; where nobody judged, the least expected ones."""
    judged = _judged(review)
    rows = [["move", "", "played", *(["win rate", "", "loss"] if judged else []), "choice", "expected", "better",
             "and then"]]
    for row in review.swings(most):
        costs = [percent(row.before), f"-> {percent(row.after)}", percent(row.lost)] if judged else []
        rows.append([str(row.number), COLOUR_NAMES[row.colour], vertex(row.point, review), *costs, ordinal(row.rank),
                     percent(row.prior), vertex(row.best, review),
                     " ".join(vertex(point, review) for point in row.pv[1:6])])
    if len(rows) == 1:
        return ["no move cost much"] if judged else ["every move was the likeliest"]
    widest = max(len(row[-1]) for row in rows)
    return format_table([[*row[:-1], row[-1].ljust(widest)] for row in rows])


def swing_board(review: Review, row: Row, screen: Screen = PLAIN) -> list[str]:
    """The board after a move that is marked, and what was better as 1, 2, 3, ... where it is empty."""
    labels: dict[int, str] = {}
    position = review.positions[row.number]
    for number, point in enumerate(row.pv[:9], 1):
        if point != PASS and position.stones[row_col(point, position.size)] == 0:
            labels.setdefault(point, str(number))
    return board_lines(position, screen, labels=labels)


def sentence(review: Review, row: Row) -> str:
    """What there is to say of a move, for a comment."""
    text = (f"{COLOUR_NAMES[row.colour]} {vertex(row.point, review)}: {ordinal(row.rank)} choice, "
            f"{row.prior:.1%} expected.")
    if row.lost is not None:
        text += f"\n{COLOUR_NAMES[row.colour]}'s win rate {row.before:.1%} -> {row.after:.1%}."
        if row.verdict != "good":
            text += f" {row.verdict.capitalize()}: {row.lost:.1%} lost."
    if row.best != row.point:
        line = " ".join(vertex(point, review) for point in row.pv)
        text += f"\nBetter: {line}" if row.verdict not in ("", "good") else f"\nFirst choice: {line}"
    return text


# ---- files

def csv_text(review: Review) -> str:
    """All moves, one a line, under COLUMNS; rates and probabilities from 0 to 1."""
    def number(share: float | None) -> str:
        return "" if share is None else f"{share:.4f}"

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in review.rows:
        writer.writerow([row.number, COLOUR_NAMES[row.colour][0], vertex(row.point, review), row.rank,
                         number(row.prior),
                         number(row.before), number(row.after), number(row.lost), row.verdict,
                         vertex(row.best, review), number(row.best_prior),
                         " ".join(vertex(point, review) for point in row.pv)])
    return out.getvalue()


def commented(review: Review, tree: sgf_grammar.Coarse_game_tree, about: str) -> bytes:
    """The game's own SGF with a comment on every move, and the better line as a variation where a move cost much.

    tree: the game as records.read_trees has it; all that stands there is kept.  about: who reviewed it.
    """
    game = sgf.Sgf_game.from_coarse_game_tree(tree)
    swings = {row.number for row in review.swings(len(review.rows)) if row.lost is not None}
    nodes = [node for node in game.get_main_sequence() if node.has_property("B") or node.has_property("W")]
    for row, node in zip(review.rows, nodes, strict=False):
        node.add_comment_text(sentence(review, row))
        if row.number not in swings:
            continue
        if not any(node.has_property(mark) for mark in ("BM", "DO", "IT", "TE")):
            node.set_raw("DO" if row.verdict == "inaccuracy" else "BM",
                         {"inaccuracy": b"", "mistake": b"1"}.get(row.verdict, b"2"))
        if row.best != row.point and node.parent is not None:
            _add_line(node.parent, review, row)
    root = game.get_root()
    if not root.has_property("AN"):
        root.set("AN", "MuGo")
    root.add_comment_text(about + "\n\n" + "\n".join(summary(review)))
    return game.serialise()


def _add_line(parent: sgf.Tree_node, review: Review, row: Row) -> None:
    """The better line as a variation from the node before the move; it ends where it would not be legal."""
    position = review.positions[row.number - 1].with_turn(row.colour)
    node = parent
    for point in row.pv:
        colour = position.to_play
        try:
            position = position.play(point)
        except IllegalMove:
            break
        node = node.new_child()
        cell = row_col(point, position.size)
        node.set_move("b" if colour == BLACK else "w", cell and (position.size - 1 - cell[0], cell[1]))
        if node.parent is parent:
            node.add_comment_text(f"Better than {vertex(row.point, review)}: win rate {row.before:.1%}")


def win_rate_graph(review: Review, path: Path, title: str = "") -> None:
    """Black's win rate after each move, what the moves cost below, and the worst of them named.

    Where nobody judged, the probabilities of the moves played.  Raises BadInput without matplotlib.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")      # of a name: a box is drawn in its place
        save_charts(path, 1, 1, lambda axes: _draw_graph(axes[0], review, title), inches=(9, 4.2))


def _draw_graph(axes, review: Review, title: str) -> None:
    moves = np.arange(len(review.rows) + 1)
    last = max(len(review.rows), 10)
    if not _judged(review):
        axes.bar(moves[1:], [100 * row.prior for row in review.rows], width=0.9,
                 color=[INK if row.colour == BLACK else GREY for row in review.rows])
        axes.set_ylabel("probability of the move played, %")
    else:
        rates = 100 * np.array(review.black_rates(), float)
        axes.fill_between(moves, rates, 0, color="#3a3733", linewidth=0, zorder=1)
        axes.fill_between(moves, rates, 100, color="#f2ede2", linewidth=0, zorder=1)
        axes.plot(moves, rates, color=BLUE, linewidth=1.6, zorder=4)
        axes.axhline(50, color=GREY, linewidth=0.8, linestyle="--", zorder=3)
        axes.text(0.006 * last, 4, "Black", color="white", fontsize=8, zorder=5)
        axes.text(0.006 * last, 96, "White", color=INK, fontsize=8, va="top", zorder=5)
        _name_swings(axes, review, rates, last)
        axes.set_ylabel("Black's win rate, %")
        axes.set_ylim(0, 100)
    axes.set_xlim(0, last)
    axes.set_xlabel("move")
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    if title:
        axes.set_title(escape_mathtext(title), fontsize=10)


def _name_swings(axes, review: Review, rates: np.ndarray, last: int) -> None:
    """A dot on every move that cost much; the worst six with their names, where there is room for them."""
    shown: set[str] = set()
    for row in review.swings(len(review.rows)):
        label = None if row.verdict in shown else row.verdict
        shown.add(row.verdict)
        axes.plot(row.number, rates[row.number], "o", markersize=6, color=INKS[row.verdict], zorder=6,
                  markeredgecolor="white", markeredgewidth=0.8, label=label)
    taken: list[tuple[float, float]] = []
    for row in review.swings(6):
        x, y = row.number, rates[row.number]
        down = row.colour == BLACK                       # a bad move of Black's goes down, and its name below it
        height = y - 9 if down else y + 9
        height = min(max(height, 5), 95)
        if any(abs(x - other_x) < 0.1 * last and abs(height - other_y) < 8 for other_x, other_y in taken):
            continue
        taken.append((x, height))
        middle = min(max(x, 0.03 * last), 0.96 * last)
        axes.text(middle, height, f"{x} {vertex(row.point, review)}", fontsize=7.5, ha="center", va="center", zorder=7,
                  color=INK, bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": INKS[row.verdict],
                                   "linewidth": 0.9})
    if shown:
        handles, names = axes.get_legend_handles_labels()
        order = sorted(range(len(names)), key=lambda i: [word for word, _ in VERDICTS].index(names[i]))
        axes.legend([handles[i] for i in order], [names[i] for i in order], fontsize=7.5, loc="upper center",
                    bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)

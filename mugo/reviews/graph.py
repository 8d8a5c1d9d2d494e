"""The win-rate graph of a review, with the lead in points where there is one, as PNG or SVG."""
import warnings
from pathlib import Path

import numpy as np

from mugo.games.board import BLACK
from mugo.plots.figures import BLUE, GREY, INK, RED, escape_mathtext, save_charts
from mugo.reviews.report import format_point
from mugo.reviews.move_review import Review

VERDICT_COLOURS = {"blunder": RED, "mistake": "#d9822b", "inaccuracy": "#d4b13f"}
LEAD_COLOUR = "#3c8d5a"
NAMED_MOVES = 6                          # the worst moves are labelled with number and point


def save_win_rate_graph(review: Review, path: Path, title: str = "") -> None:
    """Write a graph of Black's win rate and lead after each move, with dots on the moves that are not good.

    Without win rates it shows the priors of the moves played.  Raises BadInput without matplotlib.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")      # in a player's name; drawn as a box
        save_charts(path, 1, 1, lambda axes: _draw_graph(axes[0], review, title), inches=(9, 4.2))


def _draw_graph(axes, review: Review, title: str) -> None:
    last = max(len(review.moves), 10)
    if review.has_win_rates:
        _draw_win_rates(axes, review, last)
    else:
        axes.bar([move.number for move in review.moves], [100 * move.prior for move in review.moves], width=0.9,
                 color=[INK if move.colour == BLACK else GREY for move in review.moves])
        axes.set_ylabel("prior of the move played, %")
    axes.set_xlim(0, last)
    axes.set_xlabel("move")
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    if title:
        axes.set_title(escape_mathtext(title), fontsize=10)


def _draw_win_rates(axes, review: Review, last: int) -> None:
    """Draw Black's share dark from below and White's share light from above.  last: the right end of the x axis."""
    moves = np.arange(len(review.moves) + 1)
    win_rates = 100 * np.array(review.black_win_rates(), float)
    axes.fill_between(moves, win_rates, 0, color="#3a3733", linewidth=0, zorder=1)
    axes.fill_between(moves, win_rates, 100, color="#f2ede2", linewidth=0, zorder=1)
    axes.plot(moves, win_rates, color=BLUE, linewidth=1.6, zorder=4)
    axes.axhline(50, color=GREY, linewidth=0.8, linestyle="--", zorder=3)
    axes.text(0.006 * last, 4, "Black", color="white", fontsize=8, zorder=5)
    axes.text(0.006 * last, 96, "White", color=INK, fontsize=8, va="top", zorder=5)
    _mark_worst_moves(axes, review, win_rates)
    _label_worst_moves(axes, review, win_rates, last)
    axes.set_ylabel("Black's win rate, %")
    axes.set_ylim(0, 100)
    if review.has_leads:
        _draw_leads(axes, review)


def _draw_leads(axes, review: Review) -> None:
    """Black's lead on an axis of its own, on which 0 is at the height of 50 %."""
    leads = np.array(review.black_leads(), float)
    limit = max(10.0, 1.1 * float(np.nanmax(np.abs(leads))))
    right = axes.twinx()
    right.plot(np.arange(len(leads)), leads, color=LEAD_COLOUR, linewidth=1.1, linestyle=(0, (4, 2)))
    right.set_ylim(-limit, limit)
    right.set_ylabel("Black's lead, points (dashed)", color=LEAD_COLOUR)
    right.tick_params(labelsize=8, colors=LEAD_COLOUR)
    right.spines[["top", "right"]].set_visible(False)


def _mark_worst_moves(axes, review: Review, win_rates: np.ndarray) -> None:
    """A dot on every move that is not good, in the colour of its verdict, and a legend."""
    for verdict, colour in VERDICT_COLOURS.items():
        numbers = [move.number for move in review.moves if move.verdict == verdict]
        if numbers:
            axes.plot(numbers, win_rates[numbers], "o", markersize=6, color=colour, zorder=6, markeredgecolor="white",
                      markeredgewidth=0.8, label=verdict)
    if review.worst_moves(1):
        axes.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)


def _label_worst_moves(axes, review: Review, win_rates: np.ndarray, last: int) -> None:
    """Labels of the NAMED_MOVES worst moves; one that would overlap another is left out."""
    placed: list[tuple[float, float]] = []
    for move in review.worst_moves(NAMED_MOVES):
        # A bad move of Black's makes the curve fall, so its label is below the dot.
        y = win_rates[move.number] + (-9 if move.colour == BLACK else 9)
        y = min(max(y, 5), 95)
        if any(abs(move.number - other_x) < 0.1 * last and abs(y - other_y) < 8 for other_x, other_y in placed):
            continue
        placed.append((move.number, y))
        x = min(max(move.number, 0.03 * last), 0.96 * last)
        axes.text(x, y, f"{move.number} {format_point(review, move.point)}", fontsize=7.5, ha="center", va="center",
                  zorder=7, color=INK, bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "linewidth": 0.9,
                                             "edgecolor": VERDICT_COLOURS[move.verdict]})

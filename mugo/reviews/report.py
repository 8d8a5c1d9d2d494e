"""A review as text and as a graph: tables for the terminal, a comment for each move, CSV, PNG and SVG.

    summary              mistakes and agreement with the network, by side and by phase
    worst_moves_table    the moves with the largest loss
    variation_board      the board before a move, the best line numbered on it
    comment              a move in words, for the SGF
    csv_text             COLUMNS, one row a move
    save_win_rate_graph  win rate and lead, with the worst moves
"""
import csv
import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, area_of, format_gtp, row_col
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES
from mugo.reviews.move_review import VERDICTS, MoveReview, Review
from mugo.plots.figures import BLUE, GREY, INK, RED, escape_mathtext, save_charts
from mugo.plots.terminal import PLAIN, Screen, board_lines, format_table, truncate

VERDICT_COLOURS = {"blunder": RED, "mistake": "#d9822b"}
LEAD_COLOUR = "#3c8d5a"
NAMED_MOVES = 6                          # the worst moves are labelled in the graph with number and point
# Ends of the phases as fractions of the board's points: on 19x19 the opening ends with move 60, the middle game with
# move 150.
PHASES = (("opening", 0, 1 / 6), ("middle game", 1 / 6, 5 / 12), ("endgame", 5 / 12, np.inf))


def format_point(review: Review, point: int) -> str:
    """A point of the game's board as a GTP vertex: 'D4', 'pass'."""
    return format_gtp(point, review.record.shape)


def format_pv(review: Review, pv: Sequence[int]) -> str:
    """Points as GTP vertices: 'D3 C4 C3'."""
    return " ".join(format_point(review, point) for point in pv)


def percent(fraction: float | None) -> str:
    """'54.0%'; '' for None."""
    return "" if fraction is None else f"{fraction:.1%}"


def points(number: float | None) -> str:
    """'+3.5', '-12.0'; '' for None."""
    return "" if number is None else f"{number:+.1f}"


def ordinal(number: int) -> str:
    """'1st', '2nd', '11th'."""
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def player_name(review: Review, colour: int) -> str:
    """'Black (Shusaku 4d)'; 'Black' if the record has no name."""
    record = review.record
    name, rank = (record.black, record.black_rank) if colour == BLACK else (record.white, record.white_rank)
    person = " ".join(truncate(text, 30) for text in (name, rank) if text)
    return COLOUR_NAMES[colour] + (f" ({person})" if person else "")


def summary(review: Review) -> list[str]:
    """A table of both sides and of the phases: number of moves, verdicts, mean loss, also in points, and how often the
    move was the network's first choice (top 1) or among its first five (top 5)."""
    header = ["", "moves", *(["good", "mistakes", "blunders", "mean loss"] if review.has_win_rates
                             else []), *(["points lost"] if review.has_leads else []), "top 1", "top 5"]
    rows = [header]
    for colour in BLACK, WHITE:
        moves = [move for move in review.judged_moves if move.colour == colour]
        if moves:
            rows.append([player_name(review, colour), *_statistics(moves)])
    area = area_of(review.record.shape)
    for name, start, end in PHASES:
        moves = [move for move in review.judged_moves if start * area < move.number <= end * area]
        if moves:
            rows.append([f"{name}, moves {moves[0].number}-{moves[-1].number}", *_statistics(moves)])
    return format_table(rows) + ([f"the review ends at an illegal move: {review.stop_reason}"] if review.stop_reason
                                 else [])


def _statistics(moves: Sequence[MoveReview]) -> list[str]:
    losses = [move.loss for move in moves if move.loss is not None]
    verdicts = [move.verdict for move in moves]
    counts = [*(str(verdicts.count(name)) for name in VERDICTS), percent(float(np.mean(np.maximum(losses, 0))))] \
        if losses else []
    lost = [move.points_lost for move in moves if move.points_lost is not None]
    counts += [f"{np.mean(np.maximum(lost, 0)):.1f}"] if lost else []
    return [str(len(moves)), *counts, *(f"{np.mean([move.rank <= n for move in moves]):.0%}" for n in (1, 5))]


def worst_moves_table(review: Review) -> list[str]:
    """A table of Review.worst_moves."""
    rows = [["move", "", "played", *(["win rate", "", "loss"] if review.has_win_rates else []),
             *(["lead", "", "lost"] if review.has_leads else []), "choice", "prior", "best", "then"]]
    for move in review.worst_moves():
        rates = [percent(move.win_rate_before), f"-> {percent(move.win_rate_after)}", percent(move.loss)] \
            if review.has_win_rates else []
        rates += [points(move.lead_before), f"-> {points(move.lead_after)}", points(move.points_lost).lstrip("+")] \
            if review.has_leads else []
        rows.append([str(move.number), COLOUR_NAMES[move.colour], format_point(review, move.point), *rates,
                     ordinal(move.rank), percent(move.prior), format_point(review, move.best_move),
                     format_pv(review, move.pv[1:6])])
    if len(rows) == 1:
        return ["no mistakes or blunders" if review.has_win_rates
                else "every move was the network's first choice"]
    widest = max(len(row[-1]) for row in rows)
    return format_table([[*row[:-1], row[-1].ljust(widest)] for row in rows])


def variation_board(review: Review, move: MoveReview, screen: Screen = PLAIN) -> list[str]:
    """The board before a move, with the principal variation as 1, 2, 3, ... on its empty points."""
    labels: dict[int, str] = {}
    position = review.positions[move.number - 1]
    for number, point in enumerate(move.pv[:9], 1):
        if point != PASS and position.stones[row_col(point, position.shape)] == 0:
            labels.setdefault(point, str(number))
    return board_lines(position, screen, labels=labels)


def text_report(review: Review, screen: Screen = PLAIN) -> list[str]:
    """The summary, the worst moves, and the board of the worst one."""
    lines = [*summary(review), "", *worst_moves_table(review)]
    for move in review.worst_moves(1):
        played = f"{COLOUR_NAMES[move.colour]} {format_point(review, move.point)}"
        lines += ["", f"before move {move.number} ({played}), with the better variation, numbered:",
                  *variation_board(review, move, screen)]
    return lines


def comment(review: Review, move: MoveReview) -> str:
    """The review of a move in words."""
    colour = COLOUR_NAMES[move.colour]
    if move.is_placed:
        return f"{colour} {format_point(review, move.point)}: a handicap stone, not judged."
    text = f"{colour} {format_point(review, move.point)}: {ordinal(move.rank)} choice, prior {move.prior:.1%}."
    if move.loss is not None:
        text += f"\n{colour}'s win rate {percent(move.win_rate_before)} -> {percent(move.win_rate_after)}."
        if move.points_lost is not None:
            text += f" Lead {points(move.lead_before)} -> {points(move.lead_after)}."
        if move.verdict != "good":
            lost = "" if move.points_lost is None else f" and {move.points_lost:.1f} points"
            text += f" {move.verdict.capitalize()}: loses {move.loss:.1%}{lost}."
    if move.best_move != move.point:
        label = "Better" if move.verdict not in ("", "good") else "First choice"
        text += f"\n{label}: {format_pv(review, move.pv)}"
    return text


# The columns of the CSV: a new one is a row here.  Numbers have four decimals; None is empty.
COLUMNS: dict[str, Callable[[Review, MoveReview], object]] = {
    "move": lambda review, move: move.number,
    "colour": lambda review, move: COLOUR_LETTERS[move.colour],
    "point": lambda review, move: format_point(review, move.point),
    "rank": lambda review, move: move.rank,
    "prior": lambda review, move: move.prior,
    "win_rate_before": lambda review, move: move.win_rate_before,
    "win_rate_after": lambda review, move: move.win_rate_after,
    "loss": lambda review, move: move.loss,
    "lead_before": lambda review, move: move.lead_before,
    "lead_after": lambda review, move: move.lead_after,
    "points_lost": lambda review, move: move.points_lost,
    "verdict": lambda review, move: move.verdict,
    "best_move": lambda review, move: format_point(review, move.best_move),
    "best_prior": lambda review, move: move.best_prior,
    "pv": lambda review, move: format_pv(review, move.pv),
}


def csv_text(review: Review) -> str:
    """All moves as CSV, a row per move, with COLUMNS; win rates and priors from 0 to 1, leads in points."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for move in review.moves:
        values = [column(review, move) for column in COLUMNS.values()]
        writer.writerow([f"{value:.4f}" if isinstance(value, float) else value for value in values])
    return out.getvalue()


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

"""The summary of a match: rows of games -> scores, Elo, times and faults, as JSON or text.

    participant     games   wins  draws losses   win rate (95 %)            Elo    mean and max s/move
    uct               100     62      0     38   62.0% (52.2% to 70.9%)    +85 ± 71    1.002      1.010

    win rate p   <->   Elo difference 400 log10(p / (1 - p))         50 % 0, 64 % 100, 76 % 200, 91 % 400

Several participants are rated by the Bradley-Terry model.  A draw counts as half a win.  Intervals are of 95 %.
"""
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mugo.core.intervals import Z, Estimate, wilson_interval
from mugo.core.sprt import H0, H1, SPRT, SPRTResult

SCALE = math.log(10) / 400               # Elo -> natural logarithm of the odds
PRIOR = 0.5                              # drawn games of every participant against one of rating 0


def elo(rate: float) -> float:
    """The Elo difference of a win rate; infinite at 0 and 1."""
    if rate <= 0 or rate >= 1:
        return math.inf if rate >= 1 else -math.inf
    return math.log(rate / (1 - rate)) / SCALE


def elo_difference(wins: float, games: float) -> Estimate:
    """The Elo difference of a participant to its opponent, by its wins, with the interval of Wilson (1927)."""
    rate = wilson_interval(wins, games)
    return Estimate(elo(rate.value), elo(rate.low), elo(rate.high))


def ratings(wins: np.ndarray, reference: int | None = None, prior: float = PRIOR) -> list[Estimate]:
    """Elo ratings by maximum likelihood in the model of Bradley and Terry (1952); errors by the likelihood's curvature.

    wins: float (n, n), wins[i, j] of i against j, a draw half for each.
    reference: the participant whose rating is 0; None: the mean is 0.
    prior: drawn games of each participant against one of rating 0, which keep all ratings finite; 0.5 moves 60 wins in
    100 games by 0.2 Elo.
    """
    wins = np.asarray(wins, float)
    n = len(wins)
    games = wins + wins.T
    total_wins = wins.sum(1) + prior / 2

    def log_likelihood(strength: np.ndarray) -> float:
        pairs = np.logaddexp(0, strength[None, :] - strength[:, None])       # -log P(i beats j)
        drawn = np.logaddexp(0, strength) + np.logaddexp(0, -strength)
        return -(wins * pairs).sum() - prior / 2 * drawn.sum()

    # Newton's method; a step that would lower the likelihood is halved.  The function is concave.
    strength = np.zeros(n)               # natural logarithms
    information = np.eye(n)
    for _ in range(100):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        against_average = 1 / (1 + np.exp(-strength))
        gradient = total_wins - (games * expected).sum(1) - prior * against_average
        weight = games * expected * (1 - expected)
        information = np.diag(weight.sum(1) + prior * against_average * (1 - against_average)) - weight
        step = np.linalg.solve(information, gradient)
        before = log_likelihood(strength)
        while log_likelihood(strength + step) < before - 1e-9 and np.abs(step).max() > 1e-9:
            step /= 2
        strength = strength + step
        if np.abs(step).max() < 1e-9:
            break
    covariance = np.linalg.inv(information)
    contrast = np.eye(n) - (np.full((n, n), 1 / n) if reference is None else np.eye(n)[[reference]])
    values = contrast @ strength / SCALE
    errors = Z * np.sqrt(np.maximum(np.diag(contrast @ covariance @ contrast.T), 0)) / SCALE
    return [Estimate(value, value - error, value + error)
            for value, error in zip(values.tolist(), errors.tolist(), strict=True)]


Rows = Sequence[Mapping[str, str]]


def summarize(rows: Rows, names: Sequence[str], sprt: SPRT | None = None) -> dict[str, Any]:
    """The summary of a match, ready for JSON.

    rows: of games.csv (match_folder.COLUMNS).  names: the participants'.  sprt: the test of a match of two.
    Elo is relative to the opponent, or to the first of more than two.  Infinite and unknown values are None.
    """
    has_two = len(names) == 2
    wins = win_matrix(rows, names)
    elo = [] if has_two else ratings(wins, reference=0)
    participants = []
    for i, name in enumerate(names):
        score = _score(rows, name, ("black", "white"))
        participants.append({
            "name": name, **score,
            "elo": _finite(elo_difference(wins[i].sum(), score["games"]) if has_two else elo[i]),
            "as_black": _score(rows, name, ("black",)), "as_white": _score(rows, name, ("white",)),
            **_move_seconds(rows, name),
            "faults": dict(Counter(row["end"] for row in rows if row["at_fault"] == name)),
        })
    moves = [int(row["moves"]) for row in rows]
    return {
        "games": len(rows), "participants": participants,
        "pairs": [] if has_two else [
            {"first": names[i], "second": names[j], "wins": wins[i, j], "games": wins[i, j] + wins[j, i]}
            for i, j in itertools.combinations(range(len(names)), 2) if wins[i, j] + wins[j, i]],
        "moves": {"mean": sum(moves) / len(moves), "min": min(moves), "max": max(moves)} if moves else None,
        "ended_by": dict(Counter(row["end"] for row in rows).most_common()),
        "duplicates": len(rows) - len({row["game_hash"] for row in rows}),
        "sprt": sprt and _sprt_summary(sprt, run_sprt(rows, names[0], sprt)),
    }


def run_sprt(rows: Rows, first: str, sprt: SPRT) -> SPRTResult:
    """The result of a test over the game pairs in the order of their numbers, up to the first that is not complete.

    first: the participant that the test is about.  Games 2 k and 2 k + 1 are a pair.  In the order of their ends, pairs
    of short games would come first.
    """
    points = {int(row["number"]): {first: 1.0, "": 0.5}.get(row["winner"], 0.0) for row in rows}
    complete = itertools.takewhile(lambda number: number in points and number + 1 in points, itertools.count(0, 2))
    return sprt.run(points[number] + points[number + 1] for number in complete)


def _sprt_summary(sprt: SPRT, result: SPRTResult) -> dict[str, Any]:
    return {"elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta, "lower": sprt.lower,
            "upper": sprt.upper, "llr": result.ratio, "accepted": result.accepted or None,
            "pairs": dict(zip(("0", "0.5", "1", "1.5", "2"), result.counts, strict=True))}


def win_matrix(rows: Rows, names: Sequence[str]) -> np.ndarray:
    """float (n, n), [i, j] the wins of participant i against j, a draw half for each."""
    wins = np.zeros((len(names), len(names)))
    index = {name: i for i, name in enumerate(names)}
    for row in rows:
        black, white = index[row["black"]], index[row["white"]]
        points = {row["black"]: 1.0, row["white"]: 0.0}.get(row["winner"], 0.5)
        wins[black, white] += points
        wins[white, black] += 1 - points
    return wins


def _score(rows: Rows, name: str, colours: Sequence[str]) -> dict[str, Any]:
    """Games, wins, draws, losses and win rate of a participant with these colours."""
    own = [row for row in rows if any(row[colour] == name for colour in colours)]
    wins = sum(row["winner"] == name for row in own)
    draws = sum(row["winner"] == "" for row in own)
    return {"games": len(own), "wins": wins, "draws": draws, "losses": len(own) - wins - draws,
            "win_rate": _finite(wilson_interval(wins + draws / 2, len(own))) if own else None}


def _move_seconds(rows: Rows, name: str) -> dict[str, float | None]:
    """Mean and maximal seconds per move of a participant; None if it has not moved."""
    own = [(row, colour) for row in rows for colour in ("black", "white") if row[colour] == name]
    moves = sum(int(row[f"{colour}_moves"]) for row, colour in own)
    if not moves:
        return {"mean_seconds": None, "max_seconds": None}
    return {"mean_seconds": sum(float(row[f"{colour}_seconds"]) for row, colour in own) / moves,
            "max_seconds": max(float(row[f"{colour}_max_seconds"]) for row, colour in own)}


def _finite(estimate: Estimate) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None
            for name, value in (("value", estimate.value), ("low", estimate.low), ("high", estimate.high))}


def format_summary(summary: dict[str, Any]) -> str:
    """A summary as text; more than two participants are sorted by Elo."""
    participants = summary["participants"]
    width = max(max(len(participant["name"]) for participant in participants), 12)
    lines = [f"{'':{width}}  games   wins  draws losses   win rate (95 %)            Elo     mean and max s/move"]
    if len(participants) > 2:
        participants = sorted(participants, key=lambda participant: -participant["elo"]["value"])
    for participant in participants:
        seconds = ("" if participant["mean_seconds"] is None
                   else f"{participant['mean_seconds']:14.3f} {participant['max_seconds']:10.3f}")
        lines.append(f"{_format_score(participant['name'], participant, width)}  "
                     f"{_format_elo(participant['elo']):>15}{seconds}")
        lines += [_format_score(f"  as {colour}", participant[f"as_{colour.lower()}"], width)
                  for colour in ("Black", "White")]
    lines += ["", *(f"{pair['first']} - {pair['second']}: {pair['wins']:g} of {pair['games']:g}"
                    for pair in summary["pairs"])]
    if summary["moves"]:
        moves = summary["moves"]
        lines.append(f"moves per game: {moves['mean']:.1f} ({moves['min']} to {moves['max']})")
        lines.append(f"ended by: {_format_counts(summary['ended_by'])}")
    lines += [f"faults of {participant['name']}: {_format_counts(participant['faults'])}"
              for participant in summary["participants"] if participant["faults"]]
    if summary["sprt"]:
        lines.append(_format_sprt(summary["sprt"]))
    if summary["duplicates"]:
        lines.append(f"{summary['duplicates']} of {summary['games']} games repeat another one move for move, so the "
                     "intervals above are too narrow: see --openings")
    return "\n".join(line.rstrip() for line in lines)


def _format_sprt(sprt: dict[str, Any]) -> str:
    verdict = {H0: f"H0 accepted: less than {sprt['elo1']:+g} Elo", H1: f"H1 accepted: more than {sprt['elo0']:+g} Elo",
               None: "undecided"}[sprt["accepted"]]
    return (f"SPRT of {sprt['elo0']:+g} and {sprt['elo1']:+g} Elo: {verdict}; LLR {sprt['llr']:.2f} "
            f"({sprt['lower']:.2f} to {sprt['upper']:.2f}); game pairs with 0, 0.5, ..., 2 points: "
            f"{', '.join(map(str, sprt['pairs'].values()))}")


def _format_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _format_score(name: str, score: dict[str, Any], width: int) -> str:
    rate = score["win_rate"]
    text = "" if rate is None else f"{rate['value']:7.1%} ({rate['low']:.1%} to {rate['high']:.1%})"
    return f"{name:{width}} {score['games']:6} {score['wins']:6} {score['draws']:6} {score['losses']:6}  {text:25}"


def _format_elo(elo: dict[str, float | None]) -> str:
    value, low, high = elo["value"], elo["low"], elo["high"]
    if value is None:
        return f"over {low:+.0f}" if low is not None else f"under {high:+.0f}" if high is not None else "unknown"
    if low is None or high is None:
        return f"{value:+.0f}"
    return f"{value:+.0f}" + (f" ± {(high - low) / 2:.0f}" if high > low else "")

"""Games won -> how strong: win rates with their intervals, Elo differences, rating tables.

    win rate p   <->   Elo difference 400 log10(p / (1 - p))         50 % 0, 64 % 100, 76 % 200, 91 % 400

Draws count half everywhere.  No games are played here.
"""
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from mugo.intervals import Estimate, Z, wilson_interval

SCALE = math.log(10) / 400               # Elo -> natural logarithm of the odds
PRIOR = 0.5                              # drawn games of every player with one of rating 0


def elo(rate: float) -> float:
    """The Elo difference that goes with a win rate; infinite at 0 and 1."""
    if rate <= 0 or rate >= 1:
        return math.inf if rate >= 1 else -math.inf
    return math.log(rate / (1 - rate)) / SCALE


def elo_difference(wins: float, games: float) -> Estimate:
    """By how much Elo somebody is stronger who won so many games of so many."""
    rate = wilson_interval(wins, games)
    return Estimate(elo(rate.value), elo(rate.low), elo(rate.high))


def ratings(wins: np.ndarray, reference: int | None = None, prior: float = PRIOR) -> list[Estimate]:
    """The Elo of every player, most likely given who beat whom (the model of Bradley and Terry, 1952).

    wins: float (n, n), wins[i, j] what i took off j, a draw half for each.
    reference: the player whose rating is 0; None: the mean is 0.
    prior: keeps ratings finite for players who won, or lost, all; 0.5 moves 60 wins in 100 games by 0.2 Elo.
    """
    wins = np.asarray(wins, float)
    n = len(wins)
    games = wins + wins.T
    won = wins.sum(1) + prior / 2

    def likelihood(strength: np.ndarray) -> float:
        pairs = np.logaddexp(0, strength[None, :] - strength[:, None])       # -log P(i beats j)
        drawn = np.logaddexp(0, strength) + np.logaddexp(0, -strength)
        return -(wins * pairs).sum() - prior / 2 * drawn.sum()

    # Newton's method, and half a step where a whole one would overshoot: the function is concave.
    strength = np.zeros(n)
    for _ in range(100):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        against_average = 1 / (1 + np.exp(-strength))
        gradient = won - (games * expected).sum(1) - prior * against_average
        weight = games * expected * (1 - expected)
        information = np.diag(weight.sum(1) + prior * against_average * (1 - against_average)) - weight
        step = np.linalg.solve(information, gradient)
        before = likelihood(strength)
        while likelihood(strength + step) < before - 1e-9 and np.abs(step).max() > 1e-9:
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


# ---- the figures of a match ----------------------------------------------------------------------

def summary(rows: Sequence[Mapping[str, str]], names: Sequence[str]) -> dict:
    """The figures of the games in `rows` (see match.COLUMNS), ready for JSON.

    Elo is that of a side less that of its opponent; of more than two sides, less that of the first.
    What cannot be said yet, as the Elo of someone who won all, is None.
    """
    two = len(names) == 2
    wins = np.zeros((len(names), len(names)))
    index = {name: i for i, name in enumerate(names)}
    for row in rows:
        black, white = index[row["black"]], index[row["white"]]
        share = {row["black"]: 1.0, row["white"]: 0.0}.get(row["winner"], 0.5)
        wins[black, white] += share
        wins[white, black] += 1 - share
    rated = [] if two else ratings(wins, reference=0)
    sides = []
    for i, name in enumerate(names):
        score = _score(rows, name, ("black", "white"))
        strength = elo_difference(wins[i].sum(), score["games"]) if two else rated[i]
        sides.append({
            "name": name, **score, "elo": _json(strength),
            "as_black": _score(rows, name, ("black",)), "as_white": _score(rows, name, ("white",)),
            **_seconds(rows, name),
            "faults": dict(Counter(row["end"] for row in rows if row["at_fault"] == name)),
        })
    moves = [int(row["moves"]) for row in rows]
    return {
        "games": len(rows), "sides": sides,
        "pairs": [] if two else [
            {"first": names[i], "second": names[j], "wins": wins[i, j], "games": wins[i, j] + wins[j, i]}
            for i, j in combinations(range(len(names)), 2) if wins[i, j] + wins[j, i]],
        "moves": {"mean": sum(moves) / len(moves), "least": min(moves), "most": max(moves)} if moves else None,
        "ended_by": dict(Counter(row["end"] for row in rows).most_common()),
        "repeated": len(rows) - len({row["fingerprint"] for row in rows}),
    }


def _score(rows: Sequence[Mapping[str, str]], name: str, colours: Sequence[str]) -> dict:
    """Games, wins, draws, losses and win rate of a side in these colours."""
    played = [row for row in rows if any(row[colour] == name for colour in colours)]
    won = sum(row["winner"] == name for row in played)
    drawn = sum(row["winner"] == "" for row in played)
    rate = wilson_interval(won + drawn / 2, len(played))
    return {"games": len(played), "wins": won, "draws": drawn, "losses": len(played) - won - drawn,
            "rate": _json(rate) if played else None}


def _seconds(rows: Sequence[Mapping[str, str]], name: str) -> dict:
    """Mean and worst seconds a move of a side; None if it has not moved."""
    own = [(row, colour) for row in rows for colour in ("black", "white") if row[colour] == name]
    moves = sum(int(row[f"{colour}_moves"]) for row, colour in own)
    if not moves:
        return {"seconds_mean": None, "seconds_worst": None}
    return {"seconds_mean": sum(float(row[f"{colour}_seconds"]) for row, colour in own) / moves,
            "seconds_worst": max(float(row[f"{colour}_worst"]) for row, colour in own)}


def _json(estimate: Estimate) -> dict:
    return {name: value if math.isfinite(value) else None
            for name, value in (("value", estimate.value), ("low", estimate.low), ("high", estimate.high))}


def format_summary(figures: dict) -> str:
    """The figures of a match as text."""
    width = max(max(len(side["name"]) for side in figures["sides"]), 12)
    lines = [f"{'':{width}}  games   wins  draws losses   win rate (95 %)            Elo    mean and worst s/move"]
    several = len(figures["sides"]) > 2
    for side in sorted(figures["sides"], key=lambda side: -side["elo"]["value"]) if several else figures["sides"]:
        seconds = ("" if side["seconds_mean"] is None
                   else f"{side['seconds_mean']:14.3f} {side['seconds_worst']:10.3f}")
        lines.append(f"{_format_score(side['name'], side, width)}  {_format_elo(side['elo']):>15}{seconds}")
        lines += [_format_score(f"  as {colour}", side[f"as_{colour.lower()}"], width) for colour in ("Black", "White")]
    lines += ["", *(f"{pair['first']} - {pair['second']}: {pair['wins']:g} of {pair['games']:g}"
                    for pair in figures["pairs"])]
    if figures["moves"]:
        moves = figures["moves"]
        lines.append(f"moves a game: {moves['mean']:.1f} ({moves['least']} to {moves['most']})")
        lines.append(f"ended by: {', '.join(f'{how} {games}' for how, games in figures['ended_by'].items())}")
    for side in figures["sides"]:
        if side["faults"]:
            told = ", ".join(f"{kind} {games}" for kind, games in side["faults"].items())
            lines.append(f"faults of {side['name']}: {told}")
    if figures["repeated"]:
        lines.append(f"{figures['repeated']} of {figures['games']} games repeat another one move for move, so the "
                     "intervals above are too narrow: see --openings")
    return "\n".join(line.rstrip() for line in lines)


def _format_score(name: str, score: dict, width: int) -> str:
    rate = score["rate"]
    told = "" if rate is None else f"{rate['value']:7.1%} ({rate['low']:.1%} to {rate['high']:.1%})"
    return f"{name:{width}} {score['games']:6} {score['wins']:6} {score['draws']:6} {score['losses']:6}  {told:25}"


def _format_elo(elo: dict) -> str:
    value, low, high = elo["value"], elo["low"], elo["high"]
    if value is None:
        return f"over {low:+.0f}" if low is not None else f"under {high:+.0f}" if high is not None else "unknown"
    if low is None or high is None:
        return f"{value:+.0f}"
    return f"{value:+.0f}" + (f" ± {(high - low) / 2:.0f}" if high > low else "")

"""What a move that loses so much is called, in reviews and on the page: by points, or by win rate where no
network has scores.

    level              1          2             3          4          5
    verdict            good       inaccuracy    mistake    blunder    blunder
    lead, in points    0.5        1.5           3          6          12
    win rate           2.5 %      5 %           10 %       20 %       40 %
"""
LEVELS = {"lead": (0.5, 1.5, 3, 6, 12), "win_rate": (0.025, 0.05, 0.1, 0.2, 0.4)}      # the least losses
VERDICTS = ("good", "inaccuracy", "mistake", "blunder")
_VERDICT_OF_LEVEL = ("good", "good", "inaccuracy", "mistake", "blunder", "blunder")


def verdict(unit: str, lost: float) -> str:
    """One of VERDICTS.  unit: "lead" or "win_rate", of what was lost by the side that moved."""
    return _VERDICT_OF_LEVEL[sum(lost >= least for least in LEVELS[unit])]

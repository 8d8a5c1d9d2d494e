"""How long a move may take: main time, Canadian and Japanese byo-yomi.  Arithmetic only:
gtp/engine.py measures the time and reports what was spent.

    main time |=========>--------------------| then  |--period--|--period--| ...
                spent      main                        left, with so many stones to play in it

A period is played again once its stones are; one that runs out is lost, and with the last one the
game.  So all the time systems of GTP are four numbers, a TimeSettings:

                 main    period   stones   periods
    no limit     inf     0        1        1         time_settings 0 T 0, kgs-time_settings none
    absolute     M       0        1        1         time_settings M 0 0, kgs-time_settings absolute M
    Canadian     M       T        S        1         time_settings M T S, kgs-time_settings canadian M T S
    Japanese     M       T        1        N         kgs-time_settings byoyomi M T N

GTP 2, section 4.2: https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html
KGS: http://www.weddslist.com/kgs/how/kgsGtp.html
"""
import math
from dataclasses import dataclass

# How many points of a board have a stone on them when a game ends.
FULL = 0.8
# A search looks at its watch now and then: it is told less than its share by this much.
SLACK = 0.05
# Seconds that a move costs beyond what we measure: the controller's work and its network.
LAG = 0.2
# Seconds for a move when there is no time: a player told 0 might take it for no limit.
AT_ONCE = 0.001


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """The time system of a game, as the table above has it; times in seconds.

    >>> TimeSettings(main=600, period=30, periods=5)
    TimeSettings(main=600, period=30, stones=1, periods=5)
    """
    main: float = math.inf
    period: float = 0
    stones: int = 1
    periods: int = 1


NO_LIMIT = TimeSettings()


def absolute(main: float) -> TimeSettings:
    """A game in no time at all would be lost before its first move, so that is no limit."""
    return TimeSettings(main) if main else NO_LIMIT


def canadian(main: float, period: float, stones: int) -> TimeSettings:
    """As GTP reads the three numbers: a period for no stones is no limit, no period absolute time."""
    if period and not stones:
        return NO_LIMIT
    return TimeSettings(main, period, stones) if period else absolute(main)


def japanese(main: float, period: float, periods: int) -> TimeSettings:
    return TimeSettings(main, period, periods=periods) if period and periods else absolute(main)


class Clock:
    """One side's clock.

    It is our own bookkeeping: every move costs what the player took plus `lag`, so that it shows
    less time than the controller's clock, never more.  What the controller tells us replaces it.

    main: seconds of main time left; math.inf without a limit.
    left, stones: seconds left in this period, and the stones to play in it; full in main time.
    periods: how many there are, this one included.
    """

    def __init__(self, settings: TimeSettings = NO_LIMIT, lag: float = LAG):
        self.settings = settings
        self.lag = lag
        self.main = settings.main
        self.periods = settings.periods
        # Whether our periods begin with the controller's.  If it says nothing they may begin earlier.
        self._in_step = settings.main == 0
        self._begin_period()

    def _begin_period(self) -> None:
        self.left = self.settings.period
        self.stones = self.settings.stones

    def correct(self, seconds: float, stones: int) -> None:
        """Take over what the controller says (time_left).

        stones: 0 in main time, else the stones to play in this period; in Japanese byo-yomi, where
        that is always one, KGS tells the periods left instead.
        More time than a period has comes from controllers that play Fischer time as Canadian: the
        rest is main time.
        """
        seconds = max(seconds, 0)
        period = self.settings.period
        if math.isinf(self.main) and not seconds:       # nothing to tell of a game without a limit
            return
        if not stones or not period:
            self.main = seconds
            self.periods = self.settings.periods
            self._in_step = False
            self._begin_period()
            return
        self.main = max(seconds - period, 0)
        self.left = min(seconds, period)
        self._in_step = True
        if self.settings.stones == 1:
            self.periods = stones
        else:
            self.stones = stones

    def spend(self, seconds: float) -> None:
        """One move was made and took so long."""
        cost = max(seconds, 0) + self.lag
        if cost < self.main or math.isinf(self.main) or not self.settings.period:
            self.main = max(self.main - cost, 0)
            return
        cost -= self.main
        self.main = 0
        while cost > self.left and self.periods > 1:
            cost -= self.left
            self.periods -= 1
            self.left = self.settings.period
        self.left = max(self.left - cost, 0)
        self.stones -= 1
        if self.stones <= 0:
            self._begin_period()

    def seconds(self, size: int, stones: int) -> float | None:
        """The most that the next move may take; None without a limit.

        size: of the board; stones: how many stand on it.

            share = max(2 (main - aside) / moves_to_come,  left / stones to play)
            answer = (1 - SLACK) share - lag,  at least AT_ONCE

        Byo-yomi is shared evenly by the stones to play in it.  In Japanese byo-yomi that is the whole
        period; the periods after it are for accidents.  Of main time a move gets twice an even share:
        then spending falls along a straight line from the first move to nothing at the expected end,
        for what decides a game is mostly played in its first half.  (Baier and Winands, "Time
        Management for Monte-Carlo Tree Search in Go", 2012, compare such ways.)  No move of main time
        gets less than it would in byo-yomi.  Without byo-yomi the lag of many more moves, a third of
        the points, is put aside: a game that turns out long is then played to its end.
        """
        if math.isinf(self.main):
            return None
        period = self.left / max(self.stones, 1)
        if not self._in_step:
            # Stones played fast leave more to the others than an even share.  But if our periods begin
            # too early, the controller's clock may have counted those stones in main time.
            period = min(period, self.settings.period / self.settings.stones)
        aside = 0 if self.settings.period else self.lag * size * size / 3
        share = max(2 * (self.main - aside) / moves_to_come(size, stones), period)
        return max((1 - SLACK) * share - self.lag, AT_ONCE)


def moves_to_come(size: int, stones: int) -> float:
    """How many moves one side still plays: those that fill the board, and a few if it is full.

    The fewest, a twelfth of the points or 8, is what is left of games that go on: each of those
    moves then takes that part of the time left, which never comes to nothing.
    """
    area = size * size
    return max((FULL * area - stones) / 2, area / 12, 8)

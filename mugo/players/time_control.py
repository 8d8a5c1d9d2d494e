"""Time control: main time, byo-yomi, Fischer increments -> seconds for a move.  Arithmetic only: the GTP engine
measures the time and passes it to `spend`.

    main time |=========>--------------------| then  |--period--|--period--| ...
                spent      main                        left, for `stones` more moves

A period starts again when its stones have been played.  A period that runs out is lost, and the game is lost with the
last one.  With Fischer time, main time gets an increment after each move, up to a limit.  So every time system of GTP
is a TimeSettings:

                 main    period   stones   periods   increment
    no limit     inf     0        1        1         0           time_settings 0 T 0, kgs-time_settings none
    absolute     M       0        1        1         0           time_settings M 0 0, kgs-time_settings absolute M
    Canadian     M       T        S        1         0           time_settings M T S, kgs-time_settings canadian M T S
    Japanese     M       T        1        N         0           kgs-time_settings byoyomi M T N
    Fischer      M       0        1        1         I           kata-time_settings fischer M I

GTP 2, section 4.2: https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html
KGS: http://www.weddslist.com/kgs/how/kgsGtp.html
KataGo: https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md    kata-time_settings
"""
import math
from dataclasses import dataclass

from mugo.games.coords import BoardSize, area_of

FULL_BOARD = 0.8          # the fraction of points that have a stone when a game ends
SAFETY_MARGIN = 0.05      # the fraction of its time that a search does not get: it checks the clock only now and then
LAG = 0.2                 # seconds of a move that the engine does not measure: the controller and its network
LATE_SHARES = 3           # half of the reserve lasts for LATE_SHARES times the expected number of moves
MIN_SECONDS = 0.001       # for a move when there is no time left: 0 could mean no limit


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """A row of the table above, in seconds.  max_main: main time after an increment.  max_move: for a single move."""
    main: float = math.inf
    period: float = 0
    stones: int = 1
    periods: int = 1
    increment: float = 0
    max_main: float = math.inf
    max_move: float = math.inf


NO_LIMIT = TimeSettings()


def absolute(main: float) -> TimeSettings:
    """Main time only.  A main time of 0 is no limit: the game would be lost before its first move."""
    return TimeSettings(main) if main else NO_LIMIT


def canadian(main: float, period: float, stones: int) -> TimeSettings:
    """GTP's time_settings: a period without stones is no limit, no period is absolute time."""
    if period and not stones:
        return NO_LIMIT
    return TimeSettings(main, period, stones) if period else absolute(main)


def japanese(main: float, period: float, periods: int) -> TimeSettings:
    """Byo-yomi of one stone a period; without periods absolute time."""
    return TimeSettings(main, period, periods=periods) if period and periods else absolute(main)


def fischer(main: float, increment: float, max_main: float = math.inf, max_move: float = math.inf) -> TimeSettings:
    """Main time that grows by the increment after each move, to max_main at most; no move may take more than max_move.

    Raises ValueError for a limit of main time that is less than the main time.
    """
    if max_main < main:
        raise ValueError(f"the limit of main time, {max_main:g} s, is less than the main time, {main:g} s")
    if not main and not increment:
        main = max_main = math.inf
    return TimeSettings(main, increment=increment, max_main=max_main, max_move=max_move)


class Clock:
    """The clock of one side; it never shows more time than the controller's, as every move also costs `lag`.

    main: seconds of main time left; math.inf without a limit.
    left, stones: seconds left in this period, and stones to play in it; those of a full period during main time.
    periods: number of periods left, with this one.
    overtime: seconds by which the last move exceeded the clock, and lost the game; 0 if it was in time.
    """

    def __init__(self, settings: TimeSettings = NO_LIMIT, lag: float = LAG):
        self.settings = settings
        self.lag = lag
        self.main = settings.main
        self.periods = settings.periods
        self.overtime = 0.0
        # Whether the periods begin with the controller's.  Without time_left they may begin earlier.
        self._is_synchronised = settings.main == 0
        self._begin_period()

    def _begin_period(self) -> None:
        self.left = self.settings.period
        self.stones = self.settings.stones

    def correct(self, seconds: float, stones: int) -> None:
        """Set the clock to the controller's (GTP's time_left).

        stones: 0 in main time, else the stones to play in this period; in Japanese byo-yomi the number of periods left
        (KGS). More time than a period has comes from controllers that play Fischer time as Canadian: the rest is main
        time.
        """
        seconds = max(seconds, 0)
        period = self.settings.period
        if math.isinf(self.main) and not seconds:       # no limit
            return
        if not stones or not period:
            self.main = seconds
            self.periods = self.settings.periods
            self._is_synchronised = False
            self._begin_period()
            return
        self.main = max(seconds - period, 0)
        self.left = min(seconds, period)
        self._is_synchronised = True
        if self.settings.stones == 1:
            self.periods = stones
        else:
            self.stones = stones

    def spend(self, seconds: float) -> None:
        """Subtract the time of a move from the clock."""
        cost = max(seconds, 0) + self.lag
        if cost < self.main or math.isinf(self.main) or not self.settings.period:
            self.overtime = max(cost - self.main, 0)
            self.main = min(max(self.main - cost, 0) + self.settings.increment, self.settings.max_main)
            return
        cost -= self.main
        self.main = 0
        while cost > self.left and self.periods > 1:
            cost -= self.left
            self.periods -= 1
            self.left = self.settings.period
        self.overtime = max(cost - self.left, 0)
        self.left = max(self.left - cost, 0)
        self.stones -= 1
        if self.stones <= 0:
            self._begin_period()

    @property
    def time_to_flag(self) -> float:
        """Seconds until the game is lost on time; math.inf without a limit."""
        return self.main + self.left + (self.periods - 1) * self.settings.period

    def seconds(self, size: BoardSize, stones: int) -> float | None:
        """The time limit of the next move; None without a limit.  stones: number of stones on the board.

            share  = max(increment + 2 (main - increment - reserve) / remaining_moves,  left / stones to play)
            result = (1 - SAFETY_MARGIN) share - lag,  at least MIN_SECONDS,
                     and (main - increment - reserve / 2) / (LATE_SHARES remaining_moves) if there is a reserve

        A move in main time has twice an equal share: games are mostly decided in their first half (Baier and Winands
        2012, "Time Management for Monte-Carlo Tree Search in Go").  The reserve is Japanese byo-yomi's later periods;
        without byo-yomi, the lag of a move for every three points, less their increments, of which late moves use half.
        """
        most = self.settings.max_move
        if math.isinf(self.main):
            return None if math.isinf(most) else self._without_lag(most)
        own, remaining = min(self.settings.increment, self.main), remaining_moves(size, stones)
        reserve = 0 if self.settings.period else max(self.lag - self.settings.increment, 0) * area_of(size) / 3
        main = own + 2 * (self.main - own - reserve) / remaining
        late = (self.main - own - reserve / 2) / (LATE_SHARES * remaining) if reserve else 0
        period = self.left / max(self.stones, 1)
        # Fast moves leave more than an equal share to the others.  But if the periods here begin too early, the
        # controller may have counted those moves in main time.
        if not self._is_synchronised:
            period = min(period, self.settings.period / self.settings.stones)
        return max(self._without_lag(min(max(main, period), most)), min(late, self._without_lag(most)))

    def _without_lag(self, share: float) -> float:
        return max((1 - SAFETY_MARGIN) * share - self.lag, MIN_SECONDS)


def remaining_moves(size: BoardSize, stones: int) -> float:
    """The expected number of moves that one side still plays; at least 8, and a twelfth of the points."""
    area = area_of(size)
    return max((FULL_BOARD * area - stones) / 2, area / 12, 8)

"""The clock of one side in a match: main time, then Canadian byo-yomi, as GTP's time_settings defines them.

    main time |=========>--------------------| then  |--period--|--period--| ...
                spent      left                      `stones` moves in each; an unfinished period loses the game

The referee measures the seconds; nothing here waits.  How a player divides its time is players/time_control.py.
"""
from mugo.files import BadInput
from mugo.limits import parse_integer


class GameClock:
    """The time of one side.

    left: seconds left of the main time or of the current period; negative once the flag fell.
    stones: moves left in the current period; 0 in the main time.
    """

    def __init__(self, main: float, period: float, stones: int):
        """main, period: in seconds.  stones: moves in each period.  period 0: absolute time."""
        self.left = main
        self.stones = 0
        self._period, self._period_stones = period, stones
        self._enter_byo_yomi()

    def _enter_byo_yomi(self) -> None:
        if self.stones == 0 and self.left <= 0 < self._period:
            self.left += self._period
            self.stones = self._period_stones

    @property
    def limit(self) -> float:
        """Seconds until the flag falls."""
        return self.left if self.stones else self.left + self._period

    def spend(self, seconds: float) -> bool:
        """Subtract the time of a move; False if the flag fell."""
        self.left -= seconds
        self._enter_byo_yomi()
        if self.left < 0:
            return False
        if self.stones:
            self.stones -= 1
            if self.stones == 0:
                self.left, self.stones = self._period, self._period_stones
        return True


def interpret_time(text: str) -> tuple[int, int, int]:
    """--time as (main time, byo-yomi time, byo-yomi stones), the arguments of GTP's time_settings.

    '300': absolute time; '300/30': 30 seconds a move after it; '300/30/5': five moves in each 30 seconds.
    Raises BadInput.
    """
    try:
        numbers = [parse_integer(part) for part in text.split("/")]
    except ValueError:
        numbers = []
    if len(numbers) == 2:
        numbers.append(1)
    main, period, stones = (numbers + [0, 0])[:3] if 1 <= len(numbers) <= 3 else (-1, 0, 0)
    if min(main, period, stones) < 0 or main + period == 0 or (period > 0) != (stones > 0):
        raise BadInput(f"--time {text}: MAIN, MAIN/BYOYOMI or MAIN/BYOYOMI/STONES in whole seconds, as in 60/5/1")
    return main, period, stones

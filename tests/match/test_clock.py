"""The clock of one side: main time and Canadian byo-yomi."""
import pytest

from mugo.files import BadInput
from mugo.match.clock import GameClock, interpret_time


def test_main_time_runs_out():
    clock = GameClock(10, 0, 0)
    assert clock.spend(6) and clock.limit == 4 and clock.spend(4) and not clock.spend(0.1)


def test_a_canadian_period_starts_again_when_its_stones_are_played():
    clock = GameClock(10, 6, 3)
    assert (clock.limit, clock.stones) == (16, 0)
    assert clock.spend(12)                              # ten of the main time, two of the first period
    assert (clock.left, clock.stones) == (4, 2)
    assert clock.spend(1) and clock.spend(3)
    assert (clock.left, clock.stones) == (6, 3)
    assert not clock.spend(6.5)


def test_a_move_that_takes_all_of_the_main_time_begins_byo_yomi():
    clock = GameClock(10, 6, 3)
    assert clock.spend(10) and (clock.left, clock.stones, clock.limit) == (6, 2, 6)


def test_without_main_time_byo_yomi_starts_at_once():
    clock = GameClock(0, 5, 1)
    assert (clock.left, clock.stones, clock.limit) == (5, 1, 5)
    assert all(clock.spend(4.9) for _ in range(100)) and clock.stones == 1
    assert not clock.spend(5.1)


@pytest.mark.parametrize("text, numbers", [("60", (60, 0, 0)), ("60/5", (60, 5, 1)), ("0/30/10", (0, 30, 10))])
def test_interpret_time(text, numbers):
    assert interpret_time(text) == numbers


@pytest.mark.parametrize("text", ["", "x", "1.5", "0", "-1", "1/2/3/4", "10/5/0", "0/0/5", "10/0/5", "６０", "1_0",
                                  " 60"])
def test_an_invalid_time_is_refused(text):
    with pytest.raises(BadInput, match="MAIN/BYOYOMI/STONES in whole seconds"):
        interpret_time(text)

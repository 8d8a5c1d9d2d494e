"""The clock: its arithmetic, a thousand simulated games that it must not lose, and a hundred real ones."""
import random

import pytest

from mugo.players.time_control import (
    MIN_SECONDS, LAG, NO_LIMIT, Clock, TimeSettings, absolute, canadian, fischer, japanese)


@pytest.mark.parametrize("made, settings", [
    (canadian(600, 30, 5), TimeSettings(600, 30, 5)),
    (canadian(0, 30, 5), TimeSettings(0, 30, 5)),
    (canadian(600, 0, 5), TimeSettings(600)),
    (canadian(600, 0, 0), TimeSettings(600)),
    (canadian(600, 30, 0), NO_LIMIT),
    (canadian(0, 1, 0), NO_LIMIT),
    (canadian(0, 0, 0), NO_LIMIT),
    (canadian(0, 0, 5), NO_LIMIT),
    (japanese(600, 30, 5), TimeSettings(600, 30, 1, 5)),
    (japanese(600, 30, 0), TimeSettings(600)),
    (japanese(600, 0, 5), TimeSettings(600)),
    (japanese(0, 30, 0), NO_LIMIT),
    (absolute(600), TimeSettings(600)),
    (absolute(0), NO_LIMIT),
    (fischer(600, 10), TimeSettings(600, increment=10)),
    (fischer(0, 10), TimeSettings(0, increment=10)),
    (fischer(0, 0), NO_LIMIT),
    (fischer(60, 30, 70, 20), TimeSettings(60, increment=30, max_main=70, max_move=20)),
    (fischer(0, 0, 70, 20), TimeSettings(max_move=20)),
])
def test_the_numbers_of_time_settings(made, settings):
    assert made == settings


def test_without_a_limit_a_move_may_take_any_time():
    clock = Clock()
    clock.spend(1e9)
    clock.correct(0, 0)
    assert clock.seconds(19, 0) is None


def test_the_first_move_has_twice_an_equal_share_and_later_ones_less():
    clock = Clock(absolute(1000), lag=0)
    shares = []
    for stones in range(0, 230, 2):
        shares.append(clock.seconds(19, stones))
        clock.spend(shares[-1])
    assert shares[0] == pytest.approx(0.95 * 2 * 1000 / 144.4)
    assert all(later < earlier for earlier, later in zip(shares, shares[1:], strict=False))
    assert 0 < clock.main < 100


def test_a_move_in_main_time_has_no_less_than_in_byo_yomi():
    clock = Clock(japanese(60, 30, 5), lag=1)
    assert clock.seconds(19, 0) == 0.95 * 30 - 1
    clock = Clock(canadian(60, 300, 25), lag=1)
    assert clock.seconds(19, 0) == 0.95 * 12 - 1


def test_an_increment_comes_after_the_move_and_is_for_the_next_one_alone():
    clock = Clock(fischer(100, 10), lag=0)
    for main in 100, 105, 110:
        assert clock.main == main
        assert clock.seconds(9, 0) == pytest.approx(0.95 * (10 + 2 * (main - 10) / 32.4))
        clock.spend(5)
    clock.correct(4, 0)
    assert clock.seconds(9, 0) == pytest.approx(0.95 * 4)
    clock.spend(60)                                  # lost, but the controller may think otherwise
    assert clock.main == 10


def test_a_fischer_clock_may_have_a_limit_of_its_time_and_of_each_move():
    clock = Clock(fischer(60, 30, 70, 8), lag=0.5)
    clock.spend(1)
    assert clock.main == 70
    assert clock.seconds(9, 0) == 0.95 * 8 - 0.5
    unlimited = Clock(fischer(0, 0, 70, 8), lag=0)
    unlimited.spend(1000)
    assert unlimited.seconds(9, 0) == 0.95 * 8
    with pytest.raises(ValueError, match="the limit of main time, 50 s, is less than the main time, 60 s"):
        fischer(60, 30, 50)


def test_a_move_may_begin_in_main_time_and_end_in_byo_yomi():
    clock = Clock(canadian(10, 30, 3), lag=0.5)
    clock.spend(14.5)
    assert (clock.main, clock.left, clock.stones) == (0, 25, 2)
    clock = Clock(japanese(10, 30, 3), lag=0.5)
    clock.spend(44.5)
    assert (clock.main, clock.left, clock.stones, clock.periods) == (0, 30, 1, 2)


def test_a_japanese_period_that_runs_out_is_lost():
    clock = Clock(japanese(0, 10, 3), lag=0)
    clock.spend(10)
    assert clock.periods == 3
    clock.spend(25)
    assert clock.periods == 1
    clock.spend(25)
    assert (clock.periods, clock.seconds(19, 0)) == (1, 9.5)


def test_fast_moves_in_canadian_byo_yomi_leave_time_to_the_others():
    clock = Clock(canadian(0, 30, 3), lag=0)
    shares = []
    for spent in (1, 15, 14, 0):
        shares.append(clock.seconds(19, 0))
        clock.spend(spent)
    assert shares == pytest.approx([0.95 * 10, 0.95 * 14.5, 0.95 * 14, 0.95 * 10])


@pytest.mark.parametrize("settings, time_left, expected", [
    (absolute(600), (90, 0), (90, 0, 1, 1)),
    (absolute(600), (90, 7), (90, 0, 1, 1)),
    (absolute(600), (-1, 0), (0, 0, 1, 1)),
    (canadian(600, 30, 5), (90, 0), (90, 30, 5, 1)),
    (canadian(600, 30, 5), (20, 4), (0, 20, 4, 1)),
    (canadian(600, 30, 5), (0, 4), (0, 0, 4, 1)),
    (canadian(600, 30, 1), (100, 1), (70, 30, 1, 1)),       # Fischer time, 30 s per move
    (japanese(600, 30, 5), (90, 0), (90, 30, 1, 5)),
    (japanese(600, 30, 5), (20, 4), (0, 20, 1, 4)),
    (japanese(600, 30, 1), (20, 1), (0, 20, 1, 1)),
    (japanese(600, 30, 5), (0, 0), (0, 30, 1, 5)),
])
def test_time_left_replaces_the_clocks_times(settings, time_left, expected):
    clock = Clock(settings)
    clock.spend(400)
    clock.correct(*time_left)
    assert (clock.main, clock.left, clock.stones, clock.periods) == expected


@pytest.mark.parametrize("settings, to_flag", [
    (absolute(10), 10), (fischer(10, 5), 10), (canadian(10, 6, 3), 16), (canadian(0, 6, 3), 6),
    (japanese(10, 6, 3), 28), (japanese(0, 6, 3), 18)])
def test_the_flag_falls_after_all_of_the_time_and_not_before(settings, to_flag):
    clock = Clock(settings, lag=0)
    assert clock.time_to_flag == to_flag
    clock.spend(to_flag)
    assert not clock.overtime
    clock = Clock(settings, lag=0)
    clock.spend(to_flag + 0.5)
    assert clock.overtime == 0.5


def test_a_canadian_period_starts_again_when_its_stones_are_played():
    clock = Clock(canadian(10, 6, 3), lag=0)
    for spent, to_flag, stones in (12, 4, 2), (1, 3, 1), (3, 6, 3):
        clock.spend(spent)
        assert (clock.time_to_flag, clock.stones, clock.overtime) == (to_flag, stones, 0)
    clock.spend(6.5)
    assert clock.overtime == 0.5


class Referee:
    """The controller's clock, by the rules of a time system; `lost` once it has run out."""

    def __init__(self, settings: TimeSettings):
        self.settings = settings
        self.main = settings.main
        self.in_period = 0.0                     # seconds used of this period
        self.stones = 0                          # stones played in it
        self.periods = settings.periods
        self.lost = False

    def take(self, seconds: float) -> None:
        from_main = min(seconds, self.main)
        self.main -= from_main
        if self.main > 0:
            self.main = min(self.main + self.settings.increment, self.settings.max_main)
            return
        if not self.settings.period:
            self.lost = True
            return
        self.in_period += seconds - from_main
        while self.in_period > self.settings.period:
            self.in_period -= self.settings.period
            self.periods -= 1
        self.lost |= self.periods < 1
        self.stones += 1
        if self.stones == self.settings.stones:
            self.stones, self.in_period = 0, 0.0

    def time_left(self) -> tuple[int, int]:
        """Whole seconds, rounded down, as servers say it."""
        if self.main > 0:
            return int(self.main), 0
        left = int(self.settings.period - self.in_period)
        return left, self.periods if self.settings.stones == 1 else self.settings.stones - self.stones


def any_settings(rng: random.Random, size: int, lag: float) -> TimeSettings:
    # Absolute time must pay for the lag of the longest game that is simulated, twice.
    system = rng.choice(("absolute", "Canadian", "Japanese", "Fischer"))
    main = rng.choice((0, rng.uniform(1, 100), rng.uniform(100, 3600)))
    a_stone = 10 * lag + rng.uniform(0.5, 20)
    if system == "absolute":
        return absolute(2 * lag * size * 11 + max(main, 1))
    if system == "Fischer":
        increment = rng.uniform(0, 20)
        main = 2 * max(lag - increment, 0) * size * 11 + 10 * lag + max(main, 1)
        return fischer(main, increment, main * rng.uniform(1, 2), rng.uniform(1, 60))
    if system == "Japanese":
        return japanese(main, a_stone, rng.randint(1, 9))
    stones = rng.randint(1, 30)
    return canadian(main, a_stone * stones, stones)


@pytest.mark.parametrize("size, longest", [(9, 140), (19, 400)])
@pytest.mark.parametrize("talk", ["before every move", "now and then", "never"])
def test_no_simulated_game_is_lost_on_time(size, longest, talk):
    """A player that uses all it is given, or at whim nearly nothing, and a little more; 300 games."""
    for seed in range(56):
        rng = random.Random(f"{seed} {size} {talk}")
        lag = rng.choice((0.001, 0.05, LAG, 1))
        settings = any_settings(rng, size, lag)
        clock, referee = Clock(settings, lag), Referee(settings)
        captured, whim = 0.0, rng.choice((0, 0.1, 0.5))
        for ply in range(0, rng.randint(30, longest), 2):
            if talk == "before every move" or talk == "now and then" and rng.random() < 0.1:
                clock.correct(*referee.time_left())
            captured += rng.random() < 0.1
            given = clock.seconds(size, int(ply - captured))
            has = referee.main + referee.periods * settings.period - referee.in_period
            assert 0 < given <= max(has, MIN_SECONDS)
            spent = given * (rng.random() if rng.random() < whim else 1)
            jitter = rng.uniform(0, lag / 2)
            clock.spend(spent + jitter)
            referee.take(spent + jitter + rng.uniform(0, lag / 2))
            assert not referee.lost, (seed, ply, settings, lag)


@pytest.mark.parametrize("settings", [absolute(300), absolute(3600), canadian(600, 60, 10), japanese(600, 10, 3)])
@pytest.mark.parametrize("time_left", [False, True])
def test_most_of_the_main_time_is_used_by_move_150(settings, time_left):
    clock, referee = Clock(settings), Referee(settings)
    for ply in range(0, 150, 2):
        if time_left:
            clock.correct(*referee.time_left())
        spent = clock.seconds(19, ply)
        clock.spend(spent)
        referee.take(spent)
    assert referee.main < 0.4 * settings.main


@pytest.mark.parametrize("settings", [canadian(0, 60, 20), canadian(0, 300, 25), japanese(0, 3, 1), japanese(5, 30, 5)])
@pytest.mark.parametrize("time_left", [False, True])
def test_most_of_the_byo_yomi_is_used(settings, time_left):
    clock, referee, used = Clock(settings), Referee(settings), 0
    for ply in range(100):
        if time_left:
            clock.correct(*referee.time_left())
        spent = clock.seconds(19, ply)
        clock.spend(spent)
        referee.take(spent)
        used += spent
    assert not referee.lost
    assert used >= 0.8 * 100 * settings.period / settings.stones


@pytest.mark.parametrize("size, main, lag", [(9, 60, 0.2), (9, 300, 1), (19, 300, 0.2), (19, 600, 1)])
def test_late_moves_use_half_of_the_reserve_for_long_games(size, main, lag):
    clock, times = Clock(absolute(main), lag), []
    for ply in range(0, int(0.9 * size ** 2), 2):
        times.append(clock.seconds(size, ply))
        clock.spend(times[-1])
    assert min(times[:len(times) * 9 // 10]) > 0.05
    assert clock.main > lag * size ** 2 / 12             # for more moves

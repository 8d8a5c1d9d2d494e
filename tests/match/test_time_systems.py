"""--time: the time systems of a match, and what programs are told of them."""
import pytest

from mugo.core.files import BadInput
from mugo.match.referee import format_time, interpret_time, time_commands, time_left
from mugo.players.time_control import Clock, TimeSettings, absolute, canadian, fischer, japanese


@pytest.mark.parametrize("text, settings", [
    ("60", absolute(60)), ("60/0/0", absolute(60)), ("60/5", canadian(60, 5, 1)), ("0/30/10", canadian(0, 30, 10)),
    ("60/3x5", japanese(60, 5, 3)), ("0/3x5", japanese(0, 5, 3)), ("60+5", fischer(60, 5))])
def test_interpret_time(text, settings):
    assert interpret_time(text) == settings
    assert interpret_time(format_time(settings)) == settings


@pytest.mark.parametrize("text", ["", "x", "1.5", "0", "-1", "1/2/3/4", "10/5/0", "0/0/5", "10/0/5", "10/0", "６０",
                                  "1_0", " 60", "10/0x5", "10/5x0", "10/3x5/2", "0+10", "10+0", "10+5/3", "9" * 5000])
def test_an_invalid_time_is_refused(text):
    with pytest.raises(BadInput, match="MAIN/PERIODSxBYOYOMI or MAIN.INCREMENT in whole seconds"):
        interpret_time(text)


@pytest.mark.parametrize("text, commands", [
    ("60", {"time_settings": "60 0 0"}),
    ("60/5", {"time_settings": "60 5 1"}),
    ("0/30/10", {"time_settings": "0 30 10"}),
    ("60/3x5", {"kgs-time_settings": "byoyomi 60 5 3", "time_settings": "60 5 1"}),
    ("60+5", {"kata-time_settings": "fischer 60 5", "time_settings": "60 0 0"})])
def test_the_most_exact_command_comes_first(text, commands):
    assert list(time_commands(interpret_time(text)).items()) == list(commands.items())


@pytest.mark.parametrize("settings, spent, knows_periods, expected", [
    (absolute(60), 9.5, False, "50 0"), (absolute(60), 60, False, "0 0"),
    (canadian(60, 5, 2), 9.5, False, "50 0"), (canadian(60, 5, 2), 61.5, True, "3 1"),
    (japanese(60, 5, 3), 0, True, "60 0"), (japanese(60, 5, 3), 66, True, "5 2"),
    (japanese(60, 5, 3), 66, False, "5 1"),
    (fischer(60, 5), 10, False, "55 0")])
def test_time_left_has_stones_or_periods(settings: TimeSettings, spent, knows_periods, expected):
    clock = Clock(settings, lag=0)
    if spent:
        clock.spend(spent)
    assert time_left(clock, knows_periods) == expected

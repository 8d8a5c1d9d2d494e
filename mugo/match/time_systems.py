"""The time system of a match: --time -> TimeSettings -> the GTP commands that announce it.

    --time          system      announced by, the first that the program knows
    300             absolute    time_settings 300 0 0
    300/30          Canadian    time_settings 300 30 1           30 s for each move after the main time
    300/30/5        Canadian    time_settings 300 30 5           30 s for each 5 moves
    300/3x30        Japanese    kgs-time_settings byoyomi 300 30 3, time_settings 300 30 1
    300+10          Fischer     kata-time_settings fischer 300 10, time_settings 300 0 0

A program that does not know Japanese byo-yomi is told of one period, and one that does not know Fischer time of main
time alone: it plays faster than it has to, but never too slowly.  The referee's clock is players/time_control.Clock.
"""
import re

from mugo.core.files import BadInput
from mugo.players.time_control import Clock, TimeSettings

# The groups are fields of TimeSettings.
_TIME = re.compile(r"(?P<main>\d{1,9})"
                   r"(/0/0|/((?P<periods>\d{1,9})x)?(?P<period>\d{1,9})(/(?P<stones>\d{1,9}))?|\+(?P<increment>\d{1,9}))?",
                   re.ASCII)


def interpret_time(text: str) -> TimeSettings:
    """The time system of --time, as in the table above.  Raises BadInput."""
    match = _TIME.fullmatch(text)
    fields = {name: int(number) for name, number in match.groupdict().items() if number} if match else {}
    settings = TimeSettings(**fields)
    if not match or settings.main + settings.period == 0 or 0 in [*fields.values()][1:] \
            or {"periods", "stones"} <= fields.keys():
        raise BadInput(f"--time {text}: MAIN, MAIN/BYOYOMI, MAIN/BYOYOMI/STONES, MAIN/PERIODSxBYOYOMI or "
                       "MAIN+INCREMENT in whole seconds, as in 60/5/1; only a MAIN before BYOYOMI may be 0")
    return settings


def format_time(settings: TimeSettings) -> str:
    """A time system as --time has it."""
    if settings.increment:
        return f"{settings.main}+{settings.increment}"
    if settings.periods > 1:
        return f"{settings.main}/{settings.periods}x{settings.period}"
    return f"{settings.main}/{settings.period}/{settings.stones}" if settings.period else f"{settings.main}"


def time_commands(settings: TimeSettings) -> dict[str, str]:
    """GTP commands that announce a time system, the most exact one first, with their arguments."""
    main, period = settings.main, settings.period
    if settings.increment:
        return {"kata-time_settings": f"fischer {main} {settings.increment}", "time_settings": f"{main} 0 0"}
    canadian = {"time_settings": f"{main} {period} {settings.stones if period else 0}"}
    return ({"kgs-time_settings": f"byoyomi {main} {period} {settings.periods}"} if settings.periods > 1 else {}) \
        | canadian


def time_left(clock: Clock, knows_periods: bool) -> str:
    """The arguments of GTP's time_left after the colour: whole seconds, and 0 in main time, else the stones to play.

    knows_periods: whether the program was told of Japanese byo-yomi; it gets the number of periods, as KGS sends it.
    """
    if clock.main or not clock.settings.period:
        return f"{int(clock.main)} 0"
    return f"{int(clock.left)} {clock.periods if knows_periods and clock.settings.periods > 1 else clock.stones}"

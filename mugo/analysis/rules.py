"""The rules and the komi of a query; White's points for handicap stones are added to the komi.

    {"rules": "chinese", "komi": 7.5}                              -->  komi 7.5 (+ N for N handicap stones)
    {"rules": {"scoring": "TERRITORY", "ko": "SIMPLE", ...}}       -->  komi 6.5, scored by territory
    {"rules": "tromp-taylor", "komi": 7.5}                         -->  komi 7.5 and a warning: no suicide

The names and objects of rules are games/rules.py's.  Rules that are not supported are accepted with a warning.

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
from dataclasses import replace

from mugo.analysis.fields import Fields, InvalidQuery, is_integer, read_number
from mugo.games.board import WHITE
from mugo.games.rules import FIELDS, POSITIONAL, SIMPLE, Rules, parse_rules

MAX_KOMI = 400            # as KataGo's own limit


def handicap(stones: dict[int, int]) -> int:
    """The number of handicap stones: two black stones or more, with no white stone on the board; else 0.

    stones: point -> colour.
    """
    return len(stones) if len(stones) > 1 and WHITE not in stones.values() else 0


def read_rules(fields: Fields, stones: dict[int, int], warnings: list[tuple[str, str]]) -> tuple[Rules, float]:
    """(the rules as far as they are supported, White's points by komi and for handicap stones).  Appends a warning
    about rules that are ignored.

    stones: point -> colour of the initial stones.  Raises InvalidQuery.
    """
    try:
        rules = parse_rules(fields.get("rules"))
    except TypeError as error:
        raise InvalidQuery(str(error), "rules") from None
    except ValueError as error:
        raise InvalidQuery(f"could not parse rules: {error}", "rules") from None
    different = [name for name in rules.diff(rules.supported())]
    if rules.ko not in (POSITIONAL, SIMPLE):             # by simple ko no repetition wins, so a search needs none
        different.append("ko")
    if different:
        warnings.append(("rules", f"ignored: {rules.describe(different)}.  Moves are searched under positional "
                                  "superko without suicide, and there is no button and no tax but that on seki"))
    bonus = rules.handicap_bonus(handicap(stones))
    if "whiteHandicapBonus" in fields:
        bonus = _with_bonus(rules, fields["whiteHandicapBonus"]).handicap_bonus(handicap(stones))
    komi = read_number(fields, "komi", -MAX_KOMI, MAX_KOMI)
    return rules.supported(), (rules.default_komi if komi is None else komi) + bonus


def _with_bonus(rules: Rules, bonus: object) -> Rules:
    """The rules with the field whiteHandicapBonus of a query.  Raises InvalidQuery."""
    text = str(bonus) if is_integer(bonus) else bonus
    if text not in FIELDS["whiteHandicapBonus"][1]:
        raise InvalidQuery("must be \"0\", \"N\" or \"N-1\"", "whiteHandicapBonus")
    return replace(rules, white_handicap_bonus=str(text))

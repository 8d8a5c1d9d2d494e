"""The rules and the komi of a query: KataGo's names and objects of rules, and White's points for handicap stones.

    {"rules": "chinese", "komi": 7.5}                              -->  komi 7.5 (+ N for N handicap stones)
    {"rules": {"scoring": "TERRITORY", "ko": "SIMPLE", ...}}       -->  komi 6.5 and a warning

MuGo plays by area scoring under positional superko, without suicide.  Other rules are accepted with a warning.

https://lightvector.github.io/KataGo/rules.html
https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
import re

from mugo.analysis.fields import Fields, InvalidQuery, is_integer, read_number, shorten
from mugo.games.board import WHITE

MAX_KOMI = 150
OUR_RULES = {"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": False, "hasButton": False}
# Rules by name: how they differ from OUR_RULES, and White's points for N black handicap stones.
NAMED_RULES = {
    "tromp-taylor": {"suicide": True},
    "chinese": {"ko": "SIMPLE", "whiteHandicapBonus": "N"},
    "chinese-ogs": {"whiteHandicapBonus": "N"},
    "chinese-kgs": {"whiteHandicapBonus": "N"},
    "japanese": {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI"},
    "korean": {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI"},
    "stone-scoring": {"ko": "SIMPLE", "tax": "ALL"},
    "ancient-area": {"ko": "SIMPLE", "tax": "ALL"},
    "ancient-territory": {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "ALL"},
    "aga": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"},
    "bga": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"},
    "french": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"},
    "aga-button": {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1", "hasButton": True},
    "new-zealand": {"ko": "SITUATIONAL", "suicide": True},
    "nz": {"ko": "SITUATIONAL", "suicide": True},
    "ing": {"suicide": True, "whiteHandicapBonus": "N"},
    "goe": {"suicide": True, "whiteHandicapBonus": "N"},
}
SCORING_RULES = ("scoring", "tax", "hasButton")          # those that decide who wins
RULE_VALUES = {"ko": ("SIMPLE", "POSITIONAL", "SITUATIONAL"), "scoring": ("AREA", "TERRITORY"),
               "tax": ("NONE", "SEKI", "ALL"), "suicide": (False, True), "hasButton": (False, True),
               "whiteHandicapBonus": ("0", "N", "N-1"), "friendlyPassOk": (False, True)}


def handicap(stones: dict[int, int]) -> int:
    """The number of handicap stones: two black stones or more, with no white stone on the board; else 0.

    stones: point -> colour.
    """
    return len(stones) if len(stones) > 1 and WHITE not in stones.values() else 0


def read_komi(fields: Fields, stones: dict[int, int], warnings: list[tuple[str, str]]) -> float:
    """White's points by komi and for handicap stones.  Appends warnings about rules that are not followed.

    stones: point -> colour of the initial stones.  Raises InvalidQuery.
    """
    rules = _read_rules(fields, warnings)
    bonus = fields.get("whiteHandicapBonus", rules.get("whiteHandicapBonus", "0"))
    bonus = str(bonus) if is_integer(bonus) else bonus
    if bonus not in RULE_VALUES["whiteHandicapBonus"]:
        raise InvalidQuery("must be \"0\", \"N\" or \"N-1\"", "whiteHandicapBonus")
    komi = read_number(fields, "komi", -MAX_KOMI, MAX_KOMI)
    if komi is None:
        komi = 6.5 if rules.get("scoring") == "TERRITORY" else 7.0 if rules.get("hasButton") else 7.5
    n = handicap(stones)
    return komi + {"0": 0, "N": n, "N-1": max(n - 1, 0)}[bonus]


def _read_rules(fields: Fields, warnings: list[tuple[str, str]]) -> dict:
    """The rules of a query.  Appends a warning about those that are not followed.

    A name such as "chinese" means its scoring: its rules of ko and suicide, which hardly ever matter, are warned about
    only where an object spells them out.
    """
    rules = fields.get("rules")
    if isinstance(rules, str):
        name = re.sub(r"[ _]", "-", rules.strip().lower()).replace("tromptaylor", "tromp-taylor")
        if name not in NAMED_RULES:
            raise InvalidQuery(f"could not parse rules: {shorten(rules)} (known are {', '.join(NAMED_RULES)})", "rules")
        rules, compared = NAMED_RULES[name], SCORING_RULES
    elif isinstance(rules, dict):
        rules = {key: str(value).upper() if isinstance(value, str) or is_integer(value) else value
                 for key, value in rules.items()}
        for key, value in rules.items():
            if key not in RULE_VALUES or not any(value is known or isinstance(value, str) and value == known
                                                 for known in RULE_VALUES[key]):
                raise InvalidQuery(f"could not parse rules: {shorten(key)} is {shorten(value)}", "rules")
        compared = tuple(OUR_RULES)
    else:
        raise InvalidQuery("must be a name such as \"chinese\" or \"tromp-taylor\", or an object of rules", "rules")
    different = [f"{key} {value}" for key in compared if (value := rules.get(key, OUR_RULES[key])) != OUR_RULES[key]]
    if different:
        warnings.append(("rules", f"not followed: {', '.join(different)}.  Scoring is by area, under positional "
                                  "superko, and suicide is illegal"))
    return rules

"""The rules of Go by KataGo's names and objects, and which of them MuGo supports.  No board, no legality.

    "chinese"                                        --parse_rules-->  Rules(ko="SIMPLE", white_handicap_bonus="N")
    {"scoring": "TERRITORY"}, '{"score": "AREA"}'    --parse_rules-->  Rules(scoring="TERRITORY", tax="SEKI"), Rules()
    "koPOSITIONALscoreAREAtaxNONEsui0fpok1"          --parse_rules-->  Rules(), as KataGo's SGF files have it (RU)

A field that an object leaves out is taken from Rules(), MuGo's own rules: area scoring, positional superko, no suicide.
All are supported but suicide, a tax on all groups and the button; SPIGHT is played as SIMPLE, and a tax on seki counts
in the final score only (docs/reference/gtp.md).

https://lightvector.github.io/KataGo/rules.html
https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md    kata-get-rules, kata-set-rules
"""
import json
import re
from dataclasses import dataclass, field, replace
from typing import Any, Self

GAMES = "go", "gomoku"
MAX_KOMI = 1_000_000                     # points: int32 and float32 count them exactly
KOMI = 7.5                               # by area; Rules.default_komi has others; players.options.start_of_go decides
SIMPLE, POSITIONAL, SITUATIONAL, SPIGHT = "SIMPLE", "POSITIONAL", "SITUATIONAL", "SPIGHT"
# KataGo's name of each field: (our name, its values).
FIELDS = {
    "hasButton": ("has_button", (False, True)),
    "ko": ("ko", (SIMPLE, POSITIONAL, SITUATIONAL, SPIGHT)),
    "scoring": ("scoring", ("AREA", "TERRITORY")),
    "suicide": ("suicide", (False, True)),
    "tax": ("tax", ("NONE", "SEKI", "ALL")),
    "whiteHandicapBonus": ("white_handicap_bonus", ("0", "N", "N-1")),
    "friendlyPassOk": ("friendly_pass_ok", (False, True)),
}
ALIASES = {"score": "scoring"}
# The fields in KataGo's text, which leaves the last three out where they are false or 0.
TEXT_KEYS = {"ko": "ko", "score": "scoring", "tax": "tax", "sui": "suicide", "button": "hasButton",
             "whb": "whiteHandicapBonus", "fpok": "friendlyPassOk"}
_TEXT_FIELD = re.compile(f"({'|'.join(TEXT_KEYS)})(SIMPLE|POSITIONAL|SITUATIONAL|SPIGHT|AREA|TERRITORY|NONE|SEKI|ALL|"
                         "N-1|N|0|1)")
DECISIVE = ("tax", "hasButton")          # fields that decide who wins, of those that MuGo ignores


@dataclass(frozen=True)
class Rules:
    """Rules of Go.  The defaults are MuGo's own; values are KataGo's, of FIELDS.  name: of NAMED_RULES, by which they
    were asked for; '' for others."""
    ko: str = POSITIONAL
    scoring: str = "AREA"
    tax: str = "NONE"
    suicide: bool = False
    has_button: bool = False
    white_handicap_bonus: str = "0"
    friendly_pass_ok: bool = True
    name: str = field(default="", compare=False)

    def as_json(self) -> dict[str, Any]:
        """The object that kata-get-rules has: KataGo's names and values."""
        return {name: getattr(self, attribute) for name, (attribute, _) in FIELDS.items()}

    def diff(self, other: "Rules") -> list[str]:
        """KataGo's names of the fields whose values differ."""
        return [name for name, (attribute, _) in FIELDS.items()
                if getattr(self, attribute) != getattr(other, attribute)]

    def describe(self, names: list[str]) -> str:
        """The fields of these names with their values, as 'suicide true, ko SIMPLE'."""
        values = self.as_json()
        return ", ".join(f"{name} {str(values[name]).lower() if isinstance(values[name], bool) else values[name]}"
                         for name in names)

    def as_text(self) -> str:
        """KataGo's text of these rules, 'koSIMPLEscoreTERRITORYtaxNONEsui0'; parse_rules reads it."""
        values = self.as_json()
        texts = {key: str(int(value)) if isinstance(value := values[name], bool) else value
                 for key, name in TEXT_KEYS.items()}
        return "".join(key + text for key, text in texts.items() if key in ("ko", "score", "tax", "sui") or text != "0")

    def supported(self) -> Self:
        """These rules as MuGo plays: without a tax on all groups, a button and suicide."""
        return replace(self, tax="NONE" if self.tax == "ALL" else self.tax, has_button=False, suicide=False)

    def ignored(self, decisive: bool = False) -> str:
        """The fields that MuGo ignores, as 'suicide true, tax ALL'; '' for none.  decisive: those of DECISIVE."""
        return self.describe([name for name in self.diff(self.supported()) if not decisive or name in DECISIVE])

    def handicap_bonus(self, stones: int) -> int:
        """White's points for this many handicap stones of Black."""
        return 0 if self.white_handicap_bonus == "0" else max(stones - (self.white_handicap_bonus == "N-1"), 0)

    def area_bonus(self, stones: int) -> int:
        """The same where a game that was played by these rules is scored by area, as in data sets: handicap stones are
        no points of territory, so White gets as many."""
        return self.by_area().handicap_bonus(stones)

    def by_area(self) -> "Rules":
        """The rules that count a game which was played by these by area (area_bonus)."""
        return Rules(white_handicap_bonus="N" if self.scoring == "TERRITORY" else self.white_handicap_bonus)

    @property
    def removes_dead_stones(self) -> bool:
        """Whether dead stones are taken off the board at the end; by Tromp-Taylor rules every stone there is alive."""
        return self.scoring == "TERRITORY" or self.friendly_pass_ok

    @property
    def default_komi(self) -> float:
        """The komi where none is given, as KataGo has it."""
        return 6.5 if self.scoring == "TERRITORY" else 7.0 if self.has_button else KOMI


_TERRITORY = Rules(ko=SIMPLE, scoring="TERRITORY", tax="SEKI")
_STONES = Rules(ko=SIMPLE, tax="ALL")
_AGA = Rules(ko=SITUATIONAL, white_handicap_bonus="N-1")
_NEW_ZEALAND = Rules(ko=SITUATIONAL, suicide=True)
# Rules by name, as KataGo defines them; spaces, hyphens and underscores in names do not count.
NAMED_RULES = {name: replace(rules, name=name) for name, rules in {
    "tromp-taylor": Rules(suicide=True, friendly_pass_ok=False),
    "chinese": Rules(ko=SIMPLE, white_handicap_bonus="N"),
    "chinese-ogs": Rules(white_handicap_bonus="N"),
    "chinese-kgs": Rules(white_handicap_bonus="N"),
    "japanese": _TERRITORY,
    "korean": _TERRITORY,
    "stone-scoring": _STONES,
    "ancient-area": _STONES,
    "ancient-territory": Rules(ko=SIMPLE, scoring="TERRITORY", tax="ALL", friendly_pass_ok=False),
    "aga": _AGA,
    "bga": _AGA,
    "french": _AGA,
    "aga-button": replace(_AGA, has_button=True),
    "new-zealand": _NEW_ZEALAND,
    "nz": _NEW_ZEALAND,
    "ing": Rules(suicide=True),
    "goe": Rules(suicide=True),
}.items()}
_BY_PLAIN_NAME = {name.replace("-", ""): rules for name, rules in NAMED_RULES.items()}


def parse_rules(value: object) -> Rules:
    """The rules of a name, an object of KataGo's fields, the JSON text of one, or KataGo's text (Rules.as_text).
    Raises ValueError, which names what was not understood; TypeError for a value of another type."""
    if isinstance(value, str) and value.strip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the rules are not JSON: {error}") from None
    if isinstance(value, str) and _TEXT_FIELD.match(value.strip()):
        value = _text_fields(value.strip())
    if isinstance(value, str):
        name = re.sub(r"[ _-]", "", value.strip().lower())
        if name not in _BY_PLAIN_NAME:
            raise ValueError(f"{shorten(value)} is not a name of rules (known are {', '.join(NAMED_RULES)})")
        return _BY_PLAIN_NAME[name]
    if not isinstance(value, dict):
        raise TypeError("rules are a name such as \"chinese\" or \"tromp-taylor\", or an object of rules")
    values = {}
    for key, field_value in value.items():
        name = ALIASES.get(key, key)
        if name not in FIELDS:
            raise ValueError(f"{shorten(key)} is not a field of rules (known are {', '.join(FIELDS)})")
        attribute, known = FIELDS[name]
        values[attribute] = _field_value(key, field_value, known)
    if values.get("scoring") == "TERRITORY":
        values.setdefault("tax", "SEKI")
    return Rules(**values)


def rules_to_play(name: str) -> Rules:
    """As parse_rules of text; also raises ValueError for rules under which MuGo would mistake who wins."""
    rules = parse_rules(name)
    if unsupported := rules.ignored(decisive=True):
        raise ValueError(f"{shorten(name)} is not supported: {unsupported}")
    return rules


def _text_fields(text: str) -> dict[str, Any]:
    """KataGo's text of rules as an object of its fields.  Raises ValueError."""
    fields: dict[str, Any] = {"friendlyPassOk": False}
    end = 0
    while match := _TEXT_FIELD.match(text, end):
        name, end = TEXT_KEYS[match[1]], match.end()
        fields[name] = match[2] == "1" if FIELDS[name][1] == (False, True) and match[2] in "01" else match[2]
    if end < len(text):
        raise ValueError(f"{shorten(text[end:])} is not a field of rules (known are {', '.join(TEXT_KEYS)})")
    return fields


def _field_value(key: str, value: object, known: tuple) -> Any:
    """The one of the known values that is meant: text in either case, and 0 for "0"."""
    text = value.upper() if isinstance(value, str) else str(value) if type(value) is int else value
    for each in known:
        if type(each) is type(text) and each == text:
            return each
    raise ValueError(f"{shorten(key)} is {shorten(value)} (known are {', '.join(json.dumps(each) for each in known)})")


def shorten(value: object) -> str:
    """A value as an error shows it: at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def bonus_field(handicap: int, bonus: float) -> str:
    """The whiteHandicapBonus by which White has this many points for this many handicap stones.  Raises ValueError."""
    names = FIELDS["whiteHandicapBonus"][1]
    bonuses: dict[float, str] = {Rules(white_handicap_bonus=name).handicap_bonus(handicap): name
                                 for name in reversed(names)}
    if bonus not in bonuses:
        raise ValueError(f"White gets {' or '.join(map(str, sorted(bonuses)))} points for {handicap} handicap stones, "
                         f"not {bonus:g}")
    return bonuses[bonus]

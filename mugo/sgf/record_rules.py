"""The rules of a game record (RU) <-> games.rules.Rules.

    'Japanese', '日本ルール', '일본룰', 'Territory'    --parse_record_rules-->    NAMED_RULES["japanese"]
    NAMED_RULES["new-zealand"]                       --record_name-->           'New Zealand'
"""
import re
import unicodedata
from dataclasses import replace

from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES, SIMPLE, Rules, parse_rules

# What the rules of a record begin with that are not one of NAMED_RULES by its own name.  OGS calls its Chinese rules
# "ogs", too, and some of its records have "age" for AGA.
_BEGINNINGS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in {
    "japanese": "jap|jp|日本|일본|territor",
    "korean": "kor|kr|한국|韩国|韓国|韓國",
    "chinese": "chin|cn|中国|中國|중국",
    "chinese-ogs": r"ogs\b",
    "aga": r"ag[ae]\b|amer",
    "bga": r"bga\b|british",
    "french": "fran",
    "ing": r"ing\b|应氏|應氏|応氏",
    "new-zealand": r"nz\b|new.?zealand|新西[兰蘭]|紐西蘭|ニュージーランド|뉴질랜드",
    "tromp-taylor": "tromp",
}.items()}

# What may follow a name: 'AGA rules', 'AGA規則'.
_WORD_FOR_RULES = re.compile("(rules?|ruleset|règles?|regeln|规则|規則|ルール|규칙|룰)$", re.IGNORECASE)
# How records spell the names whose words do not all begin with a capital letter alone; SGF knows AGA, GOE and NZ.
_SPELLINGS = {"chinese-ogs": "Chinese-OGS", "chinese-kgs": "Chinese-KGS", "aga": "AGA", "bga": "BGA",
              "aga-button": "AGA-Button", "new-zealand": "New Zealand", "nz": "NZ", "goe": "GOE"}


def parse_record_rules(text: str) -> Rules | None:
    """The rules of a record (RU), as 'Japanese', 'Japan', '日本', 'AGA rules' or 'Chinese (2002)'; None if they are not
    known."""
    text = unicodedata.normalize("NFKC", text).strip()
    try:
        return parse_rules(_WORD_FOR_RULES.sub("", text.split("(")[0].strip()))
    except ValueError:
        return next((NAMED_RULES[name] for name, begin in _BEGINNINGS.items() if begin.match(text)), None)


def record_bonus(text: str, handicap: int) -> int:
    """White's points for the handicap stones of a record with these rules (RU), for area scoring; 0 for rules that are
    not known."""
    rules = parse_record_rules(text)
    return rules.area_bonus(handicap) if rules is not None else 0


def record_name(rules: Rules, handicap: int) -> str:
    """Rules (RU) for a record of a game by these with so many handicap stones: the name by which they were asked for,
    that of the same rules, or KataGo's text.  MuGo's own have no name: that of rules with the same scoring and points.
    """
    if not rules.name and rules == Rules(white_handicap_bonus=rules.white_handicap_bonus):
        return next(name for name in ("Chinese", "AGA", "New Zealand")
                    if record_bonus(name, handicap) == rules.handicap_bonus(handicap))
    name = rules.name or next((name for name, named in NAMED_RULES.items() if named == rules), "")
    if name:
        return _SPELLINGS.get(name) or name.title()
    return "Japanese" if replace(rules, ko=SIMPLE) == NAMED_RULES["japanese"] else rules.as_text()


def rules_name(position: GoPosition) -> str:
    """Rules (RU) for a record of this game: position_of gives it the same scoring and points for handicap stones."""
    return record_name(position.rules, position.handicap)

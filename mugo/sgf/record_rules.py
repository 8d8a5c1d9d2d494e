"""The rules of a game record (RU) <-> games.rules.Rules, as far as they decide the score."""
import re
from dataclasses import replace

from mugo.games.go import Position
from mugo.games.rules import NAMED_RULES, SIMPLE, Rules, parse_rules

# What the rules of a record begin with that are those of a country.
_COUNTRIES = {"japanese": re.compile("jap|jp|日本", re.IGNORECASE),
              "korean": re.compile("kor|kr|한국|韩国|韓国|韓國", re.IGNORECASE),
              "chinese": re.compile("chin|cn|中国|中國", re.IGNORECASE)}


# What may follow a name: 'AGA rules', 'AGA規則'.
_WORD_FOR_RULES = re.compile("(rules?|ruleset|règles?|regeln|规则|規則|ルール|규칙|룰)$", re.IGNORECASE)


def parse_record_rules(text: str) -> Rules | None:
    """The rules of a record (RU), as 'Japanese', 'Japan', '日本', 'AGA rules' or 'Chinese (2002)'; None if they are not
    known."""
    try:
        return parse_rules(_WORD_FOR_RULES.sub("", text.split("(")[0].strip()))
    except ValueError:
        return next((NAMED_RULES[name] for name, begin in _COUNTRIES.items() if begin.match(text.strip())), None)


def record_bonus(text: str, handicap: int) -> int:
    """White's points for the handicap stones of a record with these rules (RU), for area scoring; 0 for rules that are
    not known."""
    rules = parse_record_rules(text)
    return rules.area_bonus(handicap) if rules is not None else 0


def record_name(rules: Rules, handicap: int) -> str:
    """Rules (RU) for a record of a game by these with so many handicap stones: parse_record_rules reads the same
    scoring, tax and points for them."""
    if rules.scoring == "AREA" and rules.tax == "NONE":
        return next(name for name in ("Chinese", "AGA", "New Zealand")
                    if record_bonus(name, handicap) == rules.handicap_bonus(handicap))
    return "Japanese" if replace(rules, ko=SIMPLE) == NAMED_RULES["japanese"] else rules.as_text()


def rules_name(position: Position) -> str:
    """Rules (RU) for a record of this game: position_of gives it the same scoring and points for handicap stones."""
    return record_name(position.scoring_rules, position.handicap)

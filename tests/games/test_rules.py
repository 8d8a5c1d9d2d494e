"""KataGo's names and objects of rules; what differs from MuGo's own."""
import re
from dataclasses import fields

import pytest

from mugo.games.go import GoPosition
from mugo.games.rules import FIELDS, NAMED_RULES, Rules, bonus_field, parse_rules, rules_to_play
from mugo.sgf.record_positions import parse_record_rules, record_bonus, record_name, rules_name


def test_every_field_has_a_name_of_katagos():
    assert {attribute for attribute, _ in FIELDS.values()} == {field.name for field in fields(Rules)} - {"name"}
    for name, (attribute, values) in FIELDS.items():
        assert getattr(Rules(), attribute) in values, name


def test_rules_by_name_are_those_of_katagos_documentation():
    """The table of kata-set-rules in KataGo's GTP_Extensions.md: ko, scoring, suicide, tax, bonus, friendlyPassOk."""
    documented = """
        tromp-taylor   POSITIONAL   AREA       true   NONE  0    false
        chinese        SIMPLE       AREA       false  NONE  N    true
        chinese-ogs    POSITIONAL   AREA       false  NONE  N    true
        chinese-kgs    POSITIONAL   AREA       false  NONE  N    true
        japanese       SIMPLE       TERRITORY  false  SEKI  0    true
        korean         SIMPLE       TERRITORY  false  SEKI  0    true
        stone-scoring  SIMPLE       AREA       false  ALL   0    true
        aga            SITUATIONAL  AREA       false  NONE  N-1  true
        bga            SITUATIONAL  AREA       false  NONE  N-1  true
        new-zealand    SITUATIONAL  AREA       true   NONE  0    true
    """
    for name, ko, scoring, suicide, tax, bonus, friendly in map(str.split, documented.strip().splitlines()):
        expected = Rules(ko, scoring, tax, suicide == "true", False, bonus, friendly == "true")
        assert parse_rules(name) == expected, name
        assert parse_rules(expected.as_json()) == expected
    assert parse_rules("aga-button") == Rules("SITUATIONAL", has_button=True, white_handicap_bonus="N-1")


@pytest.mark.parametrize("spellings", [
    ("tromp-taylor", "tromptaylor", "TrompTaylor", "Tromp Taylor", "tromp_taylor"),
    ("new-zealand", "nz", "NZ", "newzealand", "new zealand", " New_Zealand "),
    ("stone-scoring", "stone_scoring", "ancientarea", "ancient area"),
    ("aga-button", "agabutton", "AGA_Button"),
    ("chinese-ogs", "ChineseOGS", "chinese_kgs"),
    ({"scoring": "AREA"}, {"score": "area"}, '{"score": "AREA"}', ' {"ko": "positional", "suicide": false}', {}),
    ({"scoring": "TERRITORY"}, {"scoring": "TERRITORY", "tax": "SEKI"}),
    ({"whiteHandicapBonus": "0"}, {"whiteHandicapBonus": 0}),
])
def test_spellings_of_the_same_rules(spellings):
    assert len({parse_rules(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize("text, rules", [
    ("koPOSITIONALscoreAREAtaxNONEsui1", NAMED_RULES["tromp-taylor"]),
    ("koSIMPLEscoreTERRITORYtaxSEKIsui0fpok1", NAMED_RULES["japanese"]),
    ("koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1", NAMED_RULES["aga-button"]),
    ("koSIMPLEscoreAREAtaxALLsui0whbNfpok1", Rules("SIMPLE", tax="ALL", white_handicap_bonus="N")),
    ("scoreTERRITORY", Rules(scoring="TERRITORY", tax="SEKI", friendly_pass_ok=False)),
])
def test_katagos_text_of_rules(text, rules):
    assert parse_rules(text) == parse_record_rules(text) == rules
    if text.startswith("ko"):
        assert rules.as_text() == text


@pytest.mark.parametrize("text, rules", [
    ("Japanese", "japanese"), ("JAPANESE", "japanese"), ("Japan", "japanese"), ("Japanese rules", "japanese"),
    ("jp", "japanese"), ("日本ルール", "japanese"), ("日本规则", "japanese"), ("Korea", "korean"), ("한국", "korean"),
    ("Chinese (2002)", "chinese"), ("China", "chinese"), ("中国规则", "chinese"), ("NZ", "new-zealand"), ("AGA", "aga"),
    ("AGA rules", "aga"), ("AGA Rules (2021)", "aga"), ("New Zealand rules", "new-zealand"), ("NZ rule", "new-zealand"),
    ("Ing rules", "ing"), ("French rules", "french"), ("Tromp-Taylor rules", "tromp-taylor"), ("AGA规则", "aga"),
    ("AGA 規則", "aga"), ("AGAルール", "aga"), ("AGA 룰", "aga"), ("rules", None), ("klingon rules", None),
    ("", None), ("GOE", "goe"), ("7.5", None), ("no Japanese", None),
    ("일본", "japanese"), ("일본룰", "japanese"), ("일본 규칙", "japanese"), ("Territory", "japanese"),
    ("Territory scoring", "japanese"), ("중국", "chinese"), ("중국룰", "chinese"), ("한국룰", "korean"),
    ("ogs", "chinese-ogs"), ("OGS rules", "chinese-ogs"), ("age", "aga"), ("AGA: area", "aga"),
    ("ing sst", "ing"), ("应氏规则", "ing"),
    ("NZ (area)", "nz"), ("New Zealand Go Society", "new-zealand"), ("新西兰规则", "new-zealand"), ("British", "bga"),
    ("Française", "french"), ("Tromp-Taylor (area)", "tromp-taylor"), ("Ｊａｐａｎｅｓｅ", "japanese"), ("agent", None),
    ("ingenious", None),
])
def test_rules_of_records(text, rules):
    assert parse_record_rules(text) == (rules and NAMED_RULES[rules])
    if rules in ("japanese", "korean", "chinese", "chinese-ogs"):
        assert parse_record_rules(text).name == rules


@pytest.mark.parametrize("name", NAMED_RULES)
@pytest.mark.parametrize("handicap", [0, 3])
def test_named_rules_keep_their_names_in_a_record(name, handicap):
    text = record_name(NAMED_RULES[name], handicap)
    assert re.sub("[ -]", "", text.lower()) == name.replace("-", "")
    read = parse_record_rules(text)
    assert read == NAMED_RULES[name] and read.name == name and record_name(read, handicap) == text
    assert record_name(NAMED_RULES[name].supported(), handicap) == text
    position = GoPosition(9).with_rules(read).play(55)
    assert rules_name(position) == rules_name(position.with_stones()) == rules_name(position.undo()) == text


def test_rules_without_a_name_are_written_so_that_the_same_are_read():
    for fields_given in ({"ko": "SITUATIONAL"}, {"ko": "SIMPLE", "suicide": True}, {"friendlyPassOk": False}):
        rules = parse_rules(fields_given)
        assert parse_record_rules(record_name(rules, 0)) == rules, fields_given
    assert record_name(parse_rules(NAMED_RULES["aga"].as_json()), 0) == "AGA"


@pytest.mark.parametrize("scoring", ["AREA", "TERRITORY"])
@pytest.mark.parametrize("tax", ["NONE", "SEKI"])
@pytest.mark.parametrize("handicap", [0, 1, 4])
@pytest.mark.parametrize("bonus", ["0", "N", "N-1"])
def test_rules_written_to_a_record_are_those_read_from_it(scoring, tax, handicap, bonus):
    rules = Rules(scoring=scoring, tax=tax, white_handicap_bonus=bonus)
    read = parse_record_rules(record_name(rules, handicap))
    assert (read.scoring, read.tax, read.handicap_bonus(handicap)) == (scoring, tax, rules.handicap_bonus(handicap))
    assert record_name(Rules(scoring="TERRITORY", tax="SEKI"), handicap) == "Japanese"


@pytest.mark.parametrize("value, text", [
    ("klingon", "'klingon' is not a name of rules (known are tromp-taylor, chinese"), ("", "''"),
    ("{score", "not JSON"),
    ("{" * 100_000, "not JSON"), ({"luck": True}, "'luck' is not a field of rules (known are hasButton, ko"),
    ({"ko": "NEVER"}, "'ko' is 'NEVER' (known are \"SIMPLE\""), ({"suicide": 1}, "(known are false, true)"),
    ("koSIMPLEscoreMOON", "'scoreMOON' is not a field of rules"), ("koAREAscoreAREA", "'ko' is 'AREA'"),
    ("koSIMPLEsuiNONE", "'suicide' is 'NONE'"),
    ({"tax": False}, "'tax' is False"), ({"ko": ["a"]}, "'ko' is ['a']"), ({"komi": 7}, "'komi' is not a field"),
])
def test_what_is_not_understood_is_named(value, text):
    with pytest.raises(ValueError) as error:
        parse_rules(value)
    assert text in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("value", [None, 3, True, ["chinese"]])
def test_other_types_are_no_rules(value):
    with pytest.raises(TypeError):
        parse_rules(value)


def test_what_is_supported_of_rules():
    for name, rules in NAMED_RULES.items():
        supported = rules.supported()
        assert set(supported.diff(Rules())) <= {"ko", "scoring", "tax", "whiteHandicapBonus", "friendlyPassOk"}, name
        assert supported.tax != "ALL"
        assert rules.diff(supported) == supported.diff(rules)
    assert parse_rules("nz").describe(parse_rules("nz").diff(Rules())) == "ko SITUATIONAL, suicide true"
    assert parse_rules("japanese").ignored() == parse_rules("aga").ignored() == ""
    assert parse_rules("tromp-taylor").ignored() == "suicide true"
    assert parse_rules("tromp-taylor").ignored(decisive=True) == ""
    assert parse_rules("ancient-territory").ignored() == "tax ALL"


def test_rules_that_decide_otherwise_who_wins_are_refused():
    assert rules_to_play("Japanese") == NAMED_RULES["japanese"] and rules_to_play("nz") == NAMED_RULES["nz"]
    for name, text in ("aga-button", "hasButton true"), ("stone-scoring", "tax ALL"):
        with pytest.raises(ValueError, match=f"^'{name}' is not supported: {text}$"):
            rules_to_play(name)


@pytest.mark.parametrize("bonus, points", [("0", [0, 0, 0]), ("N", [0, 2, 9]), ("N-1", [0, 1, 8])])
def test_whites_points_for_handicap_stones(bonus, points):
    assert [Rules(white_handicap_bonus=bonus).handicap_bonus(stones) for stones in (0, 2, 9)] == points


def test_the_komi_where_none_is_given():
    assert [parse_rules(name).default_komi for name in ("chinese", "japanese", "aga-button")] == [7.5, 6.5, 7.0]


@pytest.mark.parametrize("handicap, bonus, field, name", [
    (0, 0, "0", "Chinese"), (1, 0, "0", "AGA"), (1, 1, "N", "Chinese"), (4, 4, "N", "Chinese"), (4, 3, "N-1", "AGA"),
    (4, 0.0, "0", "New Zealand")])
def test_the_field_and_the_record_of_so_many_points_for_handicap_stones(handicap, bonus, field, name):
    assert bonus_field(handicap, bonus) == field
    assert record_name(Rules(white_handicap_bonus=field), handicap) == name
    assert record_bonus(name, handicap) == bonus


def test_no_rules_give_other_points_for_handicap_stones():
    with pytest.raises(ValueError, match="^White gets 0 or 3 or 4 points for 4 handicap stones, not 2$"):
        bonus_field(4, 2)

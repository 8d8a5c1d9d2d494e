"""Character sets: every encoding becomes UTF-8, and no declaration makes a game fail."""
import pytest
from sgf_games import read


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "big5", "shift_jis"])
def test_names_in_any_character_set(encoding):
    name = "許功蓋"                 # in Big5 each second byte is a backslash
    if encoding == "gb18030":
        name = "古力俔乚"            # in GBK some second bytes are brackets
    charset = {"big5": "CA[Big5]", "shift_jis": "CA[Shift_JIS]"}.get(encoding, "")
    record = read(f"(;{charset}PB[{name}]PW[{name}];B[pd];W[dp])".encode(encoding, "replace"))
    assert len(record.moves) == 2
    assert record.black == record.white == name.encode(encoding, "replace").decode(encoding)


def test_a_declared_gb2312_is_read_as_its_superset_gb18030():
    record = read("(;CA[GB2312]PB[俔乚];B[pd])".encode("gbk"))      # their second bytes are both brackets
    assert record.black == "俔乚" and len(record.moves) == 1


@pytest.mark.parametrize("encoding, name, black", [
    ("cp1252", "André Müller", "André Müller"), ("cp1252", "José", "José"), ("latin2", "Stanisław", "Stanis³aw")])
def test_an_accented_letter_takes_no_bracket_with_it(encoding, name, black):
    """A file without CA is in ISO 8859-1."""
    record = read(f"(;PB[{name}]PW[é];B[pd]C[é];W[dp])".encode(encoding))
    assert (len(record.moves), record.black, record.white) == (2, black, "é")


def test_big5_without_a_declaration_takes_no_backslash_for_an_escape():
    assert len(read("(;PB[許功蓋];B[pd];W[dp])".encode("big5")).moves) == 2


@pytest.mark.parametrize("charset", ["", "CA[ISO-8859-1]"])
@pytest.mark.parametrize("encoding, black, white", [
    ("euc_kr", "이창호", "조훈현"), ("shift_jis", "小林光一", "武宮正樹"), ("shift_jis", "本因坊秀策", "王銘エン"),
    ("big5", "周俊勳", "王元均"), ("gb18030", "古力", "李昌镐"), ("gb18030", "聂卫平", "马晓春")])
def test_an_undeclared_character_set_is_that_of_the_language(encoding, black, white, charset):
    record = read(f"(;{charset}PB[{black}]PW[{white}]BR[9d];B[pd];W[dp])".encode(encoding))
    assert (record.black, record.white, len(record.moves)) == (black, white, 2)


@pytest.mark.parametrize("encoding, black", [
    ("euc_kr", "이창호"), ("gb18030", "柯洁"), ("shift_jis", "芝野虎丸"), ("big5", "林至涵")])
def test_a_short_name_alone_is_no_damaged_utf_8(encoding, black):
    """Most of their bytes would be letters of two bytes in UTF-8."""
    assert read(f"(;PB[{black}];B[pd];W[dp])".encode(encoding)).black == black


def test_a_truncated_character_does_not_affect_the_rest():
    record = read("(;PB[天元".encode()[:-1] + "?]WR[P6段]CA[nonsense];B[pd])".encode())
    assert record.black.startswith("天") and record.white_rank == "P6段"
    assert len(record.moves) == 1


@pytest.mark.parametrize("charset", ["", "zip", "rot13", "punycode", "idna", "utf-7", "undefined", "../..",
                                     "x" * 500])
def test_an_unknown_character_set_is_ignored(charset):
    assert len(read(f"(;CA[{charset}]PB[".encode() + b"\xff\xfe\x80];B[pd])").moves) == 1

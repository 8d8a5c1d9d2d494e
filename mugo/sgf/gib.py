r"""GIB, the records of the Tygem server.

    \HS                                                     the header
    \[GAMEWHITENAME=name (2D)\]
    \[GAMEINFOMAIN=GBKIND:3,GRLT:0,ZIPSU:35,GONGJE:65,...\] result and ten times the margin; ten times komi
    \HE
    \GS                                                     the game
    INI 0 1 2 &4                                            handicap stones, on the fixed points
    STO 0 2 2 15 3                                          flag, number, colour (1 Black, 2 White), column, row from 0
    SKI 0 3 1                                               a pass
    \GE

Follows https://senseis.xmp.net/?GIB and files of the server.  Files of the Korean server are in CP949, of the Chinese
one in GB18030, of the global one in UTF-8.
"""
import re

from mugo.sgf.nodes import MAX_HANDICAP, Node, decode, line_of_nodes, move_value, root_node
from mugo.sgf.record import BadRecord

SIZE = 19
_RESULTS = {"0": ("B", None), "1": ("W", None), "3": ("B", "R"), "4": ("W", "R"), "7": ("B", "T"), "8": ("W", "T")}
_HEADER = re.compile(r"^\\\[(\w+)=(.*?)\\\]", re.MULTILINE)


def is_gib(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"\\HS")


def read_gib(data: bytes) -> list[Node]:
    """The nodes of a game.  Raises BadRecord."""
    text = decode(data, "cp949" if re.search(rb"\\\[GIBOKIND=Korea\b", data[:4096]) else "gb18030")
    header: dict[str, str] = dict(_HEADER.findall(text))
    main, sub = (_fields(header.get(name, "")) for name in ("GAMEINFOMAIN", "GAMEINFOSUB"))
    handicap, moves = _read_moves(text)
    black, black_rank = _player(header.get("GAMEBLACKNAME", ""))
    white, white_rank = _player(header.get("GAMEWHITENAME", ""))
    date = re.search(r"(\d{4})\D{1,3}(\d{1,2})\D{1,3}(\d{1,2})", header.get("GAMEDATE", "") or sub.get("GDATE", ""))
    main_time, overtime = _time(main.get("GTIME", ""))
    komi = main.get("GONGJE", header.get("GAMEGONGJE", ""))
    root = root_node(
        SIZE, int(komi) / 10 if re.fullmatch(r"-?\d{1,4}", komi) else None, handicap,
        PB=black, BR=black_rank, PW=white, WR=white_rank, RE=_result(main), EV=header.get("GAMENAME", ""),
        PC=header.get("GAMEPLACE", ""), GC=header.get("GAMECOMMENT", ""),
        DT="-".join(f"{int(part):02}" for part in date.groups()) if date else "",
        TM=main_time, OT=overtime)
    return line_of_nodes(root, moves)


def _fields(text: str) -> dict[str, str]:
    """'GRLT:1,ZIPSU:110' -> {"GRLT": "1", "ZIPSU": "110"}."""
    return {name: value for name, _, value in (part.partition(":") for part in text.split(","))}


def _player(text: str) -> tuple[str, str]:
    """(name, rank) of 'name (2D)'."""
    name, bracket, rank = text.rstrip().rpartition("(")
    return (name.rstrip(), rank[:-1].lower()) if bracket and rank.endswith(")") else (text, "")


def _result(main: dict[str, str]) -> str:
    winner, by = _RESULTS.get(main.get("GRLT", ""), ("", None))
    if not winner:
        return ""
    if by is None:
        points = main.get("ZIPSU", "")
        by = f"{int(points) / 10:g}" if re.fullmatch(r"\d{1,4}", points) and int(points) else ""
    return f"{winner}+{by}"


def _time(text: str) -> tuple[str, str]:
    """Main time (TM) and overtime (OT) of '1200-30-3': main time, seconds of a period, periods."""
    match = re.fullmatch(r"(\d{1,6})-(\d{1,6})-(\d{1,6})", text)
    if not match:
        return "", ""
    main, period, periods = match.groups()
    return main, f"{periods}x{period} byo-yomi" if int(periods) and int(period) else ""


def _read_moves(text: str) -> tuple[int, list[tuple[str, bytes]]]:
    handicap, moves = 0, []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] not in ("INI", "STO", "SKI"):
            continue
        place = f"move {len(moves) + 1}: {' '.join(words[:6])!r}"
        numbers = [int(word) if re.fullmatch(r"\d{1,4}", word) else -1 for word in words[1:6]]
        if words[0] == "INI":
            if len(numbers) < 3 or not 0 <= numbers[2] <= MAX_HANDICAP or moves:
                raise BadRecord("malformed GIB", f"{' '.join(words[:4])!r}: expected the number of handicap stones, "
                                                 f"0 to {MAX_HANDICAP}, before the first move")
            handicap = numbers[2]
            continue
        if len(numbers) < (5 if words[0] == "STO" else 3) or numbers[2] not in (1, 2):
            raise BadRecord("malformed GIB", f"{place}: expected flag, number, colour 1 or 2, column and row")
        value = b"" if words[0] == "SKI" else move_value(numbers[3], numbers[4], SIZE, place)
        moves.append(("BW"[numbers[2] - 1], value))
    if text.rpartition("\n")[2].lstrip().startswith("STO"):              # its last number may lack a digit
        raise BadRecord("malformed GIB", "the file is cut off in its last move")
    return handicap, moves

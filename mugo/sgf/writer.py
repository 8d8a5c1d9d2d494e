"""Record -> SGF text (FF[4], UTF-8), one line of play without variations."""
from collections.abc import Mapping

from mugo.core.version import VERSION
from mugo.games import coords
from mugo.games.board import WHITE
from mugo.games.coords import WHITE_BIT
from mugo.games.go import format_points
from mugo.games.gomoku import format_row
from mugo.sgf.nodes import Node, escaped, format_nodes, line_of_nodes
from mugo.sgf.properties import GM_GO, GM_GOMOKU
from mugo.sgf.record import INFO, Record


def format_record(record: Record, comments: Mapping[int, str] | None = None) -> str:
    """The game as SGF text.  comments: move number (from 1; 0 is the root node) -> comment (C).

    The root's comment begins with startTurnIdx=N, as KataGo writes it, if the first N moves are an opening.
    """
    root = {"FF": [b"4"], "GM": [GM_GOMOKU if record.k else GM_GO], "CA": [b"UTF-8"],
            "AP": [f"MuGo:{VERSION}".encode()], "SZ": [coords.format_sgf_size(record.shape).encode()]}
    info = {ident: getattr(record, name) for ident, name in INFO.items()}
    info |= {"RU": format_row(record.k, record.exactly) if record.k else record.rules,
             "KM": "" if record.komi is None else format_points(record.komi),
             "HA": str(record.handicap) if record.handicap else ""}
    root.update({ident: [escaped(text)] for ident, text in info.items() if text})
    for encoded in record.setup.tolist():
        root.setdefault("AW" if encoded & WHITE_BIT else "AB", []).append(_format_move(encoded, record.shape))
    if len(record.setup) or record.first_player == WHITE:
        root["PL"] = [b"W" if record.first_player == WHITE else b"B"]
    nodes = line_of_nodes(Node(-1, root), [("W" if encoded & WHITE_BIT else "B", _format_move(encoded, record.shape))
                                           for encoded in record.moves.tolist()])
    comments = dict(comments or {})
    if record.opening_moves:
        comments[0] = f"startTurnIdx={record.opening_moves}\n{comments.get(0, '')}".strip()
    for number, text in comments.items():
        nodes[number].properties["C"] = [escaped(text)]
    return format_nodes(nodes).decode()


def _format_move(encoded: int, size: coords.BoardSize) -> bytes:
    return coords.format_sgf(coords.point_of_index(encoded & WHITE_BIT - 1, size), size).encode()

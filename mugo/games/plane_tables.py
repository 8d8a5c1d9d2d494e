"""The input planes of each game, and a name for each single plane.

    Plane("liberties", 8, ...)                         -->  'liberties 1' ... 'liberties 8' (8 stands for 8 or more)
    Plane("stone colour", 3, "mine, theirs, empty")    -->  'stone colour mine', 'stone colour theirs', ...
    Plane("ones", 1, ...)                              -->  'ones'
"""
import functools

from mugo.games import gomoku, planes

PLANE_TABLES = {"go": planes.PLANES, "gomoku": gomoku.PLANES}


@functools.cache
def plane_names(game: str) -> tuple[str, ...]:
    """The name of every input plane of a game, "go" or "gomoku"."""
    names: list[str] = []
    for plane in PLANE_TABLES[game]:
        parts = plane.meaning.split(", ")
        if plane.depth == 1:
            names.append(plane.name)
        elif plane.depth == len(parts):
            names += [f"{plane.name} {part}" for part in parts]
        else:
            names += [f"{plane.name} {k}" for k in range(1, plane.depth + 1)]
    return tuple(names)

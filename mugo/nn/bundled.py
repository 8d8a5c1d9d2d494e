"""The networks that come with MuGo, and how a network's name becomes a file.  No Keras here.

    policy-SIZE       plays Go; a board of another size is played by the network of the nearest size, a rectangle by
                      that of the nearest size to the mean of its sides
    gomoku-SIZE-K     plays free-style Gomoku, K in a row, on boards of this size only

The file of version 13 of policy-19 is policy-19-v13.safetensors; without a version, a name is that of the newest.
"""
import re
from pathlib import Path

from mugo.core import version
from mugo.core.files import BadInput
from mugo.games.coords import BoardSize, format_size, shape_of, size_value
from mugo.nn.metadata import format_game

NETWORK_HELP = "a network's file, the folder of a training run, or the name of a bundled network"


def find_network(name: str | Path) -> Path:
    """The file of a network, given as a path, as the folder of a training run, or as the name of a bundled network.

    Raises BadInput, naming the bundled networks.
    """
    path = Path(name)
    if (of_run := path / "network.safetensors").exists():
        return of_run
    if path.is_file():
        return path
    bundled = version.bundled_networks()
    for path in bundled.get(str(name)), *(folder / f"{name}.safetensors" for folder in version.network_folders()):
        if path and path.is_file():
            return path
    if Path(name).is_dir():
        raise BadInput(f"the folder {name} has no network.safetensors, which a training run writes at its first "
                       "checkpoint")
    raise BadInput(f"there is no network {str(name)!r}: neither a file, nor the folder of a training run, nor "
                   f"one of the bundled ones ({', '.join(bundled) or 'none'})")


def name_everywhere(name: str | Path) -> str:
    """What names a network in every folder and in processes of other machines: the absolute path of its file, or the
    name of a bundled one.  Raises BadInput.
    """
    path = find_network(name)
    return path.stem if path.resolve().parent in version.network_folders() else str(path.absolute())


def go_networks() -> dict[int, str]:
    """Board size -> the name of the bundled network for Go that was trained on it.  Raises BadInput without any."""
    found = {int(name.removeprefix("policy-")): name for name in version.bundled_networks()
             if re.fullmatch(r"policy-\d+", name)}
    if not found:
        raise BadInput("there is no bundled network: name one with --network")
    return found


def bundled_name(size: BoardSize, game: str = "go", k: int = 0, exactly: bool = False) -> str:
    """The name of the bundled network for a game on boards of this size.

    Go: policy-SIZE, or else the one for the nearest size, the larger of two; of a rectangle the mean of its sides
    counts.  Gomoku: gomoku-SIZE-K, which is free-style.  Raises BadInput, naming those there are, if there is none.
    """
    if game == "go":
        names = go_networks()
        return names[min(names, key=lambda trained: (abs(2 * trained - sum(shape_of(size))), -trained))]
    found = [name for name in version.bundled_networks() if re.fullmatch(r"gomoku-\d+-\d+", name)]
    name = f"gomoku-{size_value(size)}-{k}"
    if exactly or name not in found:
        others = f"only {', '.join(found)}" if found else "and none for any Gomoku"
        raise BadInput(f"there is no bundled network for {format_game(game, k, exactly)}, on {format_size(size)} "
                       f"({others}): name one with --network")
    return name

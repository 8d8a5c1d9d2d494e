"""The files of the networks that come with MuGo, by name.  Imports nothing heavy, for `mugo --version`."""
from pathlib import Path

from mugo.core.files import is_temporary


def network_folders() -> list[Path]:
    """The folders with bundled networks: inside the installed package, or next to it in a clone."""
    package = Path(__file__).resolve().parents[1]
    return [package / "models", package.parent / "models"]


def bundled_networks() -> dict[str, Path]:
    """The newest file of each bundled network by its name, sorted: policy-19 -> .../policy-19-v13.safetensors."""
    newest: dict[str, tuple[int, Path]] = {}
    for folder in reversed(network_folders()):
        for path in folder.glob("*.safetensors"):
            name, dash, version = path.stem.rpartition("-v")
            name, number = (name, int(version)) if dash and version.isdecimal() else (path.stem, 0)
            if not is_temporary(path.name) and number >= newest.get(name, (0,))[0]:
                newest[name] = number, path
    return {name: path for name, (_, path) in sorted(newest.items())}

"""What is installed: the version, the name that pip knows, and the networks that come with MuGo.  Imports nothing."""
from pathlib import Path

VERSION = "0.1.0"
DISTRIBUTION = "mugo-go"                 # the command and the package are `mugo`


def pip_install(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def other_mugo() -> str:
    """A sentence if the folder in which this package is installed has PyPI's `mugo`, a program for genomics; else
    an empty text."""
    if not any(Path(__file__).parents[2].glob("mugo-[0-9]*.dist-info")):
        return ""
    return (f"the package mugo, a program for genomics, is installed in the same place and overwrites files of "
            f"{DISTRIBUTION}: install {DISTRIBUTION} in an environment of its own")


def network_folders() -> list[Path]:
    """The folders with bundled networks: inside the installed package, or next to it in a clone."""
    package = Path(__file__).resolve().parents[1]
    return [package / "models", package.parent / "models"]


def bundled_networks() -> dict[str, Path]:
    """The newest file of each bundled network by its name, sorted: policy-19 -> .../policy-19-v13.safetensors."""
    newest: dict[str, tuple[int, Path]] = {}
    for folder in reversed(network_folders()):
        for path in folder.glob("[!.]*.safetensors"):
            name, dash, version = path.stem.rpartition("-v")
            name, number = (name, int(version)) if dash and version.isdecimal() else (path.stem, 0)
            if number >= newest.get(name, (0,))[0]:
                newest[name] = number, path
    return {name: path for name, (_, path) in sorted(newest.items())}

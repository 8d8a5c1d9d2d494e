"""The version, and the name under which pip installs this program.  Imports nothing of MuGo."""
from pathlib import Path

VERSION = "0.1.0"
DISTRIBUTION = "mugo-go"                 # the command and the package are `mugo`


def pip_install(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def other_mugo() -> str:
    """A sentence if the folder in which this package is installed has PyPI's `mugo`, a program for genomics, too; else
    an empty text."""
    if not any(Path(__file__).parents[2].glob("mugo-[0-9]*.dist-info")):
        return ""
    return (f"the package mugo, a program for genomics, is installed in the same place and overwrites files of "
            f"{DISTRIBUTION}: install {DISTRIBUTION} in an environment of its own")

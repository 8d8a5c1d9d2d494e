"""MuGo: a Go program that learns from game records.

`import mugo` is the library: what __all__ has (docs/learn/python.md).  It comes from mugo.api when it is first used,
so that the import itself loads nothing.  All else is internal; docs/explanation/architecture.md says where to
begin to read.

The packages, the lowest first; each imports those above it only (import-linter checks that, see pyproject.toml):

    core         what every command needs: files, options, progress, tasks on cores and clusters, statistics
    games        the rules, compiled: boards, Go, Gomoku, ladders, rollouts, feature planes
    sgf plots    game records; pictures
    data nn      the data set; networks
    mcts         Monte Carlo tree search
    players      position -> move
    training selfplay      learning from game records, and from self-play
    match reviews gtp analysis tui web      programs around a player
    api          the library
    cli          the commands
    kernels      compiles for a wheel
"""
import importlib
import warnings
from typing import TYPE_CHECKING, Any

from mugo.core.version import VERSION, other_mugo

if TYPE_CHECKING:
    from mugo.api import *  # noqa: F403
    from mugo.api import __all__ as __all__

__version__ = VERSION

if _problem := other_mugo():
    warnings.warn(_problem, stacklevel=2)

if not TYPE_CHECKING:                    # so that an editor sees a name that does not exist
    def __getattr__(name: str) -> Any:
        if name == "__all__" or not name.startswith("_"):
            library = importlib.import_module("mugo.api")
            if name in ("__all__", *library.__all__):
                return getattr(library, name)
        raise AttributeError(f"module 'mugo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*importlib.import_module("mugo.api").__all__, "__version__"]

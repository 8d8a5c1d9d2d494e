"""MuGo: a Go program that learns from game records.

The packages, the lowest first; each imports those above it only (import-linter checks that, see pyproject.toml):

    core         what every command needs: files, options, progress, tasks on cores and clusters, statistics
    games        the rules, compiled: boards, Go, Gomoku, ladders, rollouts, feature planes
    sgf plots    game records; pictures
    data nn      the data set; networks
    search       Monte Carlo tree search
    players      position -> move
    training selfplay      learning from game records, and from self-play
    match review gtp analysis tui web      programs around a player
    cli          the commands
"""
from pathlib import Path

from mugo.core.compile_cache import set_compile_cache

__version__ = "0.1.0"

set_compile_cache(Path(__file__).parent)              # before anything imports numba

"""MuGo: a Go program that learns from people.

The package is flat and is read in this order; a file imports only from files above it
(tests/test_reading_order.py checks that).
"""
import hashlib
import os
import tempfile
from pathlib import Path

__version__ = "0.1.0"

READING_ORDER = (
    "coords",        # point <-> (row, col) <-> move index <-> SGF <-> GTP, and the eight symmetries
    "board",         # stones, chains, liberties, captures, ko, legality, eyes, area score   compiled
    "ladders",       # reading ladders                                                       compiled
    "patterns",      # the 3x3 shapes that MoGo's rollouts answer with                       compiled
    "rollouts",      # playing a board to its end at random                                  compiled
    "position",      # what positions of every game have: a board, its history, who is to play
    "go",            # Position: superko, komi, handicap, result
    "planes",        # the 48 planes: the table, and boards encoded as it says               compiled
    "gomoku",        # k in a row, behind the same names                                     compiled
    "files",         # atomic writes, folders with one writer, and the one exception for bad input
    "limits",        # what the numbers of a command line may be
    "rules",         # what a search asks of a game, whichever it is                         compiled
    "parallel",      # work over many items on several processes
    "records",       # SGF text <-> Record, through sgfmill
    "games",         # Position -> Record, SGF file -> Position
    "archives",      # every SGF in whatever the user has
    "network",       # a trained network, opened with ONNX Runtime
    "dataset",       # records on disk, two bytes a move; positions drawn at random
    "preprocess",    # archives -> data set                                         `preprocess`
    "diagrams",      # boards, planes, heat maps and charts as text, PNG and SVG
    "ratings",       # games won -> intervals and Elo
    "curves",        # how a network learned, as pictures
    "terminal",      # boards, heat maps and planes as lines of text, plain and in colour
    "statistics",    # what is in a data set                                        `show`
    "export",        # its planes and moves as .npy, for training elsewhere         `export`
    "graph",         # networks as graphs for ONNX Runtime
    "backend",       # the only file that imports keras; planes unpacked inside a model
    "equivariance",  # networks that turn with the board: which of their weights are one
    "learning",      # losses, learning rate, optimizers, the mean of the weights
    "policy_value",  # the network that learns from self-play: its two heads, its loss, a step of learning
    "layers",        # the network that learns from people; networks as files
    "train",         # data set -> network                                          `train`
    "scores",        # what a network says of positions from games, one row a position
    "calibration",   # whether its probabilities come true
    "evaluate",      # network + data set -> how well it predicts                   `evaluate`
    "ending",        # who owns what when rollouts end; dead stones; when to pass
    "tree",          # the search tree: choosing, growing, updating, keeping            compiled
    "search",        # UCT and PUCT: position -> visits, win rate, ownership
    "simul",         # a network against itself, many games at once                         compiled
    "journal",       # those games on disk, and what is learned from
    "trials",        # a network against another one, and against plain UCT
    "selfplay",      # a game -> a network, from nothing                            `selfplay`
    "passing",       # when a player of Go that searches passes
    "players",       # position -> move
    "starts",        # the first position of a command line's game
    "judge",         # position -> the moves worth playing, and what they win
    "review",        # a recorded game, move by move
    "report",        # a review as tables, CSV, commented SGF and graph
    "analyze",       # games reviewed, many at once                                 `analyze`
    "counting",      # a finished game counted, with a person's say in what is dead
    "typed",         # what a person typed: a point, or what was meant
    "table",         # a board between a player and a person who types
    "play",          # a person in the terminal against any player                  `play`
    "clock",         # how long a move may take: main time and byo-yomi
    "protocol",      # what a line, its words and a reply of GTP look like
    "streams",       # what a search finds, told over GTP while it goes on
    "gogui",         # GoGui's commands: setting up, pictures over its board
    "parameters",    # the options of the command line, changed over GTP
    "commands",      # the commands of GTP 2 and KGS
    "gtp",           # the Go Text Protocol: the engine and its pipes               `gtp`
    "queries",       # what a query of KataGo's analysis protocol asks for
    "answers",       # what a line of it tells of a turn
    "analysis",      # the engine between them: queries side by side, by priority   `analysis`
    "engines",       # any program that speaks GTP, driven over its pipes
    "openings",      # what the games of a match begin with
    "referee",       # one game between two programs: rules, clock, faults
    "match",         # players and programs against each other                      `match`
    "variations",    # SGF <-> games with variations and comments, as a page holds them
    "views",         # what a board in the browser is told of a position
    "visitors",      # who looks at that board, and searches in turn
    "web",           # its server                                                   `web`
    "cli",           # the command table; main.py, `python -m mugo` and the installed `mugo` call it
    "demo",          # the whole road on the sample games                           `demo`
    "__main__",
)


def _name_the_compile_cache() -> None:
    """Give numba a cache folder that belongs to exactly these compiled sources.

    Numba checks only the file a function stands in: after an edit in board.py it would go on
    using stale machine code for the functions of planes.py that call it.  So the folder's name
    is a hash of every source; a user who has set NUMBA_CACHE_DIR keeps that choice.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    sources = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            sources.update(text)
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(caches, "mugo", sources.hexdigest()[:16])
    try:
        os.makedirs(folder, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:                     # a home that is read-only, as in some containers
        folder = os.path.join(tempfile.gettempdir(), f"mugo-{os.getuid() if hasattr(os, 'getuid') else 'user'}",
                              sources.hexdigest()[:16])
    os.environ["NUMBA_CACHE_DIR"] = folder


_name_the_compile_cache()

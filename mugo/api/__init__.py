"""The library, `import mugo`: the other packages for people who write programs and notebooks.  In reading order:

    position     Position; 'Q16', 'pass' <-> points; checks of arguments
    keywords     the options of functions, for editors and type checkers
    game         Game, read_sgf, read_archive
    network      Network, Policy, Evaluation, planes
    search       search, SearchResult
    review       review, GameReview: what each move of a game lost
    commands     preprocess, train, evaluate, play_match: what the commands do, with their options; player; Dataset

Moves go in and come out as people write them.  `win_rate`, `lead` and `ownership` are for the side to move,
`black_win_rate`, `black_lead` and `black_ownership` Black's.  What __all__ has is public, and described in
docs/learn/python.md.  Imports everything but the command line.
"""
from mugo.api.commands import Dataset, Player, evaluate, load_dataset, play_match, player, preprocess, train
from mugo.api.game import Archive, Game, read_archive, read_sgf
from mugo.api.network import Evaluation, Network, Policy, load_network, planes
from mugo.api.position import Position, move_index, move_name
from mugo.api.review import GameReview, ReviewedMove, review
from mugo.api.search import SearchedMove, SearchResult, search
from mugo.core.files import MugoError
from mugo.games.game import plane_names
from mugo.games.position import IllegalMove

__all__ = ["Archive", "Dataset", "Evaluation", "Game", "GameReview", "IllegalMove", "MugoError", "Network", "Player",
           "Policy", "Position", "ReviewedMove", "SearchResult", "SearchedMove", "evaluate", "load_dataset",
           "load_network", "move_index", "move_name", "plane_names", "planes", "play_match", "player", "preprocess",
           "read_archive", "read_sgf", "review", "search", "train"]

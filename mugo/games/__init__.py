"""The rules, compiled: boards, Go, Gomoku, ladders, rollouts, feature planes, scoring.

Read in this order:

    coords      point <-> (row, col) <-> move index <-> SGF <-> GTP; the 8 symmetries
    board       stones, chains, liberties, captures, ko, superko, legality, eyes
    area        the area score, and the owner of each point
    territory   territory scoring as a count by area: stones played, the komi for it
    handicap    what handicap stones are worth, and how it fades
    replay      encoded moves: setup stones, replaying a game
    ladders     reading ladders
    patterns    the 3x3 patterns of MoGo's rollouts
    light_board the board of rollouts: pseudo-liberties
    rollouts    random numbers; random games to the end: uniform, MoGo
    go_priors   which moves of Go a search tries first, by rules of thumb
    dead_stones which chains are dead, by the ownership of their points
    position    what positions of every game have: board, history, side to move
    rules       KataGo's names and objects of rules, and which of them are supported
    go          Go: superko, komi, handicap, result
    planes      the 48 feature planes of AlphaGo 2016
    gomoku      k in a row, with the same interface
    gomoku_priors  which moves of Gomoku a search tries first, by threats
    gomoku_fours   wins by fours, read to their end
    game        dispatch over Go and Gomoku, for the search; their planes, and names of them
    seki        sekis between two chains, by their shape
    scoring     ownership by rollouts, dead stones, the final score
    scoring_session   the score of a finished game whose dead stones a person corrects

Imports nothing of mugo but files.BadInput.  Does not know networks, search, players or file formats.
"""

"""The rules, compiled: boards, Go, Gomoku, ladders, rollouts, feature planes.

Read in this order:

    coords      point <-> (row, col) <-> move index <-> SGF <-> GTP; the 8 symmetries
    rng         random numbers for compiled code
    board       stones, chains, liberties, captures, ko, legality, eyes, area score
    ladders     reading ladders
    patterns    the 3x3 patterns of MoGo's rollouts
    rollouts    random games to the end
    position    what positions of every game have: board, history, side to move
    go          Go: superko, komi, handicap, result
    planes      the 48 feature planes of AlphaGo 2016
    gomoku      k in a row, with the same interface
    plane_tables  the table of planes of each game, and their names
    game        dispatch over Go and Gomoku: what a search asks of a game
    scoring     ownership by rollouts, dead stones, seki, end of the game
    scoring_session   the score of a finished game; a person can change the dead stones

Knows nothing of files, networks, search or players.
"""

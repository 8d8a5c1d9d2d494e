"""The rules, compiled: boards, Go, Gomoku, ladders, rollouts, feature planes, scoring.

Read in this order; each module opens with what it is:

    notation   coords, rules
    boards     board, repetition, area, territory, replay, handicap
    tactics    ladders, patterns
    rollouts   addresses (compiled functions that are called by address), light_board, rollouts
    dead       reading, life_and_death, dead_stones
    positions  position, go, gomoku, tsumego
    networks   planes
    search     game (dispatch over Go and Gomoku), go_priors, gomoku_priors, gomoku_fours
    scoring    scoring, scoring_session

Imports nothing of mugo but core.  Does not know networks, search, players or file formats.
"""

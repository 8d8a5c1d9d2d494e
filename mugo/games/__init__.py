"""The rules, compiled: boards, Go, Gomoku, ladders, rollouts, feature planes, scoring.

Read in this order; each module opens with what it is:

    notation   coords, rules
    boards     board, history, area
    tactics    ladders, patterns
    rollouts   light_board, rollouts
    positions  position, go, gomoku, tsumego
    scoring    reading, life_and_death, scoring
    networks   planes
    search     game (dispatch over Go and Gomoku), go_priors, gomoku_threats

Imports nothing of mugo but core.  Does not know networks, search, players or file formats.
"""

#!/bin/sh
# A network as policy-9-v6, from games that the bundled one plays:    sh models/runs/policy-9-v6.sh
#
# One round of expert iteration: games_9.py plays the games, and the run takes about seven minutes on two cores of an AMD
# Zen 4, computed from 300 positions/s.  The shipped one came of two rounds, the first with policy-9-v5; each learned from
# the games of those before, too, and the second drew those of policy-9-v5's own run 0.4 times as often
# (docs/lab/experiments.md).
set -e
python models/runs/games_9.py games
mugo preprocess games -o dataset9 --min-moves 1 --validation 0.06 --test 0.08
mugo train dataset9 -o policy-9-v6 --init-from policy-9 --size 9 --positions 120e3 --checkpoint-positions 30000 \
    --validation-positions 4096 --learning-rate 4e-3 --decay-start 0.3 --value-weight 1 --ownership-weight 1 \
    --endgame-fraction 0.1 --sample-weight "1 + 2 * (black.str.contains('mcts') or white.str.contains('mcts'))"
mugo evaluate policy-9-v6 policy-9 dataset9 --size 9 --sample 0

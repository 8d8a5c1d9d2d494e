#!/bin/sh
# A network as policy-9-v4, from games that the one before it plays:    sh models/runs/policy-9-v4.sh
#
# On two cores, 80 minutes for the games and 11 for the run; the second match needs GNU Go.  The shipped network came
# of three such runs: the first began with policy-19-v4, the second with the first one's network, and so on.  Here the
# bundled one is before it.
set -e
mugo match "mcts --simulations 128 --no-early-stop" "mcts --simulations 128 --no-early-stop --seed 77" --size 9 \
    --games 647 --openings policy --opening-moves 4 -o games/self
mugo match "mcts --simulations 128 --no-early-stop" "gnugo --mode gtp --level 10 --positional-superko" --size 9 \
    --games 225 --openings 2 -o games/gnugo
mugo preprocess games -o dataset9 --min-moves 1 --validation 0.04 --test 0.06
mugo train dataset9 -o policy-9-v4 --init-from policy-9 --size 9 --positions 192e3 \
    --checkpoint-positions 32000 --decay-start 0.3 --learning-rate 4e-3
mugo evaluate policy-9-v4 dataset9 --size 9

#!/bin/sh
# A network as policy-9-v5, from games that the bundled networks play:    sh models/runs/policy-9-v5.sh
#
# On two cores of an AMD Zen 4 that other work shared, 60 minutes for the games, two matches at once, and 19 for the run.
# It needs GNU Go.  The shipped one was made so with policy-9-v4, and began with policy-19-v11, which is policy-19-v12
# without its metadata encoder; here the encoder stays.
set -e
mugo match "mcts --network policy-9 --simulations 128 --no-early-stop --resign 0" \
    "mcts --network policy-9 --simulations 128 --no-early-stop --resign 0 --seed 77" --size 9 --games 44 \
    --openings policy --opening-moves 4 -o games/self
mugo match "mcts --network policy-9 --simulations 32 --no-early-stop --resign 0" \
    "mcts --network policy-9 --simulations 32 --no-early-stop --resign 0 --seed 77" --size 9 --games 55 \
    --openings policy --opening-moves 4 -o games/fast
mugo match "mcts --network policy-9 --simulations 128 --no-early-stop --resign 0" \
    "mcts --network policy-19 --simulations 128 --no-early-stop --resign 0" --size 9 --games 50 \
    --openings policy --opening-moves 4 -o games/policy-19
mugo match "mcts --network policy-9 --simulations 128 --no-early-stop --resign 0" \
    "gnugo --mode gtp --level 10 --positional-superko" --size 9 --games 50 --openings 2 -o games/gnugo
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --games 300 -o games/sampled
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --games 80 --komi 0.5 --seed 1 -o games/komi-0.5
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --games 80 --komi 3.5 --seed 2 -o games/komi-3.5
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --games 80 --komi 5.5 --seed 3 -o games/komi-5.5
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --games 80 --komi 9.5 --seed 4 -o games/komi-9.5
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --games 80 --komi 11.5 --seed 5 -o games/komi-11.5
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --games 80 --komi 14.5 --seed 6 -o games/komi-14.5
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-19 --resign 0" \
    --size 9 --games 150 -o games/sampled-19
mugo match "randompolicy --network policy-9 --resign 0" "randompolicy --network policy-9 --resign 0 --seed 77" \
    --size 9 --openings 6 --games 150 -o games/random
mugo preprocess games -o dataset9 --min-moves 1 --validation 0.06 --test 0.08
mugo train dataset9 -o policy-9-v5 --init-from policy-19 --size 9 --positions 120e3 --checkpoint-positions 15000 \
    --validation-positions 4096 --learning-rate 4e-3 --decay-start 0.3 --value-weight 1 --ownership-weight 1 \
    --endgame-fraction 0.1
mugo evaluate policy-9-v5 policy-9 dataset9 --size 9 --sample 0

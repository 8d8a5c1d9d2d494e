#!/bin/sh
# A network as policy-9-v5, from games that the bundled networks play:    sh models/runs/policy-9-v5.sh
#
# On two cores of an AMD Zen 4 that other work shared, 60 minutes for the games, two matches at once, and 19 for the run.
# It needs GNU Go.  The shipped one was made so with policy-9-v4, and began with policy-19-v11, which is policy-19-v12
# without its metadata encoder; here the encoder stays.
set -e
mcts="mcts --network policy-9 --no-early-stop --resign 0"
sample="randompolicy --network policy-9 --resign 0"
opening="--openings policy --opening-moves 4"
mugo match "$mcts --simulations 128" "$mcts --simulations 128 --seed 77" --size 9 $opening --games 44 -o games/self
mugo match "$mcts --simulations 32" "$mcts --simulations 32 --seed 77" --size 9 $opening --games 55 -o games/fast
mugo match "$mcts --simulations 128" "mcts --network policy-19 --simulations 128 --no-early-stop --resign 0" \
    --size 9 $opening --games 50 -o games/policy-19
mugo match "$mcts --simulations 128" "gnugo --mode gtp --level 10 --positional-superko" --size 9 --openings 2 \
    --games 50 -o games/gnugo
mugo match "$sample" "$sample --seed 77" --size 9 --games 300 -o games/sampled
for komi in 0.5 3.5 5.5 9.5 11.5 14.5; do
    mugo match "$sample" "$sample --seed 77" --size 9 --games 80 --komi $komi --seed "${komi%.*}1" -o games/komi-$komi
done
mugo match "$sample" "randompolicy --network policy-19 --resign 0" --size 9 --games 150 -o games/sampled-19
mugo match "$sample" "$sample --seed 77" --size 9 --openings 6 --games 150 -o games/random
mugo preprocess games -o dataset9 --min-moves 1 --validation 0.06 --test 0.08
mugo train dataset9 -o policy-9-v5 --init-from policy-19 --size 9 --positions 120e3 --checkpoint-positions 15000 \
    --validation-positions 4096 --learning-rate 4e-3 --decay-start 0.3 --value-weight 1 --ownership-weight 1 \
    --endgame-fraction 0.1
mugo evaluate policy-9-v5 policy-9 dataset9 --size 9 --sample 0

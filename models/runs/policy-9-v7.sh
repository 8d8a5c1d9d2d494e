#!/bin/sh
# A network as policy-9-v7, from the bundled one and a teacher:
#
#     sh models/runs/policy-9-v7.sh "katago analysis -config one-visit.cfg -model g170-b6c96.bin.gz"
#
# The teacher judges positions of games that policy-9 plays at random (maxVisits = 1; on 9x9 KataGo computes three times
# as fast with maxBoardXSizeForNNBuffer = 9 and the same for Y).  The first run learns all that the teacher says.  Its
# policy alone plays no better than before, so the second learns the mean of both policies.  The shipped one began with
# policy-9-v6.  On two cores of an AMD Zen 4: games 7 minutes, labels 25, runs 30 and 11.
set -e
engine=${1:?the command of a program that speaks the analysis protocol of KataGo}
python models/runs/sampled_9.py sampled
mugo preprocess sampled -o sampled9 --min-moves 1 --validation 0.02 --test 0.02
mugo label sampled9 --engine "$engine" -o katago --ownership --positions 230e3
mugo label sampled9 --network policy-9 -o own --ownership --positions 230e3
mugo train sampled9 -o first --init-from policy-9 --teacher katago --teacher-weight 1 --size 9 --positions 480e3 \
    --batch-size 128 --learning-rate 4e-3 --decay-start 0.3 --validation-positions 4096 --value-weight 1 \
    --ownership-weight 1
mugo train sampled9 -o policy-9-v7 --init-from first --teacher katago,own --teacher-weight 1 --size 9 --positions 200e3 \
    --batch-size 128 --learning-rate 4e-3 --decay-start 0.2 --validation-positions 4096 --value-weight 1 \
    --ownership-weight 1
mugo quantize policy-9-v7 sampled9
mugo match "mcts --network policy-9-v7 --simulations 64 --no-early-stop" \
    "mcts --network policy-9 --simulations 64 --no-early-stop" --size 9 --games 300 --sprt 0 40 \
    --openings policy --opening-moves 4

#!/bin/sh
# A network as search-19-v1, from the bundled policy-19, archives of games and a teacher:
#
#     sh models/runs/search-19-v1.sh "katago analysis -config one-visit.cfg -model g170-b6c96.bin.gz" ~/games
#
# The shipped one learned what its teachers say in half of the positions, told apart by an input of its own, and in the
# others what people played, mixed half with what policy-19 says, and results mixed half with KataGo's.  That did not
# keep the moves of people (docs/lab/experiments.md), so this run leaves them out.  Labels 16 and 6 minutes, the run 55,
# on two cores of an AMD Zen 4.
set -e
engine=${1:?the command of a program that speaks the analysis protocol of KataGo}
shift
[ -d games ] || mugo preprocess "$@" -o games
mugo label games --engine "$engine" -o katago --ownership --positions 175e3 --resume
mugo label games --network policy-19 -o own --positions 175e3 --resume
mugo train games -o search-19-v1 --init-from policy-19 --teacher katago,own --teacher-weight 1 --size 19 \
    --positions 320e3 --batch-size 128 --learning-rate 5e-3 --decay-start 0.3 --validation-positions 3000 \
    --value-weight 1 --ownership-weight 1
mugo quantize search-19-v1 games
mugo match "mcts --network search-19-v1 --simulations 64 --no-early-stop" \
    "mcts --network policy-19 --simulations 64 --no-early-stop" --size 19 --games 80 --sprt 0 40 \
    --openings policy --opening-moves 6

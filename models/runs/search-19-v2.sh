#!/bin/sh
# A network as search-19-v2, from the bundled search-19, archives of games and a teacher:
#
#     sh models/runs/search-19-v2.sh "katago analysis -config one-visit.cfg -model NET.bin.gz" ~/games
#
# The teacher of the shipped one was KataGo's b7c96h3tfrs-test5-cnorm.  It began with search-19-v1, and a third of its
# labels were of other games with weak moves.  On two cores of an AMD Zen 4: games 10 minutes, labels 52 and 6, the run
# 36.
set -e
engine=${1:?the command of a program that speaks the analysis protocol of KataGo}
shift
[ -d side ] || python models/runs/side_positions.py side "$@"
[ -d side19 ] || mugo preprocess side -o side19 --min-moves 1 --validation 0.02 --test 0.02
mugo label side19 --engine "$engine" -o katago --ownership --positions 190e3 --last 3 --resume
mugo label side19 --network search-19 -o own --positions 190e3 --last 3 --resume
mugo train side19 -o search-19-v2 --init-from search-19 --teacher katago,own --teacher-weight 1 --size 19 \
    --positions 184e3 --batch-size 128 --learning-rate 0.012 --decay-start 0.25 --validation-positions 2000 \
    --value-weight 1 --ownership-weight 1
mugo quantize search-19-v2 side19
mugo match "mcts --network search-19-v2 --simulations 64 --no-early-stop" \
    "mcts --network search-19 --simulations 64 --no-early-stop" --size 19 --games 80 --sprt 0 40 \
    --openings policy --opening-moves 6

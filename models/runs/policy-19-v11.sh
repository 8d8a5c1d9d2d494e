#!/bin/sh
# policy-19-v11, from archives of games and from policy-19-v10:    sh models/runs/policy-19-v11.sh ~/games
#
# Preprocessing takes two minutes on two cores.  Training took six and a half minutes on one NVIDIA H100
# (KERAS_BACKEND=jax, bfloat16); on two cores of a server it takes about 12 hours, computed from 150 positions/s.
# The run had --metadata-encoder too, in a form that had no effect (docs/lab/experiments.md).
# policy-19-v10 came of ten such runs, one after the other, since its architecture grew: docs/lab/history.md.
set -e
[ -d games ] || mugo preprocess "$@" -o games
git show 4cd2867:models/policy-19-v10.safetensors > policy-19-v10.safetensors
mugo train games -o policy-19-v11 --init-from policy-19-v10.safetensors --value-weight 1 --ownership-weight 1 \
    --endgame-fraction 0.12 --batch-size 512 --learning-rate 0.012 --decay-start 0.4 --positions 6376448 --seed 11 \
    --where "source.str.contains('KGS') or game_hash % 2 == 0"
mugo evaluate policy-19-v11 games --sample 40000 --where "source.str.contains('KGS')"

#!/bin/sh
# policy-19-small-v5, from archives of games:    sh models/runs/policy-19-small-v5.sh ~/games
#
# Preprocessing takes two minutes on two cores.  Training took 4 minutes and 40 seconds on one NVIDIA H200, which another
# run shared (KERAS_BACKEND=jax, bfloat16); on two cores of a server it takes about four hours, computed from 300
# positions/s.
set -e
[ -d games ] || mugo preprocess "$@" -o games
mugo train games -o policy-19-small-v5 --filters 64 --policy-filters 128 --policy-context --context-filters 32 \
    --context-layers 4 --chain-pooling --value-head --value-weight 1 --ownership-weight 1 --endgame-fraction 0.12 \
    --batch-size 512 --learning-rate 0.015 --decay-start 0.4 --positions 4e6 --seed 5 \
    --sample-weight "0.6 + 0.9 * source.str.contains('KGS')"
mugo evaluate policy-19-small-v5 games --sample 40000 --where "source.str.contains('KGS')"

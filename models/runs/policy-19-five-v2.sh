#!/bin/sh
# policy-19-five-v2, from archives of games:    sh models/runs/policy-19-five-v2.sh ~/games
#
# Preprocessing takes two minutes on two cores.  Training took 5 minutes and 17 seconds on one NVIDIA H200, which another
# run shared (KERAS_BACKEND=jax, bfloat16); on two cores of a server it takes about 40 hours, computed from 130 positions/s.
set -e
[ -d games ] || mugo preprocess "$@" -o games
mugo train games -o policy-19-five-v2 --filters 192 --policy-filters 0 --no-global-pooling \
    --batch-size 512 --learning-rate 0.015 --decay-start 0.5 --positions 18e6 --seed 5 \
    --sample-weight "0.6 + 0.9 * source.str.contains('KGS')"
mugo evaluate policy-19-five-v2 games --sample 40000 --where "source.str.contains('KGS')"

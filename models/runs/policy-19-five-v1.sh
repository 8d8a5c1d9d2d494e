#!/bin/sh
# policy-19-five-v1, from archives of games:    sh models/runs/policy-19-five-v1.sh ~/games
#
# Preprocessing takes two minutes on two cores.  Training took 2 minutes and 13 seconds on one NVIDIA H100
# (KERAS_BACKEND=jax, bfloat16); on two cores of a server it takes about 20 hours, computed from 130 positions/s.
set -e
[ -d games ] || mugo preprocess "$@" -o games
mugo train games -o policy-19-five-v1 --filters 192 --policy-filters 0 --no-global-pooling \
    --batch-size 512 --learning-rate 0.015 --decay-start 0.5 --positions 9305600 --seed 5
mugo evaluate policy-19-five-v1 games --sample 40000 --where "source.str.contains('KGS')"

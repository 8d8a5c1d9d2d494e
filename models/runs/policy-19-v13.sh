#!/bin/sh
# policy-19-v13, from archives of games and from policy-19-v10:    sh models/runs/policy-19-v13.sh ~/games
#
# Preprocessing takes two minutes on two cores.  The first run took six and a half minutes on one NVIDIA H100
# (KERAS_BACKEND=jax, bfloat16); on two cores of a server it takes about 12 hours, computed from 150 positions/s.  It had
# --metadata-encoder too, in a form that had no effect (docs/lab/experiments.md).  The second, which trains the encoder
# alone, took 75 minutes on half of two slow cores.
# The third learns nothing: policy-19-v12 had the batch-norm statistics of bfloat16, and policy-19-v13 has those of
# float32, as every network that is trained today (docs/lab/experiments.md).
# policy-19-v10 came of ten such runs, one after the other, since its architecture grew: docs/lab/history.md.
set -e
[ -d games ] || mugo preprocess "$@" -o games
git show 4cd2867:models/policy-19-v10.safetensors > policy-19-v10.safetensors
mugo train games -o policy-19-v11 --init-from policy-19-v10.safetensors --value-weight 1 --ownership-weight 1 \
    --endgame-fraction 0.12 --batch-size 512 --learning-rate 0.012 --decay-start 0.4 --positions 6376448 --seed 11
mugo train games -o policy-19-v12 --init-from policy-19-v11 --metadata-encoder --freeze-network --people-dropout 0.1 \
    --learning-rate 0.064 --decay-start 0.5 --positions 96000 --seed 12 --sample-weight "0.5 + 1.5 * \
source.str.contains('KGS') + 10 * (black_rank < 4 or white_rank < 4) + 30 * (black_rank < 1 or white_rank < 1)"
mugo train games -o policy-19-v13 --init-from policy-19-v12 --endgame-fraction 0.12 --people-dropout 1 \
    --batch-size 256 --positions 256 --learning-rate 1e-8 --precision float32 --validation-positions 1024 --seed 13
mugo evaluate policy-19-v13 games --sample 40000 --where "source.str.contains('KGS')"
mugo evaluate policy-19-v13 games --people compare --where "black_rank < 4 or white_rank < 4"

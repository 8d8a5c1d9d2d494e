#!/bin/sh
# gomoku-15-5-v1, from nothing:    sh models/runs/gomoku-15-5-v1.sh
#
# 112 minutes on one core of an AMD Zen 4 that had other work to do.  The run was started with --games 2000, killed, and
# resumed with 1408, with 2816 and with 2304, so its learning rate decayed twice.
set -e
mugo selfplay gomoku --size 15 -o gomoku-15-5-v1 --games 2304 --warm-start-games 640 --warm-start-simulations 2000 \
    --simulations 200 --threads 1 --dirichlet-alpha 0.05 --temperature-moves 6 --filters 64,64,64,64,64 --steps 24 \
    --batch-size 256 --decay-start 0.6 --no-head-batch-norm --arena-every 100000

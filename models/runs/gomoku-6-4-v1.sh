#!/bin/sh
# gomoku-6-4-v1, from nothing:    sh models/runs/gomoku-6-4-v1.sh
#
# 5.3 minutes on two cores of an AMD Zen 4.
set -e
mugo selfplay gomoku --size 6 -o gomoku-6-4-v1 --games 1024

#!/bin/sh
# gomoku-8-5-v1, from nothing:    sh models/runs/gomoku-8-5-v1.sh
#
# 42 minutes on two cores that did other work most of the time.  The run was started with --games 2304, killed at 1,510
# games, and resumed as one of 1,792, so its learning rate decayed a little later than the command's does.
set -e
mugo selfplay gomoku --size 8 -o gomoku-8-5-v1 --games 1792 --arena-every 256

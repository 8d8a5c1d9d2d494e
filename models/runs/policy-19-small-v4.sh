#!/bin/sh
# A network as policy-19-small-v4, from archives of games:    sh models/runs/policy-19-small-v4.sh ~/games
#
# On two cores of a server, two minutes and about two hours.  The shipped network took three runs, as its architecture
# grew, of as many positions together: docs/lab/cards/policy-19-small-v4.md.  Nobody has trained it in one.
set -e
[ -d games ] || mugo preprocess "$@" -o games
mugo train games -o policy-19-small-v4 --model policy-19-small --learning-rate 0.01 --positions 2.05e6 \
    --decay-start 0.4 --where "source.str.contains('KGS') or game_hash % 3 == 1"
mugo evaluate policy-19-small-v4 games --sample 40000 --where "source.str.contains('KGS')"

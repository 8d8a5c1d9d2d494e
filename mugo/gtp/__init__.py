"""The Go Text Protocol: `mugo gtp`.

Read in this order:

    protocol        the grammar: lines, arguments, replies; the table of commands
    options         the command line, and the engine's own options
    params          options of the player and the engine, changed by name
    engine          player, position, clocks, pondering; a line in, a reply out
    commands        the commands of GTP 2 and KGS
    analyze         lz-analyze, kata-analyze, lz-genmove_analyze ...: search results, streamed
    katago          KataGo's searches, positions, clocks, and kata-raw-nn
    param_commands  mugo-param, kata-set-param, rules
    gogui           GoGui's extensions; mugo-region, mugo-tsumego-frame
    gnugo           GNU Go's list_stones, final_status, printsgf ...
    command         stdin and stdout

KataGo's names of parameters are in the package analysis.
"""

"""The Go Text Protocol: `mugo gtp`.

Read in this order:

    protocol        the grammar: lines, arguments, replies; the table of commands
    options         the command line, and the engine's own options
    params          options of the player and the engine, changed by name: mugo-param, kata-set-param
    engine          player, position, clocks, pondering; a line in, a reply out
    commands        the commands of GTP 2 and KGS
    analyze         lz-analyze, kata-analyze, lz-genmove_analyze ...: search results, streamed
    katago          KataGo's searches, positions, clocks, rules, and kata-raw-nn
    extensions      GNU Go's list_stones, final_status, printsgf ...; GoGui's menu
    command         stdin and stdout

KataGo's names of parameters are in the package analysis.
"""

"""The Go Text Protocol: `mugo gtp`.

Read in this order:

    protocol        the grammar: lines, arguments, replies; the table of commands
    line_reader     lines of input, read ahead in a thread
    params          options of the player, changed by name
    state           what commands read and change: player, position, clocks
    commands        the commands of GTP 2 and KGS
    analyze         lz-analyze, kata-analyze, lz-genmove_analyze ...: search results, streamed
    gogui           GoGui's extensions
    param_commands  mugo-param, kata-set-param, rules
    engine          a line in, a reply out; pondering
    command         the command line, stdin and stdout

Knows nothing of other front ends (web, tui, analysis), of training or data sets.
"""

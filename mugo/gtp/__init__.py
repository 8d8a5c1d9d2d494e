"""The Go Text Protocol: `mugo gtp`.

Read in this order:

    protocol        the grammar: lines, arguments, replies; the table of commands
    line_reader     lines of input, read ahead in a thread
    params          options of the player and the engine, changed by name
    engine          player, position, clocks, pondering; a line in, a reply out
    commands        the commands of GTP 2 and KGS
    analyze         lz-analyze, kata-analyze, lz-genmove_analyze ...: search results, streamed
    gogui           GoGui's extensions
    katago          KataGo's searches, positions and clocks
    raw_nn          kata-raw-nn: what the network says
    local_search    mugo-region, mugo-tsumego-frame
    param_commands  mugo-param, kata-set-param, rules
    gnugo           GNU Go's list_stones, final_status, printsgf ...; Gomill's gomill-genmove_ex
    command         the command line, stdin and stdout

Knows nothing of other front ends (web, tui, analysis), of training or data sets.
"""
from mugo.gtp import analyze, commands, gnugo, gogui, katago, local_search, param_commands, raw_nn

# To import them registers their commands.
COMMAND_MODULES = (commands, analyze, katago, raw_nn, param_commands, gnugo, gogui, local_search)

"""The command line.

    main             the table of commands, and what happens when one of them fails
    options          the command lines of these commands
    help             `mugo help`: all options of a kind
    completion       shell completion
    bench            `mugo bench`: the signature and the speed of the search
    doctor           `mugo doctor`: what a bug report needs to know
    demo             `mugo demo`: the whole pipeline on the sample games

No other package imports it.
"""

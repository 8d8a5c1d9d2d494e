"""The command line.

    main             the table of commands, and what happens when one of them fails
    help             `mugo help`: all options of a kind
    completion       shell completion
    doctor           `mugo doctor`: what a bug report needs to know
    demo             `mugo demo`: the whole pipeline on the sample games

No other package imports it.
"""

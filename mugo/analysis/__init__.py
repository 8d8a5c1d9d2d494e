"""KataGo's JSON analysis protocol: `mugo analysis`.

Read in this order:

    options     the command line
    parameters  KataGo's names of settings; typed values; InvalidQuery
    request     a query, parsed and checked
    response    the JSON object of a result
    queues      positions to analyze, by priority; lines of output
    engine      threads that analyze them
    command     stdin and stdout

Plays Go only.
"""

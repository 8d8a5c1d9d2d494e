"""KataGo's JSON analysis protocol: `mugo analysis`.

Read in this order:

    fields      typed values of a query's fields; InvalidQuery
    overrides   settings by KataGo's names
    request     a query, parsed and checked
    response    the JSON object of a result
    job_queue   positions to analyze, by priority
    output      lines of output, written by a thread
    engine      threads that analyze them
    command     the command line, stdin and stdout

Plays Go only.  Knows nothing of other front ends (gtp, tui, web), of training or data sets.
"""

"""KataGo's JSON analysis protocol.

    request     a query, checked
    response    a line of the answer
    engine      queries analysed side by side, by priority            `mugo analysis`
"""

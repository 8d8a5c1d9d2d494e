"""Playing and analysing in the browser (`mugo web`).  In reading order:

    positions       positions and search results as JSON
    opponents       the opponents that a person can choose
    scheduler       which searches run at once, and for how long
    state           what all sessions share: the network and the scheduler
    handlers        requests that are answered at once
    searches        requests that start a search: analyze, genmove, evaluate
    sessions        one WebSocket: requests in, answers out
    app             the server and the command line
    static/         the page: HTML, CSS and JavaScript modules; main.js comes last

Imports no other user interface (tui, gtp, analysis).
"""

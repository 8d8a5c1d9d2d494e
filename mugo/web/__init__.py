"""Playing and analysing in the browser (`mugo web`).  In reading order:

    options         the command line
    requests        requests of the page: messages -> positions, and their limits
    positions       positions, what searches say of them, and scores, as JSON
    opponents       the opponents that a person can choose
    scheduler       what is computed at once, and for how long
    state           what all sessions share: the network and the scheduler
    handlers        requests that are answered at once, and those that start a search
    sessions        one WebSocket: requests in, answers out
    access          the names that the server answers to, the pages that may use it, and the token
    app             the application, uvicorn's server and the command
    files           the files of the page; the folder of records that `mugo web --games` offers
    site            `mugo site`: the page as a static site, with all that computes in the tab
    static/         the page: HTML, CSS and JavaScript modules; main.js says which is which

Imports no other user interface (tui, gtp, analysis).
"""

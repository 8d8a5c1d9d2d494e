"""A board in the browser.

    handlers    requests of plain JSON in, answers of plain JSON out
    sessions    the visitors and whose search runs when
    app         the server                                            `mugo web`
    static/     the page
"""

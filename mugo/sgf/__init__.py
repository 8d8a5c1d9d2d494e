"""Game records: SGF text and archives of it.

    parser      SGF text <-> Record (FF[1] to FF[4], through sgfmill's grammar)
    convert     Record <-> Position
    archives    every SGF text in folders, .zip, .tar.*, .7z and collections
    tree        SGF with variations and comments, as the browser holds it

Imports games only; knows nothing of data sets, players or networks.
"""

"""Game records: SGF files and archives of them -> Records, Positions, game trees.  In reading order:

    record        Record, one game; BadRecord, why a game cannot be used
    encoding      bytes in any character set -> UTF-8
    properties    komi, result, date, handicap, rank and numbers of points as servers write them
    nodes         a game's text <-> its nodes with all their properties
    gib           records of Tygem -> nodes
    ngf           records of CyberOro and Wbaduk -> nodes
    ugf           records of Pandanet -> nodes
    collection    a file's text -> each of its games, and its main line
    parser        records of every format -> Records         read_records, read_trees
    record_positions   Record -> Position, Position, ...; the position after each node; rules (RU) <-> Rules
    convert       Position -> Record -> SGF text; a file and the moves played since      load_game, load_position
    archives      unpacks .zip, .tar.*, .7z and compressed files
    sources       files and folders of a command line -> every SGF file in them
    tree          games with all their nodes, as JSON for the browser

Specification: SGF FF[4], https://www.red-bean.com/sgf/; nodes.py is its grammar, and sgfmill decodes
and escapes texts.
Imports games, limits and files.  Does not know data sets, networks, players or the web server.
"""

"""The Go Text Protocol.

    protocol    the grammar: lines, arguments, replies
    analyze     lz-analyze, kata-analyze and their kin
    gogui       GoGui's extensions
    params      options changed over GTP
    commands    the commands of GTP 2 and KGS
    engine      the engine and its pipes                              `mugo gtp`
"""

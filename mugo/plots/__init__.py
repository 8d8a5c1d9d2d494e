"""Pictures and text: charts, boards for a terminal, tables.

    terminal      boards and tables as lines of text, plain or in colour
    figures       colours; matplotlib figures written as PNG, SVG or PDF; charts
    curves        training curves of `train` and `selfplay`; the same for TensorBoard
    svg           boards as SVG, without matplotlib

Imports games and the modules below it only.  matplotlib is optional, and imported when a picture is drawn.
"""

"""Pictures and text: charts, boards for a terminal, tables.

    text_table    tables as lines of text
    figures       colours; matplotlib figures written as PNG, SVG or PDF
    charts        bars, error bars, reliability diagrams, histograms, trees
    curves        training curves of `train` and `selfplay`
    svg           boards as SVG, without matplotlib
    terminal      boards as lines of text, plain or in colour
    tensorboard_log    metrics for TensorBoard

Imports games and the modules below it only.  matplotlib is optional, and imported when a picture is drawn.
"""

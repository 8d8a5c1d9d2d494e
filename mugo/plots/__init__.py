"""Pictures and text boards: boards, planes, heat maps, charts.

    diagrams    boards, planes, trees and charts as PNG or SVG; tables as text
    curves      training curves and the progress of self-play
    terminal    boards, heat maps and planes as lines of text, plain or in colour

Imports games only; matplotlib is imported when a picture is drawn.
"""

"""Draws the three diagrams of the documentation: docs/images/pipeline.svg, network.svg and search.svg.

    python docs/tools/diagrams.py

Widths and depths of the network are those of the bundled policy-19.  The pictures have a light ground of their
own, so they read the same on light and dark pages, and are narrow enough for a phone.
"""
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import architectures

from mugo.games import planes
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.blocks import DILATIONS, POOLED_EVERY, UNSCALED

IMAGES = Path(__file__).resolve().parents[1] / "images"
WIDTH = 520
INK, MUTED, LINE = "#1c2333", "#5a6478", "#8a93a6"
BLUE, GREEN, AMBER, ROSE, GREY = "#dbe7ff", "#d9f2e1", "#ffedc9", "#ffdfe3", "#eef0f5"
STRONG = "#3355cc"


class Drawing:
    """SVG elements, collected."""

    def __init__(self, height: int, title: str) -> None:
        self.height, self.title = height, title
        self.parts: list[str] = []

    def text(self, x: float, y: float, words: str, size: int = 16, colour: str = INK, weight: str = "normal",
             anchor: str = "middle") -> None:
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
                          f'text-anchor="{anchor}">{escape(words)}</text>')

    def box(self, x: float, y: float, width: float, height: float, fill: str, title: str,
            lines: Sequence[str] = ()) -> None:
        """A box around (x, y), with a title and lines below it."""
        self.parts.append(f'<rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width:g}" height="{height:g}" '
                          f'rx="9" fill="{fill}" stroke="{LINE}"/>')
        top = y - 10 * len(lines) + 6
        self.text(x, top, title, 17, weight="600")
        for k, line in enumerate(lines, 1):
            self.text(x, top + 20 * k, line, 15, MUTED)

    def arrow(self, x1: float, y1: float, x2: float, y2: float, label: str = "") -> None:
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{MUTED}" stroke-width="2" '
                          'marker-end="url(#head)"/>')
        if label:
            self.text((x1 + x2) / 2 + 10, (y1 + y2) / 2 + 5, label, 15, MUTED, anchor="start")

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = LINE, width: float = 2) -> None:
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" '
                          f'stroke-width="{width:g}"/>')

    def circle(self, x: float, y: float, radius: float, fill: str, stroke: str = LINE, width: float = 2) -> None:
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}" '
                          f'stroke-width="{width:g}"/>')

    def svg(self) -> str:
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" font-family="system-ui, sans-serif" role="img">',
            f"<title>{escape(self.title)}</title>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
            f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{MUTED}"/></marker></defs>',
            f'<rect width="{WIDTH}" height="{self.height}" rx="12" fill="#ffffff"/>', *self.parts, "</svg>", ""])


def pipeline() -> str:
    """From records to a move."""
    drawing = Drawing(720, "From game records to a move")
    middle, gap = WIDTH / 2, 116
    steps = [
        ("game records", ("SGF, GIB, NGF, UGF; folders and archives",), GREY, "mugo preprocess"),
        ("data set", ("moves in two bytes each, split by game",), BLUE, f"{planes.DEPTH} planes for each position"),
        ("training", ("mugo train: policy, value, ownership, score",), AMBER, "weights: one .safetensors file"),
        ("network", ("ONNX Runtime, int8 where that is fast",), GREEN, "priors and values"),
        ("search", ("select, expand, evaluate, back up",), ROSE, "visits of each move"),
        ("player", ("pass? resign? how long to think?",), GREY, ""),
    ]
    for k, (title, lines, fill, label) in enumerate(steps):
        y = 48 + gap * k
        drawing.box(middle, y, 400, 64, fill, title, lines)
        if label:
            drawing.arrow(middle, y + 33, middle, y + gap - 34, label)
    drawing.arrow(middle, 48 + gap * 5 + 33, middle, 48 + gap * 5 + 62)
    drawing.text(middle, 48 + gap * 5 + 84, "GTP, browser, terminal, matches, reviews", 16, weight="600")
    # the search asks the network about each new position
    x, top, bottom = middle + 222, 48 + gap * 3, 48 + gap * 4
    drawing.line(middle + 200, bottom, x, bottom, MUTED)
    drawing.line(x, bottom, x, top, MUTED)
    drawing.arrow(x, top, middle + 202, top)
    drawing.height = 48 + gap * 5 + 104
    return drawing.svg()


def network(config: PolicyNetConfig) -> str:
    """A policy network with its depth and widths."""
    drawing = Drawing(760, "The network: depth and width of each part")
    left, right, filters, context = 130, 390, config.filters, config.context_filters
    drawing.box(left, 46, 224, 56, GREY, f"{planes.DEPTH} planes", (f"{config.size}x{config.size} points",))
    drawing.arrow(left, 75, left, 103)
    drawing.box(left, 196, 224, 182, BLUE, "trunk", (
        f"conv 5x5, {filters} filters", f"conv 3x3, {filters}, {config.layers - 2} times",
        "global pooling bias" if config.global_pooling else "",
        "residual connections" if config.residual else "", "sees 11x11 points"))
    drawing.arrow(left + 113, 196, right - 114, 196)
    dilations = ", ".join(map(str, DILATIONS[:UNSCALED])) + (", ..." if config.context_layers > UNSCALED else "")
    pools = 1 + config.context_layers // POOLED_EVERY
    drawing.box(right, 196, 224, 182, AMBER, "context module", (
        f"conv 1x1, {context} filters", f"conv 3x3, {context}, {config.context_layers} times",
        f"dilated by {dilations}", f"chain pooling, {pools} times" if config.chain_pooling else "",
        "sees the whole board"))
    drawing.arrow(left, 288, left, 346)
    drawing.arrow(right, 288, right, 346)
    if config.policy_context:
        drawing.arrow(right - 60, 288, left + 60, 346)
    drawing.box(left, 432, 224, 170, GREEN, "policy head", (
        f"conv 1x1, {config.policy_filters} filters", "conv 1x1 to a plane", "a bias for each point",
        "mean of each filter: pass"))
    drawing.box(right, 432, 224, 170, ROSE, "value head", (
        "takes komi and colour", "conv 1x1, 256 filters", "conv 1x1 to a plane", "pooling, dense layers"))
    drawing.arrow(left, 518, left, 548)
    drawing.arrow(right, 518, right, 548)
    drawing.text(left, 570, "a probability", 16, weight="600")
    drawing.text(left, 592, f"for each of {config.size ** 2 + 1} moves", 16, weight="600")
    drawing.text(right, 570, "who wins, by how much,", 16, weight="600")
    drawing.text(right, 592, "who owns each point", 16, weight="600")
    cost = architectures.cost(config.spec())
    drawing.text(WIDTH / 2, 634, f"{cost.depth} convolutions from planes to policy, {cost.wide} wider than 1x1", 15,
                 MUTED)
    drawing.text(WIDTH / 2, 656, f"{cost.weights / 1e6:.2f} million weights, {cost.multiplications / 1e6:.0f} million "
                 "multiplications", 15, MUTED)
    drawing.height = 674
    return drawing.svg()


def search() -> str:
    """The four steps of a simulation."""
    drawing = Drawing(590, "The four steps of a simulation")
    steps = [("1. Select", "high value, or high prior"), ("2. Expand", "priors for its moves"),
             ("3. Evaluate", "network and rollout"), ("4. Back up", "the sign turns each step")]
    for k, (title, note) in enumerate(steps):
        x, y = (WIDTH / 4 if k % 2 == 0 else 3 * WIDTH / 4), 30 + 290 * (k // 2)
        drawing.text(x, y, title, 18, weight="600")
        drawing.text(x, y + 22, note, 15, MUTED)
        points = {"root": (x, y + 56), "a": (x - 76, y + 116), "b": (x, y + 116), "c": (x + 76, y + 116),
                  "d": (x - 30, y + 176), "e": (x + 34, y + 176), "f": (x - 62, y + 236), "g": (x - 30, y + 236),
                  "h": (x + 2, y + 236)}
        edges = [("root", "a"), ("root", "b"), ("root", "c"), ("b", "d"), ("b", "e")]
        path = {("root", "b"), ("b", "d")}
        if k == 1:
            edges += [("d", "f"), ("d", "g"), ("d", "h")]
        for first, second in edges:
            marked = (first, second) in path and k in (0, 3) or k == 1 and first == "d"
            drawing.line(*points[first], *points[second], STRONG if marked else LINE, 4 if marked else 2)
        for name in dict.fromkeys(name for edge in edges for name in edge):
            marked = k in (0, 3) and name in ("root", "b", "d") or k == 1 and name in "fgh" or k == 2 and name == "d"
            drawing.circle(*points[name], 13 if name not in "fgh" else 9, BLUE if marked else GREY,
                           STRONG if marked else LINE)
        if k == 2:
            drawing.arrow(x - 30, y + 191, x - 30, y + 222)
            drawing.text(x - 30, y + 243, "value 0.4", 16, STRONG, "600")
        if k == 3:
            for name, words, right in (("d", "+0.4", False), ("b", "-0.4", True), ("root", "+0.4", True)):
                drawing.text(points[name][0] + (20 if right else -20), points[name][1] + 5, words, 15, STRONG, "600",
                             "start" if right else "end")
    return drawing.svg()


def pictures() -> dict[Path, str]:
    """File -> its SVG."""
    return {IMAGES / "pipeline.svg": pipeline(),
            IMAGES / "network.svg": network(architectures.shipped()["policy-19"]),
            IMAGES / "search.svg": search()}


if __name__ == "__main__":
    for path, text in pictures().items():
        path.write_text(text, encoding="utf-8")
        print(path)

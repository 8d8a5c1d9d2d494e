"""Draws which package imports which: docs/images/imports.svg.

    python docs/tools/import_graph.py               # write the picture
    python docs/tools/import_graph.py --list        # print the arrows instead, all of them

Rows are the layers of the import-linter contract in pyproject.toml.  An arrow that other arrows imply is not drawn:
web imports players and players imports search, so web -> search is left out.
"""
import argparse
import ast
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "imports.svg"
WIDTH, ROW, BOX_WIDTH, BOX_HEIGHT = 760, 84, 96, 34
# Where a package stands in its row, from 0 to 1, so that few arrows cross; others are spread evenly.
PLACES = {"training": 0.8, "selfplay": 0.6, "players": 0.4, "mcts": 0.4, "nn": 0.6, "data": 0.8, "sgf": 0.12,
          "plots": 0.88, "games": 0.5}


def imports() -> set[tuple[str, str]]:
    """(importer, imported): names of packages of mugo, or of its modules that are in no package."""
    known = {path.stem if path.is_file() else path.name for path in (ROOT / "mugo").iterdir()}
    arrows = set()
    for path in (ROOT / "mugo").rglob("*.py"):
        parts = path.relative_to(ROOT / "mugo").parts
        importer = parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                words = name.split(".")
                if words[0] == "mugo" and len(words) > 1 and words[1] in known and words[1] != importer:
                    arrows.add((importer, words[1]))
    return arrows


def layers() -> list[list[str]]:
    """Rows of packages, the highest first, as the contract has them; modules outside of packages are left out."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rows = next(contract["layers"] for contract in contracts if contract.get("containers") == ["mugo"])
    packages = {path.parent.name for path in (ROOT / "mugo").glob("*/__init__.py")}
    rows = [[name.strip() for name in row.replace(":", "|").split("|")] for row in rows]
    return [row for row in ([name for name in row if name in packages] for row in rows) if row]


def reduced(arrows: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows that no path of other arrows implies.  There must be no cycle."""
    def reaches(start: str, end: str) -> bool:
        return any(second == end or reaches(second, end) for first, second in arrows if first == start)
    return {(first, last) for first, last in arrows
            if not any(start == first and middle != last and reaches(middle, last) for start, middle in arrows)}


def draw(rows: list[list[str]], arrows: set[tuple[str, str]]) -> str:
    """The picture as SVG text."""
    centre = {}
    for y, row in enumerate(rows):
        for x, name in enumerate(row):
            centre[name] = (round(PLACES.get(name, (x + 1) / (len(row) + 1)) * WIDTH), (y + 1) * ROW + 16)
    height = (len(rows) + 1) * ROW + 36
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
           'font-family="system-ui, sans-serif" font-size="15" text-anchor="middle">',
           "<title>Imports between the packages of mugo: every arrow points down</title>",
           '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
           'orient="auto"><path d="M0 0 8 4 0 8z" fill="#5c6bc0"/></marker></defs>',
           f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fafafa"/>']
    for first, last in sorted(arrows):
        (x0, y0), (x1, y1) = centre[first], centre[last]
        y0, y1 = y0 + BOX_HEIGHT // 2, y1 - BOX_HEIGHT // 2 - 1
        bend = (y1 - y0) // 2
        out.append(f'<path d="M{x0} {y0}C{x0} {y0 + bend} {x1} {y1 - bend} {x1} {y1}" fill="none" '
                   'stroke="#5c6bc0" stroke-width="1.4" marker-end="url(#head)"/>')
    boxes = [(name, *centre[name], BOX_WIDTH) for name in sorted(centre)]
    boxes.append(("cli: imports a command's package when it is called", WIDTH // 2, 32, WIDTH - 80))
    boxes.append(("core: files, options, statistics; imported by all", WIDTH // 2, height - 36, WIDTH - 80))
    for name, x, y, width in boxes:
        wide = width != BOX_WIDTH
        out.append(f'<rect x="{x - width // 2}" y="{y - BOX_HEIGHT // 2}" width="{width}" height="{BOX_HEIGHT}" rx="6" '
                   f'fill="{"#eceff1" if wide else "#e8eaf6"}" stroke="{"#90a4ae" if wide else "#3f51b5"}"/>')
        out.append(f'<text x="{x}" y="{y + 5}" fill="#212121">{name}</text>')
    return "\n".join([*out, "</svg>", ""])


def picture() -> str:
    """What docs/images/imports.svg should contain."""
    rows = layers()
    height = {name: y for y, row in enumerate(rows) for name in row}
    arrows = {(first, last) for first, last in imports() if first in height and last in height}
    for first, last in sorted(arrows):
        if height[first] >= height[last]:
            print(f"against the layers: {first} imports {last}", file=sys.stderr)
    return draw(rows, reduced({(first, last) for first, last in arrows if height[first] < height[last]}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the arrows")
    if parser.parse_args().list:
        print("\n".join(f"{first} -> {last}" for first, last in sorted(imports())))
        return
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture())


if __name__ == "__main__":
    main()

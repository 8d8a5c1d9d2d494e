"""Modules, lines and the longest function of each package.

    python docs/tools/package_sizes.py                # a Markdown table (docs/architecture.md)
    python docs/tools/package_sizes.py --warn         # modules and functions that are too long
    python docs/tools/package_sizes.py FOLDER         # the same of another checkout

Lines are all lines of a file.  The length of a function counts its docstring and decorators.
"""
import argparse
import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULE_LINES = 450          # one sitting
FUNCTION_LINES = 50         # one screen


def functions(path: Path) -> list[tuple[int, str]]:
    """(lines, name) of every function and method of a file; a nested function counts for the one around it too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.append((node.end_lineno - first + 1, node.name))
    return found


def table(package: Path) -> str:
    """Markdown: one row a package, one for the modules outside of packages, and the sum."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        inner = path.relative_to(package).parts[:-1]
        groups[inner[0] + "/" if inner else "(top)"].append(path)
    rows = ["| package | modules | lines | longest module | longest function |", "|---|---|---|---|---|"]
    for name, paths in [*sorted(groups.items()), ("**sum**", [path for group in groups.values() for path in group])]:
        lines = {path: len(path.read_text().splitlines()) for path in paths}
        longest = max(paths, key=lines.__getitem__)
        length, function, where = max((length, function, path.name) for path in paths
                                      for length, function in [(0, "-"), *functions(path)])
        rows.append(f"| {name} | {len(paths)} | {sum(lines.values()):,} | {longest.name} {lines[longest]} "
                    f"| {where} {function} {length} |")
    return "\n".join(rows)


def too_long(package: Path) -> list[str]:
    """One line for each module or function that is longer than it should be."""
    found = []
    for path in sorted(package.rglob("*.py")):
        name, lines = path.relative_to(package.parent), len(path.read_text().splitlines())
        if lines > MODULE_LINES:
            found.append(f"{name}: {lines} lines; {MODULE_LINES} are one sitting")
        found += [f"{name}: {function}() has {length} lines; {FUNCTION_LINES} are one screen"
                  for length, function in functions(path) if length > FUNCTION_LINES]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=Path, default=ROOT, help="a checkout of MuGo")
    parser.add_argument("--warn", action="store_true", help="list what is too long; the exit status stays 0")
    args = parser.parse_args()
    package = args.folder / "mugo"
    print("\n".join(too_long(package)) if args.warn else table(package))
    return 0


if __name__ == "__main__":
    sys.exit(main())

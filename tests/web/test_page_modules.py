"""The imports of the page's modules: one way, as the head of main.js says, and without circles."""
import re
from pathlib import Path

import mugo

STATIC = Path(mugo.__path__[0]) / "web/static"
LAYERS = [("texts",), ("core",), ("store.js",), ("queries.js",), ("transport.js",), ("server.js", "kept.js", "dom.js"),
          ("requests.js", "ask.js"),
          ("actions", "effects", "view"), ("controls",), ("main.js", "language.js")]
APART = "worker", "site"                  # the server in a tab, and what only a static site has
MODULES = sorted(path.relative_to(STATIC) for path in STATIC.rglob("*.js")
                 if path.name != "load_error.js" and path.parent.name not in APART)


def imports_of(module: Path) -> list[Path]:
    """The modules that a module imports."""
    found = re.findall(r'^(?:import|export)\b[^;]*?"(\.[^"]+)";', (STATIC / module).read_text(), re.MULTILINE)
    return [(STATIC / module.parent / name).resolve().relative_to(STATIC.resolve()) for name in found]


def layer_of(module: Path) -> int:
    return next(i for i, names in enumerate(LAYERS) if module.parts[0] in names)


def test_imports_run_one_way():
    for module in MODULES:
        for imported in imports_of(module):
            assert imported in MODULES
            if module.parts[0] != imported.parts[0]:
                assert layer_of(imported) < layer_of(module), f"{module} imports {imported}"

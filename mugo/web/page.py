"""The files of the page, which the server and a static site have in common."""
from pathlib import Path

STATIC = Path(__file__).with_name("static")
APART = "worker", "site"                 # the server in a tab, and what only a static site has


def page_html() -> str:
    """index.html with a link for each module: the browser loads all at once, not each when it meets its import."""
    modules = sorted(path.relative_to(STATIC.parent).as_posix() for path in STATIC.rglob("*.js")
                     if path != STATIC / "load_error.js" and path.parent.name not in APART)       # which is no module
    links = "\n".join(f'  <link rel="modulepreload" href="{path}">' for path in modules)
    return (STATIC / "index.html").read_text("utf-8").replace("</head>", f"{links}\n</head>", 1)

"""The files of the page, which the server and a static site have in common, and the folder of game records that
`mugo web --games` offers.
"""
import os
from pathlib import Path

from mugo.core.files import BadInput, read_regular_file
from mugo.sgf.parser import SUFFIXES

STATIC = Path(__file__).with_name("static")
APART = "worker", "site"                 # the server in a tab, and what only a static site has
MAX_BYTES = 1_500_000                    # of a record that the page reads


def page_html() -> str:
    """index.html with a link for each module: the browser loads all at once, not each when it meets its import."""
    modules = sorted(path.relative_to(STATIC.parent).as_posix() for path in STATIC.rglob("*.js")
                     if path != STATIC / "load_error.js" and path.parent.name not in APART)       # which is no module
    links = "\n".join(f'  <link rel="modulepreload" href="{path}">' for path in modules)
    return (STATIC / "index.html").read_text("utf-8").replace("</head>", f"{links}\n</head>", 1)


class RecordFolder:
    """The records that lie in a folder itself: no links, no hidden files, none that is larger than MAX_BYTES.  Raises
    BadInput if it is not a folder."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        if not self.path.is_dir():
            raise BadInput(f"--games {path} is not a folder")

    def records(self) -> dict[str, float]:
        """When each record was changed last, in seconds since 1970, by its name; {} while the folder is away."""
        found = {}
        try:
            with os.scandir(self.path) as entries:
                for entry in entries:
                    if entry.name.lower().endswith((".sgf", *SUFFIXES)) and not entry.name.startswith("."):
                        status = entry.stat(follow_symlinks=False)
                        if entry.is_file(follow_symlinks=False) and status.st_size <= MAX_BYTES:
                            found[entry.name] = status.st_mtime
        except OSError:                  # it is gone, or a file was removed meanwhile: the next look has what is there
            pass
        return found

    def newest(self) -> dict:
        """"name" and "time" of the record that was changed last; {} without one."""
        records = self.records()
        name = max(records, key=lambda each: (records[each], each), default=None)
        return {} if name is None else {"name": name, "time": records[name]}

    def read(self, name: str) -> bytes | None:
        """The bytes of a record; None if `records` has none of this name."""
        if name not in self.records():
            return None
        try:
            return read_regular_file(self.path / name, MAX_BYTES)
        except (OSError, BadInput):      # it was removed or replaced meanwhile
            return None

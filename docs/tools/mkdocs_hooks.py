"""MkDocs hooks: pages of the site that are no files in docs/, and links that lead out of docs/.

    contributing.md, changelog.md     CONTRIBUTING.md and CHANGELOG.md
    learn/notebooks/NAME.md           notebooks/NAME.ipynb with its stored output
    reference/api/PACKAGE.md          the docstring of a package, then those of its modules, in the order in which it
                                      names them

In the repository a page links to the file itself, so that the link works there too.
"""
import json
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# file of the repository -> page of the site
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
         **{f"notebooks/{path.name}": f"learn/notebooks/{path.stem}.md" for path in NOTEBOOKS}}
SOURCES = {page: source for source, page in PAGES.items()}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)")


def on_files(files: Files, config, **_) -> Files:
    """Add the pages that are no files in docs/."""
    for source, page in PAGES.items():
        path = ROOT / source
        text = notebook(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for folder in sorted(path.parent for path in (ROOT / "mugo").glob("*/__init__.py")):
        files.append(File.generated(config, f"reference/api/{folder.name}.md", content=api(folder.name)))
    return files


def on_page_markdown(markdown: str, page, **_) -> str:
    """The page's Markdown, in which links to other files of the repository lead to pages of the site, or are gone."""
    here = page.file.src_uri
    source = SOURCES.get(here, f"docs/{here}")

    def to_page(found: re.Match[str]) -> str:
        picture, text, link = found.groups()
        if re.match(r"[a-z]+:|#|/", link):
            return found[0]
        path, _, anchor = link.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        site = PAGES.get(target, target.removeprefix("docs/") if target.startswith("docs/") else "")
        if not site:
            return text                                      # a file that is not on the site
        relative = posixpath.relpath(site, posixpath.dirname(here) or ".")
        return f"{picture}[{text}]({relative}{f'#{anchor}' if anchor else ''})"

    return LINK.sub(to_page, markdown)


def notebook(path: Path) -> str:
    """A notebook as Markdown."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
        elif text:
            parts.append(f"```python\n{text}\n```")
            parts += [shown for output in cell["outputs"] if (shown := output_of(output))]
    return "\n\n".join(parts) + "\n"


def output_of(output: dict) -> str:
    """The output of a cell as Markdown."""
    data = output.get("data", {})
    if "image/png" in data:
        png = "".join(data["image/png"]).strip()
        return f'<img alt="the picture that this cell draws" src="data:image/png;base64,{png}">'
    for kind in "image/svg+xml", "text/html":
        if kind in data:
            return re.sub(r"\n\s*\n", "\n", f'<div>{"".join(data[kind])}</div>')
    text = "".join(output.get("text") or data.get("text/plain") or "")
    return f"```text\n{text.rstrip()}\n```" if text else ""


def api(package: str) -> str:
    """mkdocstrings' directives for a package and its modules."""
    folder = ROOT / "mugo" / package
    docstring = (folder / "__init__.py").read_text(encoding="utf-8")
    modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    def place(name: str) -> int:
        found = re.search(rf"(?m)^    .*\b{name}\b", docstring)
        return found.end() if found else 10**6

    modules.sort(key=place)
    heading = "    options: {show_root_heading: true, show_root_full_path: true, show_root_toc_entry: true}"
    return "\n\n".join([f"# mugo.{package}", f"::: mugo.{package}",
                        *(f"::: mugo.{package}.{name}\n{heading}" for name in modules)])

"""The page as a static site, with all that computes in the tab:  mugo site -o FOLDER

    index.html, sw.js, manifest.webmanifest, icon.svg, icon.png, licences.txt, mugo.mjs
    app-VERSION/static/...         the page, the worker
    app-VERSION/data/...           kernels, networks

All addresses are relative, so any web server can have it in any folder.  VERSION is a hash of all content; a page loads
only from the folder of its version, and static/site/sw.js keeps one whole version.
"""
import argparse
import base64
import gzip
import hashlib
import json
import re
import shutil
from importlib.metadata import distribution
from pathlib import Path

from mugo.core.files import BadInput, atomic_write
from mugo.core.shared_cache import wasm_key
from mugo.core.version import VERSION, bundled_networks
from mugo.nn.architectures import config_of
from mugo.nn.bundled import go_networks, search_network
from mugo.nn.inputs import PEOPLE, POINT_BIAS, RANK_NAMES, format_rank, ranks_of
from mugo.nn.network_file import ranges_of, read_network
from mugo.nn.steps import StepGraph
from mugo.web.files import STATIC, page_html

KERNELS = Path(__file__).parents[1] / "kernels" / "wasm"
KERNEL_FILES = "kernels.wasm", "kernels.json", "facts.json"
TOP = "sw.js", "manifest.webmanifest", "icon.png", "mugo.mjs"             # of static/site/, next to index.html
HASH_BYTES = 8
# Nothing is loaded from other servers, and only WebAssembly is compiled.
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' blob:; object-src 'none'; " \
         "base-uri 'none'; form-action 'none'"
HEAD = """\
  <meta http-equiv="Content-Security-Policy" content="{policy}">
  <meta name="mugo-worker" content="{app}/static/worker/worker.js" data-base="{app}/data/">
  <link rel="manifest" href="manifest.webmanifest">
  <link rel="apple-touch-icon" href="icon.png">
  <link rel="license" href="licences.txt">
  <script type="module" src="{app}/static/site/register.js"></script>
"""


# ---- networks

def network_files() -> dict[str, bytes]:
    """data/networks/: the steps of each network that plays a board, and networks.json, as network.js reads it."""
    files, rows = {}, []
    searching = {search_network(name) for name in go_networks().values()} - {*go_networks().values()}
    wanted = [*go_networks().values(), *searching, *(name for name in bundled_networks() if name.startswith("gomoku-"))]
    for name in wanted:
        weights, metadata = read_network(bundled_networks()[name])
        config = config_of(metadata).exported()
        graph = StepGraph(config.spec(), weights, ranges_of(metadata))
        game = metadata.get("game", "go")
        bias = weights.get(f"{POINT_BIAS}/bias")
        file = f"{name}.packed"
        files[file] = gzip.compress(graph.to_bytes(), mtime=0)
        rows.append({
            "name": name, "file": file, "bytes": len(files[file]), "size": metadata["size"],
            "forSearch": name in searching, "game": game, "k": metadata.get("k", 0),
            "exactly": metadata.get("exactly", False),
            "equivariant": config.equivariant, "inputs": graph.inputs, "hasValue": "value" in graph.outputs,
            "hasOwnership": "ownership" in graph.outputs, "takesPeople": PEOPLE in graph.inputs,
            "ranks": [format_rank(rank) for rank in ranks_of(metadata)] if PEOPLE in graph.inputs else [],
            "bias": None if bias is None else base64.b64encode(bias.tobytes()).decode()})
    return files | {"networks.json": json.dumps({"rankNames": RANK_NAMES, "networks": rows}).encode()}


# ---- the site

def licence() -> str:
    """MuGo's; the site has nothing of others."""
    own = Path(__file__).parents[2] / "LICENSE"              # of a clone
    return own.read_text("utf-8") if own.exists() else distribution("mugo").read_text("licenses/LICENSE") or ""


def app_files() -> dict[str, bytes]:
    """The files of a version's folder.  Raises BadInput for what is not built."""
    missing = [name for name in KERNEL_FILES if not (KERNELS / name).exists()]
    if missing:
        raise BadInput(f"{KERNELS / missing[0]} is not there; python -m mugo.kernels build --wasm makes it")
    if json.loads((KERNELS / "kernels.json").read_text()).get("sources") != wasm_key():
        raise BadInput(f"{KERNELS} was built from other sources; python -m mugo.kernels build --wasm builds it anew")
    files = {f"static/{path.relative_to(STATIC).as_posix()}": path.read_bytes()
             for path in sorted(STATIC.rglob("*")) if path.suffix in (".js", ".css", ".svg")}
    files |= {f"data/{name}": (KERNELS / name).read_bytes() for name in KERNEL_FILES}
    return files | {f"data/networks/{name}": data for name, data in network_files().items()}


def hash_of(data: bytes) -> str:
    """What static/site/sw.js computes of a file."""
    return hashlib.sha256(data).hexdigest()[:2 * HASH_BYTES]


def site_files() -> dict[str, bytes]:
    """Path -> content of the whole site; sw.js is the last.  Raises BadInput."""
    files = app_files()
    top = {name: (STATIC / "site" / name).read_bytes() for name in TOP}
    top["icon.svg"] = (STATIC / "icon.svg").read_bytes()
    html = page_html()
    version = hash_of("".join(f"{name} {hash_of(data)}\n" for name, data in sorted({**files, **top}.items())).encode()
                      + html.encode())
    app = f"app-{version}"
    files = {f"{app}/{name}": data for name, data in files.items() if name != "static/site/sw.js"}
    html = re.sub(r'(href|src)="static/', rf'\1="{app}/static/', html)
    # The policy has to stand before what it is about.
    html = html.replace("<head>\n", "<head>\n" + HEAD.format(policy=POLICY, app=app), 1)
    worker = top.pop("sw.js").decode()
    top["mugo.mjs"] = top["mugo.mjs"].replace(b"{app}", app.encode()).replace(b"{version}", VERSION.encode())
    files |= top | {"index.html": html.encode()}
    stored = {name: [hash_of(data), int("/networks/gomoku-" not in name)] for name, data in files.items()}
    files["licences.txt"] = licence().encode()
    files["sw.js"] = worker.replace("{version}", version).replace("{files}", json.dumps(stored)).encode()
    return files


def write_site(folder: Path) -> dict[str, bytes]:
    """Write the site; the folder of an earlier version goes at the end.  Raises BadInput."""
    before = list(folder.glob("app-*"))
    if (folder / "index.html").exists() and not before:
        raise BadInput(f"{folder} has a page that mugo site has not written; name another folder")
    files = site_files()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / name) as path:
            path.write_bytes(data)
    for old in before:
        if not any(name.startswith(f"{old.name}/") for name in files):
            shutil.rmtree(old)
    return files


# ---- the command

def command(args: argparse.Namespace) -> int:
    files = write_site(args.output)
    print(f"{args.output}: {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB; to try it: "
          f"python -m http.server -d {args.output}")
    return 0

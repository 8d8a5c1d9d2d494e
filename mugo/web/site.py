"""The page as a static site, with all that computes in the tab:  mugo site -o FOLDER

    index.html, sw.js, manifest.webmanifest, icon.svg, icon.png, licences.txt, mugo.mjs
    app-VERSION/static/...         the page, the worker
    app-VERSION/data/...           kernels, networks, onnxruntime-web

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
from pathlib import Path

from mugo.core.files import BadInput, atomic_write
from mugo.core.shared_cache import wasm_key
from mugo.core.version import VERSION, bundled_networks
from mugo.games.game import PLANE_TABLES
from mugo.nn.architectures import config_of
from mugo.nn.bundled import go_networks
from mugo.nn.inputs import INPUTS, PEOPLE, POINT_BIAS, RANK_NAMES, format_rank, ranks_of
from mugo.nn.network_file import has_int8, ranges_of, read_network
from mugo.nn.onnx_graph import OnnxGraph
from mugo.web import runtime
from mugo.web.page import STATIC, page_html

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


def packed(data: bytes) -> bytes:
    """Compressed here, for many web servers do not compress such files; network.js unpacks them."""
    return gzip.compress(data, mtime=0)


# ---- networks

def network_files(runtime_bytes: int) -> dict[str, bytes]:
    """data/networks/: the int8 graph of each network that plays a board, and networks.json, as network.js reads it."""
    files, rows = {}, []
    wanted = [*go_networks().values(), *(name for name in bundled_networks() if name.startswith("gomoku-"))]
    for name in wanted:
        weights, metadata = read_network(bundled_networks()[name])
        config = config_of(metadata).exported()
        graph = OnnxGraph(config.spec(), weights, ranges_of(metadata) if has_int8(metadata) else None).serialize()
        inputs, outputs = graph_names(graph)
        game = metadata.get("game", "go")
        bias = weights.get(f"{POINT_BIAS}/bias")
        file = f"{name}.onnx.packed"
        files[file] = packed(graph)
        rows.append({
            "name": name, "file": file, "bytes": len(files[file]), "size": metadata["size"],
            "game": game, "k": metadata.get("k", 0), "exactly": metadata.get("exactly", False),
            "depth": sum(plane.depth for plane in PLANE_TABLES[game]), "equivariant": config.equivariant,
            "inputs": inputs, "hasValue": "value" in outputs, "hasOwnership": "ownership" in outputs,
            "hasScore": "score_mean" in outputs, "takesPeople": PEOPLE in inputs,
            "ranks": [format_rank(rank) for rank in ranks_of(metadata)] if PEOPLE in inputs else [],
            "bias": None if bias is None else base64.b64encode(bias.tobytes()).decode()})
    table = {"runtimeBytes": runtime_bytes, "rankNames": RANK_NAMES, "peopleInputs": INPUTS, "networks": rows}
    return files | {"networks.json": json.dumps(table).encode()}


def graph_names(graph: bytes) -> tuple[list[str], list[str]]:
    """The names of the inputs and outputs of an ONNX graph."""
    import onnxruntime

    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return [each.name for each in session.get_inputs()], [each.name for each in session.get_outputs()]


# ---- the site

def licences() -> str:
    """MuGo's licence, and that of onnxruntime-web with the notices of what it contains."""
    import onnxruntime

    own = Path(__file__).parents[2] / "LICENSE"
    theirs = Path(onnxruntime.__file__ or "").parent
    parts = [("MuGo and its networks", own), (f"onnxruntime-web {runtime.VERSION}", theirs / "LICENSE"),
             ("What onnxruntime contains", theirs / "ThirdPartyNotices.txt")]
    return "\n".join(f"==== {title} ====\n\n{path.read_text('utf-8')}" for title, path in parts if path.exists())


def app_files() -> dict[str, bytes]:
    """The files of a version's folder.  Raises BadInput for what is not built."""
    missing = [name for name in KERNEL_FILES if not (KERNELS / name).exists()]
    if missing:
        raise BadInput(f"{KERNELS / missing[0]} is not there; python -m mugo.kernels build --wasm makes it")
    if json.loads((KERNELS / "kernels.json").read_text()).get("sources") != wasm_key():
        raise BadInput(f"{KERNELS} was built from other sources; python -m mugo.kernels build --wasm builds it anew")
    if not all((runtime.FOLDER / name).exists() for name in runtime.FILES):
        raise BadInput("onnxruntime-web is not there; python -m mugo.web.runtime fetches it with npm")
    files = {f"static/{path.relative_to(STATIC).as_posix()}": path.read_bytes()
             for path in sorted(STATIC.rglob("*")) if path.suffix in (".js", ".css", ".svg")}
    files |= {f"data/{name}": (KERNELS / name).read_bytes() for name in KERNEL_FILES}
    files["data/ort.mjs"] = (runtime.FOLDER / "ort.mjs").read_bytes()
    files["data/ort.wasm.packed"] = program = packed((runtime.FOLDER / "ort.wasm").read_bytes())
    return files | {f"data/networks/{name}": data for name, data in network_files(len(program)).items()}


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
    files["licences.txt"] = licences().encode()
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

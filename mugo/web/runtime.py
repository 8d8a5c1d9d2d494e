"""onnxruntime-web, which plays networks in a tab:  python -m mugo.web.runtime

Fetches the pinned version with npm and keeps the two files of it that `mugo site` copies.  A wheel has them.
"""
import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from mugo.core.files import BadInput, atomic_write, log_to_stderr

FOLDER = Path(__file__).with_name("runtime")
VERSION = "1.30.0"
SHA512 = "q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ=="     # of npm
FILES = {"ort.mjs": "package/dist/ort.wasm.bundle.min.mjs", "ort.wasm": "package/dist/ort-wasm-simd-threaded.wasm"}


def fetch() -> None:
    """Write the files into FOLDER.  Raises BadInput."""
    npm = shutil.which("npm")
    if npm is None:
        raise BadInput("npm is not installed; it comes with Node.js")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([npm, "pack", "--silent", f"onnxruntime-web@{VERSION}"], cwd=folder, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or not archives:
            raise BadInput(f"npm could not fetch onnxruntime-web {VERSION}: {done.stderr.strip()[-300:]}")
        data = archives[0].read_bytes()
        if base64.b64encode(hashlib.sha512(data).digest()).decode() != SHA512:
            raise BadInput(f"npm gave another onnxruntime-web {VERSION} than the pinned one")
        FOLDER.mkdir(exist_ok=True)
        with tarfile.open(archives[0]) as archive:
            for name, member in FILES.items():
                file = archive.extractfile(member)
                assert file is not None
                with atomic_write(FOLDER / name) as path:
                    path.write_bytes(file.read())


def main() -> int:
    try:
        fetch()
    except BadInput as problem:
        log_to_stderr(str(problem))
        return 2
    print(FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())

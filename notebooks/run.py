"""Run the notebooks again and keep what comes out, without the times, progress and paths of this machine.

    pip install -e '.[notebooks]'
    python notebooks/run.py [NOTEBOOK ...]          all of them by default
"""
import sys
from pathlib import Path

import nbclient
import nbformat

from mugo.core.files import atomic_write

HERE = Path(__file__).resolve().parent


def main() -> None:
    for path in [Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("[1-9]_*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False,
                                resources={"metadata": {"path": str(HERE)}}).execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
            if cell.cell_type == "code":
                cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
        with atomic_write(path) as beside:
            nbformat.write(notebook, beside)
        print(path)


if __name__ == "__main__":
    main()

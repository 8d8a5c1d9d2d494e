"""What the parts of MuGo load: it starts quickly, and plays and evaluates without the packages of training."""
import json
import subprocess
import sys

from mugo.cli.help import TOPICS
from mugo.cli.main import COMMANDS

# (what a process does, packages that it has not loaded then), one after the other in one process.
STEPS = [
    ("import mugo; mugo.Position", ["pandas", "pyarrow", "onnxruntime"]),
    ("from mugo.gtp.engine import GtpEngine; from mugo.players.registry import make_player\n"
     "GtpEngine(make_player('random')).answer('genmove b')", ["pandas", "onnxruntime"]),
    ("import mugo.web.app, mugo.tui.play, mugo.gtp.command, mugo.analysis.command, mugo.reviews.command",
     ["pandas", "pyarrow", "sgfmill", "tqdm"]),
    ("import mugo.nn.quantization\n"
     "from mugo.nn.inference import Network\n"
     "Network('policy-9').evaluate([mugo.games.go.GoPosition(9)])", ["pandas"]),
    ("from mugo.cli import doctor, main\n"
     "doctor.CUDA_EXTRAS = {}\n"                          # processes of their own import the backends
     "main.main(['doctor', '--json'])", ["pandas"]),
    ("import mugo.plots.figures, mugo.plots.curves, mugo.plots.svg, mugo.plots.terminal", []),
    ("import mugo.training.evaluate", []),
]
NEVER = ["keras", "tensorflow", "jax", "matplotlib", "onnx"]


def test_nothing_heavy_is_imported_before_it_is_needed():
    program = "import contextlib, io, json, sys\nfor step in json.loads(sys.argv[1]):\n" \
        "    with contextlib.redirect_stdout(io.StringIO()): exec(step)\n" \
        "    print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", program, json.dumps([step for step, _ in STEPS])], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    for (step, others), loaded in zip(STEPS, map(json.loads, done.stdout.splitlines()), strict=True):
        assert "numba" in loaded and not {*NEVER, *others} & set(loaded), step


def test_no_help_waits_for_compiled_code_or_another_large_package():
    """Nor does the greeting, or --version."""
    words = [[], ["help"], ["--help"], ["--version"], *(["help", topic] for topic in TOPICS),
             *([name, "--help"] for name in COMMANDS)]
    heavy = [*NEVER, "numba", "onnxruntime", "pandas", "pyarrow", "sgfmill", "starlette"]
    program = ("import contextlib, io, json, sys\nfrom mugo.cli.main import main\n"
               "for words in json.loads(sys.argv[1]):\n"
               "    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main(words)\n"
               "    print(words, *sys.modules.keys() & set(sys.argv[2:]))")
    done = subprocess.run([sys.executable, "-c", program, json.dumps(words), *heavy], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(map(str, words))

"""Coverage-guided fuzzing of what reads files and lines:  python tests/fuzz.py sgf --minutes 10

    python tests/fuzz.py --list
    python tests/fuzz.py gtp --minutes 60 --corpus corpus       # continues with what was kept there

atheris (the extra `fuzz`) changes the seeds of fuzz_targets.py and what it kept, and keeps what reaches new code.  It
stops at an input that breaks a promise, prints the traceback, and writes the input to the current folder (crash-...).
Compiled code (numba) is not instrumented.
"""
import argparse
import sys
import tempfile
from pathlib import Path

# Not what numba compiles, nor what imports it on the way.
INSTRUMENTED = ("mugo.sgf", "mugo.gtp", "mugo.analysis", "mugo.nn.network_file",
                "mugo.selfplay.replay")
ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="?")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--corpus", type=Path, help="folder of inputs that is read and added to (default: a new one)")
    parser.add_argument("--list", action="store_true", help="list the targets")
    args = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("this needs the package atheris: pip install 'mugo-go[fuzz]'")
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("mugo/**/*.py")]
    others = [name.removesuffix(".__init__") for name in names if not name.startswith(INSTRUMENTED)]
    with atheris.instrument_imports(include=["mugo"], exclude=others):
        from fuzz_targets import FOUND, TARGETS
    if args.list or args.target not in TARGETS:
        sys.exit(None if args.list and not print("\n".join(TARGETS)) else f"a target is one of {', '.join(TARGETS)}")
    target = TARGETS[args.target]
    corpus = args.corpus or Path(tempfile.mkdtemp(prefix="fuzz-"))
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate([*target.seeds(), *FOUND.get(args.target, [])]):
        target.run(seed)
        (corpus / f"seed-{number}").write_bytes(seed)
    atheris.Setup([sys.argv[0], str(corpus), f"-max_total_time={int(60 * args.minutes)}", "-max_len=20000",
                   "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1"], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

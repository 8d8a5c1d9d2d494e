"""The documentation says what the program does: commands parse, options, paths and links exist."""
import argparse
import functools
import importlib
import importlib.util
import math
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from mugo.cli.main import COMMANDS, add_command
from mugo.core.intervals import wilson_interval

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".github" / "SECURITY.md",
         *sorted(ROOT.glob("docs/**/*.md")),
         *(ROOT / folder / "README.md" for folder in ("data", "models", "notebooks"))]
CODE = [*PAGES, ROOT / "CHANGELOG.md"]
RUNS = sorted(ROOT.glob("models/runs/*.sh"))
USER_PAGES = [page for page in CODE if "lab" not in page.parts]
# Options in the pages that are not MuGo's: of GNU Go, gogui-twogtp, pip, MkDocs, Dask, TensorBoard, benchmarks, tools.
FOREIGN = {"--mode", "--level", "--positional-superko", "--strict", "--help", "--version", "--warn", "--seeds",
           "--logdir", "--kill", "--rounds", "--kind", "--python", "--nworkers", "--nthreads",
           "--task-bytes", "--check", "--upgrade", "--install"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@functools.cache
def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command, which raises ValueError instead of ending the program."""
    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise ValueError(message)

    return add_command(argparse.ArgumentParser(prog="mugo").add_subparsers(parser_class=Parser), command)


def command_lines(page: Path) -> list[list[str]]:
    """The words after `mugo` of every command line in the page's shell blocks, or in the script."""
    found, text = [], page.read_text()
    for block in [text] if page.suffix == ".sh" else re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").split("\n"):
            for part in re.split(r"&&|\||; ", re.sub(r"(^|\s)#.*", "", line)):
                words = part.split()
                if "mugo" in words and words[0] != "which" and all("=" in word for word in words[:words.index("mugo")]):
                    found.append(shlex.split(part)[words.index("mugo") + 1:])
    return found


def inline_code(page: Path) -> list[str]:
    """The text of every `code` in the page's prose."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]


def test_every_bundled_network_has_the_script_of_its_run():
    networks = {path.stem for path in ROOT.glob("models/*.safetensors")}
    assert {path.stem for path in RUNS} == networks | {"policy-19"}      # and that of the next policy-19


@pytest.mark.parametrize("page", [*CODE, *RUNS], ids=name_of)
def test_every_command_line_parses(page):
    for words in command_lines(page):
        if words[0] in ("--version", "--help"):
            continue
        assert words[0] in COMMANDS, f"mugo {' '.join(words)}"
        words = ["3" if re.fullmatch(r"\$\w+", word) else word for word in words if word != "..."]
        words = words[:-1] if words[-1] == "$@" else words           # more options
        try:
            parser_of(words[0]).parse_args(words[1:])
        except ValueError as error:
            pytest.fail(f"mugo {' '.join(words)}: {error}")


def test_options_of_players_inside_a_match_exist():
    known = parser_of("gtp")._option_string_actions
    for page in CODE:
        for words in command_lines(page):
            sides = [word for word in words[1:] if words[0] == "match" and " " in word and "gnugo" not in word]
            for option in re.findall(r"--[\w-]+", " ".join(sides)):
                assert option in known, f"{name_of(page)}: {option}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_option_named_in_prose_exists(page):
    every = {option for command in COMMANDS for option in parser_of(command)._option_string_actions} | FOREIGN
    for code in inline_code(page):
        if code.startswith(("python ", "pip ", "mkdocs ", "pytest", "gnugo", "gogui-")):
            continue
        command = re.match(r"mugo (\w+)", code)
        if command and command[1].islower():
            assert command[1] in COMMANDS, code
            known = FOREIGN | set(parser_of(command[1])._option_string_actions)
        else:
            known = every
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", code):
            assert option in known, f"{option} in `{code}`"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_path_named_in_prose_exists(page):
    folders = [page.parent, ROOT, ROOT / "mugo", ROOT / "docs", ROOT / "benchmarks"]
    for code in inline_code(page):
        path = code.split(" ")[1] if code.startswith("python ") else code.split(" ")[0]
        top, _, rest = path.partition("/")
        is_file = re.fullmatch(r"[\w/.-]+\.(py|md|toml|yml|ipynb)", path)
        is_folder = path.endswith("/") and rest != "" and top in ("mugo", "tests")
        if is_file and path not in ("utils.py", "mkdocs.yml", "options.toml") or is_folder:
            assert any((folder / path).exists() for folder in folders), path


def test_names_in_the_architecture_page_exist():
    files = [*ROOT.glob("mugo/**/*.py"), *ROOT.glob("mugo/web/static/**/*.js"), ROOT / "pyproject.toml"]
    sources = "".join(path.read_text() for path in files)
    for code in inline_code(ROOT / "docs" / "explanation" / "architecture.md"):
        name = re.fullmatch(r"@?([A-Za-z_]\w+)(\(.*\))?", code)
        if name and name[1] not in ("jitclass", "sgfmill"):
            assert re.search(rf"\b{name[1]}\b", sources), code


LIMITS = ROOT / "docs" / "reference" / "limits.md"
UNITS = {"": 1, "s": 1, "bytes": 1, "characters": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def limits_in(page: Path) -> list[tuple[str, str]]:
    """(limit, constant) of every row of the page's tables that have such columns."""
    found = []
    for table in re.findall(r"(?:^\|.*\|$\n)+", page.read_text(), re.M):
        rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
        if "constant" in rows[0]:
            columns = rows[0].index("limit"), rows[0].index("constant")
            found += [(row[columns[0]], row[columns[1]]) for row in rows[2:]]
    return found


@pytest.mark.parametrize(("limit", "constant"), limits_in(LIMITS))
def test_every_limit_of_the_page_is_the_constant(limit, constant):
    if ".web." in constant:
        pytest.importorskip("starlette")
    module, _, name = constant.strip("`").rpartition(".")
    number, unit = re.fullmatch(r"([\d,.]+) ?(\w*)", limit).groups()
    assert float(number.replace(",", "")) * UNITS[unit] == getattr(importlib.import_module(module), name)


def test_the_page_has_limits_and_each_once():
    constants = [constant for _, constant in limits_in(LIMITS)]
    assert len(constants) == len(set(constants)) > 20


@functools.cache
def anchors(page: Path) -> set[str]:
    """What a link into a page may name after the #."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("page", CODE, ids=name_of)
def test_every_relative_link_leads_somewhere(page):
    text = page.read_text()
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<img src="([^"]+)"', text)
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize("page", CODE, ids=name_of)
def test_no_sentence_is_a_list(page):
    """A line that begins with "9. " would be the ninth item of a list."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    numbered = {int(number) for number in re.findall(r"^(\d+)\. ", text, re.M)}
    assert numbered == set(range(1, len(numbered) + 1))


def test_every_picture_is_used():
    text = "".join(page.read_text() for page in CODE)
    unused = [path.name for path in (ROOT / "docs" / "images").iterdir() if f"images/{path.name}" not in text]
    assert not unused


def test_the_gtp_reference_lists_every_command():
    protocol = importlib.import_module("mugo.gtp.engine").COMMANDS
    described = {code.split(" ")[0] for code in inline_code(ROOT / "docs" / "reference" / "gtp.md")}
    assert set(protocol) <= described
    ours = {word for word in described if re.match(r"(mugo|kata|lz|kgs|gogui|cgos)-", word)}
    with (ROOT / "tests" / "gtp" / "other_programs.csv").open(encoding="utf-8") as table:
        of_others = {line.split(",")[0] for line in table}
    assert ours - set(protocol) - of_others == set()


def test_every_package_has_an_api_page_in_the_navigation():
    packages = {path.parent.name for path in ROOT.glob("mugo/*/__init__.py")}
    listed = re.findall(r"mugo\.(\w+): reference/api/(\w+)\.md", (ROOT / "mkdocs.yml").read_text())
    assert sorted(listed) == sorted((name, name) for name in packages)


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text()
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    pages += [f"learn/notebooks/{path.stem}.md" for path in ROOT.glob("notebooks/*.ipynb")]
    assert [page for page in pages if f" {page}\n" not in navigation] == []


@functools.cache
def load_tool(name: str):
    """A program of docs/tools as a module."""
    sys.path.insert(0, str(ROOT / "docs" / "tools"))         # they import each other
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def test_the_picture_of_imports_is_up_to_date():
    import_graph = load_tool("import_graph")
    drawn = import_graph.PICTURE.read_text()
    assert drawn == import_graph.picture(), "imports have changed: run python docs/tools/import_graph.py"


# "35 of 43 games (67 to 90 %)"; "43 on 19x19 | 81 % (67 to 90 %)" and "57 % of 100 games (47 to 66 %)"
INTERVAL = r"\((\d+) to (\d+) %\)"
OF_GAMES = re.compile(rf"(\d+) of (\d+)(?: won \| \d+ %|[^\d()|]{{0,40}}) {INTERVAL}")
OF_RATE = (re.compile(rf"\| (\d+) on \d+x\d+[^|]* \| (\d+) % {INTERVAL}"),
           re.compile(rf"(?P<rate>\d+) % of (?P<games>\d+) games[^()|]* {INTERVAL}"))


def stated_intervals(page: Path) -> list[tuple[str, set[tuple[str, str]], tuple[str, str]]]:
    """(text, the intervals that it may state, the one that it states) of the win rates of a page.  A rate of so many
    games is rounded, and draws count as half, so several results have it."""
    def interval(wins: float, games: int) -> tuple[str, str]:
        found = wilson_interval(wins, games)
        return f"{100 * found.low:.0f}", f"{100 * found.high:.0f}"

    text, out = " ".join(page.read_text().split()), []
    for match in OF_GAMES.finditer(text):
        out.append((match[0], {interval(int(match[1]), int(match[2]))}, match.groups()[-2:]))
    for pattern in OF_RATE:
        for match in pattern.finditer(text):
            games, rate = (int(match[name]) for name in (("games", "rate") if pattern.groupindex else (1, 2)))
            results = {wins / 2 for wins in range(2 * games + 1) if abs(50 * wins / games - rate) <= 0.5}
            out.append((match[0], {interval(wins, games) for wins in results}, match.groups()[-2:]))
    return out


def test_the_intervals_of_win_rates_are_wilsons():
    found = [(name_of(page), *row) for page in CODE for row in stated_intervals(page)]
    assert len(found) > 40
    assert not [(page, text, right) for page, text, right, stated in found if stated not in right]


# Phrases that read as translated, and words for which the field has other ones: "per position", "final ownership".
HOUSE_DIALECT = re.compile(
    r"counted games?\b|\bfinal owners\b|\b(of|mean) owners\b|\bthe figures\b|\bby (its|their) defaults\b|\bbeside\b"
    r"|\bof (today|before|then)\b|\bthe ones? before\b|\b(is|costs|with|gets) one line\b|\b(a line says|line says so)\b"
    r"|\bas of (?!now\b)|\b(bytes|[kMG]B|ns|µs|ms|s|(milli)?seconds?|minutes|points|simulations|rollouts|positions|"
    r"moves) an? (core|position|move|game|point|stone|simulation|thread|second|gigabyte|call|query)\b(?! has| from)")


# The genitive first, a verb without its subject, "name: of the player": as translated from German.  `(?<=` begins a
# sentence.
GERMAN_ORDER = re.compile(
    r"(?<=[.?!] )Of (the|these|several|all|an?)\b|(?<=[.?!] )(Quantised|Fast|Left out|Played|In memory) (is|are)\b"
    r"|, too[,.;)]|\bis said\b|, but for\b|\bso many\b|\b\w+: of (an?|the|its?|this|that|each|all)\b"
    r"|\b(that|those) of\b[^.]{0,80}\b(that|those) of\b")
A_PRONOUN_AND_OF = re.compile(r"\b(is|are) (that|those) of\b")           # "is for", "is the same as"


SOURCES = [*ROOT.glob("mugo/**/*.py"), *ROOT.glob("mugo/web/static/**/*.js")]


def phrases(paths: list[Path], pattern: re.Pattern[str]) -> list[str]:
    """Each place of a pattern, with its surroundings."""
    found = []
    for path in paths:
        text = re.sub(r"\s+(# |// |\* )?\s*", " ", path.read_text())       # a phrase may go on in the next line
        found += [f"{name_of(path)}: {text[max(0, match.start() - 30):match.end() + 30]}"
                  for match in pattern.finditer(text)]
    return found


def test_prose_is_plain_english():
    assert phrases(USER_PAGES + SOURCES, HOUSE_DIALECT) == []


def test_sentences_begin_with_their_subject():
    pages = [page for page in USER_PAGES if page.name not in ("CHANGELOG.md", "options.md", "commands.md")]
    for pattern in GERMAN_ORDER, A_PRONOUN_AND_OF:
        assert phrases(pages + SOURCES, pattern) == []


GENERATED = [page for page in PAGES if "written by docs/tools/generate.py -->" in page.read_text()]


@pytest.mark.parametrize("page", GENERATED, ids=name_of)
def test_generated_parts_are_the_current_ones(page):
    tool, text = load_tool("generate"), page.read_text()
    assert tool.PART.search(text)
    assert tool.with_parts(text) == text, "run python docs/tools/generate.py"


def test_the_keywords_of_the_library_are_the_current_options():
    pytest.importorskip("keras")
    tool = load_tool("generate")
    assert tool.KEYWORDS.read_text() == tool.keywords(), "run python docs/tools/generate.py"


def test_the_diagrams_are_the_current_ones():
    for path, drawn in load_tool("diagrams").pictures().items():
        assert path.read_text() == drawn, "run python docs/tools/diagrams.py"


# ---- results of the shipped networks: docs/results.toml

RESULTS = tomllib.loads((ROOT / "docs" / "results.toml").read_text())
VERSIONS = {network["network"]: network["name"] for network in RESULTS["networks"]}
# "50.6 ± 0.3 %", "93.9 %"; "87 of 100"
STATED = re.compile(r"\d+(?:\.\d+)?(?: ± \d+(?:\.\d+)?)? %|\b\d+ of \d+(?! lines)")


def test_every_result_is_of_a_network_in_models():
    assert load_tool("results").problems(RESULTS) == []


@pytest.mark.parametrize("page", USER_PAGES, ids=name_of)
def test_a_user_page_names_no_network_that_is_not_shipped(page):
    """A version stands in a network's name, and outside of the lab it is that of the network in models/."""
    text = page.read_text()
    named = set(re.findall(r"(?:policy|gomoku)-\d+(?:-[a-z]+)?-v\d+", text))
    assert named - set(VERSIONS.values()) == set()
    assert re.findall(r"(?<![\w.-])v\d{1,2}\b(?!\d|\.\d)", text) == []


def results_of(name: str) -> set[str]:
    """How a page may state each result of a network: "50.6 ± 0.3 %", "50.6 %", "87 of 100"."""
    tool = load_tool("results")
    weights = next(network["weights"] for network in RESULTS["networks"] if network["network"] == name)
    out: set[str] = set()
    for each in tool.of_network(RESULTS, weights):
        for metric, value in each.get("results", {}).items():
            text = tool.value_text(metric, value)
            out |= {text, re.sub(r" ± [\d.]+", "", text)}
        if match := each.get("match"):
            won, share = tool.match_text(match)
            out |= {won.split(",")[0], *STATED.findall(share)}
    return out


@pytest.mark.parametrize("page", USER_PAGES, ids=name_of)
def test_a_user_page_states_results_of_the_file_only(page):
    """In each paragraph or row that names a shipped network, every percentage and "N of M" is a result of it."""
    text = re.sub(r"<!-- \w+ ?[\w-]*: written by.*?<!-- end -->|^```.*?^```", "", page.read_text(),
                  flags=re.DOTALL | re.M)
    for part in re.split(r"\n\n|\n(?=\| |- )", text):
        named = set(re.findall(r"policy-\d+(?:-(?:small|five))?|gomoku-\d+-\d+", part)) & set(VERSIONS)
        known = set().union(*(results_of(name) for name in named)) | {"100 %"}
        if named:
            assert [found for found in STATED.findall(" ".join(part.split())) if found not in known] == [], part


SPEED = re.compile(r"(\d[\d,.]*)(?: to (\d[\d,.]*))? (?:(?:positions|simulations)/s|ms per (?:position|simulation))")


def speeds_of_the_file() -> set[float]:
    """Every number of positions/s and simulations/s of docs/results.toml, and what a simulation takes in ms."""
    found = [value for each in RESULTS["measured"] for metric, value in each.get("results", {}).items()
             if metric.endswith("/s")]
    found += [1000 / value for value in found]
    for each in RESULTS["training"]:
        found += each["positions/s"] if isinstance(each["positions/s"], list) else [each["positions/s"]]
    return {float(f"{value:.3g}") for value in found}


@pytest.mark.parametrize("page", [page for page in PAGES if page in USER_PAGES], ids=name_of)
def test_a_user_page_states_speeds_of_the_file_only(page):
    text = re.sub(r"<!-- \w+ ?[\w-]*: written by.*?<!-- end -->", "", page.read_text(), flags=re.DOTALL)
    stated = {number for found in SPEED.findall(text) for number in found if number}
    unknown = {number for number in stated
               if float(f"{float(number.replace(',', '')):.3g}") not in speeds_of_the_file()}
    assert unknown == set(), "measure it, and put it into docs/results.toml"


def test_the_size_of_a_tree_is_that_of_its_records():
    """An edge, and a node for eight edges."""
    records = importlib.import_module("mugo.mcts.records")
    size = records.EDGE.itemsize + records.NODE.itemsize / 8
    opponents = importlib.import_module("mugo.web.opponents")
    assert f"{round(size / 10) * 10} bytes for each" in (ROOT / "docs" / "reference" / "options.md").read_text()
    assert f"| {opponents.MAX_EDGES * round(size / 10) / 1e5:.0f} MB" in LIMITS.read_text()


@pytest.mark.parametrize(("size", "weights"), [(19, "policy-19"), (9, "policy-9")])
def test_the_browser_states_the_strength_that_the_matches_of_the_policy_show(size, weights):
    """d ranks on KGS are a share of 1 / (1 + exp(-0.85 d)); GNU Go is 5 to 8 kyu: docs/lab/games-and-scoring.md."""
    pytest.importorskip("starlette")
    checksum = next(network["weights"] for network in RESULTS["networks"] if network["network"] == weights)
    match = next(each["match"] for each in RESULTS["measured"] if each.get("weights") == checksum
                 and each.get("player") == "policy" and each["match"]["opponent"] == "GNU Go 3.8 level 10")
    shares = load_tool("results").match_interval(match)
    ranks = [math.log(share / (1 - share)) / 0.85 for share in (shares.low, shares.high)]
    assert ranks[0] > 0
    shown = importlib.import_module("mugo.web.opponents").STRENGTHS["policy", (size, size)]
    strongest, weakest = 5 - ranks[1], 8 - ranks[0]      # kyu; the scale is for players of 5 kyu and below
    assert shown == ({"above": "GNU Go"} if size == 9 else {"from": round(weakest)} if strongest < 1 else
                     {"from": round(strongest), "to": round(weakest)})


def test_the_page_of_versions_has_the_format_of_every_file():
    table = (ROOT / "docs" / "reference" / "versions.md").read_text()
    for row, module, name in [("data set", "data.shards", "FORMAT"),
                              ("network and checkpoint", "nn.network_file", "FORMAT"),
                              ("replay buffer", "selfplay.replay", "FORMAT"),
                              ("match", "match.match_folder", "FORMAT"),
                              ("review", "reviews.outputs", "REVIEW_FORMAT")]:
        number = re.search(rf"^\| {row}, [^|]*\| (\d+) \|", table, re.M)[1]
        assert int(number) == getattr(importlib.import_module(f"mugo.{module}"), name), row


# ---- language

MEAN_SENTENCE = 18                       # words, outside of docs/lab


def sentences_of(page: Path) -> list[str]:
    """The sentences of a page's paragraphs and lists: no code, tables, headings, pictures or generated parts."""
    text = re.sub(r"<!--.*?-->|^```.*?^```|!\[[^\]]*\]\([^)]*\)", "", page.read_text(), flags=re.DOTALL | re.M)
    text = "\n".join("" if re.match(r"\s*(#|\||<)", line) else re.sub(r"^\s*([-*]|\d+\.) ", "\n\n", line)
                     for line in text.splitlines())
    out = []
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.?!])[*)]*\s+(?=[A-Z`*\[(])", " ".join(paragraph.split())):
            words = re.sub(r"\]\([^)]*\)|`[^`]*`", " code ", sentence).split()
            if len(words) > 2:
                out.append(sentence)
    return out


@pytest.mark.parametrize("page", USER_PAGES, ids=name_of)
def test_sentences_are_short(page):
    """The mean of a page's sentences, in words; code and links count as a word."""
    lengths = [len(re.sub(r"\]\([^)]*\)|`[^`]*`", " code ", sentence).split()) for sentence in sentences_of(page)]
    if len(lengths) >= 5:
        assert sum(lengths) / len(lengths) < MEAN_SENTENCE, sorted(sentences_of(page), key=len)[-3:]


# ---- size: what a page may have, in words as `wc -w` counts them

MOST_WORDS = 62_200                      # of README.md and docs/ in all
WORDS_OF_A_PAGE = {"learn": 800, "howto": 800, "reference": 950, "explanation": 800, "cards": 900, "lab": 1_100,
                   ".": 900}
WORDS_OF_PAGES = {
    "all-of-mugo.md": 1_650, "python.md": 2_200,
    "browser.md": 1_200, "cluster.md": 1_100, "gpu.md": 1_050, "howto/selfplay.md": 1_000,
    "train-on-your-games.md": 1_250,
    "options.md": 3_800, "gtp.md": 2_700, "commands.md": 2_650, "models.md": 1_810, "data-format.md": 1_450,
    "records.md": 1_100,
    "search.md": 1_900, "architecture.md": 1_600, "network.md": 1_420, "scoring-and-passing.md": 850,
    "experiments.md": 4_165, "tuning.md": 2_250, "history.md": 1_830, "benchmarks.md": 1_800,
    "games-and-scoring.md": 1_600}
WORDS_OF_A_LAB_SECTION = 630
REPEATED = 16                            # words in a row that stand on two pages
SIZED = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


def test_the_documentation_is_no_longer_than_it_was():
    assert sum(len(page.read_text().split()) for page in SIZED) <= MOST_WORDS


@pytest.mark.parametrize("page", SIZED, ids=name_of)
def test_a_page_is_one_sitting(page):
    text, folder = page.read_text(), page.parent.name
    most = WORDS_OF_PAGES.get(page.name) or WORDS_OF_PAGES.get(f"{folder}/{page.name}") or WORDS_OF_A_PAGE.get(
        folder, WORDS_OF_A_PAGE["."])
    assert len(text.split()) <= most
    if folder == "lab":
        sections = re.split(r"\n###? ", text)
        assert {section.split("\n")[0]: len(section.split()) for section in sections
                if len(section.split()) > WORDS_OF_A_LAB_SECTION} == {}


def test_no_sentence_stands_on_two_pages():
    places: dict[str, set[str]] = {}
    for page in PAGES:
        text = re.sub(r"<!-- \w+ ?[\w-]*: written by.*?<!-- end -->|^```.*?^```|!\[[^\]]*\]|^\|.*?$", "\n\n",
                      page.read_text(), flags=re.DOTALL | re.M)
        for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*] )", text):
            words = re.sub(r"\]\([^)]*\)|[^\w\s]", " ", paragraph).lower().split()
            for i in range(len(words) - REPEATED + 1):
                places.setdefault(" ".join(words[i:i + REPEATED]), set()).add(name_of(page))
    assert {text: pages for text, pages in places.items() if len(pages) > 1} == {}

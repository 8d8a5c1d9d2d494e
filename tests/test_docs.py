"""The documentation says what the program does: commands parse, options, paths and links exist."""
import argparse
import functools
import importlib
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from mugo.cli.main import COMMANDS, add_config_arguments
from mugo.core.intervals import wilson_interval
from mugo.nn.bundled import find_network
from mugo.nn.metadata import positions_trained, read_metadata

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".github" / "SECURITY.md",
         *sorted(ROOT.glob("docs/**/*.md")),
         *(ROOT / folder / "README.md" for folder in ("data", "models", "notebooks"))]
CODE = [*PAGES, ROOT / "CHANGELOG.md"]
NEED_KERAS = ("train", "evaluate", "selfplay", "quantize")
# Options in the pages that are not MuGo's: of GNU Go, gogui-twogtp, pip, MkDocs, Dask, and of benchmarks and tools.
FOREIGN = {"--mode", "--level", "--positional-superko", "--strict", "--help", "--version", "--warn", "--seeds",
           "--rounds", "--from", "--kind", "--python", "--nworkers", "--nthreads",
           "--task-bytes", "--check", "--upgrade"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@functools.cache
def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command, which raises ValueError instead of ending the program."""
    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise ValueError(message)

    if command in NEED_KERAS:
        pytest.importorskip("keras")
    parser = Parser(prog=f"mugo {command}")
    importlib.import_module(f"mugo.{COMMANDS[command][0]}").add_arguments(parser)
    add_config_arguments(parser)
    return parser


def command_lines(page: Path) -> list[list[str]]:
    """The words after `mugo` of every command line in the page's shell blocks."""
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.M | re.S):
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


@pytest.mark.parametrize("page", CODE, ids=name_of)
def test_every_command_line_parses(page):
    for words in command_lines(page):
        if words[0] in ("--version", "--help"):
            continue
        assert words[0] in COMMANDS, f"mugo {' '.join(words)}"
        words = ["3" if word == "..." else word for word in words if word != "..."]
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
    sources = "".join(path.read_text() for path in [*ROOT.glob("mugo/**/*.py"), ROOT / "pyproject.toml"])
    for code in inline_code(ROOT / "docs" / "architecture.md"):
        name = re.fullmatch(r"@?([A-Za-z_]\w+)(\(.*\))?", code)
        if name and name[1] not in ("jitclass", "sgfmill"):
            assert re.search(rf"\b{name[1]}\b", sources), code


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


@pytest.mark.parametrize(("limit", "constant"), limits_in(ROOT / "docs" / "security.md"))
def test_every_limit_of_the_security_page_is_the_constant(limit, constant):
    if ".web." in constant:
        pytest.importorskip("starlette")
    module, _, name = constant.strip("`").rpartition(".")
    number, unit = re.fullmatch(r"([\d,.]+) ?(\w*)", limit).groups()
    assert float(number.replace(",", "")) * UNITS[unit] == getattr(importlib.import_module(module), name)


def test_the_security_page_has_limits_and_each_once():
    constants = [constant for _, constant in limits_in(ROOT / "docs" / "security.md")]
    assert len(constants) == len(set(constants)) > 30


def test_the_security_page_has_the_most_moves_of_a_game():
    moves = f"{importlib.import_module('mugo.games.coords').MAX_MOVES:,}"
    assert f"at most {moves} moves (`mugo.games.coords.MAX_MOVES`)" in (ROOT / "docs" / "security.md").read_text()


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


def test_every_picture_is_used():
    text = "".join(page.read_text() for page in CODE)
    unused = [path.name for path in (ROOT / "docs" / "images").iterdir() if f"images/{path.name}" not in text]
    assert not unused


def test_the_gtp_reference_lists_every_command():
    protocol = importlib.import_module("mugo.gtp.engine").COMMANDS
    described = {code.split(" ")[0] for code in inline_code(ROOT / "docs" / "gtp.md")}
    assert set(protocol) <= described
    ours = {word for word in described if re.match(r"(mugo|kata|lz|kgs|gogui|cgos)-", word)}
    of_others = re.findall(r"^\| `(\S+)` \| no \|", (ROOT / "docs" / "gtp.md").read_text(), re.MULTILINE)
    assert ours - set(protocol) - set(of_others) == set()


def test_every_package_has_an_api_page_in_the_navigation():
    packages = {path.parent.name for path in ROOT.glob("mugo/*/__init__.py")}
    assert {path.stem for path in (ROOT / "docs" / "api").glob("*.md")} == packages | {"index"}
    navigation = (ROOT / "mkdocs.yml").read_text()
    assert all(f"mugo.{name}: api/{name}.md" in navigation for name in packages)



def load_tool(name: str):
    """A program of docs/tools as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_architecture_page_is_built_with_the_table_of_package_sizes():
    page = (ROOT / "docs" / "architecture.md").read_text()
    built = load_tool("mkdocs_hooks").on_page_markdown(page)
    table = load_tool("package_sizes").table(ROOT / "mugo")
    assert "| **sum** |" in table and f"\n\n{table}\n" in built and table not in page


def test_the_picture_of_imports_is_up_to_date():
    import_graph = load_tool("import_graph")
    drawn = import_graph.PICTURE.read_text()
    assert drawn == import_graph.picture(), "imports have changed: run python docs/tools/import_graph.py"


@pytest.mark.parametrize("name", ["policy-19", "policy-19-small", "policy-9"])
def test_the_table_of_networks_has_the_positions_that_each_was_trained_on(name):
    row = re.search(rf"^\| `{name}` \|.*$", (ROOT / "docs" / "models.md").read_text(), re.M)[0]
    stated = re.search(r"\| ([\d.]+) million positions", row)[1]
    decimals = len(stated.partition(".")[2])
    assert stated == f"{positions_trained(read_metadata(find_network(name))) / 1e6:.{decimals}f}"


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
    assert len(found) > 80
    assert not [(page, text, right) for page, text, right, stated in found if stated not in right]


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_the_tables_of_options_are_the_current_ones():
    tool = load_tool("option_tables")
    pages = {page: page.read_text() for page in tool.PAGES}
    assert any("| `--" in tool.with_tables(text) for text in pages.values())
    assert [page.name for page, text in pages.items() if tool.with_tables(text) != text] == []


# Phrases that read as translated, and words for which the field has other ones: "per position", "final ownership".
HOUSE_DIALECT = re.compile(
    r"counted games?\b|\bfinal owners\b|\b(of|mean) owners\b|\bthe figures\b|\bby (its|their) defaults\b|\bbeside\b"
    r"|\bof (today|before|then)\b|\bthe ones? before\b|\b(is|costs|with|gets) one line\b|\b(a line says|line says so)\b"
    r"|\bas of (?!now\b)|\b(bytes|[kMG]B|ns|µs|ms|s|(milli)?seconds?|minutes|points|simulations|rollouts|positions|"
    r"moves) an? (core|position|move|game|point|stone|simulation|thread|second|gigabyte|call|query)\b(?! has| from)")
LOG_PAGES = "docs/experiments.md", "docs/benchmarks.md"


def test_prose_is_plain_english():
    sources = [*ROOT.glob("mugo/**/*.py"), *ROOT.glob("mugo/web/static/*.js")]
    found = []
    for path in [page for page in CODE if name_of(page) not in LOG_PAGES] + sources:
        text = re.sub(r"\s+(# |// |\* )?\s*", " ", path.read_text())       # a phrase may go on in the next line
        found += [f"{name_of(path)}: {text[max(0, match.start() - 30):match.end() + 30]}"
                  for match in HOUSE_DIALECT.finditer(text)]
    assert found == []

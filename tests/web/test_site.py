"""The static site of `mugo site`: what it writes, and that it is one version."""
import hashlib
import json
import re

import pytest

from mugo.cli import main as cli
from mugo.core.shared_cache import wasm_key
from mugo.web import site


@pytest.fixture
def parts(monkeypatch, tmp_path):
    """Stand-ins for what a build makes."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    for file in site.KERNEL_FILES:
        (folder / file).write_text(json.dumps({"sources": wasm_key()}))
    monkeypatch.setattr(site, "KERNELS", folder)
    return tmp_path


def test_what_is_missing_is_said_with_the_command_that_makes_it(parts, capsys):
    (site.KERNELS / "facts.json").unlink()
    assert cli.main(["site", "-o", str(parts / "out")]) == 2
    assert "python -m mugo.kernels build --wasm" in capsys.readouterr().err
    assert not (parts / "out").exists()


def test_a_site_has_one_version_of_everything(parts):
    out = parts / "out"
    assert cli.main(["site", "-o", str(out)]) == 0
    html = (out / "index.html").read_text()
    app, = out.glob("app-*")
    addresses = re.findall(r'(?:href|src|content|data-base)="([^"]*[./][^"]*)"', html)
    for address in addresses:
        if not re.search(r"default-src|width=", address):
            assert (out / address).exists(), address     # relative, and there: any folder of any server has it
    stored = json.loads(re.search(r"FILES = (\{.*\});", (out / "sw.js").read_text())[1])
    for name, (digest, _) in stored.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest().startswith(digest)
    served = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert served - stored.keys() == {"sw.js", "licences.txt"}
    (site.KERNELS / "facts.json").write_text("[]")
    assert cli.main(["site", "-o", str(out)]) == 0
    assert not app.exists() and len([*out.glob("app-*")]) == 1


def test_kernels_of_other_sources_are_refused(parts, capsys):
    (site.KERNELS / "kernels.json").write_text('{"sources": "of yesterday"}')
    assert cli.main(["site", "-o", str(parts / "out")]) == 2
    assert "was built from other sources" in capsys.readouterr().err


def test_a_page_of_someone_else_is_not_replaced(parts, capsys):
    out = parts / "out"
    out.mkdir()
    (out / "index.html").write_text("mine")
    assert cli.main(["site", "-o", str(out)]) == 2
    assert "name another folder" in capsys.readouterr().err and (out / "index.html").read_text() == "mine"

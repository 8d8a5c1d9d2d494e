"""`mugo doctor`, `mugo --version`: what they report, and that they name no person and import nothing heavy."""
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mugo.core.version import VERSION
from mugo.cli import doctor
from mugo.cli import main as cli
from mugo.cli.doctor import PACKAGES, versions

MUGO = (sys.executable, str(Path(__file__).parents[2] / "main.py"))


def test_version_is_that_of_mugo_and_of_every_package_that_matters(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"MuGo {VERSION}" and lines[1].startswith("Python CPython 3.")
    assert {"numpy", "numba", "onnxruntime"} <= {line.split()[0] for line in lines}
    for name, version in versions().items():
        assert f"{name} {version}" in lines
        if name in PACKAGES:
            assert version == importlib.metadata.version(name)


@pytest.mark.slow
def test_the_report_of_a_sound_installation_has_no_problems():
    ended = subprocess.run([*MUGO, "doctor", "--json"], capture_output=True, text=True, timeout=200)
    assert (ended.returncode, ended.stderr) == (0, "")
    report = json.loads(ended.stdout)
    assert report["problems"] == []
    assert report["processor"]["cores of this process"] == len(os.sched_getaffinity(0))
    assert isinstance(report["processor"]["int8 is exact"], bool)
    assert "CPU" in report["backends"]["providers of ONNX Runtime"]
    assert report["caches"]["files"] > 0
    assert re.fullmatch(r"[\d.]+ MiB, go 19x19, (int8|float32), policy and value and ownership",
                        report["networks"]["policy-19-v13"])
    models = Path(__file__).parents[2] / "models"
    assert {path.stem for path in models.glob("*.safetensors")} == set(report["networks"])


def test_the_report_has_no_personal_folder(monkeypatch, tmp_path):
    for section in "processor", "backends", "networks":
        monkeypatch.setattr(doctor, section, lambda problems: {})
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("mugo.core.shared_cache.cache_folder", lambda: tmp_path / "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    report = doctor.examine()
    text = doctor.format_report(report)
    assert str(tmp_path) not in text and str(tmp_path) not in json.dumps(report)
    assert report["environment"]["XDG_CACHE_HOME"] == "~/cache"
    assert report["problems"] == ["compiled code: ~/none cannot be written: every start compiles for a minute"]
    assert text.endswith("problems\n  compiled code: ~/none cannot be written: every start compiles for a minute")


def test_a_network_that_cannot_be_read_is_a_problem_and_the_others_are_reported(monkeypatch, tmp_path, capsys):
    (tmp_path / "policy-5.safetensors").write_bytes(b"PK")
    models = Path(__file__).parents[2] / "models"
    monkeypatch.setattr("mugo.core.version.network_folders", lambda: [tmp_path, models])
    monkeypatch.setattr(doctor, "backends", lambda problems: {})         # imports Keras with each backend
    assert cli.main(["doctor"]) == 2
    text = capsys.readouterr().out
    assert re.search(r"problems\n  policy-5: .*is not a MuGo network, or is damaged", text)
    assert "  policy-9-v7: " in text


def test_a_gpu_that_no_backend_trains_on_is_a_problem(monkeypatch):
    monkeypatch.setattr(doctor, "nvidia_gpus", lambda: ["NVIDIA T4"])
    monkeypatch.setattr(doctor, "versions", lambda: {"keras": "3", "jax": "0.4"})
    for devices, problems in ("the CPU (8 cores)", 1), ("1 GPU (NVIDIA T4)", 0):
        monkeypatch.setattr(doctor.subprocess, "run", lambda *args, devices=devices, **kwargs:
                            subprocess.CompletedProcess(args, 0, f"{devices}\n", ""))
        found = []
        assert doctor.backends(found)["training on jax"] == devices
        assert len(found) == problems and all("mugo-go[jax-cuda]" in line for line in found)


def test_a_backend_that_cannot_be_imported_is_a_problem(monkeypatch):
    monkeypatch.setattr(doctor, "versions", lambda: {"keras": "3", "jax": "0.4"})
    monkeypatch.setattr(doctor.subprocess, "run", lambda *args, **kwargs: subprocess.CompletedProcess(
        args, 1, "", "Traceback\nImportError: no libcuda\n"))
    found = []
    assert doctor.backends(found)["training on jax"] == "nothing"
    assert found == ["training on jax: ImportError: no libcuda"]


@pytest.mark.parametrize("shipped, files, found", [
    (True, [], "those of the wheel"), (False, ["games/play.1.nbc"], "from the cache"),
    (False, [], "none yet: the first start compiles")])
def test_where_compiled_functions_come_from_is_said(shipped, files, found, tmp_path, monkeypatch):
    monkeypatch.setattr("mugo.core.shared_cache.is_shipped", lambda: shipped)
    monkeypatch.setattr("mugo.core.shared_cache.cache_folder", lambda: tmp_path)
    for name in files:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    assert doctor.caches([])["compiled functions"] == found

"""The examples for Docker and Kubernetes in docs/deploy: they parse, fit together, and their commands exist."""
import argparse
import json
import re
from pathlib import Path

import pytest

from mugo.cli.main import add_arguments

yaml = pytest.importorskip("yaml")

DEPLOY = Path(__file__).parents[1] / "docs" / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OBJECTS = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


def pods():
    """(name, the spec of its pods, their labels) of what runs pods."""
    for item in OBJECTS:
        if item["kind"] in ("Deployment", "Job"):
            template = item["spec"]["template"]
            yield item["metadata"]["name"], template["spec"], template["metadata"]["labels"]


def commands():
    """The words of every command in the examples."""
    for service in COMPOSE["services"].values():
        yield re.sub(r"\$\{\w+:-(\w+)\}", r"\1", service["command"]).split()
    for _, spec, _ in pods():
        yield from (container["args"] for container in spec["containers"])
    for text in (DEPLOY / "compose.yaml").read_text().replace("\\\n#", "").split("\n"):
        if found := re.search(r"run --rm mugo\s+(mugo .*)", text):
            yield found[1].split()


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_command_parses(words):
    assert all(isinstance(word, str) for word in words)
    if words[0] == "dask":
        cli = pytest.importorskip(f"distributed.cli.dask_{words[1]}")
        with cli.main.make_context(words[1], words[2:], resilient_parsing=False) as context:
            assert context.params["port"] == "8786" if words[1] == "scheduler" else context.params["nthreads"] == 1
    elif words != ["mugo", "--help"]:
        assert words[0] == "mugo"
        parser = argparse.ArgumentParser(exit_on_error=False)
        add_arguments(parser, words[1])
        assert parser.parse_args(words[2:]).scheduler.endswith("scheduler:8786")


def test_the_port_of_the_scheduler_is_open_on_no_other_machine():
    assert COMPOSE["services"]["scheduler"]["ports"] == ["127.0.0.1:8787:8787"]
    assert "ports" not in COMPOSE["services"]["worker"]


def stages():
    """The stages of the Dockerfile: name -> its instructions, (word, the rest); lines that end in a backslash go on."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    found = {}
    for line in filter(str.strip, text.splitlines()):
        word, _, rest = line.partition(" ")
        assert word in ("FROM", "RUN", "COPY", "USER", "WORKDIR", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"), line
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            assert image in ("python:3.11-slim", *found)
            found[name] = []
        else:
            found[name].append((word, rest.strip()))
    return found


def test_each_image_has_the_extras_that_its_command_needs_and_runs_as_nobody_special():
    images = stages()
    assert list(images)[-1] == "cluster"                 # what is built without --target
    for name, extras in ("engine", {"7z"}), ("page", {"web"}), ("cluster", {"train", "7z", "distributed"}):
        install, = (rest for word, rest in images[name] if word == "RUN" and "pip install" in rest)
        assert set(re.search(r"mugo_go-\*\.whl\)\[([\w,]+)\]\"$", install)[1].split(",")) == extras
        words = [word for word, _ in images[name]]
        assert ("USER", "mugo") in images[name] and words.index("USER") < words.index("CMD")
        assert "USER" not in words[words.index("USER") + 1:]


@pytest.mark.parametrize("name", ["engine", "page"])
def test_an_image_of_one_command_runs_it_and_what_is_compiled_for_it_parses(name):
    instructions = stages()[name]
    fields = dict(instructions)
    assert json.loads(fields["ENTRYPOINT"]) == ["mugo"]
    commands = [json.loads(fields["CMD"])]
    commands += [rest.partition("| mugo ")[2].split() for word, rest in instructions if "| mugo" in rest]
    assert len(commands) == 2
    for command, *arguments in commands:
        parser = argparse.ArgumentParser(exit_on_error=False)
        add_arguments(parser, command)
        assert parser.parse_args(arguments)
    if name == "page":
        assert fields["EXPOSE"] == commands[0][commands[0].index("--port") + 1] == "8080"
        assert "('127.0.0.1', 8080)" in json.loads(fields["HEALTHCHECK"].partition("CMD ")[2])[-1]

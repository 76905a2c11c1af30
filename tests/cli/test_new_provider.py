"""`agentview dev new-provider`: the package that it writes works as it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.cli.conftest import CommandLine


@pytest.fixture
def package(agentview: CommandLine) -> Path:
    agentview.ok("dev", "new-provider", "tide_table")
    return agentview.cwd / "agentview-tide-table"


def test_its_own_tests_pass(package: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=package,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_once_it_is_installed_its_logs_are_read(agentview: CommandLine, package: Path) -> None:
    info = package / "agentview_tide_table-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: agentview-tide-table\n")
    project = (package / "pyproject.toml").read_text()
    entry = project.rpartition("\n\n")[2].partition("\n")[2].replace('"', "")
    (info / "entry_points.txt").write_text(f"[agentview.providers]\n{entry}")
    agentview.env |= {"PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])}
    shown = agentview.ok("cat", str(package / "tests" / "sample.jsonl"))
    assert "List the files." in shown
    assert "a.txt" in shown
    account = agentview.ok("doctor", str(package / "tests" / "sample.jsonl"))
    assert "every record" in account


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Tide Table", "cannot be the name of a provider"),
        ("../tide", "cannot be the name of a provider"),
        ("class", "cannot be the name of a provider"),
        ("codex", "There is a provider codex already"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(
    agentview: CommandLine, name: str, sentence: str
) -> None:
    before = sorted(agentview.cwd.iterdir())
    assert sentence in agentview.fails(2, "dev", "new-provider", name)
    assert sorted(agentview.cwd.iterdir()) == before


def test_what_is_there_is_not_overwritten(agentview: CommandLine, package: Path) -> None:
    file = package / "pyproject.toml"
    file.write_text("mine")
    assert "exists already" in agentview.fails(2, "dev", "new-provider", "tide_table")
    assert file.read_text() == "mine"

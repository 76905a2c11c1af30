"""`agentview dev new-provider`: the package that it writes works as it is."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from shutil import copy

import pytest

from tests.architecture.sources import ROOT
from tests.cli.conftest import CommandLine, Refused


@pytest.fixture(params=["lines", "database"])
def kind(request: pytest.FixtureRequest) -> str:
    """How the client keeps its logs."""
    found: str = request.param
    return found


@pytest.fixture
def package(agentview: CommandLine, kind: str) -> Path:
    agentview.ok("dev", "new-provider", "tide_table", "--kind", kind)
    return agentview.cwd / "agentview-tide-table"


@pytest.fixture
def installed(agentview: CommandLine, package: Path) -> Path:
    """The package as an installer leaves it."""
    info = package / "agentview_tide_table-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: agentview-tide-table\n")
    project = (package / "pyproject.toml").read_text()
    entry = project.rpartition("\n\n")[2].partition("\n")[2].replace('"', "")
    (info / "entry_points.txt").write_text(f"[agentview.providers]\n{entry}")
    agentview.env |= {"PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])}
    return package


@pytest.fixture
def log(agentview: CommandLine, installed: Path, kind: str) -> Path:
    """The sample, where the client keeps its logs."""
    folder = agentview.home / ".tide_table"
    folder.mkdir()
    sample = installed / "tests" / "sample"
    if kind == "lines":
        return Path(copy(sample.with_suffix(".jsonl"), folder))
    path = folder / "log.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sample.with_suffix(".sql").read_text())
        connection.commit()
    return path


def test_its_own_tests_pass(agentview: CommandLine, installed: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=installed,
        # As where pytest alone is installed.
        env={**os.environ, **agentview.env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


@pytest.mark.slow
def test_once_it_is_installed_its_logs_are_read(agentview: CommandLine, log: Path) -> None:
    shown = agentview.ok("cat", str(log))
    assert "List the files." in shown
    assert "a.txt" in shown
    account = agentview.ok("doctor", str(log))
    assert "every record" in account
    assert "example-  tide_table" in agentview.ok("ls")


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
    agentview: CommandLine, refused: Refused, name: str, sentence: str
) -> None:
    before = sorted(agentview.cwd.iterdir())
    assert sentence in refused(2, "dev", "new-provider", name)
    assert sorted(agentview.cwd.iterdir()) == before


def test_what_is_there_is_not_overwritten(agentview: CommandLine, package: Path) -> None:
    file = package / "pyproject.toml"
    file.write_text("mine")
    assert "exists already" in agentview.fails(2, "dev", "new-provider", "tide_table")
    assert file.read_text() == "mine"

"""The wheel, installed where nothing else is: it starts, and has its themes and samples with it."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import agentview
from agentview.system.paths import sample_sessions_dir, themes_dir

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
MOST_BYTES = 45_000_000
"""That an installation takes, with all that it requires."""


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def build(directory: Path) -> Path:
    pip(
        "wheel",
        str(ROOT),
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(directory),
    )
    (wheel,) = directory.glob("agentview-*.whl")
    return wheel


def test_the_wheel_works_in_an_empty_environment(tmp_path: Path):
    wheel = build(tmp_path / "dist")
    samples = sorted(path.name for path in sample_sessions_dir().rglob("*.jsonl"))
    themes = sorted(path.name for path in themes_dir().glob("*.toml"))
    with zipfile.ZipFile(wheel) as archive:
        names = [Path(name) for name in archive.namelist()]
    shipped = [name for name in names if name.parts[:2] == ("agentview", "sample_sessions")]
    assert samples
    assert sorted(name.name for name in shipped if name.suffix == ".jsonl") == samples
    assert themes
    assert sorted(n.name for n in names if n.parts[:2] == ("agentview", "themes")) == themes
    assert Path("agentview/py.typed") in names
    assert Path("agentview/ui/screens/session/session.tcss") in names

    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    pip("--python", str(python), "install", "--no-compile", str(wheel))

    installed = (path for path in (tmp_path / "venv").rglob("*") if path.is_file())
    kept = [path for path in installed if "pip" not in path.parts and path.suffix != ".pyc"]
    assert sum(path.stat().st_size for path in kept) < MOST_BYTES

    home = tmp_path / "home"
    home.mkdir()
    env = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [str(python.parent / "agentview"), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=home,
            env=env,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = subprocess.run(
        [
            str(python),
            "-c",
            "import agentview.system.paths as p; print(p.sample_sessions_dir(), p.themes_dir())",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=home,
        env=env,
    ).stdout.split()
    assert all(Path(path).is_relative_to(tmp_path / "venv") for path in where)

    assert run("--version") == f"agentview {agentview.__version__}\n"
    assert run("ls") == ""
    sample = next(Path(where[0]).glob("*/tools.jsonl"))
    assert len(run("cat", str(sample)).splitlines()) > 5
    assert "theme" in run("open", "--help")

"""What differs between platforms is in one module, and all others do without what only one has."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.architecture.sources import MODULES, PACKAGE, ROOT, parse
from tests.patience import PATIENCE
from tests.system.like_windows import MODULES as POSIX_MODULES
from tests.system.like_windows import NAMES

OWNER = "system/platforms.py"
INOTIFY = "sources/watch/inotify.py"
"""Of Linux alone, and imported there only."""
WINDOWS_MODULES = frozenset({"msvcrt", "_winapi", "winreg"})


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {each.name.partition(".")[0] for each in node.names}
    return {(node.module or "").partition(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def _uses(path: Path) -> set[str]:
    """What a module uses that is not on every platform."""
    found: set[str] = set()
    for node in ast.walk(parse(path)):
        found |= _imported(node) & (POSIX_MODULES | WINDOWS_MODULES)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            hidden = NAMES.get(node.value.id, frozenset())
            found |= {f"{node.value.id}.{node.attr}"} if node.attr in hidden else set()
    return found


def test_one_module_has_what_differs_between_platforms():
    used = {
        name: uses
        for path in MODULES
        if (name := path.relative_to(PACKAGE).as_posix()) not in (OWNER, INOTIFY)
        and (uses := _uses(path))
    }
    assert used == {}
    assert {"fcntl", "msvcrt", "os.pread", "termios", "signal.SIGHUP"} <= _uses(PACKAGE / OWNER)


def _like_windows(*arguments: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return _run("-m", "tests.system.like_windows", *arguments, env=env)


def _run(*arguments: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **env},
        timeout=PATIENCE,
    )


def test_every_module_can_be_imported_on_windows():
    done = _like_windows("import", env={})
    assert done.returncode == 0, done.stderr
    there = [path for path in MODULES if path.name != "__main__.py" and path.parent != PACKAGE]
    assert int(done.stdout) >= len(there)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with logs of lines, a database, documents, and a directory."""
    home = tmp_path_factory.mktemp("home")
    samples = sample_sessions_dir()
    for name, place in (
        ("claude_code/tools.jsonl", ".claude/projects/-shop/tools.jsonl"),
        ("codex/demo.jsonl", ".codex/sessions/2026/01/02/rollout-demo.jsonl"),
        ("opencode/opencode.db", ".local/share/opencode/opencode.db"),
    ):
        (home / place).parent.mkdir(parents=True)
        shutil.copy(samples / name, home / place)
        # Whether a session is at work must not depend on when it is looked at.
        os.utime(home / place, (1e9, 1e9))
    return home


def _env(home: Path, own: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(own / kind) for kind in ("CACHE", "CONFIG", "DATA", "STATE")},
        **{f"AGENTVIEW_{kind}_DIR": str(own / kind) for kind in ("CACHE", "DATA", "STATE")},
    }


CLAUDE = ".claude/projects/-shop/tools.jsonl"
COMMANDS = (
    ("ls",),
    ("cat", ".local/share/opencode/opencode.db/"),
    ("events", "@all"),
    ("stats", "--by", "model"),
    ("export", CLAUDE, "--format", "markdown"),
    ("doctor", CLAUDE),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_says_on_windows_what_it_says_here(
    command: tuple[str, ...], home: Path, tmp_path: Path
):
    words = [str(home / word) if word.startswith(".") else word for word in command]
    words = [word if word[-1] != "/" else f"{word}{_first_session(home)}" for word in words]
    here = _run("-m", "agentview", *words, env=_env(home, tmp_path / "own"))
    there = _like_windows(*words, env=_env(home, tmp_path / "other"))
    assert there.returncode == here.returncode == 0, there.stderr + here.stderr
    assert here.stdout
    assert there.stdout.replace(str(tmp_path / "other"), str(tmp_path / "own")) == here.stdout


def _first_session(home: Path) -> str:
    import sqlite3

    with sqlite3.connect(home / ".local/share/opencode/opencode.db") as database:
        return database.execute("SELECT id FROM session").fetchone()[0]

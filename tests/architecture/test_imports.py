"""What is loaded when: textual only for a screen, next to nothing for `--version`."""

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT

COMMANDS = (
    "cat",
    "demo",
    "events",
    "library",
    "session_table",
    "ls",
    "open",
    "session_query",
    "stats",
    "tail",
    "target",
)


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "agentview.ingest",
        "agentview.export.events",
        "agentview.export.log_feed",
        "agentview.settings",
        "agentview.ui.themes",
        *(f"agentview.cli.{name}" for name in COMMANDS),
    ],
)
def test_the_terminal_framework_is_loaded_for_a_screen_only(module: str):
    modules = loaded_by(f"import {module}")
    assert module in modules
    assert "textual" not in modules


def test_the_command_line_itself_loads_nothing_heavy():
    modules = loaded_by("import agentview.cli, agentview.cli.grammar")
    heavy = {"textual", "rich", "pydantic", "orjson", "watchfiles", "pygments", "dataclasses"}
    assert "agentview.cli.grammar" in modules
    assert heavy.isdisjoint(modules)


def test_a_log_that_is_named_is_opened_without_what_finds_others():
    modules = loaded_by("import agentview.cli.open")
    assert "agentview.cli.log_file" in modules
    assert {"sqlite3", "agentview.library", "agentview.cli.target"}.isdisjoint(modules)

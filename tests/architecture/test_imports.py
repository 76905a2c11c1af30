"""What is loaded when: textual only for a screen, next to nothing for `--version`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentview.providers.folders import declared_roots, own_packages
from tests.architecture.sources import ROOT

COMMANDS = (
    "cat",
    "demo",
    "events",
    "library",
    "ls",
    "open",
    "replay",
    "stats",
    "tail",
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
        "agentview.sessions.following",
        "agentview.cli.output.session_table",
        "agentview.reports.export.events",
        "agentview.reports.export.log_feed",
        "agentview.settings",
        "agentview.sessions.targets.session_query",
        "agentview.sessions.targets.target",
        "agentview.sessions.targets.target_search",
        "agentview.ui.themes",
        *(f"agentview.cli.commands.{name}" for name in COMMANDS),
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


def test_the_api_loads_pydantic_when_a_model_is_asked_for():
    assert "pydantic" not in loaded_by("import agentview.api")
    assert "pydantic" in loaded_by("from agentview.api import Usage, model_of\nmodel_of(Usage)")


def test_a_log_that_is_named_is_opened_without_what_finds_others():
    modules = loaded_by("import agentview.cli.commands.open")
    assert "agentview.sessions.targets.log_file" in modules
    assert {
        "sqlite3",
        "agentview.sessions.library",
        "agentview.sessions.targets.target_search",
    }.isdisjoint(modules)


def test_each_provider_says_where_its_sessions_are():
    without = [name for name in own_packages() if declared_roots(name, {}) is None]
    assert not without, f"a file roots.txt is missing (docs/providers.md): {', '.join(without)}"


def test_a_list_of_no_sessions_loads_no_provider(tmp_path: Path):
    program = (
        "import atexit, sys\n"
        "from agentview.cli import main\n"
        "atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
        "sys.argv = ['agentview', 'ls', '--json']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )
    modules = set(done.stderr.split())
    ours = {name for name in modules if name.partition(".")[0] == "agentview"}
    assert done.stdout == "[]\n"
    assert "agentview.sessions.library.scan.scanner" in ours
    assert {name for name in ours if name.startswith("agentview.providers.")} == {
        "agentview.providers.base",
        "agentview.providers.folders",
    }
    assert len(ours) <= 112
    heavy = {"textual", "pydantic", "pygments", "markdown_it", "PIL", "watchfiles"}
    assert (heavy | {"agentview.redaction.secrets"}).isdisjoint(modules)


def test_a_provider_is_imported_without_what_reads_its_records():
    modules = loaded_by(
        "from agentview.providers import load_provider, provider_names\n"
        "for name in provider_names(): load_provider(name)"
    )
    assert "agentview.providers.codex.discovery" in modules
    readers = ("decode", "tools", "results")
    found = [
        name
        for name in modules
        if name.startswith("agentview.providers.") and name.rpartition(".")[2] in readers
    ]
    assert not found, f"import these in `load_reading` (docs/providers.md): {', '.join(found)}"
    assert "agentview.normalize.build" not in modules

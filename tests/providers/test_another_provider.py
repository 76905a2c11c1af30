"""A provider that somebody else wrote: a package with an entry point, nothing else is edited."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.architecture.sources import ROOT
from tests.cli.conftest import CommandLine

NAME = "harbour"
PAGE = (ROOT / "docs" / "providers.md").read_text()
FILES = dict(
    re.findall(r"^`harbour_log/(\w+\.py)`\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)
"""The modules that docs/providers.md shows."""
RECORDS: list[dict[str, object]] = [
    {"harbour": "quay-7"},
    {"ask": "Unload the ship."},
    {"say": "I look at what it carries."},
    {"do": "Telescope", "id": "1", "args": {"path": "/home/dev/quay/cargo.txt"}},
    {"got": "tea\nspice", "id": "1"},
    {"do": "Crane", "id": "2", "args": {"command": "lift tea"}},
    {"got": "lifted", "id": "2"},
    {"do": "grep_search", "id": "3", "args": {"pattern": "spice"}},
    {"do": "mcp__tides__high_water", "id": "4", "args": {"day": "today"}},
    {"do": "signal_flag", "id": "5", "args": {"colour": "red"}},
    {"say": "All is unloaded."},
]

ON_SCREEN = """
    import asyncio
    import sys
    from pathlib import Path

    from agentview.providers import recognise
    from agentview.settings import LaunchOptions as Options, Screen
    from agentview.ui.app import AgentViewApp
    from tests.ui.app_under_test import screen_text, until

    async def main():
        log = Path(sys.argv[1])
        session = recognise(log.read_bytes(), log).discovery.ref(log)
        async with AgentViewApp(Options(Screen.SESSION, session)).run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: "All is unloaded." in screen_text(pilot))
            print(screen_text(pilot))

    asyncio.run(main())
"""


def with_packages(site: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}


@pytest.fixture
def person(tmp_path: Path) -> CommandLine:
    home = tmp_path / "home"
    home.mkdir()
    return CommandLine(home, home)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A directory of packages in which the provider is installed, as an installer leaves it."""
    site = tmp_path / "site"
    package = site / "harbour_log"
    package.mkdir(parents=True)
    for name, text in FILES.items():
        (package / name).write_text(text)
    info = site / "harbour_log-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour-log\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[agentview.providers]\n{NAME} = harbour_log:PROVIDER\n"
    )
    return site


@pytest.fixture
def log(person: CommandLine) -> Path:
    """A session where the client keeps its sessions."""
    path = person.home / ".harbour" / "anything.jsonl"
    path.parent.mkdir()
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in RECORDS)
    path.write_text(text)
    return path


def test_its_sessions_are_listed_and_read(person: CommandLine, installed: Path, log: Path):
    person.env |= with_packages(installed)
    listed = person.ok("ls")
    assert "Unload the ship." in listed
    assert NAME in listed or "Harbour" in listed
    for target in (str(log), "quay", f"{NAME}:quay-7"):
        shown = person.ok("cat", target)
        assert "Unload the ship." in shown
        assert "lift tea" in shown
        assert "lifted" in shown
        assert "All is unloaded." in shown


def test_its_events_have_kinds_also_of_tools_it_does_not_name(
    person: CommandLine, installed: Path, log: Path
):
    person.env |= with_packages(installed)
    events = [json.loads(line) for line in person.ok("events", str(log)).splitlines()]
    calls = [event for event in events if event["type"] == "tool_call"]
    assert {event["provider"] for event in events} == {NAME}
    assert [call["kind"] for call in calls] == ["read", "shell", "grep", "mcp", "unknown"]


def test_without_it_the_same_file_is_refused(person: CommandLine, log: Path):
    error = person.fails(1, "cat", str(log))
    assert "not a session log of a known format" in error


def test_its_session_is_shown_on_the_screen(person: CommandLine, installed: Path, log: Path):
    found = subprocess.run(
        [sys.executable, "-c", dedent(ON_SCREEN), str(log)],
        env=person.environment | with_packages(installed),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    for words in ("Harbour", "Unload the ship.", "cargo.txt", "lift tea", "high_water", "flag"):
        assert words in found.stdout


@pytest.mark.parametrize(
    ("value", "code", "reason"),
    [
        ("broken_log:PROVIDER", "import nothing_of_this_name", "ModuleNotFoundError"),
        ("broken_log", "raise SystemExit(3)", "SystemExit"),
        ("broken_log", "raise ValueError('x\\nagentview: done\\x1b[2J')", "agentview: done"),
        ("broken_log:MISSING", "PROVIDER = 1", "AttributeError"),
        ("broken_log:PROVIDER", "PROVIDER = 'x'", "is not a Provider"),
        ("no_such_module:PROVIDER", "", "ModuleNotFoundError"),
    ],
)
def test_a_faulty_plugin_is_left_out_with_one_line(
    person: CommandLine, installed: Path, log: Path, value: str, code: str, reason: str
):
    (installed / "broken_log.py").write_text(code)
    info = installed / "broken_log-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-log\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[agentview.providers]\nbroken = {value}\n")
    person.env |= with_packages(installed)
    for arguments in (("ls",), ("stats",), ("doctor",), ("cat", str(log))):
        done = person(*arguments)
        assert done.returncode == 0, done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith("agentview: the plug-in broken was left out: ")
        assert reason in line
    assert "Unload the ship." in person("ls").stdout
    assert "left out" in person("doctor").stdout


def test_the_form_without_an_attribute_and_the_evidence_are_read(
    person: CommandLine, installed: Path, log: Path
):
    points = installed / "harbour_log-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"[agentview.providers]\n{NAME} = harbour_log\n")
    (installed / "harbour_log" / "evidence.py").write_text(
        "from agentview.providers.base import Evidence\n"
        "EVIDENCE = Evidence(seen_versions=('7.7',))\n"
    )
    person.env |= with_packages(installed)
    assert "All is unloaded." in person.ok("cat", str(log))
    shown = subprocess.run(
        [
            sys.executable,
            "-c",
            f"from agentview import providers as p; print(p.load_evidence('{NAME}').seen_versions)",
        ],
        env=person.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip() == "('7.7',)"

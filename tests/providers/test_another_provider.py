"""A provider that somebody else wrote: a package with an entry point, nothing else is edited."""

import json
import os
import re
import runpy
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from agentview import api
from agentview.api import LogFiles
from tests.architecture.sources import ROOT
from tests.cli.conftest import CommandLine

pytestmark = pytest.mark.slow

NAME = "harbour"
PAGE = (ROOT / "docs" / "providers.md").read_text()
FILES = dict(
    re.findall(r"^`(\w+_log/\w+\.py)`\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)
"""The modules that docs/providers.md shows, of a provider for lines and of one for a database."""
(TABLES,) = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
RECORDS: list[dict[str, object]] = [
    {"harbour": "quay-7", "at": "2026-05-04T08:00:00Z", "folder": "/home/dev/quay"},
    {"ask": "Unload the ship.", "at": "2026-05-04T08:00:01Z"},
    {"say": "I look at what it carries."},
    {"do": "Telescope", "id": "1", "args": {"path": "/home/dev/quay/cargo.txt"}},
    {"got": "tea\nspice", "id": "1"},
    {"do": "Crane", "id": "2", "args": {"order": "lift tea"}, "at": "2026-05-04T08:00:02Z"},
    {"got": "lifted", "id": "2", "code": 3, "at": "2026-05-04T08:00:06Z"},
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

WHILE_IT_IS_WRITTEN = """
    import asyncio
    import sqlite3
    import sys
    from pathlib import Path

    from agentview.providers import load_provider
    from agentview.settings import LaunchOptions as Options, Screen
    from agentview.ui.app import AgentViewApp
    from tests.ui.app_under_test import screen_text, until

    async def main():
        log = Path(sys.argv[1])
        session = load_provider("lighthouse").discovery.ref(log / "night-1")
        async with AgentViewApp(Options(Screen.SESSION, session)).run_test(size=(100, 30)) as pilot:
            for said, later in (("burns", "glows"), ("glows", "shines")):
                await until(pilot, lambda said=said: f"It {said}." in screen_text(pilot))
                rows = sqlite3.connect(log)
                change = "UPDATE entry SET body = ?, changed = changed + 90 WHERE id = 4"
                rows.execute(change, (f'{{"text": "It {later}."}}',))
                rows.commit()
                rows.close()
            await until(pilot, lambda: "It shines." in screen_text(pilot))
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
    """A directory of packages in which the providers are installed, as an installer leaves them."""
    site = tmp_path / "site"
    for path, text in FILES.items():
        module = site / path
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(text)
    for name in (NAME, "lighthouse"):
        info = site / f"{name}_log-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-log\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            f"[agentview.providers]\n{name} = {name}_log:PROVIDER\n"
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
    assert "/home/dev/quay" in listed
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
    assert [call["duration"] for call in calls] == [None, 4.0, None, None, None]
    assert calls[1]["result"]["exit_code"] == 3


def test_the_example_of_the_page_is_read(person: CommandLine, installed: Path, log: Path):
    person.env |= with_packages(installed)
    (example,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    log.write_text("".join(line.replace(": ", ":", 1) + "\n" for line in example.splitlines()))
    shown = person.ok("cat", "--detail", "full", str(log))
    assert shown.count("All is") == 1
    assert "All is unloaded." in shown
    assert re.search(r"lift rum +denied by you", shown)
    assert "Leave the rum." in shown
    assert "not read" not in person.ok("doctor", str(log))


def test_agents_with_files_of_their_own_are_found(tmp_path: Path):
    (methods,) = re.findall(
        r"^## Sub-agents$.*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    module = tmp_path / "methods.py"
    module.write_text(methods)
    names = runpy.run_path(str(module), {**vars(api), "Path": Path})
    own = {each: names[each] for each in ("session", "child_places")}
    logs: LogFiles = type("Logs", (LogFiles,), {"probe": None, **own})("harbour")
    log = tmp_path / "quay.jsonl"
    log.write_text('{"session": "quay-7"}\n')
    agent = log.with_suffix("") / "diver.jsonl"
    agent.parent.mkdir()
    agent.write_text('{"session": "quay-7", "agent": "diver", "call": "3"}\n')
    session = logs.ref(log)
    (child,) = logs.children(session)
    assert (session.session_id, session.stream.id) == ("quay-7", "")
    assert (child.session_id, child.stream.id, child.parent_call) == ("quay-7", "diver", "3")
    assert child.parent_id == session.session_id
    assert child.path == str(agent)


def test_what_nobody_has_noted_of_its_format_is_not_none(person: CommandLine, installed: Path):
    person.env |= with_packages(installed)
    row = person.ok("providers", NAME).splitlines()[1]
    assert row.split() == ["Harbour", NAME, *"–––––"]


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


def test_a_value_of_any_type_costs_no_other_record(person: CommandLine, installed: Path, log: Path):
    person.env |= with_packages(installed)
    odd: list[dict[str, object]] = [
        {"harbour": {"x": 1}},
        {"ask": 5},
        {"say": ["a"]},
        {"do": "Telescope", "id": [1], "args": 3},
        {"got": 4, "id": [1]},
        {"do": None, "args": "{"},
        {"harbour": None},
    ]
    other = log.with_name("odd.jsonl")
    other.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in odd))
    assert "Unload the ship." in person.ok("ls")
    assert "arguments are a JSON int, not an object" in person.ok("cat", str(other))
    assert "every record" in person.ok("doctor", str(other))
    assert len(person.ok("events", "--records", str(other)).splitlines()) == len(odd)


_ENTRIES: list[tuple[object, object]] = [
    ("ask", {"text": "Light the lamp."}),
    ("do", {"tool": "lamp", "args": {"command": "strike"}, "output": "it burns"}),
    ("do", {"tool": "chart", "args": {"path": "/home/dev/sea.txt"}}),
    ("say", {"text": "It burns."}),
    ("ask", {"text": 5}),
    (7, [1]),
]


@pytest.fixture
def database(person: CommandLine) -> Path:
    """A database of the program that docs/providers.md describes, with one session."""
    path = person.home / ".lighthouse" / "log.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as tables:
        tables.executescript(TABLES)
        night = ("night-1", "Keep the light", "/home/dev/tower", 1e9, 1e9 + 9)
        tables.execute("INSERT INTO watch VALUES (?, ?, ?, ?, ?)", night)
        for number, (kind, body) in enumerate(_ENTRIES):
            row = ("night-1", kind, json.dumps(body), 1e9 + number, 1e9 + number + 0.5)
            query = "INSERT INTO entry (watch_id, kind, body, at, changed) VALUES (?, ?, ?, ?, ?)"
            tables.execute(query, row)
        tables.commit()
    return path


def test_its_sessions_are_rows_of_a_database(person: CommandLine, installed: Path, database: Path):
    person.env |= with_packages(installed)
    listed = person.ok("ls")
    assert "night-1" in listed
    assert "Keep the light" in listed
    assert "/home/dev/tower" in listed
    for target in ("night", f"{database}/night-1", str(database)):
        shown = person.ok("cat", target)
        assert "Light the lamp." in shown
        assert "it burns" in shown
        assert "unknown record type 7" in shown
    events = [json.loads(line) for line in person.ok("events", "night").splitlines()]
    calls = [event for event in events if event["type"] == "tool_call"]
    assert [(call["kind"], call["state"]) for call in calls] == [
        ("shell", "output-available"),
        ("read", "abandoned"),
    ]
    assert calls[0]["duration"] == 0.5
    assert sorted(each.name for each in database.parent.iterdir()) == ["log.db"]


def test_a_row_that_is_written_again_takes_its_own_place(
    person: CommandLine, installed: Path, database: Path
):
    with closing(sqlite3.connect(database)) as tables:
        body = {"tool": "chart", "args": {"path": "/home/dev/sea.txt"}, "output": "deep"}
        query = "UPDATE entry SET body = ?, changed = changed + 60 WHERE id = 3"
        tables.execute(query, (json.dumps(body),))
        tables.execute("UPDATE entry SET body = ? WHERE id = 4", ('{"text": "It shines."}',))
        tables.commit()
    person.env |= with_packages(installed)
    shown = person.ok("cat", "night")
    assert shown.count("sea.txt") == 1
    assert "✓ Read" in shown
    assert "It shines." in shown
    assert "every record" in person.ok("doctor", "night")


def test_a_row_that_changes_on_the_screen_stays_where_it_is(
    person: CommandLine, installed: Path, database: Path
):
    found = subprocess.run(
        [sys.executable, "-c", dedent(WHILE_IT_IS_WRITTEN), str(database)],
        env=person.environment | with_packages(installed),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    words = ("Light the lamp.", "sea.txt", "It shines.", "unknown record type 7")
    places = [found.stdout.index(each) for each in words]
    assert places == sorted(places)
    assert "It glows." not in found.stdout


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
    (installed / "harbour_log" / "evidence.toml").write_text('seen_versions = ["7.7"]\n')
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
    assert shown.stdout.strip() == "['7.7']"
    written = subprocess.run(
        [sys.executable, "-c", "from docs.formats import page; print(page())"],
        env=person.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Codex" in written.stdout
    assert "Harbour" not in written.stdout

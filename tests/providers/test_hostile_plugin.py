"""A plug-in that answers wrongly, or raises, in any method: no command ends, doctor names it."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agentview.domain.events import Event, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.providers._kit.type_check import fault_of
from agentview.providers.base import Reading, Retention
from agentview.providers.plugin_guard import guarded
from tests.architecture.sources import ROOT
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.providers.hostile_plugin import MANNERS, METHODS, PROVIDER, SPECIAL, VARIABLE

pytestmark = [pytest.mark.slow, pytest.mark.long]

CASES = {method: [*MANNERS, *SPECIAL.get(method, ())] for method in METHODS}

_RECORDS = [
    {"hostile": "quay-7"},
    {"ask": "Unload the ship."},
    {"do": "run", "id": "1", "args": {"command": "lift tea"}},
    {"got": "lifted", "id": "1"},
    {"say": "All is unloaded."},
]

_DRIVER = """
import io, json, os, sys, traceback
from contextlib import redirect_stderr, redirect_stdout
from agentview import cli, providers
from tests.providers.hostile_plugin import ASKED

def ran(arguments):
    providers._faults.clear()
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = cli.main(arguments)
        except BaseException:
            code = traceback.format_exc()
        out.flush()
    return {"code": code, "out": out.buffer.getvalue().decode(), "err": err.getvalue()}

log = sys.argv[2]
cases, commands = json.load(sys.stdin)
for number, case in enumerate(cases):
    os.environ[sys.argv[1]] = case
    # A reading is asked for once.
    providers.load_provider.cache_clear()
    ASKED.clear()
    # A log that no list of sessions knows yet.
    before, log = log, f"{sys.argv[2]}.{number}.jsonl"
    os.rename(before, log)
    runs = [ran([log if each == "LOG" else each for each in command]) for command in commands]
    print(json.dumps([case, runs, list(ASKED)]), flush=True)
"""

_COMMANDS = (
    ("ls", "--json"),
    ("ls",),
    ("cat", "LOG"),
    ("cat", "--provider", "hostile", "--detail", "title", "LOG"),
    ("events", "LOG"),
    ("events", "--records", "LOG"),
    ("stats",),
    ("search", "tea"),
    ("doctor", "LOG"),
    ("doctor",),
)
_SOUND = {"session_at/none", "retention/none"}
"""What is no wrong answer."""
_NOT_ASKED = frozenset({
    "externalized_output", "merge_call", "kind_of", "unused_keys", "record_keys",
    "context_window", "resume_command", "refresh_ref",
})  # fmt: skip
"""Methods that none of the commands asks for this log: screens do, and commands for other logs."""
_UNSEEN = frozenset({"child_places"})
"""Methods whose wrong answers change nothing that the commands say."""
_ASKED = [method for method in METHODS if method not in _NOT_ASKED]
_TOGETHER = [_ASKED[:4], _ASKED[4:8], [*_ASKED[8:], *sorted(_NOT_ASKED)]]
"""Methods that are tried in one process: a start takes as long as many commands."""


@pytest.fixture
def person(tmp_path: Path) -> CommandLine:
    """Somebody with the plug-in, a session of it, and one of another client."""
    home = tmp_path / "home"
    info = tmp_path / "site" / "hostile-1.0.dist-info"
    for folder in (home / ".hostile", info):
        folder.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[agentview.providers]\nhostile = tests.providers.hostile_plugin:PROVIDER\n"
    )
    lines = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in _RECORDS)
    (home / ".hostile" / "log.jsonl").write_text(lines)
    own = "11111111-aaaa-4aaa-8aaa-000000000001"
    write(home / ".claude" / "projects" / "-shop" / f"{own}.jsonl", conversation(ClaudeLog(own), 1))
    python_path = os.pathsep.join([str(info.parent), str(ROOT)])
    return CommandLine(home, home, {"PYTHONPATH": python_path})


@pytest.mark.parametrize("methods", _TOGETHER, ids=" ".join)
def test_no_command_ends_whatever_a_method_does(person: CommandLine, methods: list[str]) -> None:
    log = person.home / ".hostile" / "log.jsonl"
    # Of a method that is not asked, one manner is as good as all.
    manners = {method: CASES[method][: 1 if method in _NOT_ASKED else None] for method in methods}
    cases = [f"{method}/{manner}" for method in methods for manner in manners[method]]
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER, VARIABLE, str(log)],
        input=json.dumps([cases, _COMMANDS]),
        env=person.environment,
        cwd=person.cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [case for case, _, _ in told] == cases
    for case, runs, asked in told:
        method = case.partition("/")[0]
        assert (method in asked) is (method not in _NOT_ASKED), case
        for command, run in zip(_COMMANDS, runs, strict=True):
            assert run["code"] in (0, 1), (case, command, run)
            assert "Traceback" not in run["out"] + run["err"], (case, command, run)
            assert all(line.isprintable() for line in run["err"].splitlines()), (case, command)
        assert "11111111" in runs[0]["out"], (case, runs[0])
        if method not in _NOT_ASKED | _UNSEEN and case not in _SOUND:
            named = [
                command
                for command, run in zip(_COMMANDS, runs, strict=True)
                if run["err"].count("agentview: the plug-in hostile gave a wrong answer: ") == 1
            ]
            assert {"doctor"} <= {command[0] for command in named}, (case, named)


@pytest.mark.parametrize(
    "case", [f"{method}/{each}" for method in METHODS for each in CASES[method]]
)
def test_the_program_gets_an_answer_of_the_right_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"hostile":"quay-7"}\n')
    reported: list[str] = []
    provider = guarded(PROVIDER, reported.append)
    session = SessionRef("hostile", "quay-7", str(log))
    source = SourceRef(str(log), 0, 20)
    call = tool_call(call_id="1", name="run", arguments={"command": "ls"}, spec=None)
    asked: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "probe": (float, (b"{}", log)),
        "roots": (Sequence[Path], ({"HOME": str(tmp_path)},)),
        "session_at": (SessionRef | None, (log,)),
        "ref": (SessionRef, (log,)),
        "children": (Sequence[SessionRef], (session,)),
        "child_places": (Sequence[Path], (session,)),
        "externalized_output": (Path | None, (session, "x")),
        "info": (SessionInfo, (session, provider.decode)),
        "load_reading": (Reading, ()),
        "decode": (list[Event], (b'{"ask":"x"}', source, session)),
        "attach_result": (ToolCall, (call, ToolResult("1", True, ()))),
        "merge_call": (ToolCall, (call, call)),
        "kind_of": (ToolKind, ("run",)),
        "unused_keys": (Sequence[str], (b"{}", source, session)),
        "context_window": (int | None, ("gpt",)),
        "resume_command": (Sequence[str] | None, (session,)),
        "record_keys": (Sequence[str], ("1",)),
        "refresh_ref": (SessionRef | None, (session,)),
        "retention": (Retention | None, (tmp_path,)),
    }
    method = case.partition("/")[0]
    owners: tuple[Any, ...] = (provider.discovery, provider, provider.reading)
    owner = next(each for each in owners if hasattr(each, method))
    monkeypatch.setenv(VARIABLE, case)
    if method == "files":
        assert all(hasattr(entry, "path") for entry in owner.files(tmp_path))
    else:
        form, arguments = asked[method]
        answer = getattr(owner, method)(*arguments)
        assert fault_of(answer, form, method) is None
        assert method != "decode" or answer
    assert all(isinstance(each, str) for each in reported)


@pytest.mark.parametrize("has_linked_events", [False, True])
def test_pieces_of_a_text_are_reported_where_nothing_joins_them(
    monkeypatch: pytest.MonkeyPatch, has_linked_events: bool
) -> None:
    monkeypatch.setenv(VARIABLE, "decode/piece")
    reported: list[str] = []
    provider = guarded(replace(PROVIDER, has_linked_events=has_linked_events), reported.append)
    source, session = SourceRef("log", 0, 2), SessionRef("hostile", "quay-7", "log")
    (event,) = provider.decode(b"{}", source, session)
    assert event.run == "say"
    assert ["has_linked_events" in each for each in reported] == [True] * (not has_linked_events)


@pytest.mark.parametrize(
    "case", ["decode/raises", "info/odd_info", "children/none", "kind_of/none"]
)
def test_the_screen_shows_the_session(person: CommandLine, case: str) -> None:
    person.env[VARIABLE] = case
    log = str(person.home / ".hostile" / "log.jsonl")
    with PseudoTerminal(person.command("tail", log), person.environment, person.cwd) as terminal:
        terminal.wait_for("gave no event" if case == "decode/raises" else "All is unloaded.")
        terminal.press("q")
        assert terminal.wait() == 0
    assert b"Traceback" not in terminal.output

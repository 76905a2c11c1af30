"""Hooks of Claude Code: the printed commands are run by a real process, as the client runs them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence, status_now
from agentview.providers import load_provider
from agentview.providers._kit.hooks import hook_directory
from agentview.sessions.clients.running import SessionFacts, client_of
from tests.sessions.clients.running_client import SESSION, log_of

OLD = "2.1.100"
SETTLED = 0.11
CHECKED = 1.6
_RUNS = """
import subprocess, sys, json
for line in sys.stdin:
    command, event = json.loads(line)
    done = subprocess.run(["/bin/sh", "-c", command], input=event.encode(), capture_output=True)
    print(json.dumps([done.returncode, (done.stdout + done.stderr).decode()]), flush=True)
"""


def settings_text(client: str) -> str:
    reports = load_provider(client).hook_reports
    assert reports is not None
    assert reports.settings is not None
    return reports.settings()


class HookedClient:
    """A process that runs hooks; the events are those of the client."""

    def __init__(self, home: Path, provider: str = "claude_code") -> None:
        self.home = home
        self.provider = provider
        self.session = SESSION
        self._hooks: dict[str, Any] = json.loads(settings_text(provider))["hooks"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _RUNS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def report(self, kind: str, **fields: object) -> None:
        """Run the hook of an event; it must neither fail nor print, since the client acts on it."""
        self.run(kind, {"session_id": self.session, "cwd": "/w", "hook_event_name": kind, **fields})

    def run(self, kind: str, event: dict[str, object]) -> None:
        """Run the hook of an event with all that the client gives it."""
        (group,) = self._hooks[kind]
        (hook,) = group.get("hooks", [group])
        command = hook.get("command") or hook["bash"]
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([command, json.dumps(event)]) + "\n")
        self.process.stdin.flush()
        assert json.loads(self.process.stdout.readline()) == [0, ""]

    @property
    def file(self) -> Path:
        return Path(hook_directory(self.provider), f"{self.process.pid}.json")

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def status(self, log: SessionStatus, last: float = 60.0, session: str = "") -> SessionStatus:
        """The state that is shown, with the last record so many seconds ago."""
        time.sleep(SETTLED)
        now = time.time()
        session = session or self.session
        ref = SessionRef(self.provider, session, str(log_of(self.home, session)))
        client = client_of(ref, SessionFacts(OLD, status=log, last=now - last), now)
        return status_now(log, now - last, now, client)


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[HookedClient]:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "it's state"))
    found = HookedClient(tmp_path)
    yield found
    found.kill()


@pytest.fixture
def gemini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[HookedClient]:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    found = HookedClient(tmp_path, "gemini_cli")
    yield found
    found.kill()


def log(state: SessionState, before: float = 60.0, **fields: Any) -> SessionStatus:
    return SessionStatus(state, time.time() - before, StateEvidence.LOG, **fields)


def call(before: float = 60.0) -> SessionStatus:
    """A command without a result: it runs, or it waits for approval."""
    return log(SessionState.WORKING, before, certain=False, about="rm -rf build", command=True)


def test_the_events_of_a_turn(client: HookedClient) -> None:
    over = log(SessionState.YOUR_TURN)
    client.report("SessionStart", source="startup")
    assert client.status(over).label == "your-turn"
    client.report("UserPromptSubmit", prompt="Go")
    found = client.status(over)
    assert (found.label, found.evidence) == ("working", StateEvidence.HOOKS)
    assert client.status(call()).label == "working"
    client.report("PermissionRequest", tool_name="Bash", tool_input={"command": "rm -rf build"})
    found = client.status(call())
    assert (found.label, found.evidence) == ("needs-approval", StateEvidence.HOOKS)
    assert found.about == "rm -rf build"
    client.report("PostToolUse", tool_name="Bash", tool_response={"stdout": "x" * 3_000_000})
    assert client.status(call()).label == "working"
    client.report("PermissionRequest", tool_name="AskUserQuestion")
    asks = log(SessionState.NEEDS_ANSWER, about="Which?")
    assert (client.status(asks).label, client.status(asks).about) == ("needs-answer", "Which?")
    client.report("Stop")
    assert client.status(log(SessionState.WORKING)).label == "your-turn"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"notification_type": "permission_prompt"}, "needs-approval"),
        ({"notification_type": "idle_prompt"}, "your-turn"),
        ({"notification_type": "elicitation_dialog"}, "needs-answer"),
        ({"message": "Claude needs your permission to use Bash"}, "needs-approval"),
        ({"message": "Claude is waiting for your input"}, "your-turn"),
        ({"notification_type": "auth_success", "message": "needs your permission"}, "working?"),
    ],
)
def test_notifications(client: HookedClient, event: dict[str, str], expected: str) -> None:
    client.report("Notification", **event)
    # Just asked: whether a command runs is not known yet.
    assert client.status(call(-60.0)).label.startswith(expected)


def test_what_the_log_says_later_counts(client: HookedClient) -> None:
    client.report("PermissionRequest", tool_name="Bash")
    file = client.file
    moment = time.time() - 8
    os.utime(file, (moment, moment))
    assert client.status(log(SessionState.INTERRUPTED, 3.0), last=3.0).label == "interrupted"
    client.report("UserPromptSubmit")
    os.utime(file, (moment, moment))
    assert client.status(log(SessionState.FAILED, 3.0), last=3.0).label == "failed"
    assert client.status(call(3.0), last=3.0).label == "working"


def test_clear_ends_the_session_before_and_exit_the_last_one(client: HookedClient) -> None:
    client.report("UserPromptSubmit")
    first, client.session = client.session, "0b6c1a52-3f6e-4a3b-9a53-5a3f6d1c2e02"
    assert client.status(call(), session=first).label == "working"
    client.report("SessionStart", source="clear")
    found = client.status(call(), session=first)
    assert (found.label, found.evidence) == ("ended", StateEvidence.HOOKS)
    client.report("SessionEnd", reason="prompt_input_exit")
    found = client.status(log(SessionState.YOUR_TURN))
    assert (found.label, found.evidence) == ("ended", StateEvidence.HOOKS)


def test_a_client_that_is_gone_has_ended_unless_another_one_continued(client: HookedClient) -> None:
    client.report("UserPromptSubmit")
    assert client.status(call()).label == "working"
    client.kill()
    time.sleep(CHECKED)
    found = client.status(call())
    assert (found.label, found.evidence) == ("ended", StateEvidence.PROCESS)
    moment = time.time() - 30
    os.utime(client.file, (moment, moment))
    assert client.status(log(SessionState.YOUR_TURN, 5.0), last=5.0).label == "your-turn"


def test_a_process_that_began_after_the_event_is_another_one(client: HookedClient) -> None:
    client.report("PermissionRequest", tool_name="Bash")
    moment = time.time() - 3600
    os.utime(client.file, (moment, moment))
    assert client.status(call(4000), last=4000).label == "ended?"


def test_only_private_files_count(client: HookedClient) -> None:
    client.report("PermissionRequest", tool_name="Bash")
    file = client.file
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    client.status(call())
    file.write_text(file.read_text())
    file.with_suffix(".new").write_text(file.read_text())
    file.unlink()
    file.with_suffix(".new").rename(file)
    found = client.status(call())
    assert found.label != "needs-approval"
    assert found.evidence is not StateEvidence.HOOKS or found.label == "ended"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{" * 60_000,
        b'{"session_id": ' + b"[" * 70_000,
        b"\xff\x00" * 9_000,
        json.dumps({"session_id": SESSION, "hook_event_name": ["Stop"]}).encode(),
        json.dumps({"session_id": 7, "hook_event_name": "Stop"}).encode(),
        json.dumps({"session_id": SESSION, "hook_event_name": "Rm"}).encode(),
        json.dumps({"session_id": "other\x1b[2J", "hook_event_name": "Stop"}).encode(),
    ],
)
def test_hostile_contents_say_nothing(client: HookedClient, content: bytes) -> None:
    Path(hook_directory("claude_code")).mkdir(parents=True)
    client.file.write_bytes(content)
    client.file.chmod(0o600)
    began = time.process_time()
    assert client.status(log(SessionState.YOUR_TURN)).evidence is StateEvidence.LOG
    assert time.process_time() - began < 1.0


def test_a_turn_of_gemini(gemini: HookedClient) -> None:
    over = log(SessionState.YOUR_TURN, certain=False)
    gemini.report("SessionStart", source="startup")
    assert gemini.status(over).label == "your-turn"
    gemini.report("BeforeAgent", prompt="Go")
    assert gemini.status(over).label == "working"
    details = {"type": "exec", "title": "Confirm Shell Command", "command": "rm -rf docs"}
    gemini.report("Notification", notification_type="ToolPermission", details=details)
    found = gemini.status(over)
    assert (found.label, found.evidence) == ("needs-approval?", StateEvidence.HOOKS)
    assert found.about == "rm -rf docs"
    gemini.report("BeforeTool", tool_name="run_shell_command")
    found = gemini.status(over)
    assert (found.label, found.about) == ("working", None)
    details = {"type": "ask_user", "title": "Which port?"}
    gemini.report("Notification", notification_type="ToolPermission", details=details)
    found = gemini.status(over)
    assert (found.label, found.about) == ("needs-answer", "Which port?")
    gemini.report("AfterAgent", prompt_response="Done.")
    assert gemini.status(over).label == "your-turn"
    gemini.report("SessionEnd", reason="exit")
    assert gemini.status(over).label == "ended"


def test_edits_and_servers_that_gemini_asks_for(gemini: HookedClient) -> None:
    over = log(SessionState.YOUR_TURN, certain=False)
    for details, about in (
        ({"type": "edit", "title": "Confirm Edit", "filePath": "/w/a.py"}, "/w/a.py"),
        ({"type": "mcp", "title": "Confirm", "serverName": "s", "toolName": "echo"}, "echo"),
        ({"type": "info", "title": "Confirm Fetch", "prompt": "Read it"}, "Read it"),
        ({"type": "other", "title": "Confirm"}, "Confirm"),
    ):
        gemini.report("Notification", notification_type="ToolPermission", details=details)
        assert (gemini.status(over).label, gemini.status(over).about) == ("needs-approval?", about)
    gemini.report("Notification", notification_type="other")
    assert gemini.status(over).label == "your-turn?"

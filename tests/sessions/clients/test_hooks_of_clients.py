"""Hooks of further clients: real processes run what is printed, with events of the clients."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from agentview.cli import main
from agentview.domain.session_state import ClientFacts, SessionState, StateEvidence, status_now
from agentview.providers import load_provider, provider_names
from agentview.providers._kit.hooks import hook_directory
from agentview.sessions.clients.running import SessionFacts, client_of
from tests.sessions.clients.running_client import SESSION
from tests.sessions.clients.test_hooks import HookedClient, call, log, settings_text

OTHER = "0b6c1a52-3f6e-4a3b-9a53-5a3f6d1c2e02"
OVER = log(SessionState.YOUR_TURN, certain=False)
Hooked = Callable[[str], HookedClient]


@pytest.fixture
def hooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Hooked]:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    made: list[HookedClient] = []

    def make(provider: str) -> HookedClient:
        made.append(HookedClient(tmp_path, provider))
        return made[-1]

    yield make
    for client in made:
        client.kill()


def test_each_client_with_hooks_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    hooks = {
        provider.agent: provider.hook_reports
        for provider in map(load_provider, provider_names())
        if provider.hook_reports is not None
    }
    assert {"claude", "codex", "copilot", "cursor", "droid", "gemini", "opencode", "qwen"} == {
        *hooks
    }
    for name, reports in hooks.items():
        assert name is not None
        assert reports.settings is not None
        assert main(["hooks", "print", name]) == 0
        printed = capsys.readouterr()
        assert printed.out == f"{reports.settings()}\n"
        assert printed.err == f"for ~/{reports.settings_file}\n"


def test_a_client_without_hooks_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hooks", "print", "aider"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "No hooks of aider are known." in said.err
    assert "claude, codex, copilot" in said.err


def test_a_turn_of_codex(hooked: Hooked) -> None:
    codex = hooked("codex")
    codex.report("SessionStart", source="startup")
    assert codex.status(OVER).label == "your-turn"
    codex.report("UserPromptSubmit", prompt='say "session_id": "x"')
    assert codex.status(OVER).label == "working"
    codex.report("PermissionRequest", tool_name="mcp__mock__echo", tool_input={"text": "hello"})
    found = codex.status(OVER)
    assert (found.label, found.evidence) == ("needs-approval?", StateEvidence.HOOKS)
    assert found.about == "mcp__mock__echo"
    codex.report("PermissionRequest", tool_name="Bash", tool_input={"command": "rm -rf build"})
    assert (codex.status(call()).label, codex.status(call()).about) == (
        "needs-approval", "rm -rf build",
    )  # fmt: skip
    codex.report("PostToolUse", tool_name="Bash", tool_response="done")
    assert codex.status(OVER).label == "working"
    codex.report("Interrupt")
    assert codex.status(log(SessionState.INTERRUPTED)).label == "interrupted"
    codex.report("SessionEnd", reason="other")
    assert codex.status(OVER).label == "ended"


def test_each_session_of_one_process_has_its_own_state(hooked: Hooked) -> None:
    codex = hooked("codex")
    codex.report("PermissionRequest", tool_name="Bash", tool_input={"command": "make"})
    codex.session = OTHER
    codex.report("Stop")
    assert codex.status(OVER).label == "your-turn"
    assert codex.status(call(), session=SESSION).label == "needs-approval"


def test_a_turn_of_qwen_code(hooked: Hooked) -> None:
    qwen = hooked("qwen_code")
    qwen.report("UserPromptSubmit", prompt="Go")
    assert qwen.status(OVER).label == "working"
    asked = {"file_path": "/w/new.txt", "content": "hello"}
    qwen.report("PermissionRequest", tool_name="write_file", tool_input=asked)
    found = qwen.status(OVER)
    assert (found.label, found.about) == ("needs-approval?", "/w/new.txt")
    qwen.report("PreToolUse", tool_name="write_file", tool_input=asked)
    assert qwen.status(OVER).label == "working"
    qwen.report("PermissionRequest", tool_name="ask_user_question", tool_input={"questions": []})
    assert qwen.status(OVER).label == "needs-answer"
    qwen.report("Notification", notification_type="idle_prompt")
    assert qwen.status(OVER).label == "your-turn"
    printed = json.loads(settings_text("qwen_code"))["hooks"]
    assert printed["Notification"][0]["matcher"] == "idle_prompt"


def test_a_turn_of_copilot(hooked: Hooked) -> None:
    copilot = hooked("copilot")
    copilot.report("UserPromptSubmit", prompt="Go")
    assert copilot.status(OVER).label == "working"
    notified: dict[str, object] = {
        "sessionId": SESSION,
        "hook_event_name": "Notification",
        "notification_type": "permission_prompt",
        "title": "Permission needed",
        "message": "Run command: rm -rf docs",
    }
    copilot.run("Notification", notified)
    found = copilot.status(OVER)
    assert (found.label, found.about) == ("needs-approval?", "rm -rf docs")
    copilot.run("Notification", {**notified, "notification_type": "elicitation_dialog"})
    assert copilot.status(OVER).label == "needs-answer"
    # The log of this client says that it asks: a hook adds nothing to that.
    asks = log(SessionState.NEEDS_APPROVAL, about="Bash: rm -rf docs")
    copilot.run("Notification", notified)
    assert copilot.status(asks).label == "needs-approval"
    copilot.report("Stop")
    assert copilot.status(OVER).label == "your-turn"
    assert json.loads(settings_text("copilot"))["version"] == 1


def test_a_turn_of_droid(hooked: Hooked) -> None:
    droid = hooked("droid")
    droid.report("UserPromptSubmit", prompt="Go")
    assert droid.status(OVER).label == "working"
    droid.report("Notification", notification_type="permission_prompt", message="needs permission")
    assert droid.status(OVER).label == "needs-approval?"
    droid.report("Notification", notification_type="elicitation_dialog", message="1 question")
    assert droid.status(OVER).label == "needs-answer"
    droid.report("Stop")
    assert droid.status(OVER).label == "your-turn"


def test_a_turn_of_cursor(hooked: Hooked) -> None:
    cursor = hooked("cursor")
    event: dict[str, object] = {"conversation_id": SESSION, "generation_id": "g"}
    cursor.run("beforeSubmitPrompt", {**event, "hook_event_name": "beforeSubmitPrompt"})
    assert cursor.status(OVER).label == "working"
    cursor.run("stop", {**event, "hook_event_name": "stop", "status": "completed"})
    assert cursor.status(OVER).label == "your-turn"


def test_hooks_say_more_than_a_list_that_only_names_the_process(
    hooked: Hooked, tmp_path: Path
) -> None:
    qwen = hooked("qwen_code")
    folder = tmp_path / ".qwen" / "projects" / "-w" / "chats"
    folder.mkdir(parents=True)
    listed = tmp_path / ".qwen" / "sessions" / f"{qwen.process.pid}.json"
    listed.parent.mkdir()
    entry = {"pid": qwen.process.pid, "sessionId": SESSION, "startedAt": time.time() * 1000}
    listed.write_text(json.dumps(entry))
    ref = load_provider("qwen_code").discovery.ref(folder / f"{SESSION}.jsonl")

    def known() -> ClientFacts | None:
        time.sleep(0.15)
        now = time.time()
        return client_of(ref, SessionFacts("0.24.4", status=OVER, last=now - 60), now)

    before = known()
    assert before is not None
    assert (before.alive, before.evidence) == (True, StateEvidence.REGISTRY)
    qwen.report("PermissionRequest", tool_name="edit", tool_input={"file_path": "/w/a.py"})
    found = status_now(OVER, time.time() - 60, time.time(), known())
    assert (found.label, found.about) == ("needs-approval?", "/w/a.py")


EVENTS = """
import { AgentView } from "./agentview.mjs"
const { event } = await AgentView()
for (const each of JSON.parse(process.argv[2])) await event({ event: each })
process.stdout.write(String(process.pid) + "\\n")
process.stdin.resume()
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="the plug-in of OpenCode needs node")
def test_the_plugin_of_opencode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "it's state"))
    (tmp_path / "agentview.mjs").write_text(settings_text("opencode"))
    (tmp_path / "run.mjs").write_text(EVENTS)

    def event(kind: str, session: str, **values: object) -> dict[str, object]:
        return {"type": kind, "properties": {"sessionID": session, **values}}

    def reported(*events: dict[str, object]) -> dict[str, object]:
        run = ["node", str(tmp_path / "run.mjs"), json.dumps(events)]
        with subprocess.Popen(
            run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as node:
            assert node.stdout is not None
            pid = node.stdout.readline().strip()
            file = Path(hook_directory("opencode"), f"{pid}-ses_1.json")
            assert file.stat().st_mode & 0o777 == 0o600
            found = json.loads(file.read_text())
            node.kill()
        return found

    busy = event("session.status", "ses_1", status={"type": "busy"})
    idle = event("session.status", "ses_1", status={"type": "idle"})
    child = event("session.created", "ses_2", info={"id": "ses_2", "parentID": "ses_1"})
    asked = event("permission.asked", "ses_1", id="p1", metadata={"command": "rm -rf docs"})
    deep = event("permission.asked", "ses_2", id="p2", permission="edit", patterns=["a.py"])
    answered = event("permission.replied", "ses_1", requestID="p1")
    question = event("question.asked", "ses_1", id="q1", questions=[{"question": "Which port?"}])

    def said(*events: dict[str, object]) -> tuple[object, object]:
        found = reported(*events)
        assert found["session_id"] == "ses_1"
        return found["hook_event_name"], found.get("about")

    assert said(busy) == ("busy", None)
    assert said(busy, idle) == ("idle", None)
    assert said(busy, asked) == ("permission", "rm -rf docs")
    assert said(busy, asked, answered) == ("busy", None)
    assert said(busy, question) == ("question", "Which port?")
    # What agents ask is of their session, and the oldest of several requests counts.
    assert said(child, busy, deep) == ("permission", "a.py")
    assert said(child, asked, deep, answered) == ("permission", "a.py")
    assert said(child, idle, event("session.status", "ses_2", status={"type": "busy"})) == (
        "idle", None,
    )  # fmt: skip
    entry = load_provider("opencode").hook_reports
    assert entry is not None
    listed = entry.entry(json.dumps(reported(busy, asked)).encode(), "123-ses_1.json")
    assert listed is not None
    assert (listed.session_id, listed.pid, listed.about) == ("ses_1", 123, "rm -rf docs")

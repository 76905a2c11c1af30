"""Homes in which sessions wait for minutes, hours and days: nobody is missing, nobody has ended."""

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentview.domain.session import SessionInfo
from agentview.domain.session_state import SessionStatus
from agentview.providers import load_provider
from agentview.sessions.library.liveness import current_status, standing
from tests.sessions.clients.running_client import here, process, started, write_entry

AGES = [180.0, 2_700.0, 5 * 86_400.0]
"""3 minutes, 45 minutes, 5 days."""
USAGE = {"input_tokens": 1000, "output_tokens": 100}
ASKED: list[object] = [{"question": "Which db?", "header": "DB", "multiSelect": False}]
CALLS: dict[str, tuple[str, object]] = {
    "pending": ("Bash", {"command": "rm -rf build"}),
    "question": ("AskUserQuestion", {"questions": ASKED}),
}


def session_id(name: str) -> str:
    return f"{name.encode().hex():0<8.8}-0000-4000-8000-000000000001"


def write(home: Path, name: str, age: float, version: str = "2.1.278") -> str:
    """The log of a session that came to wait `age` seconds ago; gives its id."""
    session, began = session_id(name), time.time() - age
    common = {
        "isSidechain": False, "cwd": "/w/shop", "sessionId": session, "version": version,
        "timestamp": datetime.fromtimestamp(began, UTC).isoformat().replace("+00:00", "Z"),
    }  # fmt: skip
    answer = {"id": "m1", "type": "message", "role": "assistant", "model": "x", "usage": USAGE}
    records: list[dict[str, object]] = [
        {"type": "user", "uuid": "u1", "parentUuid": None,
         "message": {"role": "user", "content": name}},
    ]  # fmt: skip
    if name in CALLS:
        tool, given = CALLS[name]
        content: list[object] = [{"type": "tool_use", "id": "t1", "name": tool, "input": given}]
    else:
        content = [{"type": "text", "text": "Shall I go on?"}]
        answer["stop_reason"] = "end_turn"
    records.append(
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1",
         "message": {**answer, "content": content}}
    )  # fmt: skip
    if name == "limit":
        words = "You've hit your session limit · resets 3:20pm (Europe/Berlin)"
        answer |= {"model": "<synthetic>", "content": [{"type": "text", "text": words}]}
        records[-1] |= {"isApiErrorMessage": True, "error": "rate_limit", "message": answer}
    if name == "clear":
        said = "<command-name>/clear</command-name>\n<command-message>clear</command-message>"
        out = "<local-command-stdout></local-command-stdout>"
        records = [
            {"type": "user", "uuid": f"u{number}", "parentUuid": None,
             "message": {"role": "user", "content": text}}
            for number, text in enumerate((said, out))
        ]  # fmt: skip
    log = home / ".claude" / "projects" / "-w-shop" / f"{session}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"{json.dumps({**common, **record})}\n" for record in records))
    os.utime(log, (began, began))
    return session


def states(home: Path) -> dict[str, tuple[SessionInfo, SessionStatus]]:
    provider = load_provider("claude_code")
    found: dict[str, tuple[SessionInfo, SessionStatus]] = {}
    for ref in provider.scan(home / ".claude" / "projects"):
        info = provider.info(ref)
        found[ref.session_id] = info, current_status(info, time.time())
    return found


@pytest.mark.parametrize("age", AGES)
def test_nobody_who_waits_is_missing_and_nobody_has_ended(tmp_path: Path, age: float) -> None:
    names = ("pending", "question", "ended turn", "limit", "clear")
    for name in names:
        write(tmp_path, name, age)
    found = states(tmp_path)
    assert len(found) == len(names)
    for info, status in found.values():
        assert status.state != "ended"
        assert standing(info, time.time()).in_sight
    labels = {name: found[session_id(name)][1].label for name in names}
    assert labels == {
        "pending": "working?" if age < 1_800 else "unknown?",
        "question": "needs-answer",
        "ended turn": "your-turn",
        "limit": labels["limit"],
        "clear": "your-turn?",
    }
    assert labels["limit"] in ("limited", "your-turn?")
    assert found[session_id("limit")][1].about is not None
    assert found[session_id("pending")][1].about == "rm -rf build"


@pytest.mark.parametrize("age", AGES)
def test_a_client_that_waits_is_certain_however_long(tmp_path: Path, age: float) -> None:
    session = write(tmp_path, "pending", age, "2.1.331")
    with process() as client:
        write_entry(
            tmp_path, client.pid, session, procStart=started(client.pid), pidDomain=here(),
            status="waiting", waitingFor="permission prompt",
        )  # fmt: skip
        info, status = states(tmp_path)[session]
        assert (status.label, status.about) == ("needs-approval", "rm -rf build")
        assert standing(info, time.time()).in_sight
    time.sleep(1.6)
    info, status = states(tmp_path)[session]
    assert (status.label, status.evidence) == ("ended", "process")
    assert not standing(info, time.time()).in_sight


def test_idle_after_clear_is_certain_with_a_client(tmp_path: Path) -> None:
    session = write(tmp_path, "clear", 60.0, "2.1.331")
    with process() as client:
        write_entry(tmp_path, client.pid, session, procStart=started(client.pid), status="idle")
        assert states(tmp_path)[session][1].label == "your-turn"

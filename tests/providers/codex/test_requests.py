"""What a log of Codex says that its person is asked, by its ends and by all of it."""

from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.providers import load_provider
from agentview.sessions.following.live_session import open_tail

META = ("session_meta", {"id": "s1", "cwd": "/w/shop", "cli_version": "0.171.0"})
PLAN = "# Use Decimal\n\n1. Read\n2. Change\n"
PLANNED = (
    META,
    ("event_msg", {"type": "user_message", "message": "Plan it."}),
    ("event_msg", {"type": "item_completed", "item": {"type": "Plan", "id": "p", "text": PLAN}}),
    (
        "response_item",
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": f"<proposed_plan>\n{PLAN}</proposed_plan>"}
            ],
        },
    ),
    ("event_msg", {"type": "task_complete", "turn_id": "t"}),
)


def said(text: str, role: str = "assistant") -> tuple[str, dict[str, object]]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    return "response_item", {"type": "message", "role": role, "content": content}


def script(text: str) -> tuple[str, dict[str, object]]:
    call: dict[str, object] = {
        "type": "custom_tool_call",
        "call_id": "c",
        "name": "exec",
        "input": text,
    }
    return "response_item", call


def statuses(
    folder: Path, records: Sequence[tuple[str, object]], apart: float = 1.0
) -> list[SessionStatus]:
    """The status by the ends of a log and by all of it; its records are `apart` by seconds."""
    log = folder / "rollout-2026-01-02T03-04-05-s1.jsonl"
    lines = (
        orjson.dumps(
            {"timestamp": f"2026-01-02T03:04:{at * apart:06.3f}Z", "type": name, "payload": payload}
        )
        for at, (name, payload) in enumerate(records)
    )
    log.write_bytes(b"\n".join(lines) + b"\n")
    ref = SessionRef("codex", "s1", str(log))
    session = open_tail(ref, live=False)
    try:
        return [load_provider("codex").info(ref).status, session.store.log_status()]
    finally:
        session.close()


@pytest.mark.parametrize(
    ("text", "label", "about", "command"),
    [
        (
            ('const r = await tools.exec_command({"cmd": "rm -rf docs", '
            '"sandbox_permissions": "require_escalated"}); text(r.output);'),
            "needs-approval?", "rm -rf docs", True,
        ),
        ('text(await tools.exec_command({cmd: "make"}));', "working?", "make", True),
        (
            'await tools.exec_command({cmd: "make a"}); await tools.exec_command({cmd: "make b"});',
            "working?", "make a\nmake b", True,
        ),
        (
            ('await tools.exec_command({cmd: "ls"}); await tools.exec_command('
            '{cmd: "rm x", sandbox_permissions: "require_escalated"});'),
            "needs-approval?", "rm x", True,
        ),
        ("const x = 1; text(x);", "working?", "exec", False),
        ("await tools.exec_command(made);", "working?", "Bash", False),
    ],
)  # fmt: skip
def test_a_script_asks_for_what_it_calls(
    tmp_path: Path, text: str, label: str, about: str, *, command: bool
) -> None:
    for status in statuses(tmp_path, (META, said("Do it.", "user"), script(text))):
        assert (status.label, status.about, status.command) == (label, about, command)


@pytest.mark.parametrize(
    ("text", "policy", "brief"),
    [
        ('text(await tools.mcp__mock__echo({text: "hello"}));', "on-request", True),
        ('text(await tools.mcp__mock__echo({text: "hello"}));', "never", False),
        ('text(await tools.exec_command({cmd: "make"}));', "on-request", False),
    ],
)
def test_a_tool_of_a_server_takes_a_moment_where_the_client_may_ask_about_it(
    tmp_path: Path, text: str, policy: str, *, brief: bool
) -> None:
    turn = ("turn_context", {"turn_id": "t", "cwd": "/w/shop", "approval_policy": policy})
    for status in statuses(tmp_path, (META, turn, said("Do it.", "user"), script(text))):
        assert (status.label, status.brief) == ("working?", brief)


def test_a_plan_waits_until_the_next_prompt(tmp_path: Path) -> None:
    for status in statuses(tmp_path, PLANNED):
        assert (status.label, status.about) == ("needs-approval", "Use Decimal")
    for status in statuses(tmp_path, (*PLANNED, said("Implement the plan.", "user"))):
        assert status.state is SessionState.WORKING
    over = ("event_msg", {"type": "task_complete", "turn_id": "u"})
    done = (*PLANNED, said("Implement the plan.", "user"), said("It is done."), over)
    for status in statuses(tmp_path, done):
        assert status.label == "your-turn"


def test_a_plan_that_is_recorded_twice_at_once_waits(tmp_path: Path) -> None:
    for status in statuses(tmp_path, PLANNED, apart=0.001):
        assert (status.label, status.about) == ("needs-approval", "Use Decimal")


def test_words_after_a_plan_leave_it_open(tmp_path: Path) -> None:
    for status in statuses(tmp_path, (*PLANNED[:-1], said("Shall I?"), PLANNED[-1])):
        assert status.state is SessionState.NEEDS_APPROVAL


def test_a_command_that_ends_after_the_turn_leaves_it_over(tmp_path: Path) -> None:
    item = {
        "type": "CommandExecution",
        "id": "exec-1f570924-791a-4ab4-a79c-da3eb96c1dc4",
        "process_id": "74817",
        "command": ["/bin/bash", "-lc", "make"],
        "exit_code": 0,
        "status": "completed",
        "aggregated_output": "made\n",
    }
    began = 1_767_323_043_500
    """Milliseconds: between the call and the end of the turn."""
    ended = {"type": "item_completed", "item": item, "started_at_ms": began}
    records = (
        META,
        ("event_msg", {"type": "user_message", "message": "Build."}),
        script('text(await tools.exec_command({cmd: "make", yield_time_ms: 10}));'),
        (
            "response_item",
            {"type": "custom_tool_call_output", "call_id": "c", "output": "Script completed\n"},
        ),
        ("event_msg", {"type": "task_complete", "turn_id": "t"}),
        ("event_msg", ended),
    )
    for status in statuses(tmp_path, records):
        assert status.label == "your-turn"

"""OpenCode 2 keeps each message as a whole: a session, its agents, and what older tables have."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from agentview.domain.events import (
    Attachment,
    Compaction,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.tool_inputs import EditPayload, ShellPayload, SubagentPayload
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.providers.joined_log import joined, shown
from tests.providers.opencode.store import SESSION, Store

PROVIDER = load_provider("opencode")
SAMPLE = sample_sessions_dir() / "opencode" / "second_version.jsonl"
_TABLE = """
CREATE TABLE session_message (
    id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
"""
MODEL = {"id": "gpt-5.5", "providerID": "openai"}


class Second(Store):
    """A client of the second version at work."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._seq = 0
        self.run(_TABLE)

    def whole(self, own: str, kind: str, session: str = SESSION, **data: Any) -> None:
        self.now += 1000
        self._seq += 1
        data.setdefault("time", {"created": self.now})
        row = (own, session, kind, self._seq, self.now, self.now, json.dumps(data))
        self.run("INSERT INTO session_message VALUES (?,?,?,?,?,?,?)", *row)

    def rewrite(self, own: str, **data: Any) -> None:
        self.now += 1000
        sql = "UPDATE session_message SET data = ?, time_updated = ? WHERE id = ?"
        self.run(sql, json.dumps(data), self.now, own)


def _bodies(path: Path) -> list[object]:
    return [each.body for each in shown(joined(PROVIDER, path))]


def test_what_a_session_shows():
    bodies = _bodies(SAMPLE)
    assert [each.text for each in bodies if isinstance(each, User)] == [
        "Round the shares to cents", "Go on"
    ]  # fmt: skip
    assert [each.text for each in bodies if isinstance(each, Message)] == [
        "I read the file.", "Done."
    ]  # fmt: skip
    (thought,) = (each for each in bodies if isinstance(each, Reasoning))
    assert (thought.text, thought.duration) == ("Look first.", 1.0)
    (date,) = (each for each in bodies if isinstance(each, Attachment))
    assert date == Attachment("Date", "instructions", "Today is Monday.")
    (own,) = (each for each in bodies if isinstance(each, SlashCommand))
    assert (own.name, own.output, own.shell) == ("git status", "clean", True)
    (compaction,) = (each for each in bodies if isinstance(each, Compaction))
    assert (compaction.trigger, compaction.summary) == ("manual", "Rounded.")
    notes = [each for each in bodies if isinstance(each, Notification)]
    assert [(note.topic, note.text, note.level) for note in notes] == [
        (Topic.TURN_END, "The turn ended", Level.INFO),
        (Topic.BACKGROUND, "make: completed", Level.INFO),
        (Topic.MODEL, "gpt-5.5 → claude-sonnet-5", Level.INFO),
        (Topic.LIMIT, "Too many requests", Level.ERROR),
        (Topic.TURN_END, "The turn failed", Level.WARNING),
    ]


def test_calls_and_their_outcomes():
    found = [each for each in _bodies(SAMPLE) if isinstance(each, ToolCall)]
    # Two responses have a call with the same id.
    assert [(call.call_id, call.kind, call.state) for call in found] == [
        ("call_1", ToolKind.READ, ToolState.OUTPUT_AVAILABLE),
        ("call_2", ToolKind.SHELL, ToolState.OUTPUT_ERROR),
        ("call_3", ToolKind.SHELL, ToolState.OUTPUT_DENIED),
        ("call_1", ToolKind.EDIT, ToolState.OUTPUT_AVAILABLE),
        ("call_4", ToolKind.SUBAGENT_TASK, ToolState.OUTPUT_AVAILABLE),
        ("call_9", ToolKind.MCP, ToolState.INPUT_STREAMING),
    ]
    assert isinstance(found[1].payload, ShellPayload)
    assert found[1].payload.command == "make test"
    assert found[2].denial is not None
    assert found[2].denial.by is DeniedBy.RULE
    assert isinstance(found[3].payload, EditPayload)
    assert found[3].payload.files[0].path == "shares.py"
    assert isinstance(found[4].payload, SubagentPayload)
    assert (found[4].payload.agent_type, found[4].payload.description) == (
        "explore", "Find callers"
    )  # fmt: skip


def test_tokens_count_once_while_a_response_is_written_again(tmp_path: Path) -> None:
    store = Second(tmp_path / "opencode.db")
    store.session()
    store.whole("msg_1", "user", text="Round the shares.")
    tool = {"type": "tool", "id": "c", "name": "shell", "time": {"created": store.now}}
    state = {"status": "running", "input": {"command": "make"}, "metadata": {"shellID": "s"}}
    response: dict[str, Any] = {"agent": "build", "model": MODEL}
    store.whole("msg_2", "assistant", **response, content=[{**tool, "state": state}])
    (call,) = (each for each in _bodies(store.log()) if isinstance(each, ToolCall))
    assert (call.kind, call.state) == (ToolKind.SHELL, ToolState.INPUT_AVAILABLE)
    ended = {**state, "status": "completed", "content": [{"type": "text", "text": "ok"}]}
    store.rewrite(
        "msg_2", **response, content=[{**tool, "state": ended}, {"type": "text", "text": "Done."}],
        finish="stop", cost=0.5, time={"created": store.now},
        tokens={"input": 100, "output": 20, "reasoning": 5, "cache": {"read": 50, "write": 7}},
    )  # fmt: skip
    whole = joined(PROVIDER, store.log())
    (call,) = (each.body for each in shown(whole) if isinstance(each.body, ToolCall))
    assert call.state is ToolState.OUTPUT_AVAILABLE
    used = whole.summary.usage
    assert (used.input_uncached, used.input_cached, used.cache_write, used.output) == (
        100, 50, 7, 25
    )  # fmt: skip
    store.close()


def test_messages_that_both_versions_keep_are_shown_once(tmp_path: Path) -> None:
    store = Second(tmp_path / "opencode.db")
    store.conversation()
    # Taken over from the older tables: under another id at the same time, or under the same id.
    with sqlite3.connect(store.path) as read:
        (at,) = read.execute("SELECT time_created FROM message WHERE id = 'msg_1'").fetchone()
    now, store.now = store.now, int(at) - 1000
    store.whole("msg_other", "user", text="Round the shares.")
    store.now = now
    store.whole("msg_2", "assistant", model=MODEL, content=[{"type": "text", "text": "I look at"}])
    store.whole("msg_3", "user", text="Go on.")
    said = [each.text for each in _bodies(store.log()) if isinstance(each, User | Message)]
    assert said == ["Round the shares.", "I look at", "Go on."]
    store.close()


def test_an_agent_is_below_its_session(tmp_path: Path) -> None:
    store = Second(tmp_path / ".local" / "share" / "opencode" / "opencode.db")
    store.session()
    store.whole("msg_1", "user", text="Round the shares.")
    call = {
        "type": "tool", "id": "c1", "name": "subagent", "time": {"created": store.now},
        "state": {
            "status": "completed", "input": {"agent": "explore", "prompt": "Find callers"},
            "content": [{"type": "text", "text": "None."}], "metadata": {"sessionID": "ses_child"},
        },
    }  # fmt: skip
    store.whole("msg_2", "assistant", model=MODEL, content=[call], finish="stop")
    store.session("ses_child", parent=SESSION, title="Find callers")
    store.whole("msg_3", "user", "ses_child", text="Find callers")
    agentview = CommandLine(tmp_path, tmp_path)
    listed = json.loads(agentview("ls", "--json").stdout)
    assert [each["id"] for each in listed] == [SESSION]
    (child,) = PROVIDER.discovery.children(PROVIDER.discovery.ref(store.log()))
    assert (child.session_id, child.parent_id) == ("ses_child", SESSION)
    store.close()


def test_what_is_not_known_is_accounted_for(tmp_path: Path) -> None:
    store = Second(tmp_path / "opencode.db")
    store.session()
    store.whole("msg_1", "of-tomorrow", x=1)
    store.whole("msg_2", "assistant", model=MODEL, content=[{"type": "of-tomorrow"}, None, 3])
    store.run(
        "INSERT INTO session_message VALUES ('msg_3', ?, 'user', 9, 9, 9, 'no JSON')", SESSION
    )
    bodies = _bodies(store.log())
    assert [each.record_type for each in bodies if isinstance(each, Unparsed)] == [
        None, "of-tomorrow", "assistant/of-tomorrow"
    ]  # fmt: skip
    assert not [each for each in bodies if isinstance(each, Hidden)]
    store.close()

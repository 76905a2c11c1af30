"""What several runs of the client have printed into one file: nothing of one replaces another's."""

import json
from pathlib import Path

from agentview.domain.events import Message
from agentview.domain.usage import Usage
from agentview.providers.codex.discovery import DISCOVERY
from agentview.providers.codex.probing import sessions_in
from tests.providers.codex.log import Record, joined, report
from tests.providers.joined_log import calls, shown, texts, write


def run(thread: str, said: str, used: int) -> list[Record]:
    shell = {"type": "command_execution", "command": "ls", "exit_code": 0, "status": "completed"}
    return [
        {"type": "thread.started", "thread_id": thread},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": said}},
        {"type": "item.completed", "item": {"id": "item_1", **shell, "aggregated_output": said}},
        {"type": "turn.completed", "usage": {"input_tokens": used, "output_tokens": 0}},
    ]


def test_items_of_each_run_stand_by_themselves(tmp_path: Path):
    runs = [*run("t-1", "one", 100), *run("t-2", "two", 40), *run("t-1", "three", 130)]
    store = joined(write(tmp_path / "out.jsonl", runs))
    messages = [a.body.text for a in shown(store) if isinstance(a.body, Message)]
    assert messages == ["one", "two", "three"]
    assert list(calls(store)) == ["item_1", "item_1@1", "item_1@2"]
    assert "Session t-2" in texts(store)
    assert store.summary.usage == Usage(input_uncached=170, output=0)


def test_a_file_of_one_run_has_no_parts(tmp_path: Path):
    path = write(tmp_path / "out.jsonl", run("t-1", 'says "thread.started"', 100))
    assert DISCOVERY.ref(path).parts == ()
    assert joined(path).summary.usage == Usage(input_uncached=100, output=0)


def test_only_a_line_that_begins_a_session_does():
    first, second = (json.dumps(run(name, "x", 1)[0]).encode() + b"\n" for name in ("a", "b"))
    other = b'{"type":"item.completed","note":"thread.started"}\n'
    cut = b'{"type":"thread.started",\n'
    lines = [b"\xef\xbb\xbf" + first, other, cut, second]
    assert sessions_in(lines) == ((0, "a"), (len(lines[0]) + len(other) + len(cut), "b"))


def test_totals_alone_count_as_what_was_used_so_far(tmp_path: Path):
    def counted(total: int, **more: object) -> Record:
        info = {"total_token_usage": {"input_tokens": total, "output_tokens": 1}, **more}
        return report(type="token_count", info=info)

    store = joined(write(tmp_path / "a.jsonl", [counted(100), counted(130, last_token_usage={})]))
    assert store.summary.usage == Usage(input_uncached=130, output=1)

"""What the timeline says of a call without a result, by what is known of its client."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentview.domain.tools import ToolKind
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.timeline.view.titles.title import title_of
from tests.claude_log import ClaudeLog, write
from tests.patience import until
from tests.sessions.clients.running_client import SESSION, log_of, process, started, write_entry

UNSURE = "running, or waiting for approval"


def records(tool: str = "Bash", **arguments: object) -> list[bytes]:
    """A prompt and a call without a result, written just now."""
    log = ClaudeLog(SESSION)
    made = [log.prompt("go"), log.call("toolu_1", tool, **arguments)]
    now = datetime.fromtimestamp(time.time(), UTC).isoformat().replace("+00:00", "Z")
    return [
        json.dumps(json.loads(each) | {"timestamp": now, "cwd": "/w/shop"}).encode() + b"\n"
        for each in made
    ]


def opened(
    home: Path, *, live: bool = True, tool: str = "Bash", **arguments: object
) -> LiveSession:
    path = write(log_of(home), records(tool, **arguments or {"command": "make"}))
    provider = load_provider("claude_code")
    session = LiveSession(provider, provider.discovery.ref(path), live=live)
    session.open()
    return session


def words(session: LiveSession, kind: ToolKind = ToolKind.SHELL) -> str:
    (row,) = session.store.of_kinds({kind})
    return title_of(session.store.activity(row)).detail


def test_without_evidence_it_runs_or_waits(tmp_path: Path):
    assert words(opened(tmp_path)) == UNSURE
    assert words(opened(tmp_path, live=False)) == "no result"


def test_a_question_waits_for_its_answer(tmp_path: Path):
    session = opened(tmp_path, tool="AskUserQuestion", questions=[{"question": "Which?"}])
    assert words(session, ToolKind.ASK) == "waiting for an answer"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"status": "busy"}, "running"),
        ({"status": "waiting", "waitingFor": "permission prompt"}, "waiting for approval"),
    ],
)
async def test_the_word_of_the_client_decides_and_changes_with_it(
    tmp_path: Path, said: dict[str, str], expected: str
):
    session = opened(tmp_path)
    updated: list[int] = []
    session.store.subscribe(lambda change: updated.extend(change.updated))
    session.header()
    session.start()
    with process() as client:
        write_entry(tmp_path, client.pid, procStart=started(client.pid), **said)
        await until(lambda: words(session) == expected)
        await until(lambda: bool(updated))
    session.close()

"""How a run that failed is shown: in the list and on its own screen alike."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session_state import SessionState, SessionStatus
from agentview.providers.claude.claude_stream import PROVIDER
from agentview.sessions.library.liveness import current_status
from tests.providers import joined_log

SESSION = "0d6a3c1e-5f7b-4e29-8a44-91b7c0e2d35f"
Record = dict[str, Any]
BEGINS: Record = {"type": "system", "subtype": "init", "cwd": "/w", "tools": [], "model": "m"}
FAILED: Record = {
    "type": "result",
    "subtype": "success",
    "is_error": True,
    "num_turns": 1,
    "result": "API Error: 400 prompt is too long\nsee the docs",
}
LIMITED: Record = {
    "type": "rate_limit_event",
    "rate_limit_info": {"status": "rejected", "rateLimitType": "five_hour"},
}
ABORTED: Record = {
    "type": "result",
    "subtype": "error_during_execution",
    "is_error": True,
    "terminal_reason": "aborted_streaming",
}


def prompt() -> Record:
    return {"type": "user", "message": {"role": "user", "content": "Go"}}


def both(path: Path, *records: Record) -> tuple[SessionStatus, SessionStatus]:
    """The status by the ends of the log, and by all of it."""
    lines = [
        {**record, "session_id": SESSION, "uuid": f"u{at}"} for at, record in enumerate(records)
    ]
    log = path / "stream.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    info = PROVIDER.info(PROVIDER.discovery.ref(log))
    now = (info.ref.modified or 0.0) + 1.0
    return current_status(info, now), joined_log.joined(PROVIDER, log).status(now)


@pytest.mark.parametrize(
    ("records", "state", "about"),
    [
        ((FAILED,), SessionState.FAILED, "The run failed: API Error: 400 prompt is too long"),
        ((LIMITED, FAILED), SessionState.LIMITED, "A rate limit is reached"),
        ((ABORTED,), SessionState.INTERRUPTED, None),
        (({**FAILED, "result": None},), SessionState.FAILED, "The run failed"),
        (({**FAILED, "is_error": False},), SessionState.YOUR_TURN, None),
        ((FAILED, prompt()), SessionState.WORKING, None),
    ],
)
def test_the_end_of_a_run(
    tmp_path: Path, records: tuple[Record, ...], state: SessionState, about: str | None
) -> None:
    for status in both(tmp_path, BEGINS, prompt(), *records):
        assert (status.state, status.about) == (state, about)

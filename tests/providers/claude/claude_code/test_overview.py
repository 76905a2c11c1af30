"""Title, place and state of a session, from the two ends of its log."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session import SessionInfo
from agentview.domain.session_state import SessionState
from agentview.providers.claude.claude_code import PROVIDER
from agentview.providers.claude.claude_code.discovery import DISCOVERY
from agentview.sessions.library.liveness import current_status
from tests.providers.claude.claude_code.lines import ENVELOPE, SAMPLES, assistant, result, user
from tests.providers.joined_log import joined, write


def info_of(tmp_path: Path, *records: dict[str, Any]) -> SessionInfo:
    path = tmp_path / "s-1.jsonl"
    path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records))
    return PROVIDER.info(DISCOVERY.ref(path))


def now(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "timestamp": datetime.now(UTC).isoformat()}


LIMIT = {**ENVELOPE, "type": "attachment", "attachment": {"type": "max_turns_reached"}}
STOP = user([{"type": "text", "text": "[Request interrupted by user]"}])
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
ASK = {**CALL, "name": "AskUserQuestion"}
PLAN = {**CALL, "name": "ExitPlanMode"}
TEXT = {"type": "text", "text": "Done."}
PROMPT = user("Fix the bug.")
MESSAGE = "<teammate-message teammate_id='lead'>\nCount the shelves.\n</teammate-message>"


@pytest.mark.parametrize(
    ("records", "title"),
    [
        ([PROMPT, user("And this.")], "Fix the bug."),
        ([user("<command-name>/clear</command-name>"), PROMPT], "Fix the bug."),
        ([user("<command-name>/review</command-name><command-args>a</command-args>")], "/review a"),
        ([user("Caveat", isMeta=True), user("<ide_selection>x</ide_selection>Why?")], "Why?"),
        ([user("x", isSidechain=True), PROMPT], "Fix the bug."),
        ([user("x\n\n  y")], "x y"),
        ([user("<system_instruction>\nA host.\n</system_instruction>\n\nFix it")], "Fix it"),
        ([PROMPT, {"type": "ai-title", "aiTitle": "A"}, {"type": "ai-title", "aiTitle": "B"}], "B"),
        (
            [
                {"type": "custom-title", "customTitle": "Mine"},
                PROMPT,
                {"type": "ai-title", "aiTitle": "A"},
            ],
            "Mine",
        ),
        ([{"type": "summary", "summary": "Another", "leafUuid": "other"}, PROMPT], "Fix the bug."),
        ([{"type": "summary", "summary": "This one", "leafUuid": "u-1"}, PROMPT], "This one"),
        ([PROMPT, {"type": "summary", "summary": "This one"}], "This one"),
        ([{"type": "last-prompt", "lastPrompt": "Last words", "leafUuid": "x"}], None),
        ([user(MESSAGE), assistant(TEXT)], "Count the shelves."),
        ([user(MESSAGE), PROMPT], "Fix the bug."),
        ([user([{"type": "tool_result", "tool_use_id": "t", "content": "x"}])], None),
        ([], None),
    ],
)
def test_titles(tmp_path: Path, records: list[dict[str, Any]], title: str | None):
    assert info_of(tmp_path, *records).title == title


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ([PROMPT], SessionState.WORKING),
        ([PROMPT, assistant({"type": "thinking", "thinking": ""})], SessionState.WORKING),
        ([PROMPT, assistant(CALL)], SessionState.WORKING),
        ([PROMPT, assistant(TEXT), user(MESSAGE)], SessionState.WORKING),
        ([PROMPT, assistant(CALL), result("x")], SessionState.WORKING),
        ([PROMPT, assistant(TEXT)], SessionState.YOUR_TURN),
        ([PROMPT, assistant(TEXT), assistant(CALL), result("x"), assistant(TEXT)],
         SessionState.YOUR_TURN),
        ([PROMPT, assistant(ASK)], SessionState.NEEDS_ANSWER),
        ([PROMPT, assistant(PLAN)], SessionState.NEEDS_APPROVAL),
        ([PROMPT, assistant(CALL), STOP],
         SessionState.INTERRUPTED),
        ([PROMPT, assistant(CALL), result("no", "User rejected tool use", is_error=True)],
         SessionState.WORKING),
        ([PROMPT, assistant(TEXT), {"type": "cost-state", "totalCostUSD": 1.0}],
         SessionState.ENDED),
        ([PROMPT, assistant(TEXT), user("<command-name>/exit</command-name>"),
          user("<local-command-stdout>Bye</local-command-stdout>")], SessionState.ENDED),
        ([PROMPT, assistant(TEXT, model="<synthetic>")], SessionState.YOUR_TURN),
        ([PROMPT, assistant(CALL), result("x"), LIMIT], SessionState.FAILED),
        ([], SessionState.UNKNOWN),
    ],
)  # fmt: skip
def test_states(tmp_path: Path, records: list[dict[str, Any]], state: SessionState):
    found = [now(record) if "uuid" in record else record for record in records]
    assert info_of(tmp_path, *found).state is state


def test_a_request_that_failed_ends_the_turn_wherever_it_is_asked(tmp_path: Path):
    failed = {**assistant(TEXT, model="<synthetic>"), "isApiErrorMessage": True}
    path = write(tmp_path / "s-1.jsonl", [PROMPT, failed])
    store = joined(PROVIDER, path)
    assert PROVIDER.info(store.session).state is SessionState.FAILED
    assert store.status(store.summary.times.last or 0.0).state is SessionState.FAILED


def test_an_agent_that_has_answered_waits_for_nobody(tmp_path: Path):
    records = [user("Count.", isSidechain=True, agentId="a"), assistant(TEXT)]
    log = write(tmp_path / "agent-a.jsonl", records)
    store = joined(PROVIDER, log)
    assert (
        PROVIDER.info(store.session).state is store.status(time.time()).state is SessionState.ENDED
    )


def test_a_session_with_work_left_becomes_stale(tmp_path: Path):
    old = datetime.fromtimestamp(time.time() - 86_400, UTC).isoformat()
    info = info_of(tmp_path, {**PROMPT, "timestamp": old})
    assert (info.state, current_status(info, time.time()).state) == (
        SessionState.WORKING,
        SessionState.UNKNOWN,
    )


def test_facts_are_of_records_and_not_of_the_file(tmp_path: Path):
    info = info_of(
        tmp_path,
        {"type": "mode", "mode": "normal"},
        user("x", timestamp="2026-11-21T10:00:05Z", cwd="/first"),
        {
            **assistant(TEXT),
            "timestamp": "2026-11-21T10:00:01Z",
            "cwd": "/later",
            "gitBranch": "b2",
        },
    )
    assert (info.started, info.last_activity) == (1795255201.0, 1795255205.0)
    assert (info.project, info.branch) == ("/first", "b2")
    assert (info.model, info.client_version) == ("claude-opus-5-5", "2.1.329")


def test_both_ends_of_a_long_log_count(tmp_path: Path):
    filler = [assistant({"type": "text", "text": "x" * 2_000}) for _ in range(400)]
    last = {**assistant(TEXT), "timestamp": "2026-11-21T12:00:00Z"}
    title = {"type": "custom-title", "customTitle": "At the end"}
    info = info_of(tmp_path, PROMPT, assistant(CALL), *filler, last, title)
    assert info.title == "At the end"
    assert info.started == 1795255200.5
    assert info.last_activity == 1795262400.0
    assert info.state is SessionState.YOUR_TURN


def test_a_log_that_is_gone(tmp_path: Path):
    info = PROVIDER.info(DISCOVERY.ref(tmp_path / "s.jsonl"))
    assert (info.title, info.started, info.state) == (None, None, SessionState.UNKNOWN)


def test_of_odd_records_nothing_is_made_up(tmp_path: Path):
    odd: list[dict[str, Any]] = [
        {"type": 7},
        {"type": "user"},
        {"type": "assistant", "message": {"content": [None, 5, {"type": "tool_use"}]}},
        {"type": "summary", "summary": None, "leafUuid": []},
        {**ENVELOPE, "type": "system", "timestamp": "no"},
    ]
    assert info_of(tmp_path, *odd).title is None


def test_the_demo_has_a_title_and_is_over():
    info = PROVIDER.info(DISCOVERY.ref(SAMPLES / "demo.jsonl"))
    assert info.title == "Fix rounding of split bills"
    assert info.state is SessionState.YOUR_TURN
    assert info.started is not None
    assert info.last_activity is not None
    assert 120 < info.last_activity - info.started < 240


def test_a_rate_limit_is_a_state_of_its_own_in_the_list_and_in_the_session(tmp_path: Path):
    said = {"type": "text", "text": "You've hit your session limit · resets 3:20pm"}
    limit = {**assistant(said, model="<synthetic>"), "isApiErrorMessage": True}
    limit |= {"error": "rate_limit", "apiErrorStatus": 429}
    records = (now(PROMPT), now(limit))
    assert info_of(tmp_path, *records).state is SessionState.LIMITED
    path = write(tmp_path / "s-2.jsonl", records)
    assert joined(PROVIDER, path).status(time.time()).state is SessionState.LIMITED
    assert info_of(tmp_path, *records, now(user("Go on."))).state is SessionState.WORKING

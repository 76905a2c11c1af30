"""The keys of records that nothing reads, and the types of records that are known."""

from typing import Any

from agentview.providers.claude.claude_code import (
    attachments,
    metadata_records,
    system,
)
from tests.providers.claude.claude_code.lines import (
    ENVELOPE,
    SAMPLES,
    assistant,
    objects,
    result,
    user,
)
from tests.providers.read_keys import unused_keys


def test_unused_keys_are_those_that_nothing_reads():
    record = {**user("x"), "userType": "external", "message": {"role": "user", "content": "x"}}
    assert unused_keys("claude_code", record) == ["/message/role", "/userType"]


def test_unused_keys_of_calls_and_results():
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls", "sandbox": 1}}
    assert unused_keys("claude_code", assistant(call)) == ["/message/content/0/input/sandbox"]
    free = {**call, "name": "mcp__a__b"}
    assert unused_keys("claude_code", assistant(free)) == []
    answer = result("ok", {"stdout": "ok", "a/b~c": 1})
    assert unused_keys("claude_code", answer) == ["/message/role", "/toolUseResult/a~1b~0c"]


def test_values_that_do_not_fit_a_report_are_named():
    error = {"message": 7, "status": 529}
    record = {**ENVELOPE, "type": "system", "subtype": "api_error", "error": error}
    assert unused_keys("claude_code", {**record, "retryAttempt": {"a": 1}, "maxRetries": 3}) == [
        "/error/message",
        "/retryAttempt",
    ]


def test_unused_keys_of_what_is_no_object():
    for record in (b"", b"[1]", b"null", b'{"type":"us', b"\xff"):
        assert unused_keys("claude_code", record) == []


def test_every_type_that_is_known_is_in_a_sample():
    found: set[str] = set()
    for path in SAMPLES.rglob("*.jsonl"):
        for _, record in objects(path):
            inner: Any = record.get("attachment") or record.get("data") or {}
            kind = record.get("subtype") or inner.get("type")
            found.add(f"{record.get('type')}/{kind}" if kind else str(record.get("type")))
    assert {*metadata_records.BOOKKEEPING, *metadata_records.MAKERS} <= found
    for table in (attachments.BOOKKEEPING, attachments.MAKERS):
        assert {f"attachment/{name}" for name in table} <= found
    for table in (system.BOOKKEEPING, system.MAKERS):
        assert {f"system/{name}" for name in table} <= found


def test_unused_keys_of_an_unknown_type():
    assert unused_keys("claude_code", {**ENVELOPE, "type": "hologram", "x": 1}) == ["/x"]

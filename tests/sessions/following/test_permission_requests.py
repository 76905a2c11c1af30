"""Requests for permission: facts of the calls that they name, in any reading order."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agentview.api import open_log
from agentview.domain.activity import RowKind
from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.facts.accounting.log_report import account_log
from agentview.facts.search.documents import Column
from agentview.facts.usage.accumulator import UsageAccumulator
from agentview.facts.usage.pricing import PriceList
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.titles.title import title_of
from tests.facts.search.test_document_builder import gathered
from tests.providers.joined_log import joined, write
from tests.sessions.following.test_index_history import (
    facts,
    handed_over,
    in_one_pass,
    lines_of,
    picture,
)

Record = dict[str, Any]
PROVIDER = load_provider("copilot")
NOW = 1_800_000_000.0


def _record(kind: str, **data: object) -> Record:
    return {"type": kind, "data": data, "timestamp": "2026-04-20T09:00:00.000Z"}


def _call(*call_ids: str) -> Record:
    requests = [
        {"toolCallId": each, "name": "bash", "arguments": {"command": f"rm -r {each}"}}
        for each in call_ids
    ]
    return _record("assistant.message", content="", toolRequests=requests)


def _request(own: str, call_id: str) -> Record:
    asked = {"kind": "shell", "toolCallId": call_id, "fullCommandText": f"echo {call_id}"}
    return _record("permission.requested", requestId=own, permissionRequest=asked)


def _decision(own: str, said: str = "approved") -> Record:
    return _record("permission.completed", requestId=own, result={"kind": said})


def _result(call_id: str) -> Record:
    done = {"content": f"out {call_id}"}
    return _record("tool.execution_complete", toolCallId=call_id, success=True, result=done)


def _prompt() -> Record:
    return _record("user.message", content="Go on")


def _log(folder: Path, records: list[Record]) -> SessionRef:
    """A log of these records, each with an id of its own."""
    head = _record("session.start", sessionId="s", producer="copilot-agent", copilotVersion="1")
    numbered = [
        {**record, "id": f"e{at}", "data": {**record["data"], "messageId": f"m{at}"}}
        for at, record in enumerate((head, *records))
    ]
    return PROVIDER.discovery.ref(write(folder / "s" / "events.jsonl", numbered))


def _store(folder: Path, records: list[Record]) -> SessionStore:
    return joined(PROVIDER, Path(_log(folder, records).path))


def _shown_calls(store: SessionStore) -> list[ToolCall]:
    bodies = (store.activity(row).body for row in range(store.first, store.end) if store.shown(row))
    return [body for body in bodies if isinstance(body, ToolCall)]


def _in_order(records: list[Record]) -> Iterator[Record]:
    """The records in an order that clients write, each id given to one call or request."""
    made: set[str | None] = {"gone", None}
    for record in records:
        data, asks = record["data"], record["data"].get("permissionRequest")
        own = {each["toolCallId"] for each in data.get("toolRequests", ())}
        own |= {data["requestId"]} if asks else set()
        answered = None if asks else data.get("requestId")
        if (asks or data).get("toolCallId") in made and answered in made and not own & made:
            made |= own
            yield record


_CALLS = st.sampled_from(["a", "b", "c"])
_REQUESTS = st.sampled_from(["r", "q", "p"])
_NAMED = st.sampled_from(["a", "b", "c", "r", "gone"])
"""A request may name a call, a request, or nothing that is in the log."""
_SAID = st.sampled_from(["approved", "denied-interactively-by-user"])
_STEPS = st.lists(
    st.one_of(
        st.builds(_call, _CALLS),
        st.just(_call("a", "b")),
        st.builds(_request, _REQUESTS, _NAMED),
        st.builds(_decision, _REQUESTS, _SAID),
        st.builds(_result, _CALLS),
        st.builds(_prompt),
    ),
    min_size=2,
    max_size=12,
).map(lambda records: list(_in_order(records)))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=_STEPS, cuts=st.data())
def test_any_reading_order_gives_the_same_session(
    tmp_path: Path, records: list[Record], cuts: st.DataObject
):
    ref = _log(tmp_path, records)
    lines = lines_of(Path(ref.path))
    whole = in_one_pass(ref, lines)
    expected = picture(whole), facts(whole)
    backward = joined(PROVIDER, Path(ref.path), backward=True)
    assert (picture(backward), facts(backward)) == expected
    end = cuts.draw(st.integers(0, len(lines)))
    tail = cuts.draw(st.integers(0, end))
    store = handed_over(ref, lines, tail, end, cuts.draw(st.sampled_from((1, 400, 1 << 20))))
    assert (picture(store), facts(store)) == expected


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=_STEPS)
def test_each_request_is_shown_once(tmp_path: Path, records: list[Record]):
    store = _store(tmp_path, records)
    shown = _shown_calls(store)
    alone = [call for call in shown if call.provider_name == "permission"]
    folded = [request for call in shown for request in call.requests]
    made = [record for record in records if record["type"] == "permission.requested"]
    assert len(alone) + len(folded) == len(made)
    asked = [each for record in records for each in record["data"].get("toolRequests", ())]
    assert len(shown) - len(alone) == len(asked)
    assert store.summary.count(RowKind.REQUEST) == len(alone)


def test_a_request_is_a_fact_of_the_call_that_it_names(tmp_path: Path):
    store = _store(
        tmp_path, [_prompt(), _call("a"), _request("r", "a"), _decision("r"), _result("a")]
    )
    (call,) = _shown_calls(store)
    (request,) = call.requests
    assert call.state is request.state is ToolState.OUTPUT_AVAILABLE
    assert request.args is not None
    assert request.args["fullCommandText"] == "echo a"
    assert store.summary.count(RowKind.REQUEST) == 0


def test_a_request_whose_call_is_not_known_is_a_row_of_its_own(tmp_path: Path):
    store = _store(tmp_path, [_prompt(), _request("r", "elsewhere")])
    (request,) = _shown_calls(store)
    assert request.call_id == "r"
    assert store.summary.count(RowKind.REQUEST) == 1
    assert store.status(NOW).state is SessionState.NEEDS_APPROVAL


@pytest.mark.parametrize("answered", [False, True])
def test_a_call_is_denied_while_its_last_request_was_refused(tmp_path: Path, answered: bool):
    records = [_call("a"), _request("r", "a"), _decision("r", "denied-interactively-by-user")]
    records += [_result("a")] if answered else []
    (call,) = _shown_calls(_store(tmp_path, records))
    assert call.state is ToolState.OUTPUT_DENIED
    assert call.denial is not None
    assert call.denial.by is DeniedBy.PERSON
    store = _store(tmp_path, [*records, _request("q", "a"), _decision("q")])
    assert store.summary.problems == 0
    assert _shown_calls(store)[0].denial is None


@pytest.mark.parametrize("between", [[], [_record("assistant.message", content="One moment")]])
def test_an_open_request_waits_for_the_person(tmp_path: Path, between: list[Record]):
    records = [_prompt(), _call("a"), *between, _request("r", "a")]
    store = _store(tmp_path, records)
    status = store.status(NOW)
    assert (status.state, status.certain) == (SessionState.NEEDS_APPROVAL, True)
    assert status.about == "shell: echo a"
    store.live = True
    row = next(row for row in range(store.first, store.end) if store.summary.pending.get(row))
    assert title_of(store.activity(row)).detail == "waiting for approval"
    for answer in (_decision("r"), _result("a")):
        state = _store(tmp_path, [*records, answer]).log_status().state
        assert state is SessionState.WORKING


@pytest.mark.parametrize(
    "name", ["copilot/denied/events.jsonl", "acp/refused.jsonl", "acp/demo.jsonl"]
)
def test_no_count_of_calls_includes_requests(name: str):
    path = sample_sessions_dir() / name
    provider = load_provider(name.partition("/")[0])
    store = joined(provider, path)
    calls = store.summary.count(*ToolKind)
    usage = UsageAccumulator(PriceList())
    usage.take(reduce_lines(store.session, lines_of(path)))
    assert sum(each.calls for each in usage.tool_usage().values()) == calls
    assert sum(each.problems for each in usage.tool_usage().values()) == _problems(store)
    types = Counter(event.type for event in open_log(path).events())
    assert (types["tool_call"], types["permission_request"]) == (calls, 0)
    found = account_log(store.session).calls
    assert (found.recorded, found.shown) == (calls, calls)


def _problems(store: SessionStore) -> int:
    """Calls that are a problem in the timeline."""
    rows = range(store.first, store.end)
    return sum(store.shown(row) and store.problem(row) and _is_call(store, row) for row in rows)


def _is_call(store: SessionStore, row: int) -> bool:
    return isinstance(store.kind(row), ToolKind)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=_STEPS)
@example(
    [
        _call("a"),
        _request("q", "a"),
        _decision("q", "denied-interactively-by-user"),
        _decision("q", "approved"),
    ]
)
def test_refused_calls_are_counted_alike(tmp_path: Path, records: list[Record]):
    ref = _log(tmp_path, records)
    lines = lines_of(Path(ref.path))
    store = in_one_pass(ref, lines)
    usage = UsageAccumulator(PriceList())
    usage.take(reduce_lines(ref, lines))
    assert sum(each.problems for each in usage.tool_usage().values()) == _problems(store)


def test_a_request_is_found_in_the_document_of_its_call(tmp_path: Path):
    asked = _request("r", "a")
    asked["data"]["permissionRequest"]["intention"] = "Greet"
    refusal = "denied-interactively-by-user"
    ref = _log(tmp_path, [_call("a"), asked, _decision("r", refusal), _result("a")])
    (call,) = [each for each in gathered(Path(ref.path)) if each.kind is ToolKind.SHELL]
    assert "Greet" in call.texts[Column.ARGS]
    assert call.parts == 4
    body = call.activity().body
    assert isinstance(body, ToolCall)
    assert body.state is ToolState.OUTPUT_DENIED

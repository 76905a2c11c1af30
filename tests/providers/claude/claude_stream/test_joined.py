"""What the records of a printed stream come to together, at each moment it is printed."""

from pathlib import Path

import orjson
import pytest

from agentview.domain.activity import Activity, RowKind
from agentview.domain.events import Event, Message, Notification, Reasoning, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import SubagentResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers.claude.claude_stream import PROVIDER
from agentview.reports.export.records import RecordLines
from agentview.sources.line_splitter import cut_lines
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore

SAMPLES = sample_sessions_dir() / "claude_stream"


def store_of(path: Path, lines: int | None = None) -> SessionStore:
    """The session as it is once so many lines are printed."""
    store = SessionStore(PROVIDER, PROVIDER.discovery.ref(path))
    found = cut_lines(path.read_bytes(), 0, 0)
    store.append(reduce_lines(store.session, found[:lines]))
    return store


def shown(store: SessionStore) -> list[Activity]:
    return [store.activity(row) for row in range(store.first, store.end) if store.shown(row)]


def bodies(path: Path, lines: int | None = None) -> list[object]:
    return [each.body for each in shown(store_of(path, lines))]


def calls(path: Path, lines: int | None = None) -> list[ToolCall]:
    return [body for body in bodies(path, lines) if isinstance(body, ToolCall)]


def decoded(record: object) -> list[Event]:
    raw = orjson.dumps(record)
    ref = SessionRef(PROVIDER.name, "s", "x")
    return PROVIDER.decode(raw, SourceRef("x", 0, len(raw)), ref)


def place(path: Path, *words: str) -> int:
    """Number of lines up to the first one with all these words."""
    lines = path.read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if all(word in line for word in words))


DEMO = SAMPLES / "demo.jsonl"


def test_a_text_grows_and_is_there_once():
    first = place(DEMO, "text_delta")
    sizes = [
        len(body.text)
        for lines in range(first, first + 4)
        for body in bodies(DEMO, lines)
        if isinstance(body, Message)
    ]
    assert sizes == [18, 33, 33, 33]
    said = [body.text for body in bodies(DEMO) if isinstance(body, Message)]
    assert len(said) == len(set(said)) == 5


def test_a_warning_printed_between_the_pieces_of_a_text_does_not_part_it(tmp_path: Path):
    path = tmp_path / "mixed.jsonl"
    lines = DEMO.read_text().splitlines()
    second = place(DEMO, "text_delta")
    lines[second:second] = ["(node:12) Warning: something is out of date"]
    path.write_text("\n".join(lines) + "\n")
    said = [body.text for body in bodies(path) if isinstance(body, Message)]
    assert said == [body.text for body in bodies(DEMO) if isinstance(body, Message)]


def test_a_stream_whose_first_record_names_the_model_alone_is_known_by_it(tmp_path: Path):
    first = {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/w"}
    for model, known in (("claude-opus-5-5", True), ("Claude 5.5 Opus", False), (None, False)):
        head = orjson.dumps({**first, "model": model}) + b"\n"
        assert (PROVIDER.discovery.probe(head, tmp_path / "x") > 0) is known


def test_a_thought_grows_and_is_there_once():
    thoughts = [body for body in bodies(DEMO) if isinstance(body, Reasoning)]
    assert [thought.text[:7] for thought in thoughts] == ["A wrong", "The tes"]
    begun = place(DEMO, "thinking_delta")
    assert [b.text for b in bodies(DEMO, begun) if isinstance(b, Reasoning)] == [
        "A wrong cent smells of"
    ]


def test_arguments_grow_and_the_whole_record_amends_them():
    begun = place(DEMO, "content_block_start", '"name":"Grep"')
    (draft,) = calls(DEMO, begun)
    assert (draft.state, draft.args_json) == (ToolState.INPUT_STREAMING, "")
    (growing,) = calls(DEMO, begun + 2)
    assert growing.state is ToolState.INPUT_STREAMING
    assert growing.args_json == '{"pattern": "def total", "path": "/home/dev/shop'
    assert growing.args == {"pattern": "def total", "path": "/home/dev/shop"}
    (whole,) = calls(DEMO, place(DEMO, '"type":"assistant"', '"name":"Grep"'))
    assert whole.state is ToolState.INPUT_AVAILABLE
    assert whole.args is not None
    assert whole.args["output_mode"] == "content"
    # As it stands in the record that counts.
    assert whole.args_json.startswith('{"pattern":"def total",')


@pytest.mark.parametrize("name", ["demo", "partial", "agents", "errors", "older", "compaction"])
def test_no_call_and_no_text_is_there_twice(name: str):
    path = SAMPLES / f"{name}.jsonl"
    ids = [call.call_id for call in calls(path)]
    assert len(ids) == len(set(ids))
    recorded = {
        block["id"]
        for line in path.read_bytes().splitlines()
        if (record := orjson.loads(line))["type"] == "assistant"
        for block in record["message"]["content"]
        if block["type"] == "tool_use"
    }
    assert set(ids) >= recorded
    texts = [body.text for body in bodies(path) if isinstance(body, Message)]
    assert len(texts) == len(set(texts))


def test_an_interrupted_stream_keeps_what_came():
    path = SAMPLES / "interrupted.jsonl"
    texts = [body.text for body in bodies(path) if isinstance(body, Message)]
    assert texts == ["I write the report now.", "This text is cut off in the mid"]
    (draft,) = calls(path)
    assert draft.args == {
        "file_path": "/home/dev/shop/REPORT.md",
        "content": "# Report\n\nThe first li",
    }
    topics = [body.topic for body in bodies(path) if isinstance(body, Notification)]
    assert topics == [Topic.INTERRUPT, Topic.INTERRUPT]


@pytest.mark.parametrize("name", ["demo", "agents"])
def test_agents_are_apart_and_named_by_the_call_that_started_them(name: str):
    store = store_of(SAMPLES / f"{name}.jsonl")
    started = [
        each
        for each in shown(store)
        if isinstance(each.body, ToolCall) and each.body.kind is ToolKind.SUBAGENT_TASK
    ]
    assert started
    for each in started:
        assert isinstance(each.body, ToolCall)
        assert each.child is not None
        assert (each.child.kind, each.child.id) == (StreamKind.SIDECHAIN, each.body.call_id)
        assert isinstance(each.body.result, SubagentResult)
    streams = {each.events[0].stream for each in shown(store)} - {store.session.stream}
    assert streams == {each.child for each in started}
    nested = [row for row in range(store.first, store.end) if store.nested(row)]
    assert all(store.activity(row).events[0].stream in streams for row in nested)


def test_refused_calls_are_refused():
    refused = [call for call in calls(SAMPLES / "denied.jsonl") if call.denial is not None]
    assert [call.state for call in refused] == [ToolState.OUTPUT_DENIED] * 5
    assert {call.denial.by for call in refused if call.denial} == {DeniedBy.APPROVAL}
    end = bodies(SAMPLES / "denied.jsonl")[-1]
    assert isinstance(end, Notification)
    assert end.detail is not None
    assert "refused: Bash, Write, Write, Bash, mcp__mocktools__echo" in end.detail


@pytest.mark.parametrize(
    ("name", "usage", "cost"),
    [
        ("demo", Usage(25_300, 75_900, 320, 1_130), 0.0731),
        ("agents", Usage(66_150, 33_075, 410, 4_920, 0), 0.371665),
        ("denied", Usage(4_300, 2_150, 40, 480, 0), 0.02743),
    ],
)
def test_tokens_are_those_that_the_result_counts(name: str, usage: Usage, cost: float):
    summary = store_of(SAMPLES / f"{name}.jsonl").summary
    assert summary.usage == usage
    assert summary.cost is not None
    assert round(summary.cost, 6) == cost


def test_before_the_result_each_response_counts_once_and_what_is_not_known_is_not_zero():
    without_deltas = store_of(SAMPLES / "denied.jsonl", 20).summary.usage
    assert (without_deltas.input_uncached, without_deltas.output) == (4_300, None)
    lines = len((SAMPLES / "errors.jsonl").read_text().splitlines()) - 1
    with_deltas = store_of(SAMPLES / "errors.jsonl", lines).summary.usage
    assert (with_deltas.input_uncached, with_deltas.output) == (7_300, 720)


def test_a_response_after_a_result_counts_beside_it(tmp_path: Path):
    path = tmp_path / "two.jsonl"
    lines = DEMO.read_text().splitlines()
    more = lines[place(DEMO, '"type":"assistant"', "All 11 tests pass") - 1]
    more = more.replace('"stop_reason":null', '"stop_reason":"end_turn"')
    more = more.replace("msg_01shop", "msg_02shop").replace('"uuid":"', '"uuid":"f')
    path.write_text("\n".join([*lines, more]) + "\n")
    assert store_of(path).summary.usage.output == 1_131


def test_a_message_that_was_replaced_counts_no_more():
    texts = [b.text for b in bodies(SAMPLES / "reports.jsonl") if isinstance(b, Message)]
    assert texts == ["The answer in its place."]


def test_a_thought_whose_text_is_withheld_does_not_take_the_place_of_its_pieces():
    whole = {
        "type": "assistant",
        "session_id": "s",
        "uuid": "u",
        "parent_tool_use_id": None,
        "message": {
            "id": "msg_1",
            "model": "claude-x",
            "content": [{"type": "thinking", "thinking": "", "signature": "s"}],
        },
    }
    (event,) = decoded(whole)
    assert (event.run is not None, event.whole, event.dedupe_key) == (True, False, None)


def test_the_session_waits_for_a_person_once_the_result_is_there():
    store = store_of(DEMO)
    assert store.status(1_795_256_120.0).state is SessionState.YOUR_TURN
    assert PROVIDER.info(store.session).state is SessionState.YOUR_TURN
    assert PROVIDER.info(store.session).title is not None
    before = len(DEMO.read_text().splitlines()) - 20
    assert store_of(DEMO, before).status(1_795_256_120.0).state is SessionState.WORKING


def test_the_model_is_the_newest_of_the_session_itself(tmp_path: Path):
    def printed(model: str, **more: object) -> bytes:
        message = {"role": "assistant", "model": model, "content": [{"type": "text", "text": "x"}]}
        return orjson.dumps({"type": "assistant", "session_id": "s", "message": message, **more})

    began = {"type": "message_start", "message": {"id": "m", "model": "third"}}
    begun = orjson.dumps({"type": "stream_event", "session_id": "s", "event": began})
    lines = [printed("first"), printed("second"), printed("of an agent", agentId="a")]
    log = tmp_path / "printed.jsonl"
    for number, model in enumerate(("second", "third")):
        log.write_bytes(b"".join(line + b"\n" for line in [*lines, begun][: 3 + number]))
        store = store_of(log)
        assert PROVIDER.info(store.session).model == model
        assert store.summary.text("model") == model


def test_a_list_of_records_is_the_same_session():
    path = SAMPLES / "list.json"
    documents = PROVIDER.documents
    assert documents is not None
    data = path.read_bytes()
    assert documents.begin(data[:65_536])
    ref = PROVIDER.discovery.ref(path)
    said = [
        event.body.text
        for start, end in documents.split(data)
        for event in PROVIDER.decode(data[start:end], SourceRef("x", start, end - start), ref)
        if isinstance(event.body, Message)
    ]
    assert said == [body.text for body in bodies(DEMO) if isinstance(body, Message)]


def test_events_of_a_stream_can_be_written_down():
    ref = PROVIDER.discovery.ref(DEMO)
    lines = RecordLines(PROVIDER)
    written = [
        line
        for found in cut_lines(DEMO.read_bytes(), 0, 0)
        for event in PROVIDER.decode(
            found.data or b"", SourceRef("x", found.offset, found.length), ref
        )
        for line in lines.feed(event, ref)
    ]
    results = [line for line in written if line["type"] == "tool_result"]
    assert len(results) == 8
    assert all(line["canonical_name"] for line in results)
    assert {line["type"] for line in written} >= {"tool_input", "tool_call", "message"}


def test_every_report_is_told_or_accounted_for():
    store = store_of(SAMPLES / "reports.jsonl")
    unknown = [row for row in range(store.first, store.end) if store.kind(row) is RowKind.UNPARSED]
    assert len(unknown) == 3

"""Whole logs as they are shown: one call once, nothing lost, in whatever order they are read."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.domain.content import ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Body,
    Compaction,
    Message,
    Notification,
    Reasoning,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers import load_provider, recognise
from agentview.providers.pydantic_ai import PROVIDER, discovery
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import log_reader
from tests.providers.joined_log import calls, shown
from tests.providers.pydantic_ai.log import SAMPLES, events, joined

LOGS = sorted(SAMPLES.iterdir())
STREAMS = [SAMPLES / f"events-{version}.jsonl" for version in ("1.0", "2.68")]
BOTH = [SAMPLES / f"both-{version}.jsonl" for version in ("1.0", "2.68")]
LISTS = [SAMPLES / f"messages-{version}.json" for version in ("0.3", "1.0", "2.68")]


def texts(path: Path) -> list[str]:
    return [each.body.text for each in shown(joined(path)) if isinstance(each.body, Message)]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_both_directions_show_the_same(path: Path):
    forward, backward = shown(joined(path)), shown(joined(path, backward=True))
    assert [each.body for each in forward] == [each.body for each in backward]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_every_log_is_recognised_under_any_name(path: Path):
    found = recognise(path.read_bytes()[:65_536], Path("x"))
    assert found is not None
    assert found.name == "pydantic_ai"


@pytest.mark.parametrize("path", [*STREAMS, *BOTH, *LISTS], ids=lambda path: path.name)
def test_each_call_stands_once_with_the_same_arguments_on_every_path(path: Path):
    found = calls(joined(path))
    standing = [each for each in shown(joined(path)) if isinstance(each.body, ToolCall)]
    assert len(standing) == len(found) == 4
    assert {call_id: call.args for call_id, call in found.items()} == {
        "call_b1": {"path": "beds.py"},
        "call_b2": {"command": "wc -l seeds/peas.csv"},
        "call_b3": {"bed": 9, "note": "früh"},
        "call_b4": {"bed": 2, "note": "früh"},
    }
    assert all(json.loads(call.args_json) == call.args for call in found.values())
    assert found["call_b2"].kind is ToolKind.SHELL
    assert [found[name].state for name in ("call_b1", "call_b3", "call_b4")] == [
        ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR, ToolState.OUTPUT_AVAILABLE,
    ]  # fmt: skip
    assert found["call_b3"].error == "there are four beds"


def spelled_alike(bodies: Iterable[Body]) -> list[Body]:
    """Calls with the same text for the same arguments, which are written again in a test."""
    return [
        replace(body, args_json=json.dumps(body.args)) if isinstance(body, ToolCall) else body
        for body in bodies
    ]


def test_calls_that_only_the_messages_know_stand_once(tmp_path: Path):
    texts_only = [line for line in STREAMS[1].read_bytes().splitlines() if b"tool" not in line]
    messages = [json.dumps(each).encode() for each in json.loads(LISTS[-1].read_bytes())]
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"\n".join([*texts_only, *messages, *messages, b""]))
    expected = list(calls(joined(LISTS[-1])).values())
    assert spelled_alike(calls(joined(log)).values()) == spelled_alike(expected)
    standing = [each for each in shown(joined(log)) if isinstance(each.body, ToolCall)]
    assert len(standing) == len(expected) == 4


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name)
def test_the_pieces_of_a_text_are_one_row(path: Path):
    assert [text.rstrip() for text in texts(path)] == [
        "I read the beds first.",
        "Peas are sown in bed 2.\n\n- 14 seeds left",
    ]


def test_arguments_grow_while_they_are_written(tmp_path: Path):
    lines = STREAMS[1].read_bytes().splitlines(keepends=True)
    started = next(at for at, line in enumerate(lines) if b'"args"' in line)
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(lines[: started + 1]))
    (call,) = calls(joined(log)).values()
    assert call.state is ToolState.INPUT_STREAMING
    assert '{"path": "beds.py"}'.startswith(call.args_json)
    assert call.args_json
    log.write_bytes(b"".join(lines[: started + 2]))
    (call,) = calls(joined(log)).values()
    assert call.args == {"path": "beds.py"}


def test_texts_of_two_runs_are_two_rows(tmp_path: Path):
    def begins(said: str) -> dict[str, object]:
        part = {"content": said, "part_kind": "text"}
        return {"index": 0, "part": part, "event_kind": "part_start"}

    def goes_on(said: str) -> dict[str, object]:
        delta = {"content_delta": said, "part_delta_kind": "text"}
        return {"index": 0, "delta": delta, "event_kind": "part_delta"}

    records = [begins("On"), goes_on("e"), begins("Tw"), goes_on("o")]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert texts(log) == ["One", "Two"]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_a_list_of_messages_is_a_document_of_one_record_each(path: Path):
    assert PROVIDER.documents is not None
    data = path.read_bytes()
    assert PROVIDER.documents.begin(data[:65_536])
    spans = PROVIDER.documents.split(data)
    assert [json.loads(data[start:end]) for start, end in spans] == json.loads(data)
    with pytest.raises(ValueError, match="truncated"):
        PROVIDER.documents.split(data[:-40])
    activities = shown(joined(path))
    prompt = next(each.body for each in activities if isinstance(each.body, User))
    assert prompt.text == "Sow peas in a free bed, then count the seeds."
    assert [type(block) for block in prompt.blocks] == [ImageBlock, ResourceBlock]
    assert Reasoning("Look before sowing.") in [each.body for each in activities]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_may_be_a_member_of_a_document(tmp_path: Path, indent: int | None):
    messages = json.loads(LISTS[-1].read_bytes())
    log = tmp_path / "log.json"
    value = {"run": "r", "all_messages": messages, "usage": {"requests": [4]}}
    log.write_text(json.dumps(value, indent=indent))
    found = recognise(log.read_bytes()[:65_536], log)
    assert found is load_provider(PROVIDER.name)
    bodies = [[each.body for each in shown(joined(path))] for path in (log, LISTS[-1])]
    assert spelled_alike(bodies[0]) == spelled_alike(bodies[1])
    assert PROVIDER.info(discovery.ref(log)).title is not None


def test_a_torn_line_is_not_taken_for_the_beginning_of_a_document():
    torn = events(b'{"seq":1,"agent":"a","depth":0,"message":{"parts":[')
    assert [type(each.body) for each in torn] == [Unparsed]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_a_list_on_a_line_has_the_same_events_as_a_document(path: Path):
    data = path.read_bytes()
    assert PROVIDER.documents is not None
    spans = PROVIDER.documents.split(data)
    each = [event.id for start, end in spans for event in _at(data[start:end], start)]
    listed, *whole = _at(data, 0)
    assert listed.source.length == len(data)
    assert [event.id for event in whole] == each


def _at(record: bytes, offset: int):
    source = events(record)[0].source
    place = type(source)(source.path, offset, len(record))
    return PROVIDER.decode(record, place, discovery.ref(SAMPLES / "x"))


def test_histories_on_lines_show_each_message_once():
    store = joined(SAMPLES / "histories.jsonl")
    bodies = [each.body for each in shown(store)]
    assert [body.text for body in bodies if isinstance(body, User)] == ["Sow", "Water"]
    assert [body.text for body in bodies if isinstance(body, Message)] == ["Sown.", "Watered."]
    (call,) = calls(store).values()
    written = '{"n": 12345678901234567890123, "x": 1.50, "emoji": "\\ud83c\\udf31"}'
    assert call.args_json == written
    assert store.summary.usage == Usage(40, 200, 40, 62, 18)


def test_an_agent_that_another_one_called_has_a_stream_of_its_own():
    activities = shown(joined(SAMPLES / "demo.jsonl"))
    nested = [each for each in activities if each.first.stream.kind is StreamKind.SUBAGENT]
    assert {each.first.stream for each in nested} == {Stream(StreamKind.SUBAGENT, "scout@1")}
    assert len(nested) == 6
    found = calls(joined(SAMPLES / "demo.jsonl"))
    assert {name: call.state for name, call in found.items() if name != "toolu_6"} == {
        "toolu_1": ToolState.OUTPUT_AVAILABLE,
        "toolu_2": ToolState.OUTPUT_AVAILABLE,
        "toolu_3": ToolState.OUTPUT_AVAILABLE,
        "toolu_4": ToolState.OUTPUT_ERROR,
        "toolu_5": ToolState.OUTPUT_DENIED,
        "srv_1": ToolState.OUTPUT_AVAILABLE,
        "srv_2": ToolState.OUTPUT_AVAILABLE,
    }


def test_what_else_a_message_holds():
    bodies = [each.body for each in shown(joined(SAMPLES / "demo.jsonl"))]
    assert Compaction(summary="Beds were looked at.") in bodies
    assert Message("Bed two", ends_turn=True) in bodies
    notices = [body for body in bodies if isinstance(body, Notification)]
    assert [notice.topic for notice in notices] == [Topic.SYSTEM, Topic.INTERRUPT]
    assert notices[0].detail == "Name the beds in words."
    assert any(isinstance(body, Message) and body.blocks for body in bodies)


def test_what_a_worker_printed():
    store = joined(SAMPLES / "worker.jsonl")
    bodies = [each.body for each in shown(store)]
    assert [body.text for body in bodies if isinstance(body, Message)] == [
        "I look.",
        "Bed 2 is dry.",
    ]
    assert [body.text for body in bodies if isinstance(body, User)] == [
        "Which beds are dry?",
        "Only bed 2, please.",
    ]
    found = calls(store)
    assert (found["c1"].ok, found["c2"].error) == (True, "no such file")
    topics = [body.topic for body in bodies if isinstance(body, Notification)]
    assert topics == [Topic.SYSTEM, Topic.SYSTEM, Topic.API_ERROR, Topic.TURN_END]


@pytest.mark.parametrize(
    "head",
    [
        b'[{"role":"user","content":"\\"part_kind\\": \\"text\\""}]',
        b'{"kind":"request","parts":[]}\n',
        b'{"kind":"request","parts":[{"text":"x"}]}\n',
        b'{"type":"tool_call","tool_name":"x","args":{}}\n',
        b'{"event_kind":"bloom"}\n',
        b'{"kind":{},"event_kind":[],"type":{},"worker":"w"}\n',
    ],
)
def test_what_others_write_is_refused(head: bytes):
    assert discovery.probe(head, Path("messages.json")) == 0.0


def test_logs_under_a_named_directory_are_found(tmp_path: Path):
    (tmp_path / "runs").mkdir()
    for path in (LISTS[0], STREAMS[0]):
        (tmp_path / "runs" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "other.json").write_text("[]")
    assert [Path(ref.path).name for ref in PROVIDER.scan(tmp_path)] == [
        STREAMS[0].name,
        LISTS[0].name,
    ]
    assert discovery.roots({"HOME": "/h"}) == ()


def test_info_of_a_list():
    info = PROVIDER.info(discovery.ref(LISTS[-1]))
    assert info.title == "Sow peas in a free bed, then count the seeds."
    assert (info.model, info.state) == ("function:fn:", SessionState.YOUR_TURN)
    assert info.started is not None


def test_messages_without_their_kind_are_told_by_their_parts(tmp_path: Path):
    call = {"part_kind": "tool-call", "tool_name": "dig", "args": "{}", "tool_call_id": "c"}
    messages = [
        {"parts": [{"part_kind": "user-prompt", "content": "Dig a bed."}]},
        {"parts": [{"part_kind": "text", "content": "I dig."}, call]},
        {"parts": [{"part_kind": "tool-return", "tool_call_id": "c", "content": "dug"}]},
    ]
    log = tmp_path / "history.json"
    log.write_text(json.dumps(messages))
    store = joined(log)
    assert [type(each.body) for each in shown(store)] == [User, Message, ToolCall]
    assert calls(store)["c"].output == (TextBlock("dug"),)


def test_a_list_behind_which_others_come_on_lines_is_read_line_by_line(tmp_path: Path):
    said = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Sow the peas."}]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "Sown."}]},
    ]
    path = tmp_path / "histories.jsonl"
    path.write_text(json.dumps(said[:1]) + "\n")
    reader = log_reader(PROVIDER, path)
    assert len(reader.poll().items) == 1
    with path.open("a") as file:
        file.write(json.dumps(said) + '\n[{"kind": ')
    lines = [item for item in reader.poll().items if isinstance(item, Line)]
    assert [json.loads(line.data or b"") for line in lines] == [said[:1], said]
    with path.open("a") as file:
        file.write('"response", "parts": []}]')
    # Only what is new.
    assert len(reader.poll().items) == 1

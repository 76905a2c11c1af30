"""The event builder of the kit, and the lines that it is given."""

import re
from typing import Any

import pytest
from msgspec import Struct

from agentview.domain.events import Event, Hidden, Message, TokenUsage, ToolResult, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.providers._kit.json_recovery import read_pieces
from agentview.providers._kit.typed_records import TypedBuilder, TypedLines

SESSION = SessionRef("harbour", "quay-7", "/log.jsonl")
SOURCE = SourceRef("/log.jsonl", 100, 50)


class Line(Struct):
    say: str | None = None


def builder(**attributes: Any) -> TypedBuilder[Line]:
    return TypedBuilder[Line].of(Line("Hi"), b'{"say": "Hi"}', SOURCE, SESSION, **attributes)


def test_an_event_has_what_its_record_has():
    record = builder(time=7.0, record_id="r", parent_id="p", response_id="m", suffix_end="~1")
    event = record.event("text", Message("Hi"))
    assert event == Event(
        "text~1",
        "quay-7",
        SOURCE,
        Message("Hi"),
        SESSION.stream,
        time=7.0,
        record_id="r",
        parent_id="p",
        response_id="m",
    )
    assert record.event("text", Message("Hi"), time=0.0).time == 0.0


def test_events_of_a_repeated_record_have_keys_unless_they_have_one():
    record = builder(copied_id="r")
    assert record.event("text", Message("Hi")).dedupe_key == "r:text"
    assert record.event("text", Message("Hi"), replaces="k").dedupe_key is None
    assert record.event("text", Message("Hi"), run="text").dedupe_key is None


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (Message("Hi"), "r#0"),
        (Hidden("nothing", "say"), "r#0"),
        (ToolResult("1", True), None),
        (TokenUsage("m", Usage()), None),
    ],
)
def test_events_of_a_rewritten_record_replace_each_other(body: Any, key: str | None):
    assert builder(rewritten_id="r").event("0", body).replaces == key


def test_a_copy_has_attributes_of_its_own():
    record = builder(record_id="r")
    part = record.copy()
    part.record_id = "r:0"
    assert (record.name, part.name, builder().name) == ("r", "r:0", "@100")


def test_the_text_of_a_value():
    assert builder().text_at("say") == b'"Hi"'
    assert builder().text_at("do") is None


def _say(record: TypedBuilder[Line]) -> list[Event]:
    return [record.event("text", Message(str(record.fields["say"])))]


FORM = TypedLines(Line, TypedBuilder[Line].of, _say, re.compile(r'\{"say"'))


def events_of(line: bytes) -> list[Event]:
    return FORM.events(line, SOURCE, SESSION)


@pytest.mark.parametrize(
    "line", [b"{", b"", b"[1]", b"null", b"\xff", b'{"do": 1}', b"[" * 100_000]
)
def test_what_cannot_be_read_is_one_unparsed_event(line: bytes):
    (event,) = events_of(line)
    assert isinstance(event.body, Unparsed)
    assert event.source == SOURCE


def test_all_records_of_a_line_are_read():
    count = 40
    line = b'torn"}' + b'{"say": "\xc3\xa4"}\x00' * count
    torn, *said = events_of(line)
    assert isinstance(torn.body, Unparsed)
    assert [event.body for event in said] == [Message("ä")] * count
    assert [event.source.offset for event in said] == [106 + 14 * at for at in range(count)]


@pytest.mark.parametrize("value", [b'{"new": NaN}', b'{"new": "\\ud800"}', b'{"new": "\xff"}'])
def test_a_value_of_loose_json_is_read_however_it_begins(value: bytes):
    (piece,) = read_pieces(value, re.compile(r'\{"say"'))
    assert (piece.error, piece.raw) == (None, value)


def test_the_record_behind_a_torn_one_is_found_where_parts_can_be_told_from_records():
    whole = b'{"say": "Hi", "id": 1}'
    for torn in (b'{"say": {"say": "part"}, "x', b'{"say": "'):
        found = read_pieces(torn + whole, re.compile(r'\{"say"'), lambda value: "id" in str(value))
        assert [(piece.raw, piece.error is None) for piece in found] == [
            (torn, False),
            (whole, True),
        ]

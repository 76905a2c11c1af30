"""Records of a document are given as they come, all of them again when it was rewritten."""

import json
from pathlib import Path

import pytest

from agentview.normalize.json_document import split_document
from agentview.sources.document import DocumentLines
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Reset
from agentview.sources.resume_point import ResetReason


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.json"


def reader_of(path: Path, settle: float = 0.0) -> DocumentLines:
    return DocumentLines(path, lambda data: split_document(data, ("messages",)), settle)


def given(reader: DocumentLines) -> list[object]:
    """What one poll gives: the text of each record, the reason of each reset."""
    return [
        (item.data or b"").decode() if isinstance(item, Line) else item.reason
        for item in reader.poll().items
    ]


def test_records_lie_where_they_say(path: Path) -> None:
    path.write_text('{"id": "s", "messages": [{"a": 1}, {"a": "é"}], "end": 1}\n')
    items = reader_of(path).poll().items
    data = path.read_bytes()

    assert len(items) == 4
    for item in items:
        assert isinstance(item, Line)
        assert data[item.offset : item.offset + item.length] == item.data


def test_only_what_is_new_is_given_of_a_document_that_grew(path: Path) -> None:
    reader = reader_of(path)
    path.write_text('[{"a": 1}]')
    assert given(reader) == ['{"a": 1}']
    path.write_text('[{"a": 1}, {"a": 2}]')
    assert given(reader) == ['{"a": 2}']
    assert given(reader) == []


def test_all_is_given_again_when_anything_before_the_end_changed(path: Path) -> None:
    reader = reader_of(path)
    path.write_text('{"n": 1, "messages": [{"a": 1}]}')
    assert given(reader) == ['{"n": 1, "messages": [', '{"a": 1}']
    path.write_text('{"n": 2, "messages": [{"a": 1}]}')
    assert given(reader) == [ResetReason.REWRITTEN, '{"n": 2, "messages": [', '{"a": 1}']


def test_a_half_written_document_is_waited_for_and_then_shown_as_it_is(path: Path) -> None:
    reader = reader_of(path, settle=60.0)
    path.write_text('[{"a": 1}, {"a"')
    assert reader.poll().unsettled
    # Who reads it once does not wait, and loses nothing.
    assert [line.data for line in reader.finish_torn()] == [path.read_bytes()]
    assert reader.finish_torn() == []

    impatient = reader_of(path)
    assert given(impatient) == ['[{"a": 1}, {"a"']
    path.write_text(json.dumps([{"a": 1}]))
    assert given(impatient) == [ResetReason.REWRITTEN, '{"a": 1}']


def test_a_document_that_is_not_there_is_missing(path: Path) -> None:
    reader = reader_of(path)
    assert reader.poll().missing
    path.write_text("[1]")
    assert not any(isinstance(item, Reset) for item in reader.poll().items)

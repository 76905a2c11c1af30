"""All bytes of a log are in a record or between two, whatever they are."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentview.errors import NotFound, Unreadable
from agentview.facts.accounting.log_bytes import LogBytes, records_of
from agentview.providers import load_provider

LINES = load_provider("claude_code")
BOM = b"\xef\xbb\xbf"
PIECES = (b"\n", b"\r\n", b"\r", b" ", b"\t", b"\x00", b"{}", b"a", BOM, b"[", b",")
ANY = st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join)


def expected(data: bytes) -> list[tuple[int, bytes, int]]:
    """Offset, bytes and line of each record, the plain way."""
    found: list[tuple[int, bytes, int]] = []
    at = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        start = len(BOM) if at == 0 and line.startswith(BOM) else 0
        record = line[start:].removesuffix(b"\r")
        if record.strip(b" \t\r"):
            found.append((at + start, record, number))
        at += len(line) + 1
    return found


@pytest.mark.slow
@settings(max_examples=400)
@example(data=b"{}\r")
@example(data=BOM + b"\r\n" + BOM)
@example(data=b"a\r\r\n\n \n{}")
@given(data=ANY)
def test_lines_are_cut_and_the_rest_is_told_by_its_sort(data: bytes, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    whole = LogBytes()
    found = list(records_of(LINES, path, whole))
    records = expected(data)
    assert [(line.offset, line.data, number) for line, number in found] == records
    assert (whole.size, whole.document) == (len(data), False)
    between = whole.separators
    assert between.total == len(data) - sum(len(record) for _, record, _ in records)
    assert (between.other, between.framing) == (0, 0)
    assert between.bom == (len(BOM) if data.startswith(BOM) else 0)
    lines = data.split(b"\n")
    assert whole.lines == len(lines) - (lines[-1] == b"")
    blank = [
        line
        for number, line in enumerate(lines[:-1], 1)
        if number not in {number for _, _, number in records}
    ]
    assert between.blank_lines == len(blank)
    after = [data[offset + len(record) :] for offset, record, _ in records]
    ends = [2 if rest.startswith(b"\r\n") else 1 for rest in after if b"\n" in rest[:2]]
    assert between.terminators == sum(ends)


def test_brackets_and_commas_of_a_document_are_between_its_records(tmp_path: Path):
    provider = load_provider("pydantic_ai")
    text = (
        b'[\n {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "a"}]},\n'
        b' {"kind": "response", "parts": [{"part_kind": "text",\n "content": "b"}]}\n]\n'
    )
    path = tmp_path / "messages.json"
    path.write_bytes(text)
    whole = LogBytes()
    found = list(records_of(provider, path, whole))
    assert [number for _, number in found] == [2, 3]
    assert (whole.document, whole.lines, whole.size) == (True, 5, len(text))
    assert (whole.separators.framing, whole.separators.other) == (3, 0)
    assert whole.separators.blanks == whole.separators.total - 3


def test_what_is_no_file_is_an_error(tmp_path: Path):
    with pytest.raises(NotFound):
        list(records_of(LINES, tmp_path / "none.jsonl", LogBytes()))
    with pytest.raises(Unreadable):
        list(records_of(LINES, tmp_path, LogBytes()))

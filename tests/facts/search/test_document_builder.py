"""Records become documents: one for what a person sees as one row."""

import json
from pathlib import Path

import pytest

from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolKind
from agentview.facts.search.document_builder import DocumentBuilder, rebuild
from agentview.facts.search.documents import RESULT_CHARS, Column, Document
from agentview.facts.search.fts_index import Found
from agentview.providers import load_provider
from agentview.sources.line_splitter import cut_lines
from agentview.timeline.rows.reading import decode_line
from tests.claude_log import ClaudeLog, write
from tests.facts.search.searched import ref_of
from tests.samples import line_samples

PROVIDER = load_provider("claude_code")


def gathered(path: Path, before: int = 0) -> list[Document]:
    """All documents of a log."""
    ref = ref_of(path)
    provider = load_provider(ref.provider)
    gathering = DocumentBuilder(provider, before)
    data = path.read_bytes()
    found: list[Document] = []
    for line in cut_lines(data, 0, 0):
        found += gathering.feed(decode_line(provider, ref, line), line.offset, line.length)
    return [*found, *gathering.give_up(len(data) + 1)]


def test_a_call_and_its_result_are_one(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [
        log.prompt("Fix the retry"),
        log.call("c1", "Bash", command="pytest tests/retry", description="Run the tests"),
        log.text("Meanwhile"),
        log.result("c1", "2 failed"),
    ]
    documents = gathered(write(tmp_path / "a.jsonl", records))
    call = next(each for each in documents if each.kind is ToolKind.SHELL)
    assert call.place == (len(records[0]), 0)
    assert call.texts[Column.COMMAND] == ["pytest tests/retry"]
    assert call.texts[Column.ARGS] == ["Bash", "Run the tests"]
    assert call.texts[Column.RESULT] == ["2 failed"]
    assert (call.parts, call.last) == (2, sum(map(len, records[:3])))
    assert [each.kind for each in documents if each is not call] == [
        RowKind.USER,
        RowKind.MESSAGE,
    ]


def test_calls_that_share_an_id_are_documents_of_their_own(tmp_path: Path) -> None:
    log = ClaudeLog()
    records: list[bytes] = []
    for step in range(3):
        command = log.call("terminal:0", "Bash", command=f"echo {step}")
        records += [command, log.result("terminal:0", f"out {step}")]
    calls = gathered(write(tmp_path / "a.jsonl", records))
    assert sorted((each.texts[Column.COMMAND], each.texts[Column.RESULT]) for each in calls) == [
        ([f"echo {step}"], [f"out {step}"]) for step in range(3)
    ]


def _commands(log: ClaudeLog, *, one_record: bool) -> list[bytes]:
    """Three calls of one response with one id, in a record each or in one."""
    blocks = [
        {"type": "tool_use", "id": "REDACTED", "name": "Bash", "input": {"command": f"echo {step}"}}
        for step in range(3)
    ]
    parts = [blocks] if one_record else [[block] for block in blocks]
    records = [json.loads(log.assistant(*part)) for part in parts]
    for record in records:
        record["message"]["id"] = "msg_1"
    return [json.dumps(record).encode() + b"\n" for record in records]


@pytest.mark.parametrize("one_record", [True, False])
def test_parallel_calls_that_share_an_id_are_found_by_their_own_words(
    one_record: bool, tmp_path: Path
) -> None:
    log = ClaudeLog()
    records = _commands(log, one_record=one_record)
    records += [log.result("REDACTED", f"out {step}") for step in range(3)]
    path = write(tmp_path / "a.jsonl", records)
    calls = sorted(gathered(path), key=lambda each: each.place)
    expected = [([f"echo {step}"], [f"out {step}"]) for step in range(3)]
    assert [(each.texts[Column.COMMAND], each.texts[Column.RESULT]) for each in calls] == expected
    with path.open("rb") as file:
        for call, words in zip(calls, expected, strict=True):
            made = rebuild(PROVIDER, ref_of(path), file.fileno(), _as_found(call))
            assert made is not None
            assert (made.texts[Column.COMMAND], made.texts[Column.RESULT]) == words


def _as_found(document: Document) -> Found:
    (offset, sub), end = document.place, document.end
    kind = document.kind
    return Found(0, 0, offset, document.length, sub, kind, None, document.last, end, document.parts)


def test_a_result_without_its_call_stands_alone(tmp_path: Path) -> None:
    log = ClaudeLog()
    documents = gathered(write(tmp_path / "a.jsonl", [log.prompt("x"), log.result("c9", "lost")]))
    assert [(each.kind, each.answers) for each in documents] == [
        (RowKind.USER, None),
        (RowKind.RESULT, "c9"),
    ]


def test_paths_stand_apart_from_other_arguments(tmp_path: Path) -> None:
    log = ClaudeLog()
    call = log.call("c1", "Edit", file_path="/a/b.py", old_string="one", new_string="two")
    (document,) = gathered(write(tmp_path / "a.jsonl", [call]))
    assert document.texts[Column.PATH] == ["/a/b.py"]
    assert document.texts[Column.ARGS] == ["Edit", "one", "two"]


def test_of_a_long_result_both_ends_are_looked_at(tmp_path: Path) -> None:
    log = ClaudeLog()
    text = "first " + "x" * 3 * RESULT_CHARS + " last"
    records = [log.call("c1", "Bash", command="ls"), log.result("c1", text)]
    (document,) = gathered(write(tmp_path / "a.jsonl", records))
    assert len(document.text(Column.RESULT)) == 2 * RESULT_CHARS + 1
    assert document.text(Column.RESULT).startswith("first x")
    assert document.text(Column.RESULT).endswith("x last")
    assert document.text(Column.RESULT, full=True) == text


def test_records_before_a_byte_are_only_remembered(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.prompt("one"), log.prompt("two"), log.prompt("three")]
    path = write(tmp_path / "a.jsonl", [*records, records[0]])
    second = len(records[0])
    assert [each.text(Column.SAID) for each in gathered(path, second)] == ["two", "three"]


@pytest.mark.slow
def test_documents_of_samples_have_places_of_their_own() -> None:
    for sample in line_samples():
        documents = gathered(sample.path)
        assert len({(each.place, each.kind) for each in documents}) == len(documents), sample
        size = sample.path.stat().st_size
        assert all(each.place[0] <= each.last < each.end <= size for each in documents), sample

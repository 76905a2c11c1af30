from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.record_ref import SourceRef
from agentview.errors import NotFound
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.raw import WHOLE, FileBytes, events_body, line_number, raw_body
from agentview.ui.render.style.palette import PLAIN
from tests.timeline.view.memory import MemorySession, answer, shell

SPACE = RenderContext(80, PLAIN)


def _nothing(_record: bytes, _source: SourceRef) -> Sequence[str]:
    return ()


def _lines(body: LazyLines) -> list[str]:
    strips = body.strips(0, body.height)
    assert len(strips) == body.height
    return [strip.text for strip in strips]


def _activity(path: Path, *sources: SourceRef) -> Activity:
    activity = MemorySession([shell("ls", "a")], path).activity(0)
    events = tuple(replace(activity.first, source=source) for source in sources)
    return replace(activity, events=events or activity.events)


def test_every_record_is_shown_once_with_its_place(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"a": 1}\n{"b": 2}\n')
    first, second = (SourceRef(str(log), offset, 8) for offset in (0, 9))
    lines = _lines(raw_body(_activity(log, first, first, second), _nothing, SPACE))
    headings = [line for line in lines if line.startswith("record ")]
    assert headings == [
        "record 1 of 2  log.jsonl  line 1  byte 0  length 8",
        "record 2 of 2  log.jsonl  line 2  byte 9  length 8",
    ]
    assert lines.count('{"a": 1}') == 1
    assert lines.count('  "type": "Event",') == 3


def test_keys_that_nothing_read_are_marked(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"used": 1, "unused": {"x": 2}}\n')
    body = raw_body(_activity(log, SourceRef(str(log), 0, 31)), lambda _, __: ["/unused"], SPACE)
    lines = _lines(body)
    assert "record  • 1 key not used" in lines
    assert [line for line in lines if line.startswith("•")] == [
        '•   "unused": {',
        '•     "x": 2',
        "•   }",
    ]


def test_the_events_stand_beside_the_record_where_there_is_room(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"a": 1}\n')
    activity = _activity(log, SourceRef(str(log), 0, 8))
    wide = _lines(raw_body(activity, _nothing, RenderContext(140, PLAIN)))
    assert any('"a": 1' in line and '"type": "Event"' in line for line in wide)
    assert len(wide) < len(_lines(raw_body(activity, _nothing, SPACE)))


def test_bytes_that_are_gone_are_said_to_be(tmp_path: Path) -> None:
    log = tmp_path / "gone.jsonl"
    activity = _activity(log, SourceRef(str(log), 5, 8))
    lines = _lines(raw_body(activity, _nothing, SPACE))
    assert lines[0] == "record 1 of 1  gone.jsonl  line –  byte 5  length 8"
    assert lines[1].startswith("No such file")
    strips = FileBytes(SourceRef(str(log), 0, 500), SPACE).strips(0, 9)
    assert len(strips) == 7
    assert strips[0].text.startswith("No such file")


def test_a_record_that_was_cut_since_is_said_to_be(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("{}")
    lines = _lines(raw_body(_activity(log, SourceRef(str(log), 0, 100)), _nothing, SPACE))
    # Where a line ends depends on the length of the path.
    assert "endsbeforebyte100" in "".join(lines).replace(" ", "")


def test_an_oversize_record_is_paged_and_not_parsed(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    length = WHOLE * 3
    with log.open("wb") as file:
        file.write(b'{"x": "' + b"a" * (length - 9) + b'"}\n')
    body = raw_body(_activity(log, SourceRef(str(log), 0, length)), _nothing, SPACE)
    head = [strip.text for strip in body.strips(0, 4)]
    assert head[1] == "6.0 MB is too long to be parsed here"
    assert body.height > length // SPACE.width
    written = FileBytes(SourceRef(str(log), 0, length), SPACE)
    assert written.strips(0, 1)[0].text == '{"x": "' + "a" * 73
    assert written.strips(written.height - 1, written.height)[0].text.endswith('"}')


@pytest.mark.parametrize("width", [1, 2, 3, 7, 80])
@pytest.mark.parametrize("text", ["plain", "žluťoučký kůň", "日本語のテキスト", "a🙂b🙂c"])
def test_written_bytes_lose_no_character_at_the_end_of_a_row(
    text: str, width: int, tmp_path: Path
) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(b"before\n" + text.encode() + b"\nafter")
    source = SourceRef(str(log), 7, len(text.encode()))
    body = FileBytes(source, RenderContext(width, PLAIN))
    joined = "".join(strip.text for strip in body.strips(0, body.height))
    if width >= 4:
        assert joined == text
    assert "before" not in joined
    assert all(strip.cell_length <= width for strip in body.strips(0, body.height))


def test_an_empty_record_has_a_row(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_bytes(b"\n")
    assert _lines(FileBytes(SourceRef(str(log), 0, 0), SPACE)) == [""]


def test_lines_are_counted_where_they_are_not_known(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    line = b"x" * 999 + b"\n"
    log.write_bytes(line * 3_000)
    assert line_number(SourceRef(str(log), 0, 999)) == 1
    assert line_number(SourceRef(str(log), 2_500_000, 999)) == 2_501
    assert line_number(SourceRef(str(log), 2_500_000, 999, line=7)) == 7
    with pytest.raises(NotFound):
        line_number(SourceRef(str(tmp_path / "none"), 5, 1))


def test_events_are_told_in_full() -> None:
    lines = _lines(events_body(MemorySession([answer("hello")]).activity(0), SPACE))
    assert '    "text": "hello"' in "\n".join(lines)

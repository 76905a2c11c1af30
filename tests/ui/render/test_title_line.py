"""Title rows: what gives way when there is little room, and that none is ragged."""

import time

import pytest
from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolKind
from agentview.timeline.view.format_numbers import duration_text
from agentview.timeline.view.titles.title import StatusIcon, Title
from agentview.ui.render.style.glyphs import ASCII
from agentview.ui.render.title_line import columns_of, subject_fits, title_strip
from tests.ui.hostile import CONTROL
from tests.ui.render.looks import PALETTE, SPACE, wide

MOMENT = time.mktime((2026, 11, 21, 13, 48, 8, 0, 0, -1))
READ = Title(ToolKind.READ, "Read", "src/retry.py  1–80", "80 lines", StatusIcon.OK, MOMENT, 0.12)


def row(title: Title, width: int) -> str:
    return title_strip(title, wide(width)).text


def test_a_wide_row_has_every_part_in_its_column() -> None:
    text = row(READ, 80)
    assert text.startswith(" 13:48:08 ✓ Read       src/retry.py  1–80  80 lines ")
    assert text.endswith("    0.1s ")


def test_parts_give_way_one_after_the_other() -> None:
    assert row(READ, 60).startswith(" 13:48 ✓ Read       src/retry.py")
    assert row(READ, 50).startswith("✓ Read       src/retry.py")
    assert "0.1s" in row(READ, 45)
    assert "0.1s" not in row(READ, 39)
    assert row(READ, 23).startswith("✓ src/retry.py")


@pytest.mark.parametrize("label", ["Read", "assistant", "API error", "background", "NotebookEdit"])
def test_no_label_touches_its_subject(label: str) -> None:
    for width in (40, 60, 80, 120):
        assert f"{label}  " in row(replace(READ, label=label), width) or width < 60


@pytest.mark.parametrize("width", range(1, 401))
def test_a_row_is_exactly_as_wide_as_asked(width: int) -> None:
    titles = (
        READ,
        replace(READ, subject="日本語" * 40, detail="説明" * 20),
        replace(READ, subject="", detail=""),
        replace(READ, label="a_tool_with_a_very_long_name_indeed", kind=ToolKind.UNKNOWN),
        replace(READ, time=None, duration=None),
        replace(READ, time=1e30, duration=1e9),
        Title(RowKind.USER, "you", "Fix it " * 90, "3 lines", StatusIcon.NONE, MOMENT),
    )
    for title in titles:
        strip = title_strip(title, wide(width))
        assert sum(segment.cell_length for segment in strip) == strip.cell_length == width
        assert not CONTROL.search(strip.text)


def test_the_end_of_a_path_is_what_is_kept() -> None:
    deep = replace(READ, subject="src/" + "very/" * 30 + "deep.py", detail="")
    assert "…" in row(deep, 80)
    assert "very/deep.py" in row(deep, 80)
    query = replace(deep, kind=ToolKind.GREP)
    assert "src/very/" in row(query, 80)


def test_a_long_detail_leaves_room_for_the_subject() -> None:
    text = row(replace(READ, detail="because " * 30), 80)
    assert "src/retry.py" in text
    assert "because because" in text


@pytest.mark.parametrize("mark", StatusIcon)
def test_every_state_has_its_sign_in_both_sets(mark: StatusIcon) -> None:
    title = replace(READ, mark=mark)
    unicode_row, ascii_row = row(title, 80), title_strip(title, replace(SPACE, glyphs=ASCII)).text
    assert (unicode_row[10] == " ") == (mark is StatusIcon.NONE)
    assert ascii_row[10].isascii()
    assert (ascii_row[10] == " ") == (mark is StatusIcon.NONE)
    assert len(set(ASCII.marks.values())) == len(StatusIcon)


def test_a_detail_keeps_to_ascii_signs_where_marks_do() -> None:
    title = replace(READ, detail="2 files  +3 −1 · 640×480 …")
    assert "  2 files  +3 -1 - 640x480 ~" in title_strip(title, replace(SPACE, glyphs=ASCII)).text


def test_a_person_is_marked_by_a_bar() -> None:
    text = row(Title(RowKind.USER, "you", "hello", time=MOMENT), 80)
    assert text.startswith(" 13:48:08  ▎you        hello")


def test_a_failure_is_in_the_error_colour() -> None:
    failed = title_strip(replace(READ, mark=StatusIcon.FAILED, detail="exit 1"), SPACE)
    styles = {segment.text.strip(): segment.style for segment in failed}
    assert styles["✗"] == styles["exit 1"] == styles["Read"] == PALETTE.error


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.21, "0.2s"), (9.94, "9.9s"), (9.96, "10s"), (59.4, "59s"), (65, "1m05s"), (3_900, "1h05m")],
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_whether_a_subject_fits_is_told_as_it_is_drawn() -> None:
    for width in range(24, 120):
        cut = "…" in row(replace(READ, kind=ToolKind.GREP), width)
        assert subject_fits(READ, width) == (not cut), width
        assert columns_of(width).subject < width


def test_what_ends_in_an_ellipsis_gets_no_second_one() -> None:
    cut = replace(READ, subject="x" * 30 + "…" + "y" * 60, detail="")
    for width in range(40, 90):
        assert "……" not in row(cut, width)
        assert "… …" not in row(cut, width)

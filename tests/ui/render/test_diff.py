"""Diffs: numbers, signs, word marks, one below another and side by side."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from agentview.domain.tool_inputs import FileOperation
from agentview.domain.tool_results import Hunk
from agentview.timeline.view.diff.from_call import FileDiff, compare
from agentview.timeline.view.diff.word_diff import changed_words
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import palette_of
from agentview.ui.themes import load_theme, theme_directories
from tests.ui.activities import HUNK, HUNK_BELOW
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

DIFF = FileDiff("src/retry.py", hunks=(HUNK, HUNK_BELOW))


def test_lines_have_the_numbers_of_both_files() -> None:
    assert texts(diff_body(DIFF, SPACE)) == [
        "39 39",
        "40 40   def delay(attempt: int) -> float:",
        '41 41       """Seconds to wait before an attempt."""',
        "42    -     return base * 2 ** attempt",
        "   42 +     wait = base * 2 ** attempt",
        "   43 +     return min(cap, wait)",
        "43 44",
        "44 45",
        "45 46   def attempts() -> int:",
        " … 34 unchanged lines …",
        "80 81   class Client:",
        "81    -     timeout = 10",
        "   82 +     timeout = 30",
        "82 83       retries = 3",
        "83 84",
    ]


def test_without_room_each_line_has_one_number() -> None:
    rows = texts(diff_body(DIFF, wide(60)))
    assert rows[2:6] == [
        '41       """Seconds to wait before an attempt."""',
        "42 -     return base * 2 ** attempt",
        "42 +     wait = base * 2 ** attempt",
        "43 +     return min(cap, wait)",
    ]


def test_what_a_hunk_is_in_stands_above_it() -> None:
    diff = replace(DIFF, hunks=(HUNK, replace(HUNK_BELOW, heading="class\x1b[31m Client:")))
    assert " … 34 unchanged lines …  class␛[31m Client:" in texts(diff_body(diff, SPACE))
    lost = replace(diff, hunks=diff.hunks[1:], numbered=False)
    assert texts(diff_body(lost, SPACE))[:2] == ["…  class␛[31m Client:", "  class Client:"]


def test_an_excerpt_has_no_numbers() -> None:
    diff = FileDiff("a.py", hunks=compare("a\nb\n", "a\nc\n")[0], numbered=False)
    assert texts(diff_body(diff, SPACE)) == ["  a", "- b", "+ c"]


def test_changed_words_and_lines_are_shaded() -> None:
    body = diff_body(DIFF, SPACE)
    ten, thirty, timeout = styled(body, "10"), styled(body, "30"), styled(body, "timeout")
    assert ten
    assert ten.bgcolor == PALETTE.removed_word.bgcolor
    assert thirty
    assert thirty.bgcolor == PALETTE.added_word.bgcolor
    assert timeout
    assert timeout.bgcolor == PALETTE.removed.bgcolor
    assert body.strips(11, 12)[0].cell_length == SPACE.width


def test_white_space_that_changed_or_ends_an_added_line_is_marked() -> None:
    hunks = (Hunk(1, 2, 1, 2, ("-\tx = 1", "+    x = 1", "-y", "+y  ")),)
    body = diff_body(FileDiff("a.txt", hunks=hunks), SPACE)
    words = PALETTE.removed_word.bgcolor, PALETTE.added_word.bgcolor
    marked = [
        [segment.text for segment in strip if segment.style and segment.style.bgcolor in words]
        for strip in body.strips(0, 4)
    ]
    assert marked == [["    "], ["    "], [], ["  "]]


def test_carriage_returns_show_where_only_some_lines_have_them() -> None:
    every = FileDiff("a.txt", hunks=(Hunk(1, 2, 1, 2, (" a\r", "-b\r", "+c\r")),))
    assert [row.split()[-1] for row in texts(diff_body(every, SPACE))] == ["a", "b", "c"]
    some = FileDiff("a.txt", hunks=(Hunk(1, 2, 1, 2, (" a\r", "-b", "+b\r")),))
    assert [row.split()[-1] for row in texts(diff_body(some, SPACE))] == ["a␍", "b", "b␍"]


def test_words_are_marked_only_where_lines_have_something_in_common() -> None:
    assert changed_words("a = foo(1)", "a = foo(2)") == (((8, 9),), ((8, 9),))
    assert changed_words("return base", "import os, sys, re") is None
    assert changed_words("x" * 5_000, "y") is None
    assert changed_words("a b c d e", "a X Y d e") == (((2, 5),), ((2, 5),))


def test_old_and_new_stand_side_by_side_where_there_is_room() -> None:
    rows = texts(diff_body(DIFF, wide(120)))
    assert len(rows) == 13
    left, right = rows[3].split("│")
    assert left.strip() == "42 -     return base * 2 ** attempt"
    assert right.strip() == "42 +     wait = base * 2 ** attempt"
    assert rows[4].split("│")[0].strip() == ""
    left, right = rows[10].split("│")
    assert (left.split()[0], right.split()[0]) == ("81", "82")
    assert rows[8] == " … 34 unchanged lines …"


@pytest.mark.parametrize(
    ("width", "split", "beside"),
    [(120, None, True), (100, None, False), (120, False, False), (90, True, True),
     (60, True, False)],
)  # fmt: skip
def test_side_by_side_by_width_or_when_asked_for(
    width: int, split: bool | None, beside: bool
) -> None:
    assert ("│" in texts(diff_body(DIFF, wide(width, split=split)))[0]) is beside


def test_a_new_file_stands_in_one_column_with_one_number() -> None:
    diff = FileDiff("a.py", FileOperation.CREATE, hunks=compare("", "a\nb\n")[0])
    assert texts(diff_body(diff, wide(120, split=True))) == ["1 + a", "2 + b"]


def test_a_pair_takes_the_rows_of_its_longer_side() -> None:
    hunk = Hunk(1, 1, 1, 1, ("-" + "a" * 100, "+b"))
    body = diff_body(FileDiff("a.txt", hunks=(hunk,)), wide(90, split=True))
    assert body.height == 3
    assert texts(body)[1].rstrip(" │") == "    " + "a" * 39
    cut = diff_body(FileDiff("a.txt", hunks=(hunk,)), wide(90, split=True), fold=False)
    assert texts(cut) == ["1 - " + "a" * 38 + "…" + " │ 1 + b"]


def test_where_lines_have_no_background_their_colour_tells() -> None:
    palette = palette_of(load_theme("ansi-16", theme_directories()))
    body = diff_body(DIFF, RenderContext(80, palette))
    assert styled(body, "retries") == palette.text
    added = styled(body, "min(cap, wait)")
    assert added
    assert added.color == palette.added.color


def test_what_is_missing_or_coarse_is_said() -> None:
    assert texts(diff_body(FileDiff("a", known=False), SPACE)) == [
        "the log does not have the change"
    ]
    coarse = FileDiff("a", hunks=(Hunk(1, 1, 1, 1, ("-a", "+b")),), coarse=True)
    assert texts(diff_body(coarse, SPACE))[0] == "compared coarsely: too much has changed"
    marker = FileDiff("a", hunks=(Hunk(1, 1, 1, 1, ("-a", "+b", "\\ No newline at end of file")),))
    assert texts(diff_body(marker, SPACE))[2].strip() == "No newline at end of file"


_TEXT = st.lists(st.text(st.sampled_from("ab \t\r漢é\u0301👩\x1b(#"), max_size=40), max_size=9).map(
    "\n".join
)


@settings(max_examples=120)
@given(_TEXT, _TEXT, st.integers(4, 200), st.sampled_from([None, True, False]), st.booleans())
def test_rows_are_as_counted(
    old: str, new: str, width: int, split: bool | None, fold: bool
) -> None:
    diff = FileDiff("a.py", hunks=compare(old, new, whole=True)[0])
    body = diff_body(diff, wide(width, split=split), fold=fold)
    strips = list(body.strips(0, body.height))
    assert len(strips) == body.height
    assert all(strip.cell_length <= width for strip in strips)
    assert all(strip.cell_length == cell_len(strip.text) for strip in strips)
    assert list(body.strips(1, 3)) == strips[1:3]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(" +-"), st.booleans()), max_size=40))
def test_every_line_is_shown_once(lines: list[tuple[str, bool]]) -> None:
    """Each line has a number for a name; with it, its text is longer than a column."""
    named = tuple(f"{sign}<{at}>{'x' * 90 * long}" for at, (sign, long) in enumerate(lines))
    diff = FileDiff("a.txt", hunks=(Hunk(1, 1, 1, 1, named),), numbered=False)
    unified = "".join(texts(diff_body(diff, SPACE)))
    assert re.findall(r"<(\d+)>", unified) == [str(at) for at in range(len(lines))]
    split = texts(diff_body(diff, wide(90, split=True)))
    if {sign for sign, _ in lines} >= {"+", "-"} or any(sign == " " for sign, _ in lines):
        for column, gone in ((0, "+"), (1, "-")):
            shown = "".join(row.split("│")[column] for row in split)
            assert re.findall(r"<(\d+)>", shown) == [
                str(at) for at, (sign, _) in enumerate(lines) if sign != gone
            ]
            assert shown.count("x") == 90 * sum(long for sign, long in lines if sign != gone)


def test_a_long_diff_reads_only_what_is_seen() -> None:
    text = "\n".join(f"x = {at}" for at in range(20_000))
    diff = FileDiff("a.py", hunks=compare(text, text.replace("x", "y"))[0])
    for width in (80, 120):
        body = diff_body(diff, wide(width))
        assert body.height == 20_000 * (2 if width == 80 else 1)
        last = body.strips(body.height - 1, body.height)[0]
        assert last.text.rstrip().endswith("y = 19999")
        colors = {segment.style.color for segment in last if segment.style and segment.text.strip()}
        assert PALETTE.number.color in colors or PALETTE.literal.color in colors

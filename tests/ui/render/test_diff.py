"""Diffs: numbers, signs, word marks, one below another and side by side."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.results import Hunk
from agentview.theming import load_theme, theme_directories
from agentview.timeline.hunks import FileDiff, compare
from agentview.ui.render.body import Space
from agentview.ui.render.diff import changed_words, diff_body
from agentview.ui.render.palette import palette_of
from tests.ui.activities import HUNK, HUNK_BELOW
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

DIFF = FileDiff("src/retry.py", hunks=(HUNK, HUNK_BELOW))


def test_lines_have_the_numbers_of_the_file() -> None:
    assert texts(diff_body(DIFF, SPACE)) == [
        "39",
        "40   def delay(attempt: int) -> float:",
        '41       """Seconds to wait before an attempt."""',
        "42 -     return base * 2 ** attempt",
        "42 +     wait = base * 2 ** attempt",
        "43 +     return min(cap, wait)",
        "44",
        "45",
        "46   def attempts() -> int:",
        " …",
        "81   class Client:",
        "81 -     timeout = 10",
        "82 +     timeout = 30",
        "83       retries = 3",
        "84",
    ]


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


def test_words_are_marked_only_where_lines_have_something_in_common() -> None:
    assert changed_words("a = foo(1)", "a = foo(2)") == (((8, 9),), ((8, 9),))
    assert changed_words("return base", "import os, sys, re") is None
    assert changed_words("x" * 5_000, "y") is None
    assert changed_words("a b c d e", "a X Y d e") == (((2, 5),), ((2, 5),))


def test_old_and_new_stand_side_by_side_where_there_is_room() -> None:
    rows = texts(diff_body(DIFF, wide(120, split=True)))
    assert len(rows) == 13
    left, right = rows[3].split("│")
    assert left.strip() == "42 -     return base * 2 ** attempt"
    assert right.strip() == "42 +     wait = base * 2 ** attempt"
    assert rows[4].split("│")[0].strip() == ""
    left, right = rows[10].split("│")
    assert (left.split()[0], right.split()[0]) == ("81", "82")
    assert texts(diff_body(DIFF, wide(60, split=True))) == texts(diff_body(DIFF, wide(60)))


def test_a_pair_takes_the_rows_of_its_longer_side() -> None:
    hunk = Hunk(1, 1, 1, 1, ("-" + "a" * 100, "+b"))
    body = diff_body(FileDiff("a.txt", hunks=(hunk,)), wide(90, split=True))
    assert body.height == 3
    assert texts(body)[1].rstrip(" │") == "    " + "a" * 39


def test_where_lines_have_no_background_their_colour_tells() -> None:
    palette = palette_of(load_theme("ansi-16", theme_directories()))
    body = diff_body(DIFF, Space(80, palette))
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


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text(max_size=30), max_size=8).map("\n".join),
    st.lists(st.text(max_size=30), max_size=8).map("\n".join),
    st.integers(4, 200),
    st.booleans(),
    st.booleans(),
)
def test_rows_are_as_counted(old: str, new: str, width: int, split: bool, fold: bool) -> None:
    diff = FileDiff("a.py", hunks=compare(old, new)[0])
    body = diff_body(diff, wide(width, split=split), fold=fold)
    strips = list(body.strips(0, body.height))
    assert len(strips) == body.height
    assert all(strip.cell_length <= width for strip in strips)
    assert list(body.strips(1, 3)) == strips[1:3]

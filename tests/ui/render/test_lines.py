"""Text as rows: cropped, folded and wrapped, with nothing lost and nothing too wide."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from agentview.timeline.view.sanitize import clean
from agentview.ui.render.text_lines import (
    LineRows,
    Rows,
    fit,
    fold_count,
    fold_cuts,
    head,
    over,
    slice_pieces,
    split_lines,
    tail,
    text_rows,
    wrap,
)
from tests.ui.render.looks import PALETTE, texts, wide

PLAIN = Style.null()
TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("日本한é \t\x1b\u0301\U0001f600")), max_size=80
)


@given(st.lists(TEXT, max_size=4), st.integers(0, 60))
def test_a_row_is_never_wider_than_its_room(parts: list[str], width: int) -> None:
    strip = fit([(part, PLAIN) for part in parts], width)
    assert sum(cell_len(segment.text) for segment in strip) == strip.cell_length <= width


def test_a_row_that_is_too_wide_ends_in_an_ellipsis() -> None:
    assert fit([("abc", PLAIN), ("def", PLAIN)], 6).text == "abcdef"
    assert fit([("abc", PLAIN), ("def", PLAIN)], 5).text == "abcd…"
    assert fit([("日本語", PLAIN)], 5).text == "日本…"
    assert fit([("日本語", PLAIN)], 4).text == "日…"
    assert fit([("x" * 5_000_000, PLAIN)], 3).text == "xx…"
    assert fit([("ab", PLAIN)], 0).cell_length == 0


@given(TEXT.map(clean), st.integers(0, 50))
def test_head_and_tail_are_as_much_as_fits(text: str, width: int) -> None:
    start, end = head(text, width), tail(text, width)
    assert text.startswith(start)
    assert text.endswith(end)
    assert cell_len(start) <= width
    assert cell_len(end) <= width
    if cell_len(text) <= width:
        assert start == text


@given(TEXT.map(clean), st.integers(2, 40))
def test_folding_loses_nothing(text: str, width: int) -> None:
    cuts = [0, *fold_cuts(text, width), len(text)]
    parts = [text[a:b] for a, b in pairwise(cuts)]
    assert "".join(parts) == text
    assert len(parts) == fold_count(text, width)
    assert all(cell_len(part) <= width for part in parts)


def test_a_very_long_line_of_wide_characters_is_folded_by_count() -> None:
    line = "日" * 100_000
    assert fold_count(line, 80) == 2_500
    assert text_rows(line, wide(80), PLAIN).strips(2_499, 2_500)[0].cell_length == 80


@pytest.mark.parametrize("place", [0, 1, 79, 80, 4_999, 499_999])
def test_one_wide_character_in_a_very_long_line_costs_no_room(place: int) -> None:
    line = "x" * place + "😀" + "x" * (500_000 - place)
    cuts = fold_cuts(line, 80)
    assert fold_count(line, 80) == len(cuts) + 1
    assert len(cuts) + 1 in (6_251, 6_252)
    assert {end - start for start, end in pairwise(cuts)} <= {79, 80}


@given(st.lists(TEXT, max_size=5), st.integers(1, 40))
def test_wrapping_keeps_every_word(parts: list[str], width: int) -> None:
    width = max(2, width)
    rows = wrap([(part, PLAIN) for part in parts], width)
    assert all(sum(cell_len(text) for text, _ in row) <= width for row in rows)
    wrapped = "".join(text for row in rows for text, _ in row).replace(" ", "")
    lines = [clean(line) for part in parts for line in part.split("\n")]
    assert wrapped == "".join(lines).replace(" ", "")


def test_words_of_several_styles_stay_together() -> None:
    bold = Style(bold=True)
    rows = wrap([("a bold", PLAIN), ("ness, ", bold), ("here", PLAIN)], 9)
    assert ["".join(text for text, _ in row) for row in rows] == ["a", "boldness,", "here"]
    assert rows[1][1] == ("ness,", bold)


def test_line_ends_and_indents_of_prose_are_kept() -> None:
    rows = wrap([("one\n\n  two three", PLAIN)], 8)
    assert ["".join(text for text, _ in row) for row in rows] == ["one", "", "  two", "three"]


def test_pieces_are_cut_and_laid_over_by_place() -> None:
    pieces = [("abc", PLAIN), ("def", PLAIN)]
    assert slice_pieces(pieces, 2, 4) == [("c", PLAIN), ("d", PLAIN)]
    mark = Style(reverse=True)
    laid = over(pieces, [(1, 2), (3, 6)], mark)
    assert "".join(text for text, _ in laid) == "abcdef"
    assert [(text, bool(style)) for text, style in laid] == [
        ("a", False),
        ("b", True),
        ("c", False),
        ("def", True),
    ]


def test_lines_end_at_line_feeds_alone() -> None:
    assert split_lines("a\r\nb\n") == ["a", "b"]
    assert split_lines("a\x0bb\u2028c") == ["a\x0bb\u2028c"]
    assert split_lines("") == []
    assert split_lines("\n") == [""]


@given(st.lists(TEXT, max_size=8).map("\n".join), st.integers(2, 60), st.booleans())
def test_counted_rows_are_made_rows(text: str, width: int, fold: bool) -> None:
    body = text_rows(text, wide(width), PLAIN, fold=fold)
    strips = body.strips(0, body.height)
    assert len(strips) == body.height
    assert all(strip.cell_length <= width for strip in strips)
    for row in range(0, body.height, 2):
        assert body.strips(row, row + 1) == strips[row : row + 1]
    if fold:
        shown = "".join(strip.text for strip in strips)
        assert shown == "".join(clean(line) for line in split_lines(text))


def test_only_lines_in_view_are_painted() -> None:
    painted: list[int] = []

    def paint(index: int) -> list[tuple[str, Style]]:
        painted.append(index)
        return [("x" * 25, PLAIN)]

    body = LineRows(1_000_000, lambda _: "x" * 25, paint, wide(10), fold=False)
    assert body.height == 1_000_000
    assert len(body.strips(500_000, 500_010)) == 10
    assert painted == list(range(500_000, 500_010))
    folded = LineRows(100, lambda _: "x" * 25, paint, wide(10))
    painted.clear()
    assert folded.height == 300
    assert [strip.text for strip in folded.strips(2, 5)] == ["xxxxx", "x" * 10, "x" * 10]
    assert painted == [0, 1]


def test_a_prefix_stands_before_every_row_and_a_fill_behind_the_text() -> None:
    shade = Style(bgcolor="red")
    body = LineRows(
        1,
        lambda _: "abcdef",
        lambda _: [("abcdef", PLAIN)],
        wide(6),
        prefix=lambda _, first: [("1 " if first else "  ", PALETTE.dim)],
        prefix_width=2,
        fill=lambda _: shade,
    )
    assert texts(body) == ["1 abcd", "  ef"]
    assert body.strips(1, 2)[0].cell_length == 6


def test_known_rows_are_cropped() -> None:
    assert texts(Rows([[("abcdef", PLAIN)], []], wide(4))) == ["abc…", ""]
    assert Rows([], wide(4)).strips(0, 5) == []

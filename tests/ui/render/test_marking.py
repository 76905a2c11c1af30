from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentview.ui.render.style.highlight_matches import mark_bookmark, mark_found
from agentview.ui.render.style.query_pattern import found_pattern

FOUND = Style(bgcolor="yellow")


def _marked(text: str, query: str, first: int = 0, end: int = 999) -> list[str]:
    strip = Strip([Segment(text[:3], Style(bold=True)), Segment(text[3:])])
    pattern = found_pattern(query)
    assert pattern is not None
    made = mark_found(strip, pattern, FOUND, first, end)
    assert made.text == text
    assert made.cell_length == strip.cell_length
    spans: list[str] = []
    inside = False
    for part, style, _ in made:
        marked = style is not None and style.bgcolor == FOUND.bgcolor
        if marked and inside:
            spans[-1] += part
        elif marked:
            spans.append(part)
        inside = marked
    return spans


def test_every_place_is_marked_across_styles_and_wide_characters() -> None:
    assert _marked("needle 日本 Needle", "needle") == ["needle", "Needle"]
    assert _marked("a 日本語 🎉 b", "本語") == ["本語"]
    assert _marked("a 日本語 🎉 b", '"🎉 b"') == ["🎉 b"]
    assert _marked("Needle needle", "Needle") == ["Needle"]


def test_signs_of_patterns_are_text() -> None:
    assert _marked("x a.*b[c] y", "a.*b[c]") == ["a.*b[c]"]
    assert _marked("axxb", "a.*b") == []


def test_line_ends_and_tabs_are_found_as_rows_show_them() -> None:
    assert _marked("one two", '"one\n\ttwo"') == ["one two"]
    assert _marked("one two", "one two") == ["one", "two"]
    assert found_pattern(" \n") is None


def test_nothing_is_marked_outside_the_text() -> None:
    assert _marked("12 12 12", "12", 2, 6) == ["12"]


def test_a_bookmark_takes_the_first_cell_or_turns_the_sign_there() -> None:
    strip = Strip([Segment(" 10:00 x")])
    assert mark_bookmark(strip, 1, "»", Style()).text == "»10:00 x"
    turned = mark_bookmark(Strip([Segment("✓ x")]), 0, "»", Style())
    assert turned.text == "✓ x"
    assert [style.reverse for _, style, _ in turned if style] == [True]

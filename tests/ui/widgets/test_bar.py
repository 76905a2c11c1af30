from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agentview.ui.widgets.bar import Form, Part, fit, lay_out, part

TEXT = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "So"]), max_size=40)
FORMS = st.lists(TEXT.map(lambda text: ((text, ""),)), min_size=1, max_size=3)
PARTS = st.lists(
    st.builds(
        Part,
        forms=FORMS.map(tuple),
        priority=st.integers(0, 99),
        elastic=st.booleans(),
        right=st.booleans(),
    ),
    max_size=8,
)


def _text(forms: list[Form]) -> str:
    return "  ".join("".join(text for text, _ in form) for form in forms)


@settings(max_examples=200, deadline=None)
@given(PARTS, st.integers(0, 200))
def test_never_wider_than_there_is_room(parts: list[Part], width: int) -> None:
    left, right = lay_out(parts, width)
    gap = 2 if left and right else 0
    assert cell_len(_text(left)) + cell_len(_text(right)) + gap <= max(width, 0)


def test_the_least_needed_gives_way_first_and_by_its_forms() -> None:
    parts = [
        part("title that is long", "", 100, elastic=True),
        Part(((("state 4m ago", ""),), (("state", ""),)), 90, right=True),
        part("branch", "", 10, right=True),
    ]
    assert _text(lay_out(parts, 60)[1]) == "state 4m ago  branch"
    assert _text(lay_out(parts, 36)[1]) == "state 4m ago"
    left, right = lay_out(parts, 26)
    assert _text(left) == "title that is long"
    assert _text(right) == "state"
    assert lay_out(parts, 10) == ([(("title tha…", ""),)], [])


def test_text_is_cut_by_cells() -> None:
    assert fit("日本語", 6) == "日本語"
    assert fit("日本語", 5) == "日本…"
    assert fit("日本語", 1) == "…"
    assert fit("日本語", 0) == ""

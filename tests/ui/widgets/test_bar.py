from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.app import App, ComposeResult

from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.usage_limit import UsageLimit
from agentview.timeline.view.limit_text import LimitWords, limit_words
from agentview.ui.widgets.home_header import HomeHeader
from agentview.ui.widgets.responsive_bar import (
    Bar,
    Form,
    Part,
    distinct_fits,
    fit,
    lay_out,
    limit_forms,
    part,
)
from agentview.ui.widgets.state_marks import Role, mark_of_status

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


def test_what_gave_way_comes_back_where_a_later_one_made_room() -> None:
    keys = [part(f"{key} does", "", 40 - at, right=True) for at, key in enumerate("abcdef")]
    counts = Part(((("many counts of all kinds", ""),), (("few", ""),)), 80, longer=(35,))
    assert [_text(side) for side in lay_out([counts, *keys], 40)] == [
        "few",
        "a does  b does  c does  d does",
    ]
    title = part("a long title", "", 90, elastic=True)
    wide = part("a wide branch name", "", 20)
    small = part("$1", "", 10)
    assert _text(lay_out([title, wide, small], 17)[0]) == "a long title  $1"
    # It is not cut for what comes back.
    assert _text(lay_out([title, wide, small], 15)[0]) == "a long title"


@pytest.mark.slow
@settings(max_examples=200)
@given(PARTS, st.integers(0, 200))
def test_never_wider_than_there_is_room(parts: list[Part], width: int) -> None:
    left, right = lay_out(parts, width)
    gap = 2 if left and right else 0
    assert cell_len(_text(left)) + cell_len(_text(right)) + gap <= max(width, 0)


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (80, "◆ agentview  1 Board  2 Sessions  3 Search 3 need you  17 live sessions"),
        (60, "◆  1 Board  2 Sessions  3 Search 3 need you"),
        (40, "1 Board  2 Sessions  3 3 need you"),
        (30, "1 Board  2  3 3 need you"),
        (20, "1 Board 3 need you"),
    ],
)
def test_what_needs_somebody_stays_in_a_narrow_board(width: int, text: str) -> None:
    header = HomeHeader(["Board", "Sessions", "Search"], 0)
    header.show("", "", "", "17 live sessions")
    header.show_attention(("3 need you: shop rm -rf build", "3 need you"), "", LimitWords())
    assert not header.FILLED
    sides = lay_out(header.parts(), width, filled=False)
    assert " ".join(filter(None, map(_text, sides))) == text


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


class _Counting(Bar):
    """Counts the times that a style was reckoned."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--one", "bar--other"}
    DEFAULT_CSS = """
    _Counting { background: $surface; }
    _Counting .bar--one { color: $accent; }
    _Counting .bar--other { color: $text-muted; }
    """
    drawn = 0
    reckoned = 0

    def parts(self) -> Sequence[Part]:
        self.drawn += 1
        return [part(f"drawn {self.drawn}", "bar--one", 2), part("times", "bar--other", 1)]

    def get_component_rich_style(
        self, *names: str, partial: bool = False, default: Style | None = None
    ) -> Style:
        self.reckoned += 1
        return super().get_component_rich_style(*names, partial=partial, default=default)

    def colours(self) -> list[str]:
        """Of the parts, as they would be drawn now."""
        styles = [segment.style for segment in self.render_line(0) if segment.text.strip()]
        return [str(style.color) + str(style.bgcolor) for style in styles if style]


class _BarApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.bar = _Counting()

    def compose(self) -> ComposeResult:
        yield self.bar


async def test_styles_are_reckoned_once_and_anew_in_another_theme() -> None:
    app = _BarApp()
    async with app.run_test() as pilot:
        bar = app.bar
        before, drawn, reckoned = bar.colours(), bar.drawn, bar.reckoned
        for _ in range(3):
            bar.refresh()
            await pilot.pause()
        assert bar.drawn > drawn
        assert bar.reckoned == reckoned
        app.theme = "textual-light"
        await pilot.pause()
        after = bar.colours()
        assert len(before) == len(after) == 2
        assert all(one != other for one, other in zip(before, after, strict=True))
        bar.styles.background = "red"
        assert bar.colours() != after


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["client-a/repo", "client-b/repo"], ["client-a/re…", "client-b/re…"]),
        (["frontend-components"], ["fronte…nents"]),
        (["the-same-word-1", "the-same-word-2"], ["the-sa…ord-1", "the-sa…ord-2"]),
        (["the-same-word/1-a", "the-same-word/1-b"], ["the-sa…d/1-a", "the-sa…d/1-b"]),
        (["long-prefix-1-long-suffix", "long-prefix-2-long-suffix"], ["long-p…uffix"] * 2),
        (["shop", "shop"], ["shop", "shop"]),
    ],
)
def test_names_stay_distinct_where_they_are_cut(names: list[str], shown: list[str]) -> None:
    found = distinct_fits(names, 12)
    assert [found[name] for name in names] == shown


def test_a_limit_says_when_it_will_be_full_in_its_long_forms() -> None:
    hour = 3600.0
    limit = UsageLimit("a", None, 5 * hour, 0.8, 5 * hour, 2 * hour)
    (whole, *_, short) = limit_forms(limit_words({"codex": (limit,)}, 2 * hour))
    assert whole[0][0] == "codex 5h 20% left until 05:00, full at 02:30?"
    assert short[0][0] == "codex 5h 20%"


def test_only_the_limit_that_is_nearly_used_stands_out() -> None:
    limits = (UsageLimit("a", None, 5 * 3600.0, 0.88), UsageLimit("b", None, 7 * 86_400.0, 0.42))
    (every, *_, short) = limit_forms(limit_words({"codex": limits}, 0.0))
    assert every == (
        ("codex 5h 12% left", "bar--full"),
        (" · ", "bar--quiet"),
        ("codex 7d 58% left", "bar--quiet"),
    )
    assert short == (("codex 5h 12%", "bar--full"),)


def test_states_of_one_role_have_marks_of_their_own() -> None:
    """The library shows the mark alone; both kinds of requests need the person alike."""
    marks = {state: mark_of_status(SessionStatus(state)).sign for state in SessionState}
    del marks[SessionState.NEEDS_ANSWER]
    assert len(set(marks.values())) == len(marks)


def test_what_may_be_a_wait_stands_out_from_what_may_be_over() -> None:
    def role(state: SessionState) -> Role:
        return mark_of_status(SessionStatus(state, certain=False)).role

    assert role(SessionState.WORKING) is Role.ATTENTION
    assert role(SessionState.NEEDS_APPROVAL) is Role.ATTENTION
    assert role(SessionState.YOUR_TURN) is Role.QUIET

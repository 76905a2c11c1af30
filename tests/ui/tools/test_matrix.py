"""Every kind at every level in every state looks as it did when it was last looked at.

After a change that is meant to be seen: `python -m tests.ui.tools.matrix`, then look at the
pictures.
"""

import os
import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from agentview.domain.content import TextBlock
from agentview.domain.tool_results import WebSearchResult
from agentview.domain.tools import ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.title import title_of
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from tests.ui.activities import CALLS, ERROR, WORDS, activity
from tests.ui.hostile import CONTROL
from tests.ui.tools.matrix import (
    BESIDE,
    FOLDER,
    LEVELS,
    PALETTE,
    STATES,
    WIDTH,
    rows_of,
    sheet,
    view,
    written,
)


@pytest.fixture(autouse=True)
def in_utc() -> Iterator[None]:
    """Times of day as they were written down."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize("kind", ToolKind)
def test_it_looks_as_it_did(kind: ToolKind) -> None:
    assert written(kind) == (FOLDER / f"{kind.value}.txt").read_text(encoding="utf-8")
    assert sheet(kind) == (FOLDER / f"{kind.value}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ToolKind)
def test_blocks_beside_the_result_are_shown_once(kind: ToolKind) -> None:
    call = CALLS[kind]
    mixed = (*call.output, *BESIDE)
    for shown in (
        replace(call, output=mixed),
        replace(call, output=mixed, result=None),
        replace(call, output=mixed, result=None, error="it failed", ok=False),
    ):
        body = RowLayout(activity(shown), DetailLevel.FULL, RenderContext(WIDTH, PALETTE))
        text = "\n".join("".join(segment.text for segment in row) for row in rows_of(body))
        for said in ("beside.png", "beside.md", "the text beside", "a link", "a title beside"):
            assert text.count(said) == 1, (said, text)


def test_a_text_of_several_that_the_typed_result_lacks_is_shown() -> None:
    call = CALLS[ToolKind.SHELL]
    texts = (TextBlock("FROM THE HOOK"), *call.output, TextBlock("AT THE END"))
    body = RowLayout(
        activity(replace(call, output=texts)), DetailLevel.FULL, RenderContext(WIDTH, PALETTE)
    )
    text = "\n".join("".join(segment.text for segment in row) for row in rows_of(body))
    assert (text.count("FROM THE HOOK"), text.count("AT THE END")) == (1, 1)


def test_no_picture_is_left_of_what_is_no_more() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {kind.value for kind in ToolKind}


@pytest.mark.parametrize("kind", ToolKind)
def test_rows_are_straight(kind: ToolKind) -> None:
    for state in STATES:
        for level in LEVELS:
            for row in rows_of(view(kind, state, level)):
                assert sum(segment.cell_length for segment in row) == WIDTH
                assert not any(CONTROL.search(segment.text) for segment in row)


@pytest.mark.parametrize(
    ("state", "mark", "said"),
    [
        ("streaming", "◌", ["arguments so far", '{"path": "src/ret']),
        ("waiting", "●", []),
        ("running", "●", ["12s"]),
        ("failed", "✗", ERROR.splitlines()),
        ("denied", "⊘", ["by you", WORDS]),
        ("interrupted", "✗", ["interrupted"]),
        ("abandoned", "○", ["no result", "the log went on without a result"]),
    ],
)
@pytest.mark.parametrize("kind", ToolKind)
def test_every_state_is_told_at_summary_and_full(
    kind: ToolKind, state: str, mark: str, said: list[str]
) -> None:
    for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
        rows = ["".join(piece.text for piece in row) for row in rows_of(view(kind, state, level))]
        assert f" {mark} " in rows[0]
        for words in said:
            assert any(words in row for row in rows)


def test_a_search_that_was_answered_in_words_has_no_count_of_results() -> None:
    call = CALLS[ToolKind.WEB_SEARCH]
    told = replace(
        call, result=WebSearchResult((), "Two pages."), output=(TextBlock("Two pages."),)
    )
    assert "result" not in title_of(activity(told)).detail
    empty = replace(call, result=WebSearchResult(), output=())
    assert title_of(activity(empty)).detail == "no results"

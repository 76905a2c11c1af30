"""Every kind at every level in every state looks as it did when it was last looked at.

After a change that is meant to be seen: `python -m tests.ui.tools.matrix`, then look at the
pictures.
"""

import os
import time
from collections.abc import Iterator

import pytest

from agentview.domain.tools import ToolKind
from agentview.timeline.detail_levels import DetailLevel
from tests.ui.activities import ERROR, WORDS
from tests.ui.hostile import CONTROL
from tests.ui.tools.matrix import FOLDER, LEVELS, STATES, WIDTH, rows_of, sheet, view, written


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
        ("denied", "⊘", ["denied by you", WORDS]),
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

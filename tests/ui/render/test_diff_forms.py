"""Diffs look as they did when they were last looked at, and their files fold."""

import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.collapsible import NO_FOLDS
from tests.ui.render.diff_forms import FOLDER, FORMS, WIDTHS, sheet
from tests.ui.render.looks import SPACE
from tests.ui.tools.matrix import PALETTE


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of day as they were written down."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("width", WIDTHS)
def test_they_look_as_they_did(width: int) -> None:
    assert sheet(width) == (FOLDER / f"{width}.svg").read_text(encoding="utf-8")


def test_a_file_of_several_folds_by_its_line_and_a_long_one_is_folded_at_first() -> None:
    space = replace(SPACE, palette=PALETTE)
    view = RowLayout(FORMS["several files"], DetailLevel.FULL, space)
    heads = [
        (row, strip.text[12:].split())
        for row, strip in enumerate(view.strips(0, view.height))
        if view.fold_at(row) is not None
    ]
    assert [words[0] for _, words in heads] == ["▾"] * 6 + ["▸"] + ["▾"] * 2
    assert heads[0][1] == ["▾", "src/retry.py", "changed", "+6", "−4"]
    assert heads[6][1] == ["▸", "lock.json", "changed", "+700", "−700"]
    key = view.fold_at(heads[0][0])
    assert key is not None
    folds = NO_FOLDS.toggle(key)
    folded = RowLayout(FORMS["several files"], DetailLevel.FULL, replace(space, folds=folds))
    assert folded.strips(1, 2)[0].text[12:].split() == ["▸", *heads[0][1][1:]]
    assert folded.height == view.height - (heads[1][0] - heads[0][0]) + 1


def test_a_summary_of_several_files_has_a_line_for_each_and_nothing_to_fold() -> None:
    view = RowLayout(FORMS["several files"], DetailLevel.SUMMARY, SPACE)
    assert view.height == 10
    assert all(view.fold_at(row) is None for row in range(view.height))

"""What was read of a file, and what was not."""

import pytest
from msgspec.structs import replace

from agentview.domain.content import ResourceBlock, TextBlock
from agentview.domain.tool_inputs import ReadPayload
from agentview.domain.tool_results import NotebookCell, ReadResult
from agentview.domain.tools import ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from tests.ui.activities import CALLS, activity
from tests.ui.render.looks import PALETTE, SPACE

FULL, SUMMARY = DetailLevel.FULL, DetailLevel.SUMMARY


def view(result: ReadResult, path: str = "a.py", level: DetailLevel = FULL) -> RowLayout:
    of = replace(CALLS[ToolKind.READ], payload=ReadPayload(path), result=result)
    return RowLayout(activity(of), level, SPACE)


def rows(result: ReadResult, path: str = "a.py", level: DetailLevel = FULL) -> list[str]:
    shown = view(result, path, level)
    return [strip.text[12:].rstrip() for strip in shown.strips(0, shown.height)][1:]


def test_what_was_not_read_is_told_on_both_sides() -> None:
    part = ReadResult("x = 1\ny = 2\n", 121, 2, 1_322, truncated=True)
    assert rows(part) == [
        "… 120 lines before not read",
        "121  x = 1",
        "122  y = 2",
        "… 1,200 more lines not read",
    ]
    assert rows(part, level=SUMMARY)[-1] == "… 1,200 more lines not read"
    assert rows(ReadResult("x = 1", 1, truncated=True))[-1] == "… the rest was not read"
    assert rows(ReadResult("x = 1\n", 1, 2, 2)) == ["1  x = 1"]


def test_a_notebook_is_shown_by_its_cells_with_their_outputs() -> None:
    cells = (
        NotebookCell("markdown", "# Title", "c0"),
        NotebookCell("code", "import os", "c1", "python", (TextBlock("array([1.])"),)),
    )
    shown = view(ReadResult(cells=cells), "a.ipynb")
    assert rows(ReadResult(cells=cells), "a.ipynb") == [
        "[1] markdown c0",
        "│ # Title",
        "[2] code c1",
        "│ import os",
        "output",
        "  array([1.])",
    ]
    styles = [
        seg.style for strip in shown.strips(4, 5) for seg in strip if seg.text.strip() == "import"
    ]
    assert styles == [PALETTE.keyword]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (ReadResult("\x00\x01abc" * 100), "binary file  500 characters of text in the log"),
        (ReadResult("\ufffd\ufffdPK\x03" * 9), "binary file  45 characters of text in the log"),
        (ReadResult("%PDF-1.7\n" + "x" * 991), "PDF  version 1.7  1.0 kB"),
        (
            ReadResult(media=(ResourceBlock(None, "a.pdf", "application/pdf", None, 120_000),)),
            "PDF  a.pdf  application/pdf  120 kB",
        ),
        (ReadResult(""), "the file is empty"),
        (ReadResult(unchanged=True), "the file is as it was when it was last read"),
    ],
)
def test_what_is_no_text_is_told_in_facts(result: ReadResult, said: str) -> None:
    assert rows(result) == [said]


@pytest.mark.parametrize(
    ("text", "word", "style"),
    [
        ("#!/usr/bin/env python3\nimport os", "import", PALETTE.keyword),
        ("#!/bin/bash -e\nfor x in y; do :; done", "for", PALETTE.keyword),
        ('{"a": null}', "null", PALETTE.literal),
    ],
)
def test_a_file_without_a_suffix_is_known_by_its_beginning(
    text: str, word: str, style: object
) -> None:
    shown = view(ReadResult(text), "bin/run")
    segments = [seg for strip in shown.strips(1, shown.height) for seg in strip]
    assert [seg.style for seg in segments if seg.text.strip() == word] == [style]

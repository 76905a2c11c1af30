"""Texts of files out of what tools print around them; notebooks as cells."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_results import NotebookCell
from agentview.normalize.tools.read import bare_text, notebook_cells, payload, read_text

NOTHING = ToolResult("c", True, ())


def test_a_range_is_a_start_and_a_count() -> None:
    for fields in (
        {"line": 5, "limit": 3},
        {"offset": 5, "limit": 3},
        {"start_line": 5, "end_line": 7},
        {"view_range": [5, 7]},
    ):
        read = payload({"path": "/a", **fields})
        assert (read.path, read.start, read.limit) == ("/a", 5, 3)


def test_what_stands_around_the_text_is_a_remark() -> None:
    printed = (
        "<path>/a/b.ts</path>\n<type>file</type>\n<content>\n1: one\n2: \n3: two\n\n"
        "(Showing lines 1-3 of 181. Use offset=4 to continue.)\n</content>"
    )
    found = read_text(printed, media_from=NOTHING)
    assert (found.content, found.start, found.line_count) == ("one\n\ntwo", 1, 3)
    assert (found.total_lines, found.truncated) == (181, True)
    assert found.note == "(Showing lines 1-3 of 181. Use offset=4 to continue.)"


def test_the_end_of_a_file_is_not_its_text() -> None:
    printed = "<file>\n00001| a\n00002| b\n\n(End of file - total 2 lines)\n</file>"
    found = read_text(printed, media_from=NOTHING)
    assert (found.content, found.total_lines, found.truncated) == ("a\nb", 2, False)


def test_a_range_may_be_told_before_the_text() -> None:
    printed = (
        "\nIMPORTANT: The file content has been truncated.\n"
        "Status: Showing lines 250-251 of 843 total lines.\n"
        "--- FILE CONTENT (truncated) ---\nx\ny"
    )
    found = read_text(printed, media_from=NOTHING)
    assert (found.content, found.start, found.total_lines) == ("x\ny", 250, 843)
    assert found.truncated


def test_a_reminder_below_numbered_lines_is_a_remark() -> None:
    found = bare_text("     1→a\n     2→b\n\n<system-reminder>\nbe kind\n</system-reminder>")
    assert (found.content, found.start) == ("a\nb", 1)
    assert found.note == "<system-reminder>\nbe kind\n</system-reminder>"


def test_a_text_of_its_own_stays_as_it_is() -> None:
    for text in ("total 12 lines\nx", "lines 1-2 of 9", "<file>\nopen", "a <content>\n</content>"):
        found = read_text(text, media_from=NOTHING)
        assert (found.content, found.total_lines, found.note) == (text, None, None)


@given(st.text(st.sampled_from("1234|:→\t \n<>/filecontent(")))
def test_nothing_is_lost_of_any_text(text: str) -> None:
    found = bare_text(text)
    for word in f"{found.content} {found.note or ''}".split():
        assert word in text


def test_a_notebook_becomes_cells() -> None:
    notebook = {
        "nbformat": 4,
        "metadata": {"kernelspec": {"language": "julia"}},
        "cells": [
            {"cell_type": "markdown", "source": ["# A\n", "b"]},
            {
                "cell_type": "code",
                "id": "c1",
                "source": "f(1)",
                "outputs": [
                    {"output_type": "stream", "text": ["one\n", "two\n"]},
                    {"data": {"image/png": "aGk=\n", "text/plain": "<Figure>"}},
                    {"data": {"text/plain": ["3"]}},
                    {"output_type": "error", "evalue": "bad", "traceback": ["T", "bad"]},
                    {},
                ],
            },
            "odd",
        ],
    }
    found = read_text(json.dumps(notebook), media_from=NOTHING, place="/a/b.ipynb")
    assert found.content is None
    assert found.cells[:2] == (
        NotebookCell("markdown", "# A\nb"),
        NotebookCell(
            "code",
            "f(1)",
            "c1",
            "julia",
            (
                TextBlock("one\ntwo"),
                ImageBlock("image/png", "aGk="),
                TextBlock("3"),
                TextBlock("T\nbad"),
            ),
        ),
    )


def test_what_is_no_notebook_has_no_cells() -> None:
    for text in ("", "{", "[]", '{"cells": []}', "{" * 9_000, '{"nbformat": 4, "cells": 7}'):
        assert notebook_cells(text) == ()
    assert read_text('{"nbformat": 4', media_from=NOTHING, place="a.ipynb").content is not None

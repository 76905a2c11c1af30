"""Results of Read, Write, Edit, MultiEdit and NotebookEdit in every recorded form."""

import pytest

from agentview.domain.content import ImageBlock, ResourceBlock, TextBlock
from agentview.domain.tool_inputs import FileOperation
from agentview.domain.tool_results import ChangeResult, FileChange, Hunk, NotebookCell, ReadResult
from tests.providers.claude.shared.joined import Fields, joined

ARGS: Fields = {"file_path": "/r/a.py", "old_string": "x", "new_string": "y", "content": "y\n"}
HUNK: Fields = {
    "oldStart": 1,
    "oldLines": 1,
    "newStart": 1,
    "newLines": 1,
    "lines": ["-x", "+y"],
}
DIFF = (Hunk(1, 1, 1, 1, ("-x", "+y")),)
FILE = {
    "filePath": "/r/a.py",
    "content": "b\nc\n",
    "numLines": 3,
    "startLine": 2,
    "totalLines": 9,
}


def read(structured: object, content: str | None = "…", name: str = "Read"):
    return joined(name, ARGS, structured, content).result


def test_read_text():
    assert read({"type": "text", "file": FILE}) == ReadResult("b\nc\n", 2, 3, 9)
    assert read({"type": "text", "file": {**FILE, "truncatedByTokenCap": True}}) == ReadResult(
        "b\nc\n", 2, 3, 9, truncated=True
    )


def test_read_image():
    file = {
        "base64": "aGk=",
        "type": "image/png",
        "originalSize": 2,
        "dimensions": {"originalWidth": 64, "originalHeight": 32, "displayWidth": 64},
    }
    assert read({"type": "image", "file": file}) == ReadResult(
        media=(ImageBlock("image/png", "aGk=", width=64, height=32, byte_size=2),)
    )


def test_read_notebook():
    cells: list[object] = [
        {"cellType": "code", "source": "print(1)", "cell_id": "c1", "language": "python"},
        {
            "cellType": "code",
            "source": ["a\n", "b"],
            "outputs": [
                {"output_type": "stream", "text": "hi"},
                {"image": {"image_data": "aGk=", "media_type": "image/png"}},
                {"output_type": "odd"},
            ],
        },
        "odd",
    ]
    assert read({"type": "notebook", "file": {"filePath": "/r/n", "cells": cells}}) == ReadResult(
        cells=(
            NotebookCell("code", "print(1)", "c1", "python"),
            NotebookCell(
                "code",
                "a\nb",
                outputs=(TextBlock("hi"), ImageBlock("image/png", "aGk=")),
            ),
        )
    )


def test_read_notebook_as_text():
    text = (
        '<cell id="c1">print(1)\n</cell id="c1">\n'
        '<cell id="c2"><cell_type>markdown</cell_type># T</cell id="c2"><cell id="c3">cut'
    )
    assert read(None, text, "NotebookRead") == ReadResult(
        cells=(NotebookCell("code", "print(1)\n", "c1"), NotebookCell("markdown", "# T", "c2"))
    )


def test_read_pdf_and_its_pages():
    pdf = {"filePath": "/r/d.pdf", "base64": "aGk=", "originalSize": 2}
    assert read({"type": "pdf", "file": pdf}) == ReadResult(
        media=(ResourceBlock(name="/r/d.pdf", media_type="application/pdf", byte_size=2),)
    )
    parts: Fields = {
        "type": "parts",
        "file": {"filePath": "/r/d.pdf", "originalSize": 2, "count": 4, "outputDir": "/o"},
        "pages": [{"base64": "aGk=", "mediaType": "image/jpeg"}, {"error": "page 2 is broken"}],
    }
    assert read(parts) == ReadResult(
        media=(ImageBlock("image/jpeg", "aGk="), TextBlock("page 2 is broken")),
        note="4 pages in /o",
    )


def test_read_unchanged():
    assert read({"type": "file_unchanged", "file": {"filePath": "/r/a.py"}}) == ReadResult(
        unchanged=True
    )
    text = "File unchanged since last read. The content from the earlier Read is still current."
    assert read(None, text) == ReadResult(unchanged=True, note=text)


@pytest.mark.parametrize("arrow", ["→", "\t"])
def test_read_text_form_loses_its_line_numbers(arrow: str):
    text = f"     9{arrow}a\n    10{arrow}\tb\n    11{arrow}"
    assert read(None, text) == ReadResult("a\n\tb\n", start=9, line_count=3)


def test_read_of_an_empty_file():
    text = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    assert read(None, text) == ReadResult("", line_count=0, total_lines=0)


def test_read_that_failed():
    assert joined("Read", ARGS, "Error: EISDIR", "EISDIR", ok=False).result is None
    assert joined("Read", ARGS).result is None


def test_write_creates():
    structured: Fields = {
        "type": "create",
        "filePath": "/r/b.py",
        "content": "y\n",
        "structuredPatch": [],
        "originalFile": None,
    }
    assert joined("Write", ARGS, structured, "…").result == ChangeResult(
        (FileChange("/r/b.py", FileOperation.CREATE, None, None, "y\n"),)
    )


def test_write_overwrites():
    structured: Fields = {
        "type": "update",
        "filePath": "/r/a.py",
        "content": "y",
        "structuredPatch": [HUNK],
        "originalFile": "x",
        "userModified": True,
    }
    assert joined("Write", ARGS, structured, "…").result == ChangeResult(
        (FileChange("/r/a.py", FileOperation.UPDATE, DIFF, "x", "y"),), by_person=True
    )


def test_an_empty_patch_says_nothing_unless_nothing_changed():
    structured: Fields = {"type": "update", "content": "y", "structuredPatch": []}
    same = joined("Write", ARGS, {**structured, "originalFile": "y"}).result
    other = joined("Write", ARGS, {**structured, "originalFile": None}).result
    assert isinstance(same, ChangeResult)
    assert isinstance(other, ChangeResult)
    assert same.files[0].hunks == ()
    assert other.files[0].hunks is None


@pytest.mark.parametrize(
    ("said", "operation"),
    [
        ("File created successfully at: /r/a.py", FileOperation.CREATE),
        ("The file /r/a.py has been updated. Here's the result", FileOperation.UPDATE),
    ],
)
def test_write_as_text(said: str, operation: FileOperation):
    assert joined("Write", ARGS, None, said).result == ChangeResult(
        (FileChange("/r/a.py", operation, after="y\n"),)
    )


def test_a_write_that_was_held_back_changed_nothing():
    assert joined("Write", ARGS, {"type": "update", "staged": True}, "held").result is None
    assert joined("Edit", ARGS, {"filePath": "/r/a.py", "staged": True}, "held").result is None


@pytest.mark.parametrize(
    ("name", "key", "before"),
    [
        ("Edit", "originalFile", "x"),
        ("Edit", "originalFile", None),
        ("MultiEdit", "originalFileContents", "x"),
    ],
)
def test_edit(name: str, key: str, before: str | None):
    structured: Fields = {
        "filePath": "/r/a.py",
        key: before,
        "structuredPatch": [HUNK],
        "userModified": False,
    }
    assert joined(name, ARGS, structured, "…").result == ChangeResult(
        (FileChange("/r/a.py", FileOperation.UPDATE, DIFF, before),)
    )


def test_edit_as_text():
    said = "The file /r/a.py has been updated successfully."
    assert joined("Edit", ARGS, None, said).result == ChangeResult((FileChange("/r/a.py"),))
    assert joined("Edit", ARGS, None, "odd words").result is None


def test_edit_that_failed():
    call = joined(
        "Edit",
        ARGS,
        "Error: String to replace not found in file.",
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        ok=False,
    )
    assert call.result is None


@pytest.mark.parametrize(
    ("structured", "before", "after"),
    [
        ({"edit_mode": "replace", "old_source": "x", "new_source": "y"}, "x", "y"),
        ({"edit_mode": "replace", "new_source": "y"}, None, "y"),
        ({"edit_mode": "insert", "new_source": "y"}, "", "y"),
        ({"edit_mode": "delete", "old_source": "x", "new_source": ""}, "x", ""),
    ],
)
def test_notebook_edit_shows_the_cell(structured: Fields, before: str | None, after: str):
    args: Fields = {"notebook_path": "/r/n.ipynb", "new_source": "y"}
    assert joined("NotebookEdit", args, {**structured, "error": ""}).result == ChangeResult(
        (FileChange("/r/n.ipynb", before=before, after=after),)
    )


@pytest.mark.parametrize(
    ("mode", "said", "before", "after"),
    [
        ("replace", "Updated cell c1 with y", None, "y"),
        ("insert", "Inserted cell c2 with y", "", "y"),
        ("delete", "Deleted cell c1", None, ""),
    ],
)
def test_notebook_edit_as_text(mode: str, said: str, before: str | None, after: str):
    args: Fields = {"notebook_path": "/r/n.ipynb", "new_source": "y", "edit_mode": mode}
    assert joined("NotebookEdit", args, None, said).result == ChangeResult(
        (FileChange("/r/n.ipynb", before=before, after=after),)
    )
    assert joined("NotebookEdit", args, None, "odd words").result is None


def test_notebook_edit_that_failed():
    assert joined("NotebookEdit", {}, {"error": "no such cell"}).result is None

"""Patches of both formats, and hunks as objects, become edits, changes and hunks."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.tool_inputs import FileOperation, TextEdit
from agentview.domain.tool_results import Hunk
from agentview.normalize.tools.patch import parse_changes, parse_patch, recorded_hunks

UNIFIED = """\
diff --git a/src/old name.py b/src/old name.py
index 1f..2e 100644
--- a/src/old name.py
+++ b/src/old name.py
@@ -1,3 +1,3 @@ def first():
 a
--- dashes
+++ pluses
 c
@@ -10 +10,2 @@
-x
+y
+z
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,1 @@
+hello
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/from.py b/to.py
similarity index 100%
rename from from.py
rename to to.py
"""

ENVELOPE = """\
*** Begin Patch
*** Add File: docs/new.md
+# Title
+text
*** Update File: src/app.py
*** Move to: src/main.py
@@ def run():
 before
-old
+new
@@
-tail
*** End of File
*** Delete File: junk.txt
*** End Patch
"""


def test_unified_diff_of_several_files():
    changes = parse_changes(UNIFIED)
    assert [(change.path, change.operation, change.move_to) for change in changes] == [
        ("src/old name.py", FileOperation.UPDATE, None),
        ("new.txt", FileOperation.CREATE, None),
        ("gone.txt", FileOperation.DELETE, None),
        ("from.py", FileOperation.RENAME, "to.py"),
    ]
    assert changes[0].hunks is not None
    first, second = changes[0].hunks
    assert first == Hunk(1, 3, 1, 3, (" a", "--- dashes", "+++ pluses", " c"), "def first():")
    assert second == Hunk(10, 1, 10, 2, ("-x", "+y", "+z", "\\ No newline at end of file"))
    assert changes[1].hunks == (Hunk(0, 0, 1, 1, ("+hello",)),)


def test_unified_diff_keeps_its_own_lines_per_file():
    edits = parse_patch(UNIFIED)
    assert "\n".join(edit.patch or "" for edit in edits) == UNIFIED
    assert edits[0].edits[1] == TextEdit("x", "y\nz")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("--- a.py\t2026-01-01 10:00\n+++ a.py\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n", "a.py"),
        ("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b", "x.py"),
        ("--- before/x.py\n+++ after/x.py\n@@ -1 +1 @@\n-a\n+b", "after/x.py"),
        ("@@ -1 +1 @@\n-a\n+b", ""),
        ("Index: a.py\n=====\n--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a\n+b", "a.py"),
    ],
)
def test_headers(text: str, path: str):
    (change,) = parse_changes(text)
    assert change.path == path
    assert change.hunks == (Hunk(1, 1, 1, 1, ("-a", "+b")),)


def test_modes_binary_files_and_headings_are_kept():
    text = """diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
--- a/run.sh
+++ b/run.sh
@@ -10,2 +10,2 @@ main() {
 a
-b
+c
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/old.bin b/old.bin
deleted file mode 100644
GIT binary patch
literal 5
Mc$@+abc
"""
    script, logo, gone = parse_changes(text)
    assert script.notes == ("mode changed from 100644 to 100755",)
    assert [hunk.heading for hunk in script.hunks or ()] == ["main() {"]
    assert (logo.path, logo.notes, logo.hunks) == ("logo.png", ("binary file",), ())
    assert (gone.operation, gone.notes) == (FileOperation.DELETE, ("binary file",))
    assert [edit.notes for edit in parse_patch(text)] == [
        change.notes for change in (script, logo, gone)
    ]


def test_the_line_above_a_chunk_of_the_envelope_format_is_its_heading():
    text = (
        "*** Begin Patch\n*** Update File: a.py\n@@ class Job:\n-a\n+b\n@@\n-c\n+d\n*** End Patch"
    )
    (change,) = parse_changes(text)
    assert [hunk.heading for hunk in change.hunks or ()] == ["class Job:", ""]


def test_two_files_without_git_headers():
    text = "--- a\n+++ a\n@@ -1 +1 @@\n-1\n+2\n--- b\n+++ b\n@@ -1 +1 @@\n-3\n+4\n"
    assert [change.path for change in parse_changes(text)] == ["a", "b"]


def test_the_envelope_format():
    added, updated, deleted = parse_patch("cat <<'EOF' | apply\n" + ENVELOPE + "EOF")
    assert (added.path, added.operation) == ("docs/new.md", FileOperation.CREATE)
    assert added.edits == (TextEdit("", "# Title\ntext"),)
    assert (updated.path, updated.move_to) == ("src/app.py", "src/main.py")
    assert updated.edits == (TextEdit("before\nold", "before\nnew"), TextEdit("tail", ""))
    assert updated.patch is not None
    assert updated.patch.startswith("*** Update File: src/app.py\n*** Move to: src/main.py\n@@")
    assert (deleted.path, deleted.operation) == ("junk.txt", FileOperation.DELETE)


def test_hunks_of_the_envelope_format_do_not_claim_line_numbers():
    added, updated, _ = parse_changes(ENVELOPE)
    assert added.hunks == (Hunk(0, 0, 1, 2, ("+# Title", "+text")),)
    assert updated.hunks is not None
    assert [(hunk.old_start, hunk.new_start) for hunk in updated.hunks] == [(0, 0), (0, 0)]
    assert updated.hunks[0].lines == (" before", "-old", "+new")


def test_a_section_alone_can_be_read_again():
    for edit in parse_patch(ENVELOPE) + parse_patch(UNIFIED):
        (again,) = parse_patch(edit.patch or "")
        assert (again.path, again.edits) == (edit.path, edit.edits)


def test_text_that_is_no_patch():
    assert parse_patch("") == ()
    assert parse_patch("just words\nand more") == ()


def test_recorded_hunks():
    entry = {"oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 1, "lines": [" a", "-b"]}
    assert recorded_hunks([entry]) == (Hunk(3, 2, 3, 1, (" a", "-b")),)
    assert recorded_hunks([{"oldStart": "3", "lines": [" a", "-b", "+c"]}]) == (
        Hunk(3, 2, 0, 2, (" a", "-b", "+c")),
    )
    assert recorded_hunks([]) == ()
    assert recorded_hunks(None) is None
    odd: list[object] = ["odd", {"lines": []}, {"lines": "no"}]
    assert recorded_hunks(odd) == ()


LINES = st.lists(
    st.text(st.characters(codec="ascii", exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e\x85")),
    max_size=12,
)


@given(LINES, LINES)
def test_diffs_of_difflib_come_back(old: list[str], new: list[str]):
    diff = "\n".join(difflib.unified_diff(old, new, "a/f", "b/f", lineterm="", n=1))
    changes = parse_changes(diff)
    if old == new:
        assert changes == ()
        return
    (change,) = changes
    assert change.path == "f"
    built = list(old)
    for hunk in reversed(change.hunks or ()):
        before = [line[1:] for line in hunk.lines if line[0] != "+"]
        after = [line[1:] for line in hunk.lines if line[0] != "-"]
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        assert built[start : start + hunk.old_lines] == before
        built[start : start + hunk.old_lines] = after
    assert built == new


@given(st.text("@-+ *0123,\nabdifgFle:/PUt"))
def test_nothing_raises(text: str):
    for change, edit in zip(parse_changes(text), parse_patch(text), strict=True):
        assert change.path == edit.path

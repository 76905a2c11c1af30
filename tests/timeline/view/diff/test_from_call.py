"""Hunks: recorded, computed, tightened, and of calls in every form."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    FileOperation,
    TextEdit,
    WritePayload,
)
from agentview.domain.tool_results import ChangeResult, FileChange, Hunk
from agentview.domain.tools import ToolKind
from agentview.timeline.view.diff.from_call import compare, diffs_of, patch_hunks, with_context
from agentview.timeline.view.diff.patience import changed_blocks
from tests.ui.activities import CALLS, HUNK, call

_LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "", "x y"]), max_size=30)


def applied(old: list[str], hunks: tuple[Hunk, ...]) -> list[str]:
    """What a patch program makes of the old lines; fails where a kept line does not match."""
    result: list[str] = []
    position = 0
    for hunk in hunks:
        result += old[position : hunk.old_start - 1]
        position = hunk.old_start - 1
        assert len(result) == hunk.new_start - 1
        for line in hunk.lines:
            if line[0] in " -":
                assert old[position] == line[1:]
                position += 1
            if line[0] in " +":
                result.append(line[1:])
        assert position == hunk.old_start - 1 + hunk.old_lines
        assert len(result) == hunk.new_start - 1 + hunk.new_lines
    return result + old[position:]


@given(_LINES, _LINES)
def test_hunks_make_the_new_text_of_the_old(old: list[str], new: list[str]) -> None:
    hunks, coarse = compare("".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))
    assert applied(old, hunks) == new
    assert not coarse
    assert bool(hunks) == (old != new)


@given(_LINES, _LINES)
def test_blocks_cover_every_difference(old: list[str], new: list[str]) -> None:
    blocks, _ = changed_blocks(old, new)
    result: list[str] = []
    position = 0
    for start, end, new_start, new_end in blocks:
        result += old[position:start]
        result += new[new_start:new_end]
        position = end
    assert result + old[position:] == new


def test_long_texts_are_anchored_on_their_unique_lines() -> None:
    old = [f"line {number}" for number in range(5_000)]
    new = list(old)
    new[100] = "changed"
    new[4_000:4_000] = ["added", "added too"]
    assert changed_blocks(old, new) == ([(100, 101, 100, 101), (4_000, 4_000, 4_000, 4_002)], False)


def test_what_cannot_be_compared_in_time_is_coarse_and_says_so() -> None:
    old, new = ["same", "other"] * 5_000, ["other", "third"] * 5_000
    blocks, coarse = changed_blocks(old, new)
    assert coarse
    assert len(blocks) == 1
    call_of = call(
        ToolKind.EDIT,
        EditPayload((FileEdit("a.py", (TextEdit("\n".join(old), "\n".join(new)),)),)),
    )
    assert diffs_of(call_of)[0].coarse


def test_recorded_hunks_win_over_what_was_asked_for() -> None:
    (diff,) = diffs_of(CALLS[ToolKind.EDIT])
    assert diff.hunks[0] is HUNK
    assert diff.numbered
    assert (diff.added, diff.removed) == (3, 2)


def test_before_a_result_the_texts_asked_for_are_compared_without_line_numbers() -> None:
    bare = replace(CALLS[ToolKind.EDIT], result=None)
    (diff,) = diffs_of(bare)
    assert not diff.numbered
    assert (diff.added, diff.removed) == (1, 1)


def test_an_overwritten_file_is_compared_with_what_it_held() -> None:
    change = FileChange("a.txt", FileOperation.UPDATE, before="one\ntwo\n")
    written = call(ToolKind.WRITE, WritePayload("a.txt", "one\nthree\n"), ChangeResult((change,)))
    (diff,) = diffs_of(written)
    assert [line for line in diff.hunks[0].lines if line[0] != " "] == ["-two", "+three"]


def test_a_change_that_the_log_does_not_have_is_not_known() -> None:
    changed = call(
        ToolKind.EDIT, EditPayload((FileEdit("a.py"),)), ChangeResult((FileChange("a.py"),))
    )
    assert not diffs_of(changed)[0].known


def test_every_occurrence_and_moves_are_said() -> None:
    edit = FileEdit("a.py", (TextEdit("x", "y", replace_all=True),))
    change = FileChange("a.py", FileOperation.RENAME, hunks=(HUNK,), move_to="b.py")
    (diff,) = diffs_of(call(ToolKind.EDIT, EditPayload((edit,)), ChangeResult((change,))))
    assert diff.replaces_all
    assert diff.move_to == "b.py"


def test_a_patch_text_is_read_with_and_without_line_numbers() -> None:
    patch = "--- a\n+++ b\n@@ -3,2 +3,3 @@ def f\n one\n+two\n-three\n@@ -9 +10 @@\n-x\n+y\n"
    first, second = patch_hunks(patch)
    assert (first.old_start, first.new_start) == (3, 3)
    assert first.lines == (" one", "+two", "-three")
    assert (second.old_start, second.old_lines, second.new_lines) == (9, 1, 1)
    assert patch_hunks("@@\n-a\n+b\n")[0].new_start == 0
    assert patch_hunks("") == ()


def test_kept_lines_far_from_a_change_are_left_out() -> None:
    (diff,) = diffs_of(CALLS[ToolKind.EDIT])
    tight = with_context(diff, 1)
    assert tight.hunks[0].lines == HUNK.lines[2:7]
    assert (tight.hunks[0].old_start, tight.hunks[0].new_start) == (41, 41)
    assert (tight.added, tight.removed) == (diff.added, diff.removed)


@given(_LINES, _LINES, st.integers(0, 3))
def test_tightened_hunks_still_make_the_new_text(
    old: list[str], new: list[str], context: int
) -> None:
    hunks, _ = compare("".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))
    (diff,) = diffs_of(CALLS[ToolKind.EDIT])
    tight = with_context(replace(diff, hunks=hunks), context)
    assert applied(old, tight.hunks) == new


def test_a_last_line_without_an_end_is_told_where_it_came_or_went() -> None:
    note = "\\ No newline at end of file"
    assert compare("a\nb", "a\nb\n", whole=True)[0][0].lines == (" a", "-b", note, "+b")
    assert compare("a\nb\n", "a\nb", whole=True)[0][0].lines == (" a", "-b", "+b", note)
    assert compare("a\nb", "a\nc", whole=True)[0][0].lines == (" a", "-b", "+c")
    assert compare("a\nb", "a\nb\n") == ((), False)


def test_line_ends_count_where_they_are_mixed_and_are_told_where_all_changed() -> None:
    assert compare("a\r\nb\r\n", "a\nb\n") == ((), False)
    assert compare("a\r\nb\n", "a\nb\n")[0][0].lines == ("-a\r", "+a", " b")
    change = FileChange("a.txt", before="a\r\nb\r\n", after="a\nc\n")
    of = call(ToolKind.EDIT, EditPayload((FileEdit("a.txt"),)), ChangeResult((change,)))
    (diff,) = diffs_of(of)
    assert diff.notes == ("line ends changed from CRLF to LF",)
    assert diff.hunks[0].lines == (" a", "-b", "+c")


def test_what_a_patch_says_beside_its_lines_is_kept() -> None:
    changes = (
        FileChange("logo.png", notes=("binary file",), hunks=()),
        FileChange("a.py", hunks=(Hunk(0, 1, 0, 1, ("-a", "+b"), "def f"),)),
    )
    asked = EditPayload((FileEdit("logo.png"), FileEdit("a.py")))
    logo, code = diffs_of(call(ToolKind.EDIT, asked, ChangeResult(changes)))
    assert (logo.known, logo.notes) == (True, ("binary file",))
    assert not code.numbered
    patch = "@@ -3,2 +3,3 @@ def f()\n one\n+two\n@@ class Job:\n-x\n+y\n"
    assert [hunk.heading for hunk in patch_hunks(patch)] == ["def f()", "class Job:"]
    tight = with_context(replace(code, hunks=patch_hunks(patch)), 0)
    assert [hunk.heading for hunk in tight.hunks] == ["def f()", "class Job:"]


def test_a_long_diff_is_tightened_at_its_start_only() -> None:
    lines = tuple(f"{'+ '[at % 2]}{at}" for at in range(20_000))
    (diff,) = diffs_of(CALLS[ToolKind.EDIT])
    tight = with_context(replace(diff, hunks=(Hunk(1, 10_000, 1, 20_000, lines),)), 0)
    assert tight.hunks[0].lines == ("+0",)
    assert len(tight.hunks) == 40
    assert sum(len(hunk.lines) for hunk in tight.hunks) > 19_000

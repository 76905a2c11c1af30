"""Diffs in what commands printed, apart from the lines around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.tool_inputs import FileOperation, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolKind
from agentview.timeline.view.activity.file_location import file_place
from agentview.timeline.view.diff.printed import printed_diffs, printed_parts
from agentview.timeline.view.titles.title import title_of
from tests.timeline.view.test_titles import activity, call

HUNK = "@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 3"
ONE = f"diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n{HUNK}"
NEW = (
    "diff --git a/n.md b/n.md\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n.md\n"
    "@@ -0,0 +1,2 @@\n+one\n+\n\\ No newline at end of file"
)
MOVED = (
    "diff --git a/b.py b/c.py\nsimilarity index 100%\nrename from b.py\nrename to c.py\n"
    "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ"
)
PLAIN = f"--- old.py\t2026-11-28\n+++ new.py\t2026-11-28\n{HUNK}"


def paths(text: str) -> list[list[str] | str]:
    return [
        [diff.path for diff in part.diffs] if part.diffs else part.text
        for part in printed_parts(text)
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (ONE, [["a.py"]]),
        (ONE + "\n", [["a.py"]]),
        (f"{ONE}\n{NEW}\n{MOVED}\n", [["a.py", "n.md", "b.py", "i.png"]]),
        (PLAIN, [["new.py"]]),
        (f"commit 1\n\n    why\n\n{ONE}\n\ndone", ["commit 1\n\n    why\n", ["a.py"], "\ndone"]),
        (f"{ONE}\nok\n{NEW}", [["a.py"], "ok", ["n.md"]]),
        (f"{ONE}\n--\n2.43.0", [["a.py"], "--\n2.43.0"]),
    ],
)
def test_parts(text: str, parts: list[list[str] | str]):
    assert paths(text) == parts


def test_a_file_that_is_new_and_one_that_moved():
    new, moved, binary = printed_diffs(ShellResult(stdout=f"{NEW}\n{MOVED}"))
    assert (new.operation, new.added, new.removed) == (FileOperation.CREATE, 2, 0)
    assert (moved.operation, moved.move_to) == (FileOperation.RENAME, "c.py")
    assert binary.notes == ("binary file",)


def test_colours_are_left_out_of_a_diff_and_kept_around_it():
    colored = "\n".join(f"\x1b[31m{line}\x1b[m" for line in ONE.split("\n"))
    before, part = printed_parts(f"\x1b[33mcommit 1\x1b[m\n{colored}")
    assert before.text == "\x1b[33mcommit 1\x1b[m"
    assert part.diffs == printed_parts(ONE)[0].diffs


def test_a_diff_that_is_cut_off_is_what_is_left_of_it():
    (part,) = printed_parts(ONE.removesuffix("\n y = 3"))
    assert [hunk.lines for hunk in part.diffs[0].hunks] == [("-x = 1", "+x = 2")]


@pytest.mark.parametrize(
    "text",
    ["", "a\n--- b", "--- a\n+++ b\nc", "+ one\n- two", "@@ -1 +1 @@\n-a\n+b", "-- diff --git"],
)
def test_other_texts_have_none(text: str):
    assert printed_parts(text) == ()


def test_the_title_has_the_sum_and_the_place_is_the_first_change():
    ran = call(ToolKind.SHELL, ShellPayload("git show"), ShellResult(stdout=f"{ONE}\n{NEW}"))
    assert title_of(activity(ran)).detail == "diff of 2 files  +3 \u22121"
    place = file_place(activity(ran))
    assert place is not None
    assert (place.path, place.line) == ("a.py", 1)


@given(st.lists(st.sampled_from([*ONE.split("\n"), *NEW.split("\n"), "", "x"]), max_size=30))
def test_no_line_is_lost(lines: list[str]):
    text = "\n".join(lines)
    parts = printed_parts(text)
    joined = "\n".join(part.text for part in parts)
    assert not parts or joined.replace("\n", "") == text.replace("\n", "")

"""Findings of compilers and linters in titles, and the place that a command is about."""

from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.shell_command import with_reading
from agentview.timeline.view.activity.file_location import file_place
from agentview.timeline.view.titles.title import title_of
from tests.timeline.view.test_titles import activity, call

WARNED = "a.c:3:5: warning: unused variable x\n"
FAILED = "/w/b.c:9:1: error: no type\n"


def of(command: str, *printed: str) -> ToolCall:
    result = ShellResult(stdout=printed[0], stderr="".join(printed[1:]))
    return with_reading(call(ToolKind.SHELL, ShellPayload(command), result))


def detail(command: str, *printed: str) -> str:
    return title_of(activity(of(command, *printed))).detail


def test_a_title_counts_them_by_severity_with_the_first_error():
    assert detail("make", WARNED + FAILED) == "1 error, 1 warning: /w/b.c:9"
    assert detail("make", "", WARNED * 2) == "1 warning: a.c:3"
    assert detail("ruff check", "a.py:1:8: F401 `os` unused") == "1 problem: a.py:1"


def test_findings_of_an_output_that_is_cut_are_at_least_so_many():
    cut = f"[... 9000 characters truncated ...]\n{FAILED}"
    assert detail("make", cut) == "at least 1 error: /w/b.c:9"


def test_what_a_command_looks_at_is_no_finding():
    assert detail("grep -rn warning .", WARNED) == "searches"
    assert detail("cat build.log", WARNED) == "reads"
    tests = "FAILED a.py::test_a\n1 failed in 0.10s"
    assert detail("make", WARNED + tests) == "1 failed: test_a"
    assert (
        detail("make", f"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n{WARNED}")
        == "diff of 1 file  +1 \u22121"
    )
    assert detail("make", "a.c:3:5: note: only a note\n") == ""


def test_the_first_error_is_the_place_of_the_command():
    place = file_place(activity(of("cd sub && make", WARNED + FAILED)))
    assert place is not None
    assert (place.path, place.line) == ("/w/b.c", 9)

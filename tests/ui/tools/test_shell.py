"""Commands: what is told of how they ran, and their two streams."""

from msgspec.structs import replace

from agentview.domain.events import SlashCommand
from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from tests.ui.activities import CALLS, activity, running
from tests.ui.render.looks import PALETTE, SPACE

SHELL = CALLS[ToolKind.SHELL]


def rows(of: ToolCall, level: DetailLevel = DetailLevel.FULL) -> list[str]:
    view = RowLayout(activity(of), level, SPACE)
    return [strip.text.strip() for strip in view.strips(0, view.height)]


def test_what_is_on_stderr_stands_apart_and_is_red_only_of_a_failure() -> None:
    result = ShellResult(stdout="out\n", stderr="note\n", exit_code=0)
    for ok, style in ((True, PALETTE.text), (False, PALETTE.error)):
        view = RowLayout(activity(replace(SHELL, result=result, ok=ok)), DetailLevel.FULL, SPACE)
        strips = view.strips(0, view.height)
        assert [strip.text.split()[-1] for strip in strips][1:] == ["out", "stderr", "note"]
        assert [seg.style for seg in strips[-1] if "note" in seg.text] == [style]


def test_blank_lines_and_columns_of_an_output_are_kept() -> None:
    printed = "\n\n\tone\n     2  bar\n\n"
    ran = activity(SlashCommand("/context", output=printed))
    for result in (ShellResult(stdout=printed), ShellResult(stderr=printed)):
        for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
            shown = [activity(replace(SHELL, result=result)), ran]
            for view in (RowLayout(each, level, SPACE) for each in shown):
                texts = [strip.text.rstrip() for strip in view.strips(0, view.height)]
                one = next(at for at, text in enumerate(texts) if text.endswith("one"))
                margin = texts[one + 1].index("2  bar") - 5
                assert [text[margin:] for text in texts[one - 2 :]] == [
                    "", "", "        one", "     2  bar", "",
                ]  # fmt: skip


def test_the_time_a_command_was_given_is_told_at_full_level() -> None:
    of = replace(SHELL, payload=ShellPayload("make", timeout=120.0))
    assert "at most 2m" in "\n".join(rows(of))
    assert "at most" not in "\n".join(rows(of, DetailLevel.SUMMARY))


def test_a_task_in_the_background_and_its_later_output_have_the_same_name() -> None:
    started = replace(
        SHELL,
        payload=ShellPayload("npm run dev", background=True),
        result=ShellResult(task_id="b12"),
    )
    later = replace(
        SHELL,
        payload=ShellPayload("", ShellAction.OUTPUT, task_id="b12"),
        result=ShellResult(stdout="ready", status="running"),
    )
    assert "in the background as b12" in rows(started)[0]
    assert "b12" in rows(later)[0]
    assert rows(later)[1].endswith("ready")


def test_output_grows_while_a_command_runs() -> None:
    for count in (1, 30):
        of = replace(running(SHELL), progress="".join(f"step {n}\n" for n in range(count)))
        view = RowLayout(of, DetailLevel.SUMMARY, SPACE)
        assert view.strips(0, view.height)[-1].text.rstrip().endswith(f"step {count - 1}")


def test_a_bar_that_is_drawn_while_a_command_runs_is_one_row() -> None:
    bar = "".join(f"\x1b[1A\x1b[2K{n}%\n" for n in range(100))
    view = RowLayout(replace(running(SHELL), progress="\n" + bar), DetailLevel.SUMMARY, SPACE)
    assert view.height == 2
    assert view.strips(1, 2)[0].text.rstrip().endswith("99%")


def test_failed_tests_stand_above_the_output_which_is_folded_away() -> None:
    printed = (
        "____ test_delay ____\nE   assert 4 == 3\ntests/test_retry.py:81: AssertionError\n"
        "FAILED tests/test_retry.py::test_delay - assert 4 == 3\n1 failed, 13 passed in 4.20s\n"
    )
    failed = replace(SHELL, payload=ShellPayload("make"), result=ShellResult(stdout=printed))
    title, *below = rows(failed, DetailLevel.SUMMARY)
    assert "make  13 passed, 1 failed: test_delay" in title
    assert [row.lstrip("│ ") for row in below] == [
        "✗ test_delay  tests/test_retry.py:81  assert 4 == 3",
        "▸ output  5 lines",
    ]
    whole = [row.lstrip("│ ") for row in rows(failed)]
    assert whole[1:5] == [
        "✗ test_delay  tests/test_retry.py:81",
        "assert 4 == 3",
        "▾ output  5 lines",
        "____ test_delay ____",
    ]
    passed = replace(failed, result=ShellResult(stdout="4 passed in 0.10s"))
    assert rows(passed, DetailLevel.SUMMARY)[1:] == ["│ ▸ output  1 line"]
    unnamed = replace(failed, result=ShellResult(stdout="2 failed in 0.10s"))
    assert rows(unnamed, DetailLevel.SUMMARY)[1:] == ["│ 2 failed in 0.10s"]


def test_a_diff_that_was_printed_looks_like_that_of_an_edit() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 3\n"
    shown = replace(SHELL, result=ShellResult(stdout=f"commit 1\n{diff}"))
    for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
        view = RowLayout(activity(shown), level, SPACE)
        strips = view.strips(0, view.height)
        assert [strip.text.strip(" │") for strip in strips[-5:]] == [
            "commit 1", "a.py  changed  +1  −1", "1 - x = 1", "1 + x = 2", "2   y = 3",
        ]  # fmt: skip
        styles = [seg.style for strip in strips for seg in strip if "x" in seg.text]
        assert len({style.bgcolor for style in styles if style is not None}) > 1


def test_json_that_was_printed_is_a_tree() -> None:
    printed = replace(SHELL, result=ShellResult(stdout='{"name": "retry", "runs": [1, 2]}\n'))
    assert [row.strip("│ ") for row in rows(printed)[1:]] == [
        "name: retry",
        "▸ runs: [ 2 items ]  1, 2",
    ]


def test_errors_of_a_compiler_stand_above_its_output() -> None:
    printed = "cc -c a.c\na.c:3:5: warning: unused\nb.c:9:1: error: no type\nmake: failed\n"
    failed = replace(SHELL, payload=ShellPayload("make"), result=ShellResult(stdout=printed))
    title, *below = [row.strip("│ ") for row in rows(failed, DetailLevel.SUMMARY)]
    assert "make  1 error, 1 warning: b.c:9" in title
    assert below == [
        "▾ a.c  1 warning",
        "3:5  warning  unused",
        "▾ b.c  1 error",
        "9:1  error    no type",
        "▸ output  4 lines",
    ]
    warned = replace(failed, result=ShellResult(stdout=printed.replace("error", "warning")))
    assert [row.strip("│ ") for row in rows(warned)[1:]] == [
        "cc -c a.c", "a.c:3:5: warning: unused", "b.c:9:1: warning: no type", "make: failed",
    ]  # fmt: skip

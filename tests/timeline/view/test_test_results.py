"""Results of tests in titles: what is summed up, and which output is none."""

import pytest

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolKind
from agentview.normalize.shell_command import with_reading
from agentview.timeline.view.activity.file_location import file_place
from agentview.timeline.view.titles.test_results import results_of, summed_up
from agentview.timeline.view.titles.title import title_of
from tests.timeline.view.test_titles import activity, call

FAILED = FailedTest("TestRetry::test_delay", "tests/test_retry.py", 81)
PRINTED = (
    "____ test_delay ____\n\ntests/test_retry.py:81: AssertionError\n"
    "FAILED tests/test_retry.py::test_delay - assert 4 == 3\n1 failed, 13 passed in 4.20s\n"
)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (SuiteResult(passed=4), "4 passed"),
        (SuiteResult(13, 1, failures=(FAILED,)), "13 passed, 1 failed: test_delay"),
        (
            SuiteResult(1, 2, 1, 3, (FAILED, FAILED, FAILED)),
            "1 passed, 2 failed, 1 error, 3 skipped: test_delay and 2 more",
        ),
        (SuiteResult(0, 2), "2 failed"),
        (SuiteResult(passed=0), "0 passed"),
        (SuiteResult(), "tests passed"),
        (SuiteResult(passed=1_200, failed=1, whole=False), "1,200+ passed, 1+ failed"),
    ],
)
def test_sums(result: SuiteResult, text: str) -> None:
    assert summed_up(result) == text


@pytest.mark.parametrize(
    "result",
    [
        ShellResult(stdout=PRINTED),
        ShellResult(stderr=PRINTED),
        ShellResult(output=PRINTED),
        ShellResult(stdout="\x1b[31m" + PRINTED.replace("1 failed", "\x1b[1m1 failed\x1b[0m")),
    ],
)
def test_a_title_has_the_result_wherever_it_was_printed(result: ShellResult) -> None:
    ran = call(ToolKind.SHELL, ShellPayload("make check"), result)
    assert title_of(activity(ran)).detail == "13 passed, 1 failed: test_delay"


def test_only_what_ran_has_a_result() -> None:
    def of(command: str, action: ShellAction = ShellAction.RUN) -> SuiteResult | None:
        payload = ShellPayload(command, action)
        made = call(ToolKind.SHELL, payload, ShellResult(stdout=PRINTED))
        return results_of(with_reading(made))

    assert of("grep -rn passed logs") is None
    assert of("rm -rf out") is None
    assert of("y", ShellAction.INPUT) is None
    assert of("", ShellAction.OUTPUT) is not None
    assert of("tail -50 test.log") is not None


def test_the_first_failed_test_is_the_place_of_the_command() -> None:
    ran = call(ToolKind.SHELL, ShellPayload("cd /w/api && pytest"), ShellResult(stdout=PRINTED))
    place = file_place(activity(ran))
    assert place is not None
    assert (place.path, place.line, place.cwd) == ("tests/test_retry.py", 81, "/w/api")


def test_what_a_command_reads_is_in_the_directory_that_it_enters() -> None:
    ran = call(ToolKind.SHELL, ShellPayload("cd /w/api && sed -n '3,9p' a.py"), ShellResult())
    place = file_place(activity(with_reading(ran)))
    assert place is not None
    assert (place.path, place.line, place.cwd) == ("a.py", 3, "/w/api")

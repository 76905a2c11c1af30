"""Results of tests that a command printed, and how they are summed up in a title."""

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.test_results import suite_result
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import one_line, without_escapes
from agentview.timeline.view.titles.text import several

_PRINTS = (ShellAction.RUN, ShellAction.OUTPUT, ShellAction.WATCH)


def printed_by(call: ToolCall) -> str | None:
    """All that a command printed, without escape sequences; None for other calls."""
    payload, result = call.payload, call.result
    if not isinstance(payload, ShellPayload) or not isinstance(result, ShellResult):
        return None
    if payload.action not in _PRINTS:
        return None
    texts = (result.output, result.stdout, result.stderr)
    return without_escapes("\n".join(text for text in texts if text))


def results_of(call: ToolCall) -> SuiteResult | None:
    """Results of the tests that a command ran; None where it printed none.

    What a search or a listing finds is not a run.
    """
    reading = call.reading
    if reading is not None and any(step.kind is not ToolKind.READ for step in reading.steps):
        return None
    printed = printed_by(call)
    return None if printed is None else suite_result(printed)


def summed_up(result: SuiteResult) -> str:
    """The counts in words with the first failed test: `13 passed, 1 failed: test_delay`."""
    more = "" if result.whole else "+"
    parts: list[str] = []
    if result.passed is not None and (result.passed or not result.bad):
        parts.append(f"{result.passed:,}{more} passed")
    if result.failed:
        parts.append(f"{result.failed:,}{more} failed")
    if result.errors:
        parts.append(counted(result.errors, "error"))
    if result.skipped:
        parts.append(f"{result.skipped:,}{more} skipped")
    if not parts:
        return "tests failed" if result.bad else "tests passed"
    names = several(short_name(failure) for failure in result.failures)
    return ", ".join(parts) + (f": {names}" if names else "")


def short_name(failure: FailedTest) -> str:
    """The name of a test without the classes and modules that it is in."""
    return one_line(failure.name.rpartition("::")[2], 60)

"""A review in words that all its forms have in common."""

from collections import Counter

from agentview.reports.review.review import Origin, Review, ReviewedFile, ReviewedHunk, ReviewedLine
from agentview.reports.review.test_runs import TestRun
from agentview.timeline.view.format_numbers import UNKNOWN, counted, date_time, lines_changed
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.titles.test_results import summed_up

_NOBODY = "no recorded call"
_COMMAND = 200
_STATUS = {"A": "new", "D": "deleted", "T": "type changed"}


def summary_words(review: Review) -> str:
    """How much changed, and how much of it recorded calls changed."""
    if not review.commits:
        return "no commits"
    by_calls = review.changed - review.unknown
    return (
        f"{counted(review.commits, 'commit')}, {counted(len(review.files), 'file')}, "
        f"{counted(len(review.hunks), 'hunk')}; "
        f"{by_calls:,} of {counted(review.changed, 'changed line')} by recorded calls"
    )


def file_words(file: ReviewedFile) -> str:
    """The change of a file besides its hunks; may be empty."""
    if file.before not in (None, file.path):
        words = f"renamed from {one_line(file.before)}"
    else:
        words = _STATUS.get(file.status, "")
    if file.binary:
        return f"{words}, binary" if words else "binary"
    if not file.hunks and not words:
        return "mode changed"
    return words


def range_words(hunk: ReviewedHunk) -> str:
    """The place of a hunk as in a patch."""
    heading = f" {one_line(hunk.heading)}" if hunk.heading else ""
    return f"@@ -{_span(hunk.old)} +{_span(hunk.new)} @@{heading}"


def _span(lines: tuple[int, int]) -> str:
    return str(lines[0]) if lines[1] == 1 else f"{lines[0]},{lines[1]}"


def turn_words(origin: Origin) -> str:
    """The number of the turn, and a doubt."""
    turn = "before the first prompt" if origin.turn is None else f"turn {origin.turn}"
    return turn if origin.exact else f"{turn}?"


def calls_words(origin: Origin) -> str:
    """The calls by tool with their lines, the time of the last, and who made them."""
    tools = Counter(one_line(call.tool or "call", 60) for call in origin.calls)
    listed = ", ".join(f"{tool} ×{count}" if count > 1 else tool for tool, count in tools.items())
    added = sum(call.added for call in origin.calls)
    removed = sum(call.removed for call in origin.calls)
    agent = " by a subagent" if any(call.subagent for call in origin.calls) else ""
    return f"{listed}{agent}, {date_time(origin.calls[-1].time)}, {lines_changed(added, removed)}"


def unknown_words(hunk: ReviewedHunk) -> str:
    return f"{counted(hunk.unknown, 'line')} by {_NOBODY}"


def commands_of(origin: Origin) -> list[str]:
    """The shell commands among the calls, each as one line."""
    commands = (call.command for call in origin.calls)
    return [one_line(command, _COMMAND) for command in commands if command]


def runs_words(origin: Origin) -> str:
    """How the test runs after the calls ended."""
    if not origin.runs:
        return "no test run after it"
    failed = sum(run.result.bad > 0 for run in origin.runs)
    failing = f", {failed:,} failed" if failed else ""
    last = run_words(origin.runs[-1])
    return f"{counted(len(origin.runs), 'test run')} after it{failing}; the last: {last}"


def run_words(run: TestRun) -> str:
    return f"{date_time(run.time)}, {summed_up(run.result)}"


def origin_mark(line: ReviewedLine) -> str:
    """The number of the turn that changed a line, from 1; `–` for none, empty for a kept line."""
    if line.sign == " ":
        return ""
    if line.origin is None:
        return UNKNOWN
    return f"{line.origin + 1}{'' if line.exact else '?'}"

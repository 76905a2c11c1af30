"""Output of RSpec and Minitest."""

import re
from collections.abc import Sequence

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results.counting import blocks, counts, first_text, result_of

_EXAMPLES = re.compile(
    r"(?P<all>\d{1,9}) examples?, (?P<failed>\d{1,9}) failures?(?:, (?P<skipped>\d{1,9}) pending)?"
    r"(?:, (?P<errors>\d{1,9}) errors? occurred outside of examples)?"
)
_EXAMPLE = re.compile(r"rspec (?P<path>\S+?):(?P<line>\d{1,9}) # (?P<name>.+)")
_NUMBERED = re.compile(r"  \d+\) (?P<name>.+)")


def rspec(lines: Sequence[str]) -> SuiteResult | None:
    """Results of RSpec."""
    totals = next((match for line in lines if (match := _EXAMPLES.fullmatch(line))), None)
    if totals is None:
        return None
    numbers = {key: int(totals[key] or 0) for key in ("failed", "skipped", "errors")}
    passed = int(totals["all"]) - numbers["failed"] - numbers["skipped"]
    found = {"passed": max(0, passed), **{key: count for key, count in numbers.items() if count}}
    messages = {head["name"]: lines[start:end] for head, start, end in blocks(lines, _NUMBERED)}
    failures = [
        FailedTest(
            match["name"],
            match["path"],
            int(match["line"]),
            (first_text(messages.get(match["name"], ())) or "").removeprefix("Failure/Error: ")
            or None,
        )
        for line in lines
        if (match := _EXAMPLE.fullmatch(line)) is not None
    ]
    return result_of(found, failures)


_RUNS = re.compile(
    r"(?P<all>\d{1,9}) (?:runs|tests), \d+ assertions, "
    r"(?P<counts>\d+ failures, \d+ errors, \d+ skips).*"
)
_WHAT = re.compile(r" +\d+\) (?:Failure|Error):")
_HEAD = re.compile(r"(?P<name>\S+)(?: \[(?P<path>[^\]]+):(?P<line>\d{1,9})\])?:")
_FRAME = re.compile(r" +(?P<path>\S+?):(?P<line>\d{1,9}):in .*")


def minitest(lines: Sequence[str]) -> SuiteResult | None:
    """Results of Minitest, also as Rails runs it."""
    totals = next((match for line in lines if (match := _RUNS.fullmatch(line))), None)
    if totals is None:
        return None
    found = counts(totals["counts"])
    found["passed"] = max(0, int(totals["all"]) - sum(found.values()))
    failures: list[FailedTest] = []
    for _, start, end in blocks(lines, _WHAT):
        head = _HEAD.fullmatch(lines[start]) if start < end else None
        if head is None:
            continue
        rest = lines[start + 1 : end]
        frame = next((match for line in rest if (match := _FRAME.fullmatch(line))), None)
        place = head if head["path"] else frame
        path, line = (place["path"], int(place["line"])) if place is not None else (None, None)
        failures.append(FailedTest(head["name"], path, line, first_text(rest)))
    return result_of(found, failures)

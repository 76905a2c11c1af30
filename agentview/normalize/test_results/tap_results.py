"""The Test Anything Protocol, versions 12 to 14."""

import re
from collections.abc import Sequence

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results.counting import result_of, stack_place

_PLAN = re.compile(r" *1\.\.\d+(?: *#.*)?")
_TEST = re.compile(
    r"(?P<in> *)(?P<not>not )?ok\b(?: (?P<number>\d+))?(?: -)?(?P<name>[^#]*)"
    r"(?:# *(?P<todo>(?i:skip|todo))?.*?)?(?P<open>\{)?"
)
_MESSAGE = re.compile(r"\s*(?:error|message): *(?P<text>[^\s|>].*)")
_PLACE = re.compile(
    r"\s*(?:at|location): *['\"]?(?P<path>[^'\":]+):(?P<line>\d{1,9})(?::\d+)?['\"]?"
)


def tap(lines: Sequence[str]) -> SuiteResult | None:
    """Results of tests without tests of their own; a plan (`1..3`) is required."""
    if not any(_PLAN.fullmatch(line) for line in lines):
        return None
    tests = [(match, n) for n, line in enumerate(lines) if (match := _TEST.fullmatch(line))]
    found = {"passed": 0, "failed": 0, "skipped": 0}
    failures: list[FailedTest] = []
    for index, (test, number) in enumerate(tests):
        above = tests[index - 1][0] if index else None
        # The tests of a test are indented, above it or, after a brace, below it.
        deeper = above is not None and len(above["in"]) > len(test["in"])
        if test["open"] or (deeper and not _closed(lines, tests[index - 1][1], number)):
            continue
        if test["todo"]:
            found["skipped"] += 1
        elif not test["not"]:
            found["passed"] += 1
        else:
            found["failed"] += 1
            end = tests[index + 1][1] if index + 1 < len(tests) else len(lines)
            failures.append(_failed(test, lines[number + 1 : end]))
    counted = {key: count for key, count in found.items() if count or key == "passed"}
    return result_of(counted, failures) if tests else None


def _closed(lines: Sequence[str], start: int, end: int) -> bool:
    return any(line.strip() == "}" for line in lines[start:end])


def _failed(test: re.Match[str], below: Sequence[str]) -> FailedTest:
    name = test["name"].strip() or f"test {test['number'] or ''}".strip()
    message: str | None = None
    place: re.Match[str] | None = None
    for line in below:
        if line.strip() in ("...", "}"):
            break
        if message is None and (error := _MESSAGE.fullmatch(line)) is not None:
            message = error["text"].strip("'\"")
        place = place or _PLACE.fullmatch(line)
    if place is None:
        return FailedTest(name, *stack_place(below), message)
    return FailedTest(name, place["path"], int(place["line"]), message)

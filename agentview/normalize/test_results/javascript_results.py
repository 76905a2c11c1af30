"""Output of jest, vitest, mocha, playwright and the test runner of node."""

import re
from collections.abc import Sequence

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results.counting import (
    added,
    blocks,
    counts,
    first_text,
    result_of,
    stack_place,
)

_RULE = re.compile(r"[\u2500\u23af ]+(?:\[\d+/\d+\]\u23af)?")


_JEST = re.compile(r"(?P<what>Tests|Test Suites): +(?P<counts>(?:\d+ [a-z]+, )*)\d+ total")
_JEST_FILE = re.compile(r"(?:FAIL|PASS)\s+(?:\S+ )?(?P<path>[^\s()]+)(?: \([\d.]+ m?s\))?")
_JEST_TEST = re.compile(r"  \u25cf (?P<name>\S.*)")
_NO_SUITE = "Test suite failed to run"
_NOT_A_TEST = frozenset({"Console", "Cannot log after tests are done. Did you forget to wait?"})


def jest(lines: Sequence[str]) -> SuiteResult | None:
    """Results of jest; files that could not be loaded are errors."""
    totals = [match for line in lines if (match := _JEST.fullmatch(line)) is not None]
    results = [result_of(counts(one["counts"]), ()) for one in totals if one["what"] == "Tests"]
    if not results and not any("failed" in one["counts"] for one in totals):
        return None
    failures: dict[tuple[str, str | None], FailedTest] = {}
    path: str | None = None
    at = 0
    for head, start, end in blocks(lines, _JEST_TEST):
        for line in lines[at:start]:
            file = _JEST_FILE.fullmatch(line)
            path = file["path"] if file is not None else path
        at = start
        if head["name"] in _NOT_A_TEST:
            continue
        own, line_number = stack_place(lines[start:end])
        message = first_text(lines[start:end])
        name = path or head["name"] if head["name"] == _NO_SUITE else head["name"]
        failed = FailedTest(name, own or path, line_number, message)
        failures.setdefault((head["name"], path), failed)
    errors = sum(name == _NO_SUITE for name, _ in failures)
    extra = [SuiteResult(errors=errors or None, failures=tuple(failures.values()))]
    return added(results + extra)


_VITEST = re.compile(
    r" +(?P<what>Tests|Test Files)  (?P<counts>\d+ [a-z]+(?: \| \d+ [a-z]+)*|no tests)(?: \(\d+\))?"
    r"|(?P<type>Type Errors)  .*"
)
_VITEST_FAIL = re.compile(r" *FAIL +(?P<name>\S.*)")
_LOADED = re.compile(r"(?P<path>\S+) \[ .* \]")


def vitest(lines: Sequence[str]) -> SuiteResult | None:
    """Results of vitest; files that could not be loaded are errors."""
    totals = [match for line in lines if (match := _VITEST.fullmatch(line)) is not None]
    results = [result_of(counts(one["counts"]), ()) for one in totals if one["what"] == "Tests"]
    if not results:
        return None
    failures: dict[str, FailedTest] = {}
    errors = 0
    for head, start, end in blocks(lines, _VITEST_FAIL):
        file = _LOADED.fullmatch(head["name"])
        path, _, name = (file["path"] if file else head["name"]).partition(" > ")
        if not file and not name:
            continue
        until = next((n for n in range(start, end) if _is_rule(lines[n])), end)
        own, line_number = stack_place(lines[start:until])
        message = first_text(lines[start:until])
        errors += file is not None and head["name"] not in failures
        shown = FailedTest(name or path, own or path.split()[-1], line_number, message)
        failures.setdefault(head["name"], shown)
    return added([*results, SuiteResult(errors=errors or None, failures=tuple(failures.values()))])


def _is_rule(line: str) -> bool:
    return bool(line) and _RULE.fullmatch(line) is not None


_MOCHA = re.compile(r"  (?P<count>\d{1,9}) (?P<what>passing|pending|failing)(?: \([\d.]+m?s\))?")
_NUMBERED = re.compile(r"  \d+\) (?P<name>\S.*)")


def mocha(lines: Sequence[str]) -> SuiteResult | None:
    """Results of mocha, with the reporters that list failures below the counts."""
    totals = [(n, match) for n, line in enumerate(lines) if (match := _MOCHA.fullmatch(line))]
    if not totals:
        return None
    below = lines[totals[-1][0] + 1 :]
    failures: list[FailedTest] = []
    for head, start, end in blocks(below, _NUMBERED):
        names, at = [head["name"]], start
        while not names[-1].endswith(":") and at < end and below[at].strip():
            names.append(below[at].strip())
            at += 1
        rest = below[at:end]
        name = " \u203a ".join(names).removesuffix(":")
        failures.append(FailedTest(name, *stack_place(rest), first_text(rest)))
    return result_of(
        counts(" ".join(f"{one['count']} {one['what']}" for _, one in totals)), failures
    )


_PLAYWRIGHT = re.compile(r"  (?P<counts>\d+ (?:passed|failed|flaky|skipped))(?: \([\d.]+m?s\))?")
_PLAYWRIGHT_TEST = re.compile(
    r"  \d+\) (?:\[[^\]]*\] \u203a )?(?P<path>[^\s:]+):(?P<line>\d{1,9}):\d+ \u203a (?P<name>.*)"
)


def playwright(lines: Sequence[str]) -> SuiteResult | None:
    """Results of playwright."""
    totals = [
        match["counts"] for line in lines if (match := _PLAYWRIGHT.fullmatch(line)) is not None
    ]
    if not totals:
        return None
    failures: list[FailedTest] = []
    for head, start, end in blocks(lines, _PLAYWRIGHT_TEST):
        own, number = stack_place(lines[start:end])
        place = (own, number) if own else (head["path"], int(head["line"]))
        name = head["name"].rstrip("\u2500 ")
        failures.append(FailedTest(name, *place, first_text(lines[start:end])))
    return result_of(counts(" ".join(totals)), failures)


_NODE = re.compile(r"\u2139 (?P<what>pass|fail|cancelled|skipped|todo) (?P<count>\d{1,9})")
_NODE_AT = re.compile(r"test at (?P<path>[^:]+):(?P<line>\d{1,9}):\d+")
_NODE_NAME = re.compile(r"\u2716 (?P<name>.*?)(?: \([\d.]+ms\))?")


def node(lines: Sequence[str]) -> SuiteResult | None:
    """Results of node's own runner in the form that it prints to a terminal."""
    totals = [match for line in lines if (match := _NODE.fullmatch(line)) is not None]
    if not totals:
        return None
    failures: list[FailedTest] = []
    for head, start, end in blocks(lines, _NODE_AT):
        name = _NODE_NAME.fullmatch(lines[start]) if start < end else None
        if name is not None:
            own, number = stack_place(lines[start + 1 : end])
            place = (own, number) if own else (head["path"], int(head["line"]))
            failures.append(FailedTest(name["name"], *place, first_text(lines[start + 1 : end])))
    return result_of(counts(" ".join(f"{one['count']} {one['what']}" for one in totals)), failures)

"""Counts of outcomes and places in lines that test runners print."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agentview.domain.suite_result import FailedTest, SuiteResult

MOST_FAILURES = 1_000
"""Failed tests that are listed of a run; the others are counted."""
_COUNT = re.compile(r"(\d{1,9}) ([a-z]+)")
_PLACE = re.compile(r"(?:file://)?(?P<path>[^:]+(?::[^:]+)??):(?P<line>\d{1,9})(?::\d+)?")
_OUTCOMES: Mapping[str, str] = {
    "passed": "passed", "passing": "passed", "xpassed": "passed", "pass": "passed",
    "failed": "failed", "failing": "failed", "failures": "failed", "failure": "failed",
    "fail": "failed", "error": "errors", "errors": "errors", "skipped": "skipped",
    "xfailed": "skipped", "ignored": "skipped", "todo": "skipped", "pending": "skipped",
    "skips": "skipped", "cancelled": "errors",
}  # fmt: skip


def counts(text: str) -> dict[str, int]:
    """Fields of a SuiteResult from words such as `2 failed, 5 passed`; words unknown are left."""
    return summed((word, int(number)) for number, word in _COUNT.findall(text))


def summed(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The same from words with their numbers."""
    found: dict[str, int] = {}
    for word, number in pairs:
        if (field := _OUTCOMES.get(word)) is not None:
            found[field] = found.get(field, 0) + number
    return found


def result_of(found: Mapping[str, int], failures: Sequence[FailedTest]) -> SuiteResult:
    return SuiteResult(
        found.get("passed"),
        found.get("failed"),
        found.get("errors"),
        found.get("skipped"),
        tuple(failures[:MOST_FAILURES]),
    )


def added(results: Sequence[SuiteResult]) -> SuiteResult | None:
    """One result for several runs; None without any."""
    if len(results) < 2:
        return results[0] if results else None

    def total(values: Iterable[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    return SuiteResult(
        total(one.passed for one in results),
        total(one.failed for one in results),
        total(one.errors for one in results),
        total(one.skipped for one in results),
        tuple(failure for one in results for failure in one.failures)[:MOST_FAILURES],
        whole=all(one.whole for one in results),
    )


Block = tuple[re.Match[str], int, int]


def blocks(lines: Sequence[str], head: re.Pattern[str]) -> Iterator[Block]:
    """Lines that match a head, each with the number of the line below it and of the next head."""
    heads = [(match, n) for n, line in enumerate(lines) if (match := head.fullmatch(line))]
    for number, (match, n) in enumerate(heads):
        yield match, n + 1, heads[number + 1][1] if number + 1 < len(heads) else len(lines)


def stack_place(lines: Iterable[str]) -> tuple[str | None, int | None]:
    """The first line of a JavaScript stack that is neither the engine's nor a library's."""
    for line in lines:
        text = line.strip()
        if not text.startswith(("at ", "\u276f ")) or "node_modules" in text:
            continue
        text = text.removesuffix(")")
        begin = text.rfind("(") if "(" in text else text.rfind(" ")
        place = _PLACE.fullmatch(text, begin + 1)
        if place is not None and not place["path"].startswith("node:"):
            return place["path"], int(place["line"])
    return None, None


def first_text(lines: Iterable[str]) -> str | None:
    return next((text for line in lines if (text := line.strip())), None)

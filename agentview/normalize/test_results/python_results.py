"""Output of pytest and unittest."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results.counting import (
    added,
    blocks,
    counts,
    first_text,
    result_of,
    summed,
)

_PYTEST = re.compile(
    r"(?:=+ )?(?P<counts>\d+ [a-z]+(?: passed)?(?:, \d+ [a-z]+(?: passed)?)*|no tests ran)"
    r" in \d+(?:\.\d+)?s(?: \([\d:]+\))?(?: =+)?"
)
_SHORT = re.compile(r"(?:FAILED|ERROR|SUBFAILED\S*) (?P<id>(?:(?! - ).)+)(?: - (?P<why>.*))?")
_SECTION = re.compile(r"_{3,} (?P<name>.+?) _{3,}")
_ENDS_SECTIONS = re.compile(r"=+ .* =+|-{3,} Captured .* -{3,}")
_PLACE = re.compile(r"(?P<path>[^\s:][^:]*):(?P<line>\d{1,9}):(?: |$)")
_SETUP = re.compile(r"ERROR (?:at (?:setup|teardown) of |collecting )")


def pytest(lines: Sequence[str]) -> SuiteResult | None:
    """Results of pytest, with any plug-ins and options by which it prints its last line."""
    ends = [match for line in lines if (match := _PYTEST.fullmatch(line)) is not None]
    totals = [counts(match["counts"]) for match in ends]
    if not any(totals):
        return None
    sections = _sections(lines)
    failures: list[FailedTest] = []
    for line in lines:
        match = _SHORT.fullmatch(line)
        if match is not None and ("::" in match["id"] or "/" in match["id"] or "." in match["id"]):
            failures.append(_failed(match["id"], match["why"], sections))
    if not failures:
        failures = [
            FailedTest(name, *(section.place(None) or (None, None)), section.message)
            for name, section in sections.items()
        ]
    return added([result_of(total, failures if not n else ()) for n, total in enumerate(totals)])


class _Section(NamedTuple):
    """Output on one failure: the places of its traceback and the first message."""

    places: list[tuple[str, int]]
    message: str | None

    def place(self, path: str | None) -> tuple[str, int] | None:
        """The last place in the file of the test, else in the file that the traceback begins in."""
        own = [place for place in self.places if place[0] == path]
        own = own or [place for place in self.places if place[0] == self.places[0][0]]
        return own[-1] if own else None


def _sections(lines: Sequence[str]) -> dict[str, _Section]:
    """The failures that have a section of their own, by name."""
    found: dict[str, _Section] = {}
    for head, start, end in blocks(lines, _SECTION):
        name = _SETUP.sub("", head["name"])
        places: list[tuple[str, int]] = []
        message: str | None = None
        for line in lines[start:end]:
            if _ENDS_SECTIONS.fullmatch(line) is not None:
                break
            if message is None and line.startswith("E  "):
                message = line[1:].strip() or None
            elif (place := _PLACE.match(line)) is not None:
                places.append((place["path"], int(place["line"])))
        if places or message:
            found.setdefault(name, _Section(places, message))
    return found


def _failed(node: str, why: str | None, sections: dict[str, _Section]) -> FailedTest:
    path, _, name = node.partition("::")
    section = sections.get(name.replace("::", ".") or path, _Section([], None))
    place = section.place(path) or (path, None)
    return FailedTest(name or path, *place, why or section.message)


_RAN = re.compile(r"Ran (\d{1,9}) tests? in [\d.]+s")
_ENDED = re.compile(
    r"(?:OK|FAILED|NO TESTS RAN)(?: \((?P<counts>[a-z ]+=\d+(?:, [a-z ]+=\d+)*)\))?"
)
_FAILED_UNIT = re.compile(r"(?P<what>FAIL|ERROR): (?P<name>\S+)(?: \((?P<in>[\w.]+)\))?(?P<sub>.*)")
_FRAME = re.compile(r'  File "(?P<path>[^"]+)", line (?P<line>\d{1,9}), in (?P<name>.+)')
_EQUAL = re.compile(r"([a-z]+)=(\d{1,9})")


def unittest(lines: Sequence[str]) -> SuiteResult | None:
    """Results of unittest and of what is built on it, such as Django's runner."""
    results: list[SuiteResult] = []
    failures = [_unit(*block, lines) for block in blocks(lines, _FAILED_UNIT)]
    for number, line in enumerate(lines):
        ran = _RAN.fullmatch(line)
        ended = None if ran is None else _ENDED.fullmatch(first_text(lines[number + 1 :]) or "")
        if ran is None or ended is None:
            continue
        totals = summed((word, int(count)) for word, count in _EQUAL.findall(ended["counts"] or ""))
        own = () if results else failures
        # Each failed part of a test counts, so that a test may count more than once.
        twice = len(own) - len({failure.name for failure in own})
        passed = int(ran[1]) - sum(totals.values()) + twice
        results.append(result_of({**totals, "passed": max(0, passed)}, own))
    return added(results)


def _unit(head: re.Match[str], start: int, end: int, lines: Sequence[str]) -> FailedTest:
    within = (head["in"] or "").removesuffix(f".{head['name']}")
    name = ".".join(filter(None, (within, head["name"])))
    frames: list[re.Match[str]] = []
    message: str | None = None
    for line in lines[start:end]:
        if line.startswith(("====", "----")) and frames:
            break
        if (frame := _FRAME.fullmatch(line)) is not None:
            frames.append(frame)
            message = None
        elif frames and message is None and line and not line.startswith(" "):
            message = line
    own = [frame for frame in frames if frame["name"] == head["name"]] or frames
    place = (own[-1]["path"], int(own[-1]["line"])) if own else (None, None)
    return FailedTest(name, *place, message)

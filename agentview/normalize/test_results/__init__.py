"""Results of tests in what a command printed, by the form of the lines."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from agentview.domain.suite_result import SuiteResult
from agentview.normalize.output_text import is_cut
from agentview.normalize.test_results.counting import added

_LONGEST = 100_000
"""Characters at the end of a text that are read: runners print their results last."""
_MOST_LINES = 4_000
_LONGEST_LINE = 1_000
_PYTEST_ENDS = (
    *(" passed in ", " failed in ", " error in ", " errors in ", " skipped in ", " warning in "),
    *(" warnings in ", " deselected in ", " xfailed in ", " xpassed in ", " rerun in "),
)
_Form = tuple[tuple[str, ...], str, str]
_TOTALS: tuple[_Form, ...] = (
    (_PYTEST_ENDS, "python_results", "pytest"),
    (("\nRan ",), "python_results", "unittest"),
    (("Tests:", "Test Suites:"), "javascript_results", "jest"),
    (("Tests  ",), "javascript_results", "vitest"),
    ((" passing",), "javascript_results", "mocha"),
    ((" passed (", " failed\n", " flaky\n"), "javascript_results", "playwright"),
    (("\u2139 pass ",), "javascript_results", "node"),
    ((" examples, ", " example, "), "ruby_results", "rspec"),
    ((" assertions, ",), "ruby_results", "minitest"),
)
"""Forms that end with their totals: words without which a text has none, and what reads it.

A reader is imported when a text has the words: its patterns take long to compile.
"""
_COUNTED: tuple[_Form, ...] = (
    (("ok  \t", "FAIL\t"), "go_results", "go"),
    (("test result: ",), "rust_results", "cargo"),
    (("\nok ", "\nnot ok "), "tap_results", "tap"),
)
"""Forms without totals, whose lines are counted: a part of the lines is at least so many tests."""


def _read(module: str, name: str) -> Callable[..., Any]:
    return getattr(import_module(f"{__name__}.{module}"), name)


# A title asks for it twice, then the body.
@lru_cache(maxsize=8)
def suite_result(text: str) -> SuiteResult | None:
    """Results of all runs of tests in a text without escape sequences; None where it has none."""
    end = "\n" + text[-_LONGEST:] + "\n"
    if "<testsuite" in end and len(text) <= _LONGEST:
        found = _read("junit_results", "junit")(end)
        if found is not None:
            return found
    if '"Action":"' in end:
        end = _read("go_results", "from_json")(end)
    totals = [_read(*reader) for words, *reader in _TOTALS if any(word in end for word in words)]
    counted = [_read(*reader) for words, *reader in _COUNTED if any(word in end for word in words)]
    if not totals and not counted:
        return None
    lines = [line[:_LONGEST_LINE].rstrip() for line in end.rsplit("\n", _MOST_LINES)[1:]]
    results = [result for read in totals if (result := read(lines)) is not None]
    if counted:
        whole = len(text) <= _LONGEST and len(lines) < _MOST_LINES and not is_cut(text)
        parts = [result for read in counted if (result := read(lines)) is not None]
        results += [replace(part, whole=whole) for part in parts]
    return added(results)

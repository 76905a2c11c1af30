"""Findings of compilers and linters in what a command printed, by the form of the lines."""

import re
from importlib import import_module

from agentview.domain.tool_results import Diagnostic
from agentview.normalize.output_text import is_cut

_LONGEST = 100_000
"""Characters at the end of a text that are read."""
_MOST_LINES = 4_000
_LONGEST_LINE = 1_000
_ANY = re.compile(r":\d+(?::\d+)?(?::| - |$)|\(\d+,\d+\):|^ +\d+:\d+ ", re.MULTILINE)
"""A place, in any of the forms: a text without one needs no look at its lines."""


def diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """The findings in a text without escape sequences, in its order.

    A line with a place is one if it has a column, a severity or the code of a rule.
    """
    end = text[-_LONGEST:]
    if _ANY.search(end) is None:
        return ()
    lines = [line[:_LONGEST_LINE].rstrip() for line in end.rsplit("\n", _MOST_LINES)]
    # Late: its patterns take long to compile, and most outputs have no place.
    found_in = import_module("agentview.normalize.diagnostic_lines").found_in
    return tuple(dict.fromkeys(found_in(lines)))


def has_all_findings(text: str) -> bool:
    return len(text) <= _LONGEST and text.count("\n") < _MOST_LINES and not is_cut(text)

"""Findings of compilers and linters that a command printed, and how a title sums them up."""

from collections import Counter
from collections.abc import Sequence

from agentview.domain.tool_results import Diagnostic, ShellResult
from agentview.domain.tools import ToolCall
from agentview.normalize.diagnostics import diagnostics, has_all_findings
from agentview.timeline.view.diff.printed import printed_diffs
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.titles.test_results import printed_by, results_of
from agentview.timeline.view.titles.text import shown_path

_COUNTED = ("error", "problem", "warning")
"""Severities that a title counts."""


def findings_of(call: ToolCall) -> tuple[Diagnostic, ...]:
    """Findings that a command printed; none of tests, of diffs, and of what it only looked at."""
    printed = printed_by(call)
    if printed is None or call.reading is not None or results_of(call) is not None:
        return ()
    if isinstance(call.result, ShellResult) and printed_diffs(call.result):
        return ()
    found = diagnostics(printed)
    return found if any(severity_of(item) in _COUNTED for item in found) else ()


def first_finding(findings: Sequence[Diagnostic]) -> Diagnostic:
    """The first error, else the first finding of what is worst."""
    return min(findings, key=lambda item: _rank(severity_of(item)))


def findings_summed_up(call: ToolCall, cwd: str | None) -> str:
    """The counts in words with the first place: `2 errors, 1 warning: app.py:7`; else empty."""
    findings = findings_of(call)
    if not findings:
        return ""
    more = "" if has_all_findings(printed_by(call) or "") else "at least "
    counts = Counter(severity_of(item) for item in findings)
    words = ", ".join(counted(counts[name], name) for name in _COUNTED if counts[name])
    first = first_finding(findings)
    return f"{more}{words}: {one_line(shown_path(first.path, cwd), 60)}:{first.line}"


def severity_of(item: Diagnostic) -> str:
    """Severity in a word; `problem` where a finding has none."""
    severity = (item.severity or "problem").lower()
    return "info" if severity == "information" else severity


def _rank(severity: str) -> int:
    return _COUNTED.index(severity) if severity in _COUNTED else len(_COUNTED)

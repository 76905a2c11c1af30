"""Lines of compilers and linters that have a place: each as a finding."""

import re
from collections.abc import Iterator, Sequence

from agentview.domain.tool_results import Diagnostic

_FILE = r"(?P<path>(?:[A-Za-z]:)?[^\s:()\[\]\"'<>|=]+\.[A-Za-z]\w{0,9})"
_SEVERITY = r"(?P<severity>(?i:fatal error|error|warning|note|information|info|hint|help))"
_LINE = re.compile(
    rf"\s*{_FILE}:(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?(?:: ?| - )(?P<text>\S.*)"
)
_PARENTHESES = re.compile(
    rf"\s*{_FILE}\((?P<line>\d{{1,9}}),(?P<column>\d{{1,9}})\): (?P<text>\S.*)"
)
_ARROW = re.compile(rf" *--> {_FILE}:(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?")
_BELOW_FILE = re.compile(
    r"  +(?P<line>\d{1,9}):(?P<column>\d{1,9})  +(?P<severity>error|warning)  +(?P<text>\S.*)"
)
_FILE_LINE = re.compile(r"(?:[A-Za-z]:)?[^\s:][^:]*\.[A-Za-z]\w{0,9}")
_HEAD = re.compile(rf"{_SEVERITY}(?:\[(?P<code>[\w:-]+)\])?:? (?P<text>\S.*)")
_CODE = re.compile(
    r"(?P<code>[A-Za-z][A-Za-z0-9-]*\d{2,5}|invalid-syntax):? (?:\[\*\] )?(?P<text>.*)"
)
_WORDS = {"fatal error": "error", "note": "info", "information": "info", "help": "hint"}


def found_in(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Findings in lines without escape sequences and blanks at their ends, in their order."""
    file: str | None = None
    before = ""
    for line in lines:
        if (match := _LINE.fullmatch(line) or _PARENTHESES.fullmatch(line)) is not None:
            found = _of_line(match)
            if found is not None:
                yield found
        elif (match := _ARROW.fullmatch(line)) is not None:
            severity, code, message = _parsed(before)
            yield _diagnostic(match, match["path"], message, severity, code)
        elif file is not None and (match := _BELOW_FILE.fullmatch(line)) is not None:
            message, _, rule = match["text"].rpartition("  ")
            message = message.strip() or rule
            yield _diagnostic(match, file, message, match["severity"], rule if message else None)
        elif line and not line.startswith(" "):
            file = line if _FILE_LINE.fullmatch(line) is not None else None
        before = line


def _of_line(match: re.Match[str]) -> Diagnostic | None:
    severity, code, message = _parsed(match["text"])
    if severity is None and code is None and match["column"] is None:
        return None
    return _diagnostic(match, match["path"], message, severity, code)


def _parsed(text: str) -> tuple[str | None, str | None, str]:
    """Severity, code of the rule and message of a finding."""
    severity = code = None
    head = _HEAD.fullmatch(text)
    if head is not None:
        severity, code, text = head["severity"].lower(), head["code"], head["text"]
    rule = _CODE.fullmatch(text) if code is None else None
    if rule is not None:
        code, text = rule["code"], rule["text"]
    return severity, code, text


def _diagnostic(
    place: re.Match[str], path: str, message: str, severity: str | None, code: str | None
) -> Diagnostic:
    column = place["column"]
    return Diagnostic(
        path,
        message,
        severity=None if severity is None else _WORDS.get(severity, severity),
        line=int(place["line"]),
        column=None if column is None else int(column),
        source=code,
    )

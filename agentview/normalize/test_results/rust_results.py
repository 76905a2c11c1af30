"""Output of `cargo test`."""

import re
from collections.abc import Sequence

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results.counting import blocks, counts, first_text, result_of

_RESULT = re.compile(
    r"test result: (?:ok|FAILED)\. (?P<counts>\d+ passed; \d+ failed; \d+ ignored).*"
)
_STDOUT = re.compile(r"---- (?P<name>.+) stdout ----")
_LISTED = re.compile(r"    (?P<name>\S+(?: - .+ \(line \d+\))?)")
_PANIC = re.compile(
    r"thread '[^']*' (?:\(\d+\) )?panicked at "
    r"(?:'(?P<text>.*)', )?(?P<path>[^\s:']+):(?P<line>\d{1,9}):\d+:?"
)


def cargo(lines: Sequence[str]) -> SuiteResult | None:
    """Results of all binaries that `cargo test` ran."""
    totals = [match["counts"] for line in lines if (match := _RESULT.fullmatch(line)) is not None]
    if not totals:
        return None
    messages = {
        head["name"]: _message(lines[start:end]) for head, start, end in blocks(lines, _STDOUT)
    }
    names: dict[str, None] = {}
    listing = False
    for line in lines:
        if line == "failures:":
            listing = True
        elif listing and (name := _LISTED.fullmatch(line)) is not None:
            names[name["name"]] = None
        elif line:
            listing = False
    failures = [
        FailedTest(name, *messages.get(name, (None, None, None))) for name in names or messages
    ]
    return result_of(counts(" ".join(totals)), failures)


def _message(lines: Sequence[str]) -> tuple[str | None, int | None, str | None]:
    """Place and message of a panic; the first line where a test ended with an error."""
    for number, line in enumerate(lines):
        if (panic := _PANIC.fullmatch(line)) is not None:
            message = panic["text"] or first_text(lines[number + 1 : number + 2])
            return panic["path"], int(panic["line"]), message
    return None, None, first_text(lines)

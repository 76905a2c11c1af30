"""Files whose lines end with carriage returns, told by what commands print of them."""

import re
from collections.abc import Iterator

from agentview.normalize.shell_split import pipelines

SHOWS = re.compile(
    r"(?:\A|[;&|\n]\s*)(?:file|cat|head|tail|git\s(?:-\S+\s)*(?:diff|show))(?:\s|\Z)"
)
"""Commands whose output may tell it."""
_SAID = re.compile(r"(?m)^([^\n:]{1,300}):\s[^\n]*\bCRLF line terminators")
"""What `file` says."""
_SECTION = re.compile(r"(?m)^\+\+\+ (?:b/)?([^\t\r\n]+)[^\n]*\n((?:[@ +\-\\][^\n]*\n?)+)")
_PRINTERS = frozenset({"cat", "head", "tail"})
_LONGEST = 200_000
"""Characters of an output that are looked at."""


def told_to_end_with_returns(command: str, output: str) -> Iterator[str]:
    """Paths of files that an output shows to have a carriage return at the end of each line."""
    output = output[:_LONGEST]
    yield from _SAID.findall(output)
    if "\r\n" not in output and "^M\n" not in output:
        return
    sections = _SECTION.findall(output)
    for path, lines in sections:
        if _ends_with_returns(line for line in lines.split("\n") if line[:1] in (" ", "+", "-")):
            yield path
    if not sections and _ends_with_returns(output.removesuffix("\n").split("\n")):
        split = pipelines(command) or ()
        for pipeline in split[-1:]:
            words = [word.text for word in pipeline[0]]
            if words[0] in _PRINTERS and len(words) > 1:
                yield words[-1]


def _ends_with_returns(lines: Iterator[str] | list[str]) -> bool:
    ends = [line.endswith(("\r", "^M")) for line in lines]
    # The last line that was printed may have been cut.
    return bool(ends) and all(ends[:-1]) and any(ends)

"""Reading files: arguments to a ReadPayload, and texts with line numbers to their contents."""

import re

from agentview.domain.events import ToolResult
from agentview.domain.payloads import ReadPayload
from agentview.domain.results import ReadResult
from agentview.domain.tools import ToolCall
from agentview.normalize.fields import Fields, body, items, mapping, number, path, text
from agentview.normalize.outputs import media_of, text_of

_NUMBERED = re.compile(r"[ ]{0,12}(\d{1,9})[→\t]")


def payload(fields: Fields) -> ReadPayload:
    """Read a file. A range may be given as start and count, as start and end, or as a pair."""
    pair = items(fields.get("view_range"))
    ends: dict[str, object] = dict(zip(("start", "end"), pair, strict=False))
    start = number(fields, "offset", "start_line", "startLine", "line_start", "StartLine")
    start = number(ends, "start") if start is None else start
    limit = number(fields, "limit", "num_lines", "max_lines")
    if limit is None:
        last = number(fields, "end_line", "endLine", "line_end", "EndLine")
        last = number(ends, "end") if last is None else last
        if last is not None and last >= (start or 1):
            limit = last - (start or 1) + 1
    return ReadPayload(
        path=path(fields) or "",
        start=start,
        limit=limit,
        pages=text(fields, "pages"),
    )


def without_numbers(content: str) -> tuple[str, int] | None:
    """Text as `cat -n` numbers it, without the numbers, and its first number.

    None when not every line carries the number after the one before it: then the digits may be
    the file's own.
    """
    lines = content.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    bare: list[str] = []
    start = expected = 0
    for line in lines:
        match = _NUMBERED.match(line)
        if match is None or (bare and int(match[1]) != expected):
            return None
        if not bare:
            start = int(match[1])
        expected = int(match[1]) + 1
        bare.append(line[match.end() :])
    return ("\n".join(bare), start) if bare else None


def result(_call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """The text that came back, and the images and documents with it."""
    fields = mapping(outcome.structured)
    content = body(fields, "content", "text")
    if content is None:
        content = text_of(outcome.output)
    media = media_of(outcome.output)
    if outcome.ok is False or (content is None and not media):
        return None
    return read_text(content, media_from=outcome, total=number(fields, "totalLines"))


def read_text(
    content: str | None, *, media_from: ToolResult, total: int | None = None
) -> ReadResult:
    """A ReadResult of a text that may carry line numbers."""
    start: int | None = None
    bare = without_numbers(content) if content is not None else None
    if bare is not None:
        content, start = bare
    return ReadResult(
        content=content,
        start=start,
        line_count=content.count("\n") + 1 if bare is not None and content is not None else None,
        total_lines=total,
        media=media_of(media_from.output),
    )

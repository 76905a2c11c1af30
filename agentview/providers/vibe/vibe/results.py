"""Typed results: the streams of a command, the lines that an edit replaced, the part of a file."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    EditPayload,
    FileOperation,
    GrepPayload,
    ReadPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    Hunk,
    MatchResult,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import mapping, texts
from agentview.normalize.json_values import Fields, fields_of, whole_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import execute, read, search
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.typed_records import read_as
from agentview.providers.vibe.vibe.schema import PATCH, Replaced, Structured

_SAVED = re.compile(r"<system>The tool output is large\.[^\n]{0,200} under (\S+)\.\n")


def shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """The streams of a command; of an output that was too long its ends and its file."""
    made = execute.result(call, outcome)
    found = _SAVED.match(text_in(outcome.output) or "")
    return replace(made, spill_path=found[1]) if made is not None and found is not None else made


def viewed(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """A file, which the client numbers from 0."""
    found = read_as(outcome.structured, Structured)
    content = found.content
    place = call.payload.path if isinstance(call.payload, ReadPayload) else ""
    if content is None:
        return read.result(call, outcome)
    if place.lower().endswith(".ipynb"):
        return read.read_text(content, media_from=outcome, place=place)
    first = whole_of(found.offset)
    return ReadResult(
        content=content,
        start=None if first is None else first + 1,
        line_count=whole_of(found.lines_read),
        total_lines=whole_of(found.total_lines),
        truncated=found.was_truncated is True,
    )


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The parts of a file that an edit replaced, with their lines; what was written whole."""
    found, payload = read_as(outcome.structured, Structured), call.payload
    if outcome.ok is False:
        return None
    if isinstance(payload, WritePayload):
        created = found.file_existed is False
        operation = FileOperation.CREATE if created else FileOperation.UPDATE
        place = found.path or payload.path
        return ChangeResult((FileChange(place, operation, after=payload.content),))
    asked = payload.files[0].path if isinstance(payload, EditPayload) and payload.files else ""
    place = found.file or asked
    blocks = found.patch.blocks if found.patch is not None else None
    hunks = tuple(_hunk(block or Replaced()) for block in blocks or ())
    return ChangeResult((FileChange(place, hunks=hunks),)) if hunks and place else None


def _hunk(block: Replaced) -> Hunk:
    old, new = texts(block.old_lines), texts(block.new_lines)
    signed = (("-", line) for line in old), (("+", line) for line in new)
    lines = tuple(sign + line.removesuffix("\n") for part in signed for sign, line in part)
    start = whole_of(block.old_start_line) or 1
    return Hunk(start, len(old), whole_of(block.new_start_line) or start, len(new), lines)


def with_patch(structured: object, output: Fields) -> object:
    """Add the patch that the client keeps in `_meta` to the structured result."""
    patch = mapping(mapping(output.get("_meta")).get(PATCH))
    return {**fields_of(structured), PATCH: patch} if patch else structured


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches, which are one text."""
    found = read_as(outcome.structured, Structured)
    if found.matches is None:
        return search.grep_result(call, outcome)
    place = call.payload.path if isinstance(call.payload, GrepPayload) else None
    matches = search.parse_matches(found.matches, place) if found.matches else ()
    cut = found.was_truncated is True
    return MatchResult(matches, whole_of(found.match_count), truncated=cut)


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.READ: viewed,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.GREP: grep,
}
"""How the result of a call is read, by what the call does."""

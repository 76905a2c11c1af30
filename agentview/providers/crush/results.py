"""Typed results: texts in the client's own forms, and what it states next to them."""

import re
from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    EditPayload,
    FileOperation,
    ReadPayload,
    ShellAction,
    ShellPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    Match,
    MatchResult,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_values import Fields, fields_of, text_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import patch, read, search
from agentview.normalize.tools.specs import ResultMaker

_FOLDER = re.compile(r"\n+<cwd>[^\n]*</cwd>\s*\Z")
_CODE = re.compile(r"\n?Exit code (-?\d{1,9})\s*\Z")
_ABORTED = "Command was aborted before completion"
_SPILLED = re.compile(r"\[\d+ lines truncated, full output: ([^\]\n]+)\]")
_NOTHING = "no output"
_FOUND = re.compile(r"Found (\d{1,9}) match(?:es)?\n")
_PLACE = re.compile(r"  Line (\d{1,9})(?:, Char \d{1,9})?: (.*)")


def exit_code(said: str | None) -> int | None:
    """The exit code with which the client ends what a command printed, where that is not 0."""
    found = _CODE.search(_FOLDER.sub("", said or ""))
    return int(found[1]) if found is not None else None


def shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return what a command printed, both streams in one text, and how it ended."""
    fields = fields_of(outcome.structured)
    said = text_in(outcome.output)
    if said is None or outcome.denial is not None:
        return None
    printed = fields.get("output")
    output = printed if isinstance(printed, str) else _FOLDER.sub("", said)
    code = exit_code(output)
    job = text_of(fields.get("shell_id"))
    payload = call.payload
    acting = isinstance(payload, ShellPayload) and payload.action is not ShellAction.RUN
    launched = job is not None and fields.get("background") is True and not acting
    spilled = _SPILLED.search(output)
    known = isinstance(printed, str) and not launched and not acting
    aborted = output.rstrip().endswith(_ABORTED)
    return ShellResult(
        output="" if output == _NOTHING else _CODE.sub("", output),
        exit_code=0 if code is None and known and outcome.ok and not aborted else code,
        interrupted=aborted,
        task_id=job,
        launched=launched,
        spill_path=spilled[1] if spilled is not None else None,
    )


def viewed(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """A file without the numbers that its text has."""
    content = fields_of(outcome.structured).get("content")
    payload = call.payload
    place = payload.path if isinstance(payload, ReadPayload) else ""
    media = media_of(outcome.output)
    if outcome.ok is False or not isinstance(content, str) or media:
        return read.result(call, outcome)
    if place.lower().endswith(".ipynb"):
        return read.read_text(content, media_from=outcome, place=place)
    first = payload.start if isinstance(payload, ReadPayload) else None
    return ReadResult(content=content, start=first or 1, line_count=content.count("\n") + 1)


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The file before and after an edit; of a file that was written the diff."""
    fields, payload = fields_of(outcome.structured), call.payload
    if outcome.ok is False or not fields:
        return None
    before, after = fields.get("old_content"), fields.get("new_content")
    if isinstance(payload, EditPayload) and payload.files and isinstance(after, str):
        old = before if isinstance(before, str) else ""
        created = FileOperation.CREATE if not old else FileOperation.UPDATE
        change = FileChange(payload.files[0].path, created, before=old, after=after)
        return ChangeResult((change,))
    return _written(payload, fields) if isinstance(payload, WritePayload) else None


def _written(payload: WritePayload, fields: Fields) -> ChangeResult:
    diff = text_of(fields.get("diff"))
    hunks = next((each.hunks for each in patch.parse_changes(diff or "") if each.hunks), None)
    created = (
        whole_of(fields.get("removals")) == 0 and hunks is not None and hunks[0].old_start == 0
    )
    operation = FileOperation.CREATE if created else FileOperation.UPDATE
    change = FileChange(payload.path, operation, hunks=hunks, after=payload.content)
    return ChangeResult((change,))


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches under the names of their files."""
    said, fields = text_in(outcome.output) or "", fields_of(outcome.structured)
    if outcome.ok is False:
        return None
    if said.startswith("No files found"):
        return MatchResult(match_count=0)
    found = _FOUND.match(said)
    if found is None:
        return search.grep_result(call, outcome)
    matches: list[Match] = []
    place = ""
    for line in said[found.end() :].split("\n"):
        match = _PLACE.match(line)
        if match is not None:
            matches.append(Match(place, int(match[1]), match[2]))
        elif line.endswith(":") and not line.startswith(" "):
            place = line[:-1]
    cut = fields.get("truncated") is True
    return MatchResult(tuple(matches), int(found[1]), truncated=cut)


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.READ: viewed,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.GREP: grep,
}
"""How the result of a call is read, by what the call does."""

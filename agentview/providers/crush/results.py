"""Typed results: texts in the client's own forms, and what it states next to them."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

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
    MatchResult,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import number
from agentview.normalize.json_values import Fields, fields_of, text_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import patch, read
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText

COMMAND = ResultText(
    tail=(
        r"\n+<cwd>[^\n]*</cwd>\s*\Z",
        r"\n?Exit code (?P<exit_code>-?\d{1,9})\s*\Z",
    ),
    none=r"no output\Z",
)
_ABORTED = "Command was aborted before completion"
_SPILLED = re.compile(r"\[\d+ lines truncated, full output: ([^\]\n]+)\]")
_GREP = ResultText(
    head=r"Found (?P<match_count>\d{1,9}) match(?:es)?\n",
    none=r"No files found",
    file=r"(?! )(.*):",
    line=r"  Line (?P<line>\d{1,9})(?:, Char \d{1,9})?: (?P<text>.*)",
)


def shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of a command, both streams in one text, and how it ended."""
    fields = fields_of(outcome.structured)
    said = text_in(outcome.output)
    if said is None or outcome.denial is not None:
        return None
    printed = fields.get("output")
    output, facts = COMMAND.parse(printed if isinstance(printed, str) else said)
    code = number(facts, "exit_code")
    job = text_of(fields.get("shell_id"))
    payload = call.payload
    acting = isinstance(payload, ShellPayload) and payload.action is not ShellAction.RUN
    launched = job is not None and fields.get("background") is True and not acting
    spilled = _SPILLED.search(output)
    known = isinstance(printed, str) and not launched and not acting
    aborted = output.rstrip().endswith(_ABORTED)
    return ShellResult(
        output=output,
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
    made = _GREP.grep(call, outcome)
    cut = fields_of(outcome.structured).get("truncated") is True
    return replace(made, truncated=True) if made is not None and cut else made


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.READ: viewed,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.GREP: grep,
}
"""How the result of a call is read, by what the call does."""

"""Typed results: the client records what it did to a file, and how a command ended."""

import re
from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import EditPayload, FileOperation, WritePayload
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    Match,
    MatchResult,
    PathsResult,
    ShellResult,
    TodosResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import texts
from agentview.normalize.json_values import fields_of, items_of, text_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import search, todo
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText

_BRACKETED_PASTE = re.compile(r"\x1b\[\?2004[hl]")
"""Mode that a shell switches on at its prompt, and off when a command begins."""
_VIEWED = ResultText(head=r"Here's the result of running `cat -n` on [^\n]*:\n")
_TIMED_OUT = re.compile(r"\bcommand (?:timed out|has no new output) after\b")
RUNNING = -1
"""The exit code of a command that has not ended."""


def terminal_text(text: str) -> str:
    return _BRACKETED_PASTE.sub("", text)


def shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return a command's output, and the client's words where it did not end or was not run."""
    fields = fields_of(outcome.structured)
    code = whole_of(fields.get("exit_code"))
    said = text_in(outcome.output)
    if said is None and code is None:
        return None
    running = code == RUNNING
    suffix = text_of(fields_of(fields.get("metadata")).get("suffix")) or ""
    return ShellResult(
        output=said or "",
        exit_code=None if running else code,
        timed_out=fields.get("timeout") is True or _TIMED_OUT.search(suffix) is not None,
        status="running" if running else None,
        media=media_of(outcome.output),
    )


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The file before and after; no patch where the client records only one of them."""
    fields = fields_of(outcome.structured)
    payload = call.payload
    if outcome.ok is False or not fields:
        return None
    place = text_of(fields.get("path")) or text_of(fields.get("file_path"))
    if place is None and isinstance(payload, EditPayload) and payload.files:
        place = payload.files[0].path
    before, after = _file(fields.get("old_content")), _file(fields.get("new_content"))
    if after is None and isinstance(payload, WritePayload):
        after = payload.content
    existed = fields.get("prev_exist")
    if not place or (before is None and after is None):
        return None
    created = existed is False and isinstance(payload, WritePayload)
    operation = FileOperation.CREATE if created else FileOperation.UPDATE
    return ChangeResult((FileChange(place, operation, before=before, after=after),))


def _file(value: object) -> str | None:
    return value if isinstance(value, str) else None


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """The files in which something was found: the client records no lines."""
    fields = fields_of(outcome.structured)
    if "matches" not in fields:
        return search.grep_result(call, outcome)
    found = texts(items_of(fields.get("matches")))
    cut = fields.get("truncated") is True
    return MatchResult(tuple(map(Match, found)), file_count=len(found), truncated=cut)


def glob(call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """The files that were found."""
    fields = fields_of(outcome.structured)
    if "files" not in fields:
        return search.paths_result(call, outcome)
    found = texts(items_of(fields.get("files")))
    return PathsResult(found, count=len(found), truncated=fields.get("truncated") is True)


def todos(call: ToolCall, outcome: ToolResult) -> TodosResult | None:
    """The list as it is after the call."""
    fields = fields_of(outcome.structured)
    if "task_list" not in fields:
        return todo.result(call, outcome)
    return TodosResult(after=tuple(map(todo.item, items_of(fields.get("task_list")))))


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.READ: _VIEWED.read,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.GREP: grep,
    ToolKind.GLOB: glob,
    ToolKind.TODOS: todos,
}
"""How the result of a call is read, by what the call does."""

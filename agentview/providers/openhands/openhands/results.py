"""Typed results: the client records what it did to a file, and how a command ended."""

import re
from collections.abc import Mapping

from msgspec import UNSET

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
from agentview.normalize.json_values import fields_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import search, todo
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText
from agentview.providers._kit.typed_records import read_as
from agentview.providers.openhands.openhands.schema import Observation, Terminal

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
    found = read_as(outcome.structured, Observation)
    code = whole_of(found.exit_code)
    said = text_in(outcome.output)
    if said is None and code is None:
        return None
    running = code == RUNNING
    suffix = (found.metadata or Terminal()).suffix or ""
    return ShellResult(
        output=said or "",
        exit_code=None if running else code,
        timed_out=found.timeout is True or _TIMED_OUT.search(suffix) is not None,
        status="running" if running else None,
        media=media_of(outcome.output),
    )


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The file before and after; no patch where the client records only one of them."""
    found, payload = read_as(outcome.structured, Observation), call.payload
    if outcome.ok is False or not fields_of(outcome.structured):
        return None
    place = found.path or found.file_path
    if not place and isinstance(payload, EditPayload) and payload.files:
        place = payload.files[0].path
    before, after = found.old_content, found.new_content
    if after is None and isinstance(payload, WritePayload):
        after = payload.content
    if not place or (before is None and after is None):
        return None
    created = found.prev_exist is False and isinstance(payload, WritePayload)
    operation = FileOperation.CREATE if created else FileOperation.UPDATE
    return ChangeResult((FileChange(place, operation, before=before, after=after),))


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """The files in which something was found: the client records no lines."""
    found = read_as(outcome.structured, Observation)
    if found.matches is UNSET:
        return search.grep_result(call, outcome)
    files, cut = texts(found.matches or []), found.truncated is True
    return MatchResult(tuple(map(Match, files)), file_count=len(files), truncated=cut)


def glob(call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """The files that were found."""
    found = read_as(outcome.structured, Observation)
    if found.files is UNSET:
        return search.paths_result(call, outcome)
    files = texts(found.files or [])
    return PathsResult(files, count=len(files), truncated=found.truncated is True)


def todos(call: ToolCall, outcome: ToolResult) -> TodosResult | None:
    """The list as it is after the call."""
    tasks = read_as(outcome.structured, Observation).task_list
    if tasks is UNSET:
        return todo.result(call, outcome)
    return TodosResult(after=tuple(map(todo.item, tasks or ())))


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

"""Typed results of commands, searches and changes of files; the shared rules read others."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    EditPayload,
    FileOperation,
    WritePayload,
)
from agentview.domain.tool_results import (
    ChangeResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_values import fields_of, items_of, text_of, whole_of
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText

_SHELL = r"[^\s<>]{1,80}"
COMMAND = ResultText(
    head=(
        r"(?s)Output too large to read at once \([^()\n]{1,20}\)\. "
        r"Saved to: (?P<spill_path>[^\n]+)\n.*?\nPreview \([^()\n]*\):\n"
    ),
    tail=(
        (
            rf"\n?<(?:(?:exited|shellId: {_SHELL} completed) with exit code "
            r"(?P<exit_code>-?\d{1,10})"
            r"|command (?:(?P<launched>started) in (?:the )?background )?with shellId: "
            rf"(?P<task_id>{_SHELL})(?: is still (?P<status>running)[^<>]*)?)>\s*$"
        ),
    ),
)
_GREP = ResultText(
    head=(
        r"\[grep \w+: (?P<match_count>\d{1,9}) match(?:es)? across (?P<file_count>\d{1,9}) "
        r"file\(s\)[^\n]*\]\n"
    ),
    none=r"\s*No matches found\.\s*\Z",
    file=r"(\S.*) \(\d{1,9} match\(es\)\):",
    line=r"\s{1,8}(?P<line>\d{1,9})(?::|(?P<context>-)) ?(?P<text>.*)",
)
_ANSWER = ResultText(head=r"User (?:selected|responded|answered)[^:\n]*: ?")


def shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of a command, without the line that the client adds."""
    made = COMMAND.shell(call, outcome)
    code = whole_of(fields_of(fields_of(outcome.structured).get("shell")).get("exitCode"))
    return made if made is None or code is None else replace(made, exit_code=code)


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The change as the client recorded it: a diff whose paths have lost their first slash."""
    structured = fields_of(outcome.structured)
    if outcome.ok is False:
        return None
    made = parse_changes(text_of(structured.get("detail")) or "")
    if not made:
        return None
    names = [text_of(fields_of(item).get("path")) for item in items_of(structured.get("edits"))]
    asked = _asked(call)
    if len(made) == 1 and (asked or names):
        payload = call.payload
        created = isinstance(payload, WritePayload)
        path = asked or names[0] or made[0].path
        operation = FileOperation.CREATE if created else made[0].operation
        after = payload.content if isinstance(payload, WritePayload) else None
        return ChangeResult((replace(made[0], path=path, operation=operation, after=after),))
    known = {name.lstrip("/"): name for name in names if name}
    return ChangeResult(tuple(replace(file, path=known.get(file.path, file.path)) for file in made))


def _asked(call: ToolCall) -> str | None:
    payload = call.payload
    if isinstance(payload, EditPayload):
        return payload.files[0].path or None if len(payload.files) == 1 else None
    return payload.path or None if isinstance(payload, WritePayload) else None


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.GREP: _GREP.grep,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.ASK: _ANSWER.answer,
}
"""How the result of a call is read, by what the call does."""

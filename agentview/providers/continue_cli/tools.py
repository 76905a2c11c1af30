"""Which tool a name means, of the command line client and of the extensions."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    LsPayload,
    McpPayload,
    Payload,
    ReadPayload,
    SubagentPayload,
    TodosAction,
    TodosPayload,
    TodoStatus,
    UnknownPayload,
    WritePayload,
)
from agentview.domain.tool_results import ReadResult, ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import edit, read, subagent, todo
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ResultMaker, ToolSpec

_EXIT = re.compile(r"\(exit code (\d{1,10})\)")
_CONTENT_OF = re.compile(r"Content of [^\n]*:\n")


def _listed(fields: Fields) -> TodosPayload:
    """A list as Markdown: `- [x] text`."""
    found = todo.checklist(text(fields, "checklist") or "", TodoStatus.CANCELLED)
    return TodosPayload(TodosAction.REPLACE, found)


def _started(fields: Fields) -> SubagentPayload:
    made = subagent.start(fields)
    return replace(made, agent_type=text(fields, "subagent_name") or made.agent_type)


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _plain(name: str) -> ToolSpec:
    """A tool that is known and has no kind of its own."""
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


def _directory(fields: Fields) -> LsPayload:
    return LsPayload(text(fields, "dirpath", "dirPath", "path"))


def _written(fields: Fields) -> WritePayload:
    return replace(edit.write(fields), content=text(fields, "content", "contents"))


_LS = replace(FAMILIES["ls"], payload=_directory)
_JOB = replace(FAMILIES["output"], canonical_name="CheckBackgroundJob")
_NEW = replace(FAMILIES["write"], payload=_written)
SPECS: Mapping[str, ToolSpec] = {
    "Read": FAMILIES["read"],
    "Write": _NEW,
    "Edit": FAMILIES["edit"],
    "MultiEdit": FAMILIES["multi_edit"],
    "Bash": FAMILIES["bash"],
    "List": _LS,
    "Search": FAMILIES["grep"],
    "Grep": FAMILIES["grep"],
    "Fetch": FAMILIES["web_fetch"],
    "Checklist": replace(FAMILIES["todo_write"], payload=_listed),
    "Subagent": replace(FAMILIES["task"], payload=_started),
    "AskQuestion": FAMILIES["ask"],
    "CheckBackgroundJob": _JOB,
    # What the extensions call theirs.
    "read_file": FAMILIES["read"],
    "read_file_range": FAMILIES["read"],
    "read_currently_open_file": FAMILIES["read"],
    "create_new_file": _NEW,
    "edit_existing_file": FAMILIES["edit"],
    "single_find_and_replace": FAMILIES["edit"],
    "multi_edit": FAMILIES["multi_edit"],
    "run_terminal_command": FAMILIES["bash"],
    "grep_search": FAMILIES["grep"],
    "file_glob_search": FAMILIES["glob"],
    "search_web": FAMILIES["web_search"],
    "fetch_url_content": FAMILIES["web_fetch"],
    "ls": _LS,
    "codebase": FAMILIES["semantic"],
    **{
        name: _plain(name)
        for name in (
            "Diff", "Skills", "Exit", "UploadArtifact", "ReportFailure", "Status", "view_diff",
            "view_repo_map", "view_subdirectory", "create_rule_block", "request_rule", "read_skill",
        )
    },
}  # fmt: skip


def known_spec(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool that was run: one that nobody knows is of a server, by its own name."""
    found = SPECS.get(name)
    if found is not None or classify(name, args).kind is not ToolKind.UNKNOWN:
        return found

    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(None, name)

    return replace(FAMILIES["mcp"], canonical_name=name, payload=payload)


def shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return what a command printed: a failure has its exit code and the error stream alone."""
    said = text_in(outcome.output)
    if said is None:
        return None
    code = _EXIT.search(said[:200]) if outcome.ok is False else None
    return ShellResult(output=said, exit_code=int(code[1]) if code is not None else None)


def viewed(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """A file without the line in front of it."""
    said = text_in(outcome.output)
    if outcome.ok is False or (said is None and not media_of(outcome.output)):
        return None
    if said is not None and (frame := _CONTENT_OF.match(said)) is not None:
        said = said[frame.end() :]
    place = call.payload.path if isinstance(call.payload, ReadPayload) else ""
    return read.read_text(said, media_from=outcome, place=place)


BY_KIND: Mapping[ToolKind, ResultMaker] = {ToolKind.SHELL: shell, ToolKind.READ: viewed}
"""How the result of a call is read, by what the call does."""

"""Typed results, out of the output of a call and what the client recorded next to it."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from agentview.domain.content import Block
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import EditPayload, FileEdit, FileOperation
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    ChangeResult,
    FileChange,
    Result,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind
from agentview.normalize.json_fields import Fields, as_text, items, mapping, number, text
from agentview.normalize.json_values import fields_of
from agentview.normalize.output_text import media_of, text_of
from agentview.normalize.tools import read, search, todo, web
from agentview.normalize.tools.patch import parse_changes
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex.agents import STARTING, started_agent, state_of
from agentview.providers.codex.content import blocks_of
from agentview.providers.codex.schema import Answers, Report
from agentview.providers.codex.tool_outcome import ToolOutcome, bare, outcome_in

_OPERATIONS = {
    "add": FileOperation.CREATE,
    "delete": FileOperation.DELETE,
    "update": FileOperation.UPDATE,
}
Maker = Callable[[ToolCall, ToolResult], Result | None]

_GOOD = frozenset({"completed", "success"})
_BAD = frozenset({"failed", "error", "errored"})


def settled(result: ToolResult) -> ToolResult:
    """The result with the outcome that the client recorded next to it, where it did."""
    fields = mapping(result.structured)
    status = text(fields, "status")
    code = number(fields, "exit_code")
    ok = result.ok
    if code is not None:
        ok = code == 0
    elif isinstance(fields.get("success"), bool):
        ok = fields["success"] is True
    elif status in _BAD or (status in _GOOD and "exit_code" not in fields):
        # Without its exit code a command is one that the client has left behind.
        ok = status in _GOOD if ok is None else ok
    elif ok is None:
        ok = _ended_well(outcome_in(result.output))
    denial = result.denial
    if status == "declined" and denial is None:
        ok, denial = False, Denial(DeniedBy.UNKNOWN)
    error = result.error
    if ok is False and error is None:
        error = _error(fields)
    output = result.output or recorded_output(fields)
    error = error if ok is False else None
    return replace(result, ok=ok, denial=denial, error=error, output=output)


def recorded_output(fields: Fields) -> tuple[Block, ...]:
    """Output by the client's own record, for a call whose output no model was given."""
    own = read_as(fields, Report)
    answer = own.answer
    if answer.content:
        return blocks_of(answer.content)
    if own.server is not None and (answer.structured or answer.structured_content):
        return blocks_of(answer.structured or answer.structured_content)
    outputs = (own.aggregated_output, own.formatted_output, own.stdout)
    return blocks_of(next((each for each in outputs if each is not None), None))


def _ended_well(fields_in: ToolOutcome) -> bool | None:
    """How a call with several outputs ended, by the one among them that shows it."""
    if fields_in.exit_code is not None:
        return fields_in.exit_code == 0
    return fields_in.script == "completed" if fields_in.script is not None else None


def _error(fields: Fields) -> str | None:
    fields_in = fields.get("error")
    said = text(mapping(fields_in), "message") or (
        fields_in if isinstance(fields_in, str) else None
    )
    return said or text(fields, "stderr") or text(fields, "aggregated_output") or None


def shell(_call: ToolCall, result: ToolResult) -> ShellResult:
    """Output and exit code, as recorded next to the call, else as given to the model.

    What is recorded is whole up to 64 kB; what the model was given is cut much shorter.
    """
    fields_in = outcome_in(result.output)
    fields = mapping(result.structured)
    output = text(fields, "aggregated_output")
    stdout, stderr = text(fields, "stdout"), text(fields, "stderr")
    if output is None and stdout is None and stderr is None:
        output = fields_in.body
    code = number(fields, "exit_code")
    code = fields_in.exit_code if code is None else code
    running = fields_in.running if code is None else None
    return ShellResult(
        stdout=stdout if output is None else None,
        stderr=stderr if output is None else None,
        output=output,
        exit_code=code,
        interrupted=result.interrupted,
        task_id=running,
        status="running" if running is not None else fields_in.script,
        launched=running is not None,
        media=media_of(result.output),
    )


def changes(call: ToolCall, result: ToolResult) -> ChangeResult | None:
    """The files as the client changed them, else as the patch asked where it was applied."""
    recorded = mapping(result.structured).get("changes")
    files = changed_files(recorded)
    if not files and result.ok is not False:
        files = _asked(call)
    return ChangeResult(files) if files and result.ok is not False else None


def changed_files(recorded: object) -> tuple[FileChange, ...]:
    """Changes as `{path: {type, content | unified_diff, move_path}}`, or as a list of objects."""
    pairs = [(name, mapping(change)) for name, change in mapping(recorded).items()]
    for item in items(recorded):
        change = mapping(item)
        pairs.append((text(change, "path") or "", change))
    return tuple(_change(name, change) for name, change in pairs)


def _change(name: str, change: Fields) -> FileChange:
    kind = change.get("type") or change.get("kind")
    kind = text(fields_of(kind), "type") or as_text(kind) or "update"
    operation = _OPERATIONS.get(kind, FileOperation.UPDATE)
    content = text(change, "content")
    diff = text(change, "unified_diff", "diff")
    parsed = parse_changes(diff) if diff is not None else ()
    return FileChange(
        path=name,
        operation=operation,
        hunks=tuple(hunk for file in parsed for hunk in file.hunks or ()) if parsed else None,
        before=content if operation is FileOperation.DELETE else None,
        after=content if operation is FileOperation.CREATE else None,
        move_to=text(change, "move_path", "movePath"),
    )


def _asked(call: ToolCall) -> tuple[FileChange, ...]:
    payload = call.payload
    if isinstance(payload, EditPayload):
        return tuple(found for file in payload.files for found in _of_edit(file))
    recorded = text(call.args or {}, "input", "patch")
    return parse_changes(recorded) if recorded is not None else ()


def _of_edit(file: FileEdit) -> tuple[FileChange, ...]:
    if file.patch is None:
        return (FileChange(file.path, file.operation, move_to=file.move_to),)
    found = parse_changes(file.patch)
    return tuple(replace(change, path=file.path) for change in found)


def agent(_call: ToolCall, result: ToolResult) -> SubagentResult | None:
    """Which agent was started, or what the agents said that were waited for."""
    fields = mapping(result.structured)
    said = text_of(result.output)
    fields_in = mapping(said or "")
    own = read_as(fields, Report)
    receivers = own.receiver_thread_ids or ()
    states = mapping(own.agents_states or fields_in.get("status"))
    answers = [words for state in states.values() if (words := state_of(state)[1]) is not None]
    started = started_agent(fields_in)
    starts = own.kind == "started" or own.tool in STARTING
    begun = starts or "new_thread_id" in fields or started is not None
    if said is None and not fields:
        return None
    return SubagentResult(
        status=text(fields, "status", "kind"),
        agent_id=text(fields_in, "agent_id", "task_name")
        or text(fields, "agent_thread_id", "new_thread_id")
        or (as_text(receivers[0]) if len(receivers) == 1 else None),
        text="\n\n".join(answers) or (_waited(fields_in) or said if started is None else None),
        model=own.model,
        launched=begun and not answers and result.ok is not False,
    )


def _waited(answer: Fields) -> str | None:
    return text(answer, "message") if "timed_out" in answer else None


def asked(_call: ToolCall, result: ToolResult) -> AskResult | None:
    """The answers of the person, by the id of each question."""
    found = read_as(mapping(text_of(result.output)), Answers).answers
    if not found:
        return None
    return AskResult(tuple(AskAnswer(name, _answer(value)) for name, value in found.items()))


def _answer(value: object) -> str:
    inner = mapping(value).get("answers")
    return as_text(inner if inner is not None else value) or ""


def without_heads(make: Maker) -> Maker:
    """Have a result read without the lines that the client writes in front of an output."""

    def made(call: ToolCall, result: ToolResult) -> Result | None:
        return make(call, replace(result, output=bare(result.output)))

    return made


BY_KIND: Mapping[ToolKind, Maker] = {
    ToolKind.SHELL: shell,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.DELETE: changes,
    ToolKind.READ: read.result,
    ToolKind.GREP: search.grep_result,
    ToolKind.GLOB: search.paths_result,
    ToolKind.LS: search.paths_result,
    ToolKind.TODOS: todo.result,
    ToolKind.WEB_SEARCH: web.search_result,
    ToolKind.WEB_FETCH: web.fetch_result,
    ToolKind.SUBAGENT_TASK: agent,
    ToolKind.ASK: asked,
}
"""How the result of a call is read, by what the call does."""

"""A call and its outcome, as one message of the editor holds both: in texts of JSON."""

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import flag, mapping, number, text
from agentview.normalize.json_values import Fields, changed, fields_of, text_of, whole_of
from agentview.providers._kit.typed_values import read_as
from agentview.providers.cursor.cursor_editor.schema import (
    Brought,
    Called,
    Chunk,
    Code,
    Entry,
    Failure,
    Hit,
    Refused,
    Shown,
    Span,
    Texts,
)
from agentview.providers.cursor.shared import tools
from agentview.providers.cursor.shared.content import blocks_of
from agentview.providers.cursor.shared.tool_outcome import outcome_of

_RUNNING = frozenset({"loading", "pending", "running"})
_STOPPED = frozenset({"cancelled", "canceled", "aborted"})
_OUTPUTS = ("output", "contents", "content", "message", "rules")
"""Keys of a result's text for people."""
_SAME = {
    "contents": "content",
    "totalLinesInFile": "totalLines",
    "exitCodeV2": "exitCode",
    "contentsAfterEdit": "afterFullFileContent",
    "contentsBeforeEdit": "beforeFullFileContent",
    "finalTodos": "todos",
    "initialTodos": "oldTodos",
}
"""The editor's own names of what the other logs of the client have too."""


def call_of(call_id: str, name: str, given: Fields) -> ToolCall:
    """The call in `toolFormerData`; its arguments are the model's, else the client's."""
    arguments = _arguments(name, given)
    streaming = read_as(given, Called).status in _RUNNING and isinstance(arguments, str)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        spec=tools.find_tool(name, arguments),
        state=ToolState.INPUT_STREAMING if streaming else ToolState.INPUT_AVAILABLE,
    )


def _arguments(name: str, given: Fields) -> Fields | str | None:
    """Return the model's arguments; the client's own form where they are missing or not whole."""
    called = read_as(given, Called)
    written, own = called.raw_args, mapping(called.params)
    found = tools.arguments_of(name, mapping(written) or written)
    if isinstance(found, str) and not own:
        return found or None
    known = mapping(found)
    if known and (len(known) > 1 or not own):
        return known
    return _own_names({**own, **known}) if own else known or None


def _own_names(params: Fields) -> Fields:
    """Arguments in the client's own form, by the names that the tools have for them."""
    place = text(params, "relativeWorkspacePath", "targetFile", "effectiveUri")
    named = {"path": place} if place is not None and "path" not in params else {}
    written = params.get("streamingContent")
    if isinstance(written, str):
        named["streamContent"] = written
    return changed(params, named) if named else params


def result_of(call_id: str, kind: ToolKind, given: Fields, files: Fields) -> ToolResult | None:
    """The outcome of a call, None while it runs; `files` are texts before and after it."""
    called = read_as(given, Called)
    status = called.status or read_as(mapping(called.additional_data), Shown).status
    recorded = called.result
    if status in _RUNNING and not recorded:
        return None
    fields = _same_names(mapping(recorded), files)
    denial = _denial(called, fields)
    failed = status in ("error", "failed", "failure")
    error = _error(called) if failed else None
    if fields.keys() & {"success", "error", "rejected", "failure"} and not flag(fields, "rejected"):
        made = outcome_of(call_id, kind, fields, failed=failed)
    else:
        made = ToolResult(call_id, None, structured=fields or None)
    code = number(fields, "exitCode")
    bad = failed or made.ok is False or bool(code and kind is ToolKind.SHELL)
    good = made.ok or (status in ("completed", "success"))
    output = made.output or _output(kind, recorded, fields)
    return ToolResult(
        call_id,
        False if bad or denial is not None else (True if good else None),
        output,
        structured=made.structured,
        error=(error or made.error) if denial is None else None,
        denial=denial or made.denial,
        interrupted=status in _STOPPED and denial is None,
    )


def _same_names(fields: Fields, files: Fields) -> Fields:
    """A result by the names that the other logs of the client have for the same."""
    more: dict[str, object] = {
        name: fields[own] for own, name in _SAME.items() if own in fields and name not in fields
    }
    found = read_as(fields, Brought)
    if found.directories is not None:
        more["files"] = [
            read_as(file, Entry).abs_path
            or f"{folder.abs_path or ''}/{read_as(file, Entry).rel_path or ''}".lstrip("/")
            for folder in filter(None, found.directories)
            for file in folder.files
        ]
    if found.diff is not None and found.diff.chunks:
        more["diffString"] = "\n".join(_chunk(each or Chunk()) for each in found.diff.chunks)
    texts = read_as(files, Texts)
    if texts.before or texts.after:
        more |= {
            "beforeFullFileContent": texts.before or "", "afterFullFileContent": texts.after or ""
        }  # fmt: skip
    if found.code_results:
        more["results"] = [_hit(each or Hit()) for each in found.code_results]
    return changed(fields, more) if more else fields


def _chunk(chunk: Chunk) -> str:
    """One piece of a diff, with the header that its numbers make where all are there."""
    diff = (chunk.diff_string or "").rstrip("\n")
    given = (chunk.old_start, chunk.old_lines, chunk.new_start, chunk.new_lines)
    found = [whole_of(each) for each in given]
    if diff.startswith("@@") or None in found:
        return diff
    return f"@@ -{found[0]},{found[1]} +{found[2]},{found[3]} @@\n{diff}"


def _hit(hit: Hit) -> Fields:
    """One hit of a search by meaning."""
    block = hit.code_block or Code()
    span = block.range or Span()
    place, content = block.relative_workspace_path, block.contents
    return {
        "path": place if place is not None else block.path,
        "content": content if content is not None else block.content,
        "start": whole_of(span.start_position and span.start_position.line),
        "end": whole_of(span.end_position and span.end_position.line),
        "score": hit.score,
    }


def _denial(called: Called, fields: Fields) -> Denial | None:
    """A refusal: the person's decision, or what the result says of it."""
    refused = read_as(fields, Refused)
    if called.user_decision != "rejected" and refused.rejected is not True:
        return None
    return Denial(DeniedBy.PERSON, refused.rejection_reason or None)


def _error(called: Called) -> str | None:
    """Why a call failed, for people."""
    given = read_as(mapping(called.error), Failure)
    words = given.client_visible_error_message or given.model_visible_error_message
    return words or given.message or given.error or text_of(called.error)


def _output(kind: ToolKind, recorded: object, fields: Fields) -> tuple[Block, ...]:
    """Return the output, where no typed result has all of it."""
    if not fields:
        return blocks_of(recorded)
    said = next((fields[key] for key in _OUTPUTS if isinstance(fields.get(key), str)), None)
    if said is not None:
        return (TextBlock(str(said)),) if said else ()
    return (JsonBlock(fields_of(fields)),) if kind in (ToolKind.UNKNOWN, ToolKind.MCP) else ()

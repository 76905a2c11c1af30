"""A call and its outcome, as one message of the editor holds both: in texts of JSON."""

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import flag, items, mapping, number, text
from agentview.normalize.json_values import Fields, changed, fields_of, text_of
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
    status = text_of(given.get("status"))
    streaming = status in _RUNNING and isinstance(arguments, str)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        spec=tools.find_tool(name, arguments),
        state=ToolState.INPUT_STREAMING if streaming else ToolState.INPUT_AVAILABLE,
    )


def _arguments(name: str, given: Fields) -> Fields | str | None:
    """Return the model's arguments; the client's own form where they are missing or not whole."""
    written, own = given.get("rawArgs"), mapping(given.get("params"))
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
    status = text_of(given.get("status")) or text(mapping(given.get("additionalData")), "status")
    recorded = given.get("result")
    if status in _RUNNING and not recorded:
        return None
    fields = _same_names(mapping(recorded), files)
    denial = _denial(given, fields)
    failed = status in ("error", "failed", "failure")
    error = _error(given) if failed else None
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
    listed = [
        f"{text(folder, 'absPath') or ''}/{text(file, 'relPath') or ''}".lstrip("/")
        if text(file, "absPath") is None
        else text(file, "absPath")
        for folder in map(mapping, items(fields.get("directories")))
        for file in map(mapping, items(folder.get("files")))
    ]
    if "directories" in fields:
        more["files"] = listed
    chunks = [mapping(each) for each in items(mapping(fields.get("diff")).get("chunks"))]
    if chunks:
        more["diffString"] = "\n".join(_chunk(each) for each in chunks)
    before, after = text_of(files.get("before")), text_of(files.get("after"))
    if after is not None or before is not None:
        more |= {"beforeFullFileContent": before or "", "afterFullFileContent": after or ""}
    hits = [_hit(mapping(each)) for each in items(fields.get("codeResults"))]
    if hits:
        more["results"] = hits
    return changed(fields, more) if more else fields


def _chunk(fields: Fields) -> str:
    """One piece of a diff, with the header that its numbers make where all are there."""
    diff = (text(fields, "diffString") or "").rstrip("\n")
    keys = ("oldStart", "oldLines", "newStart", "newLines")
    found = [number(fields, key) for key in keys]
    if diff.startswith("@@") or None in found:
        return diff
    return f"@@ -{found[0]},{found[1]} +{found[2]},{found[3]} @@\n{diff}"


def _hit(fields: Fields) -> Fields:
    """One hit of a search by meaning."""
    block = mapping(fields.get("codeBlock"))
    span = mapping(block.get("range"))
    start = mapping(span.get("startPosition"))
    end = mapping(span.get("endPosition"))
    return {
        "path": text(block, "relativeWorkspacePath", "path"),
        "content": text(block, "contents", "content"),
        "start": number(start, "line"),
        "end": number(end, "line"),
        "score": fields.get("score"),
    }


def _denial(given: Fields, fields: Fields) -> Denial | None:
    """A refusal: the person's decision, or what the result says of it."""
    if text_of(given.get("userDecision")) != "rejected" and fields.get("rejected") is not True:
        return None
    return Denial(DeniedBy.PERSON, text_of(fields.get("rejectionReason")))


def _error(given: Fields) -> str | None:
    """Why a call failed, for people."""
    error = mapping(given.get("error"))
    keys = ("clientVisibleErrorMessage", "modelVisibleErrorMessage", "message", "error")
    return text(error, *keys) or text_of(given.get("error"))


def _output(kind: ToolKind, recorded: object, fields: Fields) -> tuple[Block, ...]:
    """Return the output, where no typed result has all of it."""
    if not fields:
        return blocks_of(recorded)
    said = next((fields[key] for key in _OUTPUTS if isinstance(fields.get(key), str)), None)
    if said is not None:
        return (TextBlock(str(said)),) if said else ()
    return (JsonBlock(fields_of(fields)),) if kind in (ToolKind.UNKNOWN, ToolKind.MCP) else ()

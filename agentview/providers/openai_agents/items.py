"""Items of the Responses API: messages, thoughts, calls and their outputs."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
    Compaction,
    Reset,
    ToolResult,
    User,
)
from agentview.domain.tools import Denial, DeniedBy
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, number
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    items_of,
    text_of,
    without,
)
from agentview.normalize.tools.mcp import of_server
from agentview.providers._kit.chat_parts import Part, message_parts
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.openai_agents.record import AgentsRecord
from agentview.providers.openai_agents.schema import Item
from agentview.providers.openai_agents.tools import SPECS, find_tool

_FAILED = re.compile(r"An error occurred while (?:running the tool|parsing tool arguments)")
"""The SDK's default result for a tool that raised."""
_REFUSED = "Tool execution was not approved."
"""Its default result for a call that nobody approved."""
_SAID_CHARS = 400
_BOOKKEEPING = frozenset({"id", "type", "status", "call_id", "agent", "caller", "created_by"})


def item_events(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    """Events of one item, at least one."""
    kind = item.type or "message"
    make = _MAKERS.get(kind)
    if make is not None:
        return make(record, item)
    if kind.endswith("_call_output"):
        return _output(record, item)
    if kind.endswith("_call"):
        return _own_call(record, item)
    return [record.unknown(f"item/{kind}")]


def _message(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    role = item.role
    if not role:
        return [record.unknown("item/message")]
    words: list[str] = []
    others: list[Block] = []
    for part in message_parts({"content": record.value_of(item.content)}, role, output=False):
        if part.kind in ("text", "reasoning"):
            words.append(part.text)
        else:
            said = _refusal(part)
            if said is not None:
                words.append(said)
            elif part.block is not None:
                others.append(part.block)
    text, blocks = "\n".join(words), tuple(others)
    if role == "assistant":
        return [record.text_part("said", text, blocks)]
    body: Body = User(text, blocks)
    if role in ("system", "developer"):
        body = Attachment("system message", "instructions", text)
    return [record.event("said", body)]


def _refusal(part: Part) -> str | None:
    value = part.block.value if isinstance(part.block, JsonBlock) else None
    return text_of(fields_of(value).get("refusal"))


def _reasoning(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    listed = chain.from_iterable(map(items_of, map(record.value_of, (item.summary, item.content))))
    said = [text for part in listed if (text := text_of(fields_of(part).get("text"))) is not None]
    return [record.thought_part("thought", "\n\n".join(said), withheld=not said)]


def _function(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    """A call of a function, or of a tool that takes a text."""
    name = item.name or "(none)"
    given = record.value_of(item.arguments if bytes(item.arguments) else item.input)
    arguments = given if isinstance(given, str) else fields_of(given)
    if item.type == "custom_tool_call" and isinstance(given, str) and not mapping(given):
        arguments = {"input": given}
    args = mapping(arguments)
    call = tool_call(
        call_id=_call_id(record, item), name=name, arguments=arguments, spec=find_tool(name, args)
    )
    return [record.event("call", call)]


def _call_id(record: AgentsRecord, item: Item) -> str:
    """The id that the output of a call names, else that of the item."""
    own = item.id or f"{record.name}{record.suffix_end}"
    return call_id_of(item.call_id, own)


def _own_call(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    """A call of a tool of the service, whose item has the outcome too once it has ended."""
    kind = item.type or "(none)"
    arguments = _arguments(record, item)
    name = _call_id(record, item)
    call = tool_call(call_id=name, name=kind, arguments=arguments, spec=SPECS.get(kind))
    events: list[LightEvent] = [record.event("call", call)]
    given: Iterator[object] = map(record.value_of, (item.results, item.outputs, item.result))
    found = next(filter(None, given), None)
    status = item.status or None
    ends = kind in ("web_search_call", "file_search_call", "code_interpreter_call") or found
    if ends and status not in (None, "in_progress", "searching", "interpreting", "generating"):
        output = _outcome(kind, found)
        ok = status == "completed"
        events.append(record.event("result", ToolResult(name, ok, output, structured=found)))
    return events


def _outcome(kind: str, found: object) -> tuple[Block, ...]:
    """Result of a hosted tool."""
    if kind == "image_generation_call" and isinstance(found, str):
        return (ImageBlock(data=found),)
    logs = [text_of(fields_of(each).get("logs")) for each in items_of(found)]
    if logs and all(logs):
        return (TextBlock("".join(filter(None, logs))),)
    return (JsonBlock(found),) if found is not None else ()


def _arguments(record: AgentsRecord, item: Item) -> Fields:
    """Arguments of a hosted tool, under the keys of the shared rules."""
    if item.type == "web_search_call":
        return fields_of(record.value_of(item.action))
    if item.type == "apply_patch_call":
        return fields_of(record.value_of(item.operation))
    given = without(record.values_at("item"), _BOOKKEEPING | {"results", "outputs", "result"})
    queries = items_of(record.value_of(item.queries))
    return changed(given, {"query": as_text(queries)}) if queries else given


def _server_call(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    """A call of a tool of a server, which the service made itself."""
    server, tool = item.server_label or "", item.name or "(none)"
    name = item.id or record.name
    call = tool_call(
        call_id=name,
        name=tool,
        arguments=text_of(record.value_of(item.arguments)),
        spec=of_server(server, tool),
    )
    error, output = record.value_of(item.error), text_of(record.value_of(item.output))
    events: list[LightEvent] = [record.event("call", call)]
    if output is not None or error is not None:
        said = as_text(error)
        blocks = (TextBlock(output),) if output else ()
        events.append(record.event("result", ToolResult(name, error is None, blocks, error=said)))
    return events


def _output(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    call_id = call_id_of(item.call_id, item.id or None)
    if call_id is None:
        return [record.unknown(f"item/{item.type}")]
    result = result_of(call_id, record.value_of(item.output), item.status)
    return [record.event("result", result)]


def result_of(call_id: str, output: object, status: object = None) -> ToolResult:
    """The result of a call; that it failed shows in its exit code or in the SDK's own words."""
    words = output if isinstance(output, str) else None
    blocks: tuple[Block, ...] = (TextBlock(words),) if words else ()
    if words is None:
        parts = message_parts({"content": output}, "user", output=False)
        blocks = tuple(part.block or TextBlock(part.text) for part in parts)
    structured = _streams(output) or mapping(output)
    code = number(structured, "exit_code", "exitCode", "returncode")
    ok = None if code is None else code == 0
    head = (words or "")[:_SAID_CHARS]
    denial = Denial(DeniedBy.UNKNOWN, words) if head.startswith(_REFUSED) else None
    if _FAILED.match(head) or status == "failed" or denial is not None:
        ok = False
    return ToolResult(
        call_id,
        ok,
        blocks,
        structured=structured or None,
        error=words if ok is False and denial is None else None,
        denial=denial,
    )


def _streams(output: object) -> Fields:
    """Output of all commands of a `shell_call`, and the exit code of the first that failed."""
    listed = [fields_of(each) for each in items_of(output)]
    if not listed or not all("stdout" in each or "stderr" in each for each in listed):
        return {}
    codes = [number(fields_of(each.get("outcome")), "exit_code") for each in listed]
    known = [code for code in codes if code is not None]
    return {
        "stdout": "".join(text_of(each.get("stdout")) or "" for each in listed),
        "stderr": "".join(text_of(each.get("stderr")) or "" for each in listed),
        "exit_code": next((code for code in known if code), 0 if known else None),
    }


def _asked(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    """The service asks whether a tool of a server may be called."""
    ask = permission_request(
        call_id_of(item.id, record.name),
        f"Call {item.name or '(none)'}",
        None,
        text_of(record.value_of(item.arguments)),
        name="mcp_approval_request",
    )
    return [record.event("ask", ask)]


def _answered(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    call_id = call_id_of(item.approval_request_id, None)
    if call_id is None:
        return [record.unknown("item/mcp_approval_response")]
    approved = item.approve is True
    reason = item.reason or None
    refused = None if approved else Denial(DeniedBy.UNKNOWN, reason)
    said = "approved" if approved else "denied"
    return [record.event("answer", decision(call_id, said, reason, refused=refused))]


def _compacted(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
    _ = item
    return [record.event("compaction", Compaction(), resets=Reset.COMPACTED)]


def _silent(reason: str) -> Callable[[AgentsRecord, Item], Sequence[LightEvent]]:
    def make(record: AgentsRecord, item: Item) -> Sequence[LightEvent]:
        return [hidden(record, reason, f"item/{item.type}")]

    return make


_MAKERS: Mapping[str, Callable[[AgentsRecord, Item], Sequence[LightEvent]]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _function,
    "custom_tool_call": _function,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "mcp_call": _server_call,
    "mcp_approval_request": _asked,
    "mcp_approval_response": _answered,
    "mcp_list_tools": _silent("the tools of a server"),
    "item_reference": _silent("an item of an earlier response"),
    "tool_search_output": _silent("tools that were found"),
    "compaction": _compacted,
    "compaction_summary": _compacted,
}

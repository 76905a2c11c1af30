"""Items of the Responses API: messages, thoughts, calls and their outputs."""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
    Compaction,
    Event,
    Message,
    Reasoning,
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
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers.openai_agents.tools import SPECS, find_tool

_FAILED = re.compile(r"An error occurred while (?:running the tool|parsing tool arguments)")
"""What the SDK gives to the model for a tool that raised, by default."""
_REFUSED = "Tool execution was not approved."
"""What it gives for a call that nobody approved, by default."""
_SAID_CHARS = 400
_BOOKKEEPING = frozenset({"id", "type", "status", "call_id", "agent", "caller", "created_by"})


def item_events(record: EventBuilder, item: Fields) -> list[Event]:
    """Events of one item, at least one."""
    kind = text_of(item.get("type")) or "message"
    make = _MAKERS.get(kind)
    if make is not None:
        return make(record, item)
    if kind.endswith("_call_output"):
        return _output(record, item)
    if kind.endswith("_call"):
        return _own_call(record, item)
    return [record.unknown(f"item/{kind}")]


def _message(record: EventBuilder, item: Fields) -> list[Event]:
    role = text_of(item.get("role"))
    if role is None:
        return [record.unknown("item/message")]
    words: list[str] = []
    others: list[Block] = []
    for part in message_parts(item, role, output=False):
        if part.kind in ("text", "reasoning"):
            words.append(part.text)
        else:
            said = _refusal(part)
            if said is not None:
                words.append(said)
            elif part.block is not None:
                others.append(part.block)
    text, blocks = "\n".join(words), tuple(others)
    body: Body = Message(text, blocks) if role == "assistant" else User(text, blocks)
    if role in ("system", "developer"):
        body = Attachment("system message", "instructions", text)
    return [record.event("said", body)]


def _refusal(part: Part) -> str | None:
    value = part.block.value if isinstance(part.block, JsonBlock) else None
    return text_of(fields_of(value).get("refusal"))


def _reasoning(record: EventBuilder, item: Fields) -> list[Event]:
    parts = [*items_of(item.get("summary")), *items_of(item.get("content"))]
    said = [text for part in parts if (text := text_of(fields_of(part).get("text"))) is not None]
    return [record.event("thought", Reasoning("\n\n".join(said), withheld=not said))]


def _function(record: EventBuilder, item: Fields) -> list[Event]:
    """A call of a function, or of a tool that takes a text."""
    name = text_of(item.get("name")) or "(none)"
    given = item.get("arguments", item.get("input"))
    arguments = given if isinstance(given, str) else fields_of(given)
    if item.get("type") == "custom_tool_call" and isinstance(given, str) and not mapping(given):
        arguments = {"input": given}
    args = mapping(arguments)
    call = tool_call(
        call_id=_call_id(record, item), name=name, arguments=arguments, spec=find_tool(name, args)
    )
    return [record.event("call", call)]


def _call_id(record: EventBuilder, item: Fields) -> str:
    """The id that the output of a call names, else that of the item."""
    own = text_of(item.get("id")) or f"{record.name}{record.suffix_end}"
    return call_id_of(item.get("call_id"), own)


def _own_call(record: EventBuilder, item: Fields) -> list[Event]:
    """A call of a tool of the service, whose item has the outcome too once it has ended."""
    kind = text_of(item.get("type")) or "(none)"
    arguments = _arguments(item)
    name = _call_id(record, item)
    call = tool_call(call_id=name, name=kind, arguments=arguments, spec=SPECS.get(kind))
    events = [record.event("call", call)]
    found = next((item[key] for key in ("results", "outputs", "result") if item.get(key)), None)
    status = text_of(item.get("status"))
    ends = kind in ("web_search_call", "file_search_call", "code_interpreter_call") or found
    if ends and status not in (None, "in_progress", "searching", "interpreting", "generating"):
        output = _outcome(kind, found)
        ok = status == "completed"
        events.append(record.event("result", ToolResult(name, ok, output, structured=found)))
    return events


def _outcome(kind: str, found: object) -> tuple[Block, ...]:
    """Return what a tool of the service brought back."""
    if kind == "image_generation_call" and isinstance(found, str):
        return (ImageBlock(data=found),)
    logs = [text_of(fields_of(each).get("logs")) for each in items_of(found)]
    if logs and all(logs):
        return (TextBlock("".join(filter(None, logs))),)
    return (JsonBlock(found),) if found is not None else ()


def _arguments(item: Fields) -> Fields:
    """Return what an item of the service's own tools asks for, in the words of the shared rules."""
    if item.get("type") == "web_search_call":
        return fields_of(item.get("action"))
    if item.get("type") == "apply_patch_call":
        return fields_of(item.get("operation"))
    given = without(item, _BOOKKEEPING | {"results", "outputs", "result"})
    queries = items_of(item.get("queries"))
    return changed(given, {"query": as_text(queries)}) if queries else given


def _server_call(record: EventBuilder, item: Fields) -> list[Event]:
    """A call of a tool of a server, which the service made itself."""
    server, tool = text_of(item.get("server_label")) or "", text_of(item.get("name")) or "(none)"
    name = text_of(item.get("id")) or record.name
    call = tool_call(
        call_id=name,
        name=tool,
        arguments=text_of(item.get("arguments")),
        spec=of_server(server, tool),
    )
    error, output = item.get("error"), text_of(item.get("output"))
    events = [record.event("call", call)]
    if output is not None or error is not None:
        said = as_text(error)
        blocks = (TextBlock(output),) if output else ()
        events.append(record.event("result", ToolResult(name, error is None, blocks, error=said)))
    return events


def _output(record: EventBuilder, item: Fields) -> list[Event]:
    call_id = call_id_of(item.get("call_id"), text_of(item.get("id")))
    if call_id is None:
        return [record.unknown(f"item/{item.get('type')}")]
    return [record.event("result", result_of(call_id, item.get("output"), item.get("status")))]


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
    """What all commands of a `shell_call` wrote, and the exit code of the first that failed."""
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


def _asked(record: EventBuilder, item: Fields) -> list[Event]:
    """The service asks whether a tool of a server may be called."""
    tool = text_of(item.get("name")) or "(none)"
    ask = permission_request(
        call_id_of(item.get("id"), record.name),
        f"Call {tool}",
        None,
        text_of(item.get("arguments")),
        name="mcp_approval_request",
    )
    return [record.event("ask", ask)]


def _answered(record: EventBuilder, item: Fields) -> list[Event]:
    call_id = call_id_of(item.get("approval_request_id"), None)
    if call_id is None:
        return [record.unknown("item/mcp_approval_response")]
    approved = item.get("approve") is True
    reason = text_of(item.get("reason"))
    refused = None if approved else Denial(DeniedBy.UNKNOWN, reason)
    said = "approved" if approved else "denied"
    return [record.event("answer", decision(call_id, said, reason, refused=refused))]


def _compacted(record: EventBuilder, item: Fields) -> list[Event]:
    _ = item
    return [record.event("compaction", Compaction(), resets=Reset.COMPACTED)]


def _silent(reason: str) -> Callable[[EventBuilder, Fields], list[Event]]:
    def make(record: EventBuilder, item: Fields) -> list[Event]:
        return [record.hidden(reason, f"item/{item.get('type')}")]

    return make


_MAKERS: Mapping[str, Callable[[EventBuilder, Fields], list[Event]]] = {
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

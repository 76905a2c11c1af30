"""Which tool a call is: by the metadata that the client wrote next to it, else by its raw name."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import Payload, ReadPayload
from agentview.domain.tool_results import ChangeResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import Fields, collect, items, mapping, text
from agentview.normalize.json_values import changed, without
from agentview.normalize.tools import mcp
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.acp.content import blocks_of, changes, diffs_in, shown
from agentview.providers._kit.acp.tool_calls import KINDS, spec_of

CANONICAL: Mapping[str, str] = {
    **{spec.canonical_name: name for name, spec in FAMILIES.items() if spec.canonical_name},
    "SubAgent": "task",
    "SubAgentRun": "task",
    "Workflow": "task",
    "AgentTeamCreate": "task",
    "AgentTeamDelete": "task",
    "AgentTeamSendMessage": "message",
}
"""Families by canonical name; the list is open."""

_UNSHAPED = {
    "change_title": "topic", "AcpHistoryImport": "think", "WorkspaceIndexingPermission": "think"
}  # fmt: skip
"""Families of what has no kind of its own, by canonical names."""

_OWN_SERVER = re.compile(r"mcp__happ(?:y|ier)__(\w+)")
"""Names of tools that the client itself offers to agents, through a server of its own."""

_RAW: Mapping[str, str] = {
    "execute": "bash",
    "shell": "bash",
    "bash": "bash",
    "geminibash": "bash",
    "codexbash": "bash",
    "codexpatch": "patch",
    "codexdiff": "diff",
    "think": "think",
    "geminireasoning": "think",
    "codexreasoning": "think",
    "read": "read",
    "search": "semantic",
}
"""Families by raw name, in small letters, where arguments do not matter."""

_NAMELESS = frozenset({"", "unknown", "unknown tool", "other"})


def metadata(value: object) -> Fields:
    """Return the client's note on a payload: under the newer key, else under the older one."""
    fields = mapping(value)
    return mapping(fields.get("_happier")) or mapping(fields.get("_happy"))


def name_of(name: str, args: Fields) -> str:
    return text(metadata(args), "rawToolName") or name


def spec_for(name: str, call_id: str, args: Fields) -> ToolSpec:
    """Kind, canonical name and payload of a call."""
    canonical = text(metadata(args), "canonicalToolName")
    spec = _stated(canonical, args) if canonical is not None else _inferred(name, call_id, args)

    def read(fields: Fields) -> Payload:
        own = _protocol_fields(fields)
        given = without(mapping(own.get("rawInput")), fields)
        payload = spec.payload(changed(fields, given) if given else fields)
        places = _places(fields) or _places(own)
        if isinstance(payload, ReadPayload) and not payload.path and places:
            return replace(payload, path=places[0])
        return payload

    return replace(spec, payload=read)


def _places(fields: Fields) -> tuple[str, ...]:
    return collect(items(fields.get("locations")), lambda place: text(place, "path"))


def _protocol_fields(args: Fields) -> Fields:
    return mapping(args.get("_acp")) or mapping(mapping(args.get("_raw")).get("_acp"))


def _stated(canonical: str, args: Fields) -> ToolSpec:
    server = mcp.named(canonical)
    if server is not None:
        return server
    family = CANONICAL.get(canonical)
    if family is not None:
        found = _with_diffs(FAMILIES[family], args)
    elif canonical in _UNSHAPED:
        found = FAMILIES[_UNSHAPED[canonical]]
    else:
        found = classify(canonical, args)
    return replace(found, canonical_name=canonical)


def _with_diffs(spec: ToolSpec, args: Fields) -> ToolSpec:
    """The spec of a change whose diffs stand among what the agent sent along."""
    diffs = diffs_in(blocks_of(items(args.get("items"))))
    if not diffs or spec.kind not in (ToolKind.WRITE, ToolKind.EDIT):
        return spec
    found = spec_of("", None, None, args, diffs)
    return found if found.kind is spec.kind else spec


def _inferred(name: str, call_id: str, args: Fields) -> ToolSpec:
    if call_id.startswith("workspace-indexing"):
        return replace(FAMILIES["think"], canonical_name="WorkspaceIndexingPermission")
    own = _OWN_SERVER.fullmatch(name)
    if own is not None and own[1] in _UNSHAPED:
        return replace(FAMILIES[_UNSHAPED[own[1]]], canonical_name=own[1])
    server = mcp.named(name)
    if server is not None:
        return server
    if "todos" in args and (name == call_id or name.lower() in _NAMELESS):
        return FAMILIES["todo_write"]
    family = CANONICAL.get(name) or _family(name.lower(), call_id, args)
    if family is not None:
        spec = _with_diffs(FAMILIES[family], args)
        return spec if name not in CANONICAL else replace(spec, canonical_name=name)
    if name in _UNSHAPED:
        return replace(FAMILIES[_UNSHAPED[name]], canonical_name=name)
    if name.lower() not in _NAMELESS and name not in KINDS:
        return classify(name, args)
    protocol = _protocol_fields(args)
    diffs = diffs_in(blocks_of(items(args.get("items"))))
    places = _places(args)
    kind, title = text(protocol, "kind"), text(protocol, "title") or text(args, "description")
    return spec_of(call_id.partition("-")[0], kind, title, args, diffs, places)


def _family(name: str, call_id: str, args: Fields) -> str | None:
    if name == "write":
        todos = "todos" in args or call_id.startswith("write_todos")
        return "todo_write" if todos else "write"
    if name == "edit":
        return _edit(args)
    if name == "delete":
        return "patch" if "changes" in args else "delete"
    if name == "fetch":
        return "web_fetch" if "url" in args else "web_search"
    if name.startswith("task"):
        return "task"
    return _RAW.get(name)


def _edit(args: Fields) -> str:
    if "changes" in args:
        return "patch"
    if "edits" in args:
        return "multi_edit"
    replaced = {"old_string", "oldString", "oldText", "old_str", "items"} & set(args)
    whole = {"content", "file_content"} & set(args)
    return "write" if whole and not replaced else "edit"


SPECS: Mapping[str, ToolSpec] = {
    **{name: FAMILIES[family] for name, family in CANONICAL.items()},
    **dict.fromkeys(_UNSHAPED, FAMILIES["think"]),
    **{
        name: FAMILIES[family]
        for name in ("execute", "shell", "GeminiBash", "CodexBash", "CodexPatch", "CodexDiff")
        if (family := _RAW.get(name.lower())) is not None
    },
}
"""Tools whose kinds do not depend on their arguments."""


def merge_call(call: ToolCall, later: ToolCall) -> ToolCall:
    """The call with what a later record of it says."""
    source = later if later.args else call
    named = (later, call) if metadata(later.args) or not call.provider_name else (call, later)
    name = next(
        (each.provider_name for each in named if each.provider_name.lower() not in _NAMELESS),
        call.provider_name,
    )
    spec = spec_for(name, call.call_id, source.args or {})
    stated = metadata(call.args) and not metadata(source.args)
    if stated:
        spec = replace(spec, kind=call.kind, canonical_name=call.canonical_name)
    return build.merge_call(
        replace(call, provider_name=name), replace(later, provider_name=name), spec
    )


def attach_result(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call with what came back."""
    diffs = diffs_in(result.output)
    shown_result = replace(result, output=shown(result.output))
    answered = build.attach_result(
        call, shown_result, spec_for(call.provider_name, call.call_id, call.args or {})
    )
    if diffs and result.ok is not False:
        return replace(answered, result=ChangeResult(changes(diffs)))
    return answered

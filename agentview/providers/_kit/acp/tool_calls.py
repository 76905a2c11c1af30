"""Tools of agents: the protocol has no names, only kinds, titles and loose input."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    GlobPayload,
    GrepPayload,
    Payload,
    ReadPayload,
    SemSearchPayload,
    ShellPayload,
    WebFetchPayload,
    WebSearchPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import PATH_KEYS, Fields, mapping, text
from agentview.normalize.tools import mcp
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.acp.content import edited, is_creation, written

KINDS: Mapping[str, str] = {
    "read": "read",
    "edit": "edit",
    "delete": "delete",
    "move": "rename",
    "search": "grep",
    "execute": "bash",
    "think": "think",
    "fetch": "web_fetch",
    "switch_mode": "plan",
}
"""Families by the kinds of the protocol; `other` says nothing."""

KIND_OF: Mapping[ToolKind, str] = {
    ToolKind.READ: "read",
    ToolKind.WRITE: "edit",
    ToolKind.EDIT: "edit",
    ToolKind.DELETE: "delete",
    ToolKind.GREP: "search",
    ToolKind.GLOB: "search",
    ToolKind.SEM_SEARCH: "search",
    ToolKind.SHELL: "execute",
    ToolKind.WEB_FETCH: "fetch",
    ToolKind.WEB_SEARCH: "search",
    ToolKind.PLAN: "switch_mode",
}
"""Kinds of the protocol by what they were taken for."""

_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'|`([^`]+)`")
_NAME_AND_WHAT = re.compile(r"([A-Z]\w+): \S")
_NAME_IN_ID = re.compile(r"([a-z][a-z_]*?[a-z])(?:__\1)?[-_]{1,2}\d{10,}(?:[-_]\d+)?")
_BARE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*")
_WEB = re.compile(r"\b(?:web|internet|google)\b", re.IGNORECASE)
_MEANING = re.compile(r"\b(?:codebase|semantic\w*|context engine)\b", re.IGNORECASE)
_FILES = re.compile(r"\b(?:glob|find(?:ing)? files?)\b", re.IGNORECASE)
_DOTTED_MCP = re.compile(r"mcp\.([\w-]+)\.([\w-]+)")
_MORE_PATHS = ("abs_path",)


def tool_name(call_id: str, stated: str | None, title: str | None, kind: str | None) -> str:
    """Return the agent's name for the tool: as stated, else by its call id or title, else its kind.

    Some agents begin the ids of calls with the name of the tool, and some give it as first title,
    or before what it is used for.
    """
    if stated:
        return stated
    named = _NAME_IN_ID.fullmatch(call_id)
    if named is not None:
        return named[1]
    if title and _BARE_NAME.fullmatch(title) and title != kind:
        known = classify(title, {}).kind is not ToolKind.UNKNOWN
        if known or (kind in (None, "other") and "_" in title):
            return title
    led = _NAME_AND_WHAT.match(title) if title and kind is None else None
    if led is not None and classify(led[1], {}).kind is not ToolKind.UNKNOWN:
        return led[1]
    return kind or ""


def spec_of(
    name: str,
    kind: str | None,
    title: str | None,
    args: Fields,
    diffs: Sequence[Fields] = (),
    places: Sequence[str] = (),
) -> ToolSpec:
    """Kind, canonical name and payload of a call; `places` are the files that it is said to touch.

    Diffs are surest, then the name of the tool, then its kind with title and input.
    """
    server = _mcp(name, title, args)
    if server is not None:
        return server
    if diffs and not _patched(args):

        def shown(_fields: Fields) -> Payload:
            return written(diffs) if is_creation(diffs) else edited(diffs, args)

        return replace(FAMILIES["write" if is_creation(diffs) else "edit"], payload=shown)
    spec = _named(name, kind, title or "", args)

    def read(fields: Fields) -> Payload:
        return _payload(spec, fields, title or "", places)

    return replace(spec, payload=read)


def _patched(args: Fields) -> bool:
    """Return whether the input has patches of files, which have more than the parts of diffs."""
    changes = (mapping(each) for each in mapping(args.get("changes")).values())
    return any("unified_diff" in {**change, **mapping(change.get("update"))} for change in changes)


def _mcp(name: str, title: str | None, args: Fields) -> ToolSpec | None:
    if isinstance(args.get("server"), str) and isinstance(args.get("tool"), str):
        return mcp.named(f"mcp__{args['server']}__{args['tool']}")
    dotted = _DOTTED_MCP.fullmatch(title or "")
    if dotted is not None:
        return mcp.named(f"mcp__{dotted[1]}__{dotted[2]}")
    return mcp.named(name) or mcp.named(title or "")


def _named(name: str, kind: str | None, title: str, args: Fields) -> ToolSpec:
    found = classify(name, args) if name and name != kind and name not in KINDS else None
    if found is not None and found.kind is not ToolKind.UNKNOWN:
        # A shell whose command is not known may be said to read or search instead.
        vague = found.kind is ToolKind.SHELL and kind in ("read", "search", "edit", "delete")
        if not vague or "command" in args or "cmd" in args:
            return found
    family = _family(kind or "", title, args)
    if family is not None:
        spec = FAMILIES[family]
        return spec if spec.canonical_name else replace(spec, canonical_name=name or kind or "")
    by_title = classify(title, args) if _BARE_NAME.fullmatch(title) else classify("", args)
    if by_title.kind is ToolKind.UNKNOWN:
        return replace(by_title, canonical_name=name or title)
    return by_title


def _family(kind: str, title: str, args: Fields) -> str | None:
    if kind == "search":
        return _search(title, args)
    if kind == "fetch":
        return "web_search" if "query" in args and "url" not in args else "web_fetch"
    if kind == "edit":
        return _edit(args)
    if kind == "delete" and "changes" in args:
        return "patch"
    if kind in ("think", "other"):
        return _think(kind, args)
    if kind == "switch_mode" and not _plan_words(title, args):
        return "plan_enter" if "enter" in title.lower() else "plan"
    return KINDS.get(kind)


def _plan_words(title: str, args: Fields) -> bool:
    return "plan" in args or "exit" in title.lower()


def _search(title: str, args: Fields) -> str:
    asked = text(args, "pattern", "query", "glob_pattern", "information_request") or ""
    quoted = _QUOTED.search(title)
    words = asked or next((part for part in quoted.groups() if part), "") if quoted else asked
    if _WEB.search(title.replace(words, "")) or args.get("type") == "webSearch":
        return "web_search"
    if "information_request" in args or _MEANING.search(title.replace(words, "")):
        return "semantic"
    if _FILES.search(title.replace(words, "")) or words.startswith(("*.", "**/", "*/")):
        return "glob"
    return "grep"


def _edit(args: Fields) -> str:
    if "changes" in args and "edits" not in args:
        return "patch"
    if "edits" in args:
        return "multi_edit"
    replaced = {"old_string", "oldString", "oldText", "old_str", "new_string", "newText"} & set(
        args
    )
    whole = {"content", "file_content", "contents"} & set(args)
    return "write" if whole and not replaced else "edit"


def _think(kind: str, args: Fields) -> str | None:
    if "todos" in args:
        return "todo_write"
    if "subagent_type" in args or ("prompt" in args and "description" in args):
        return "task"
    return "think" if kind == "think" else None


def _payload(spec: ToolSpec, fields: Fields, title: str, places: Sequence[str]) -> Payload:
    """Return the payload from the arguments, else from the title and places of the call."""
    if places and not any(key in fields for key in PATH_KEYS):
        stated = next((fields[key] for key in _MORE_PATHS if key in fields), places[0])
        fields = {**fields, "file_path": stated}
    made = spec.payload(fields)
    if not is_empty(made) or not title:
        return made
    return _from_title(made, title)


def is_empty(payload: Payload) -> bool:
    """Return True if a payload lacks the one thing it is about."""
    if isinstance(payload, EditPayload):
        return not payload.files or not payload.files[0].path
    names = type(payload).__struct_fields__
    return not names or not getattr(payload, names[0])


def _from_title(made: Payload, title: str) -> Payload:
    quoted = _QUOTED.search(title)
    words = next((part for part in quoted.groups() if part), title) if quoted else title
    if isinstance(made, ShellPayload):
        whole = title.strip()
        return replace(made, command=whole[1:-1] if whole[:1] == whole[-1:] == "`" else whole)
    if isinstance(made, ReadPayload):
        return replace(made, path=words)
    if isinstance(made, GrepPayload | GlobPayload):
        return replace(made, pattern=words)
    if isinstance(made, SemSearchPayload | WebSearchPayload):
        return replace(made, query=words)
    if isinstance(made, WebFetchPayload):
        return replace(made, url=words)
    return made

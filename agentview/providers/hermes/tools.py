"""Which tool a name means."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    Payload,
    ReadPayload,
    ShellPayload,
    SubagentPayload,
    UnknownPayload,
    WebFetchPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import items, mapping, real, text, texts
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import edit, execute, subagent
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec

_ACTIONS = {"kill": "kill", "write": "input", "submit": "input", "close": "input"}
"""What the tool for background processes does by its action; else it reads."""


def _run(fields: Fields) -> ShellPayload:
    """A command; its timeout counts seconds."""
    timeout = real(fields, "timeout")
    made = execute.run(fields)
    return replace(made, timeout=timeout, cwd=text(fields, "workdir") or made.cwd)


def _code(fields: Fields) -> ShellPayload:
    return ShellPayload(text(fields, "code", "script") or "")


def _changed(fields: Fields) -> EditPayload:
    """A patch, or a text and what takes its place."""
    patched = text(fields, "patch") is not None and text(fields, "old_string") is None
    return edit.patch(fields) if patched else edit.edit(fields)


def _looked(fields: Fields) -> ReadPayload:
    return ReadPayload(text(fields, "image_url", "image_path", "path", "url") or "")


def _pages(fields: Fields) -> WebFetchPayload:
    return WebFetchPayload(", ".join(texts(fields.get("urls"))) or text(fields, "url") or "")


def _delegated(fields: Fields) -> SubagentPayload:
    """One agent, or one for each of several goals."""
    several = [mapping(each) for each in items(fields.get("tasks"))] or [fields]
    goals = [goal for each in several if (goal := text(each, "goal"))]
    made = subagent.start(fields)
    said = [*goals, *(context for each in several if (context := text(each, "context")))]
    return replace(
        made,
        description=goals[0] if goals else made.description,
        prompt="\n\n".join(said) or made.prompt,
        background=True,
    )


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _with(family: str, payload: PayloadMaker, name: str | None = None) -> ToolSpec:
    spec = FAMILIES[family]
    return replace(spec, payload=payload, canonical_name=name or spec.canonical_name)


def _named(family: str, name: str) -> ToolSpec:
    return replace(FAMILIES[family], canonical_name=name)


SPECS: Mapping[str, ToolSpec] = {
    "terminal": _with("bash", _run),
    "process": _named("output", "process"),
    "execute_code": _with("bash", _code, "execute_code"),
    "read_file": FAMILIES["read"],
    "vision_analyze": _with("read", _looked, "vision_analyze"),
    "write_file": FAMILIES["write"],
    "patch": _with("edit", _changed),
    "search_files": FAMILIES["grep"],
    "todo": FAMILIES["todo_write"],
    "delegate_task": _with("task", _delegated, "delegate_task"),
    "clarify": FAMILIES["ask"],
    "web_search": FAMILIES["web_search"],
    "web_extract": _with("web_fetch", _pages),
    "web_crawl": _with("web_fetch", _pages),
    **{
        name: ToolSpec(ToolKind.UNKNOWN, name, _as_json)
        for name in (
            "memory", "session_search", "skill_manage", "skill_view", "skills_list", "cronjob",
            "send_message", "image_generate", "text_to_speech", "mixture_of_agents",
        )
    },
}  # fmt: skip


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name and by what its arguments say that it does."""
    if name == "process":
        return _named(_ACTIONS.get(text(args, "action") or "", "output"), "process")
    if name == "search_files" and text(args, "target") == "files":
        return FAMILIES["glob"]
    if name == "todo" and "todos" not in args:
        return FAMILIES["todo_read"]
    return SPECS.get(name)

"""Which tool a name means; the tools of extensions are known by the shared rules."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    GrepPayload,
    Payload,
    ShellAction,
    ShellPayload,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import Fields, flag, real, text
from agentview.normalize.tools import execute, search
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec


def _run(fields: Fields) -> ShellPayload:
    """A command; its time limit is in seconds, and 0 is none."""
    return replace(execute.run(fields), timeout=real(fields, "timeout") or None)


def _grep(fields: Fields) -> GrepPayload:
    return replace(search.grep(fields), ignore_case=flag(fields, "ignoreCase"))


def _execute(fields: Fields) -> ShellPayload:
    """A command of OpenClaw, whose limit has its unit in the name."""
    limit = real(fields, "timeoutSeconds", "timeoutSec", "timeout")
    return replace(execute.run(fields), timeout=limit or None)


_ACTIONS = {
    "write": ShellAction.INPUT,
    "submit": ShellAction.INPUT,
    "paste": ShellAction.INPUT,
    "send-keys": ShellAction.INPUT,
    "kill": ShellAction.KILL,
    "remove": ShellAction.KILL,
}


def _process(fields: Fields) -> ShellPayload:
    """Return what is done with a command that runs already; to look at it is the rule."""
    action = _ACTIONS.get(text(fields, "action") or "", ShellAction.OUTPUT)
    return ShellPayload(
        text(fields, "data", "input", "keys") or "",
        action,
        task_id=text(fields, "sessionId", "session_id", "id"),
    )


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _plain(name: str) -> ToolSpec:
    """A tool that is known and has no kind of its own."""
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


SHELL = replace(FAMILIES["bash"], payload=_run)
SPECS: Mapping[str, ToolSpec] = {
    "bash": SHELL,
    "powershell": SHELL,
    "read": FAMILIES["read"],
    "write": FAMILIES["write"],
    "edit": FAMILIES["edit"],
    "grep": replace(FAMILIES["grep"], payload=_grep),
    "find": replace(FAMILIES["glob"], canonical_name="find"),
    "ls": FAMILIES["ls"],
}
"""Pi's own tools."""

OPENCLAW_SPECS: Mapping[str, ToolSpec] = {
    **SPECS,
    "exec": replace(FAMILIES["bash"], payload=_execute),
    "process": replace(FAMILIES["output"], canonical_name="process", payload=_process),
    "view_image": FAMILIES["read"],
    "apply_patch": FAMILIES["patch"],
    "web_search": FAMILIES["web_search"],
    "web_fetch": FAMILIES["web_fetch"],
    "progress_card": FAMILIES["todo_write"],
    "sessions_spawn": FAMILIES["task"],
    "sessions_send": replace(FAMILIES["message"], canonical_name="sessions_send"),
    "sessions_yield": replace(FAMILIES["message"], canonical_name="sessions_yield"),
    "subagents": replace(FAMILIES["message"], canonical_name="subagents"),
    **{
        name: _plain(name)
        for name in (
            "tool_search", "tool_describe", "tool_search_code", "sessions_list",
            "sessions_history", "session_status", "agents_list", "memory_search", "memory_get",
            "cron", "gateway", "message", "nodes", "canvas", "computer", "browser", "openclaw",
            "image", "image_generate", "tts", "heartbeat_respond",
        )
    },
}  # fmt: skip
"""OpenClaw's: Pi's, and its own. A call through `tool_call` has a record of its own as well."""


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool of Pi by its name."""
    return SPECS.get(name)


def find_openclaw_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool of OpenClaw by its name."""
    return OPENCLAW_SPECS.get(name)

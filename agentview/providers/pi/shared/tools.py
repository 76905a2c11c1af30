"""Which tool a name means; the tools of extensions are known by the shared rules."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.normalize.json_fields import Fields, real, text
from agentview.normalize.tools import execute
from agentview.normalize.tools.specs import ToolSpec, known_call
from agentview.providers._kit.tool_table import tool, tools


def _run(fields: Fields) -> ShellPayload:
    """A command; its time limit is in seconds, and 0 is none."""
    return replace(execute.run(fields), timeout=real(fields, "timeout") or None)


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
    """Return the action on a command that runs already; by default a look at it."""
    action = _ACTIONS.get(text(fields, "action") or "", ShellAction.OUTPUT)
    return ShellPayload(
        text(fields, "data", "input", "keys") or "",
        action,
        task_id=text(fields, "sessionId", "session_id", "id"),
    )


SHELL = tool("bash", payload=_run)
SPECS: Mapping[str, ToolSpec] = {
    **tools(read="read", write="write", edit="edit", ls="ls"),
    "bash": SHELL,
    "powershell": SHELL,
    "grep": tool("grep", keys={"ignoreCase": "ignore_case"}),
    "find": tool("glob", "find"),
}
"""Pi's own tools."""

OPENCLAW_SPECS: Mapping[str, ToolSpec] = {
    **SPECS,
    **tools(
        read="view_image",
        patch="apply_patch",
        web_search="web_search",
        web_fetch="web_fetch",
        todo_write="progress_card",
        task="sessions_spawn",
        message="sessions_send sessions_yield subagents",
        tool_search="tool_search tool_describe tool_search_code",
        memory_search="memory_search",
        memory_read="memory_get",
        schedule="cron",
        send_message="message",
        speak="tts",
        plain="sessions_list sessions_history "
        "session_status agents_list gateway nodes canvas "
        "computer browser openclaw image image_generate heartbeat_respond",
    ),
    "exec": tool("bash", payload=_execute),
    "process": tool("output", "process", payload=_process),
}
"""OpenClaw's: Pi's, and its own. A call through `tool_call` has a record of its own as well."""

KNOWN = {name: known_call(name, spec) for name, spec in SPECS.items()}
KNOWN_OF_OPENCLAW = {name: known_call(name, spec) for name, spec in OPENCLAW_SPECS.items()}
"""Kinds of calls by their names alone."""

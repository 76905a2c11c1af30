"""Which tool a name means; the tools of extensions are known by the shared rules."""

from collections.abc import Mapping
from dataclasses import replace

from agentview.domain.tool_inputs import GrepPayload, ShellPayload
from agentview.normalize import execute, search
from agentview.normalize.json_fields import Fields, flag, real
from agentview.normalize.registry import FAMILIES
from agentview.normalize.specs import ToolSpec


def _run(fields: Fields) -> ShellPayload:
    """A command; its time limit is in seconds, and 0 is none."""
    return replace(execute.run(fields), timeout=real(fields, "timeout") or None)


def _grep(fields: Fields) -> GrepPayload:
    return replace(search.grep(fields), ignore_case=flag(fields, "ignoreCase"))


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
"""The client's own tools."""


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name."""
    return SPECS.get(name)

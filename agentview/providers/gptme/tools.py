"""Which tool a name means, and how what it prints is read."""

import re
from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    TextEdit,
    TodosAction,
    TodosPayload,
)
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import path, text
from agentview.normalize.json_values import Fields
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ResultMaker, ToolSpec
from agentview.providers._kit.tool_table import tool, tools

FENCES: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("shell", "bash", "sh", "tmux", "gh"), ("", "command")),
    **dict.fromkeys(("ipython", "python"), ("", "code")),
    **dict.fromkeys(("save", "append"), ("path", "content")),
    **dict.fromkeys(("patch", "morph"), ("path", "patch")),
    "read": ("path", "path"),
    **dict.fromkeys(
        ("patch_many", "todo", "browser", "subagent", "choice", "form"), ("args", "content")
    ),
    **dict.fromkeys(("vision", "rag", "computer", "youtube", "screenshot"), ("args", "content")),
    **dict.fromkeys(("complete", "restart", "mcp", "lessons", "memory"), ("args", "content")),
}
"""Languages of fences that are calls: arguments by the names of what follows, and of the body."""

_CHANGE = re.compile(
    r"^<<<<<<< ORIGINAL\n(.*?)^=======\n(.*?)^>>>>>>> UPDATED", re.DOTALL | re.MULTILINE
)
_RAN = re.compile(r"Ran (?:allowlisted )?command: ?")
_CODE = re.compile(r"\n+Return code: (-?\d{1,10})\s*\Z")
_STREAM = re.compile(r"```(stdout|stderr)\n(.*?)\n```", re.DOTALL)
_SHORT = re.compile(r"`([^`\n]*)`")
_NOTHING = "No output"


def _patched(fields: Fields) -> EditPayload:
    """Old and new texts; the patch as it is where it has another form."""
    patch = text(fields, "patch") or ""
    edits = tuple(TextEdit(old, new) for old, new in _CHANGE.findall(f"{patch}\n"))
    return EditPayload((FileEdit(path(fields) or "", edits, None if edits else patch or None),))


def _listed(_fields: Fields) -> TodosPayload:
    return TodosPayload(TodosAction.UPDATE)


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        bash="shell bash sh tmux ipython python gh",
        write="save",
        read="read vision",
        web_fetch="browser read_url",
        web_search="search",
        task="subagent",
        ask="choice form",
        plain="complete",
    ),
    "append": tool("edit", keys={"content": "new_string"}),
    **dict.fromkeys(("patch", "patch_many", "morph"), tool("edit", payload=_patched)),
    "todo": ToolSpec(ToolKind.TODOS, "todo", _listed),
    "mcp": FAMILIES["mcp"],
}


def exit_code(said: str) -> int | None:
    """The exit code of a command, which is stated where it is not 0; None for other outputs."""
    found = _CODE.search(said[-80:])
    if found is not None:
        return int(found[1])
    return 0 if _RAN.match(said) is not None else None


def shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Output of a command, without the client's text around it."""
    said = text_in(outcome.output)
    if said is None:
        return None
    code = exit_code(said)
    rest = _printed(said, call)
    streams: dict[str, str] = dict(_STREAM.findall(rest))
    left = _STREAM.sub("", rest).strip()
    if streams and not left:
        return ShellResult(streams.get("stdout"), streams.get("stderr"), exit_code=code)
    if rest.strip() == _NOTHING:
        return ShellResult(output="", exit_code=code)
    plain = _STREAM.sub(lambda found: found[2], rest).strip()
    return ShellResult(output=_SHORT.sub(r"\1", plain), exit_code=code)


def _printed(said: str, call: ToolCall) -> str:
    """The text between the command, which is repeated first, and the exit code."""
    ran = _RAN.match(said)
    if ran is None:
        return said
    command = getattr(call.payload, "command", "")
    for quoted in (f"`{command}`", f"\n```bash\n{command}\n```", f"```bash\n{command}\n```"):
        if said.startswith(quoted, ran.end()):
            return _CODE.sub("", said[ran.end() + len(quoted) :])
    return _CODE.sub("", said[ran.end() :])


BY_KIND: Mapping[ToolKind, ResultMaker] = {ToolKind.SHELL: shell}
"""How the result of a call is read, by what the call does."""

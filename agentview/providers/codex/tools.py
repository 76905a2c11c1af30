"""Which tool is this: every tool of Codex, from 0.1 to 0.169, by its name and its namespace."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    AskPayload,
    DeletePayload,
    FileOperation,
    McpPayload,
    Payload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    SubagentPayload,
    UnknownPayload,
    WebFetchPayload,
    WritePayload,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin
from agentview.normalize import build
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    first,
    items,
    mapping,
    path,
    text,
    texts,
)
from agentview.normalize.json_values import changed
from agentview.normalize.tools import edit, execute, plan, read, search, subagent, todo, web
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec
from agentview.providers._kit.tool_table import tool, tools
from agentview.providers.codex import results
from agentview.providers.codex.code_mode import NestedCall, is_escalated, nested_calls

MCP_PREFIX = "mcp__"
PATCH_BEGIN = "*** Begin Patch"
_SCRIPT = ("input", "code", "script")
"""Fields of `exec` that may have its script."""
_OWN_NAMESPACES = frozenset({"functions", "multi_agent_v1", "collaboration"})
"""Namespaces of the client's own tools, whose names are unique without them."""


def _shown_as_json(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


def _shell(fields: Fields) -> ShellPayload:
    return execute.run({key: value for key, value in fields.items() if key != "yield_time_ms"})


def _stdin(fields: Fields) -> ShellPayload:
    """Write to a process that runs on; nothing to write is a question for its output."""
    written = text(fields, "chars") or ""
    return ShellPayload(
        written,
        ShellAction.INPUT if written else ShellAction.OUTPUT,
        task_id=as_text(first(fields, "session_id", "process_id")),
    )


def _unified(fields: Fields) -> ShellPayload:
    """Run a command, or write to the process of an earlier one (0.4x)."""
    given = fields.get("input")
    session = as_text(fields.get("session_id"))
    if session is None:
        return execute.run({"command": given})
    return ShellPayload(" ".join(texts(given)), ShellAction.INPUT, task_id=session)


def _waited(fields: Fields) -> ShellPayload:
    """Ask a script that runs on for more output, or end it."""
    action = ShellAction.KILL if fields.get("terminate") is True else ShellAction.OUTPUT
    return ShellPayload("", action, task_id=as_text(fields.get("cell_id")))


def _script(fields: Fields) -> ShellPayload:
    script = text(fields, *_SCRIPT)
    return ShellPayload(command=script) if script is not None else _shell(fields)


def _image(fields: Fields) -> ReadPayload:
    return ReadPayload(path=path(fields) or "")


def _agent(fields: Fields) -> SubagentPayload:
    """Start an agent; the message may be a list of content items."""
    given = subagent.start(fields)
    return replace(given, prompt=given.prompt or as_text(fields.get("items")))


def _to_agents(fields: Fields) -> SubagentPayload:
    """Say something to agents that run, wait for them, or end them."""
    given = subagent.message(fields)
    several = texts(first(fields, "targets", "ids"))
    return replace(given, recipient=", ".join(several) or given.recipient or "")


def _questions(fields: Fields) -> AskPayload:
    """Questions to the person; those that are asked next to the work have only a title."""
    listed = [mapping(item) for item in items(fields.get("questions"))]
    titled = [
        each if "question" in each else changed(each, {"question": each.get("title")})
        for each in listed
    ]
    return plan.ask(changed(fields, {"questions": titled}))


def _resource(fields: Fields) -> McpPayload:
    return McpPayload(server=text(fields, "server"), tool=None, uri=text(fields, "uri"))


def _of(kind: ToolKind, name: str, payload: PayloadMaker) -> ToolSpec:
    return ToolSpec(kind, name, payload, results.BY_KIND.get(kind))


def _mcp(name: str) -> ToolSpec:
    return ToolSpec(ToolKind.MCP, name, _resource, origin=ToolOrigin.MCP)


_BASH = _of(ToolKind.SHELL, "Bash", _shell)
_WEB_SEARCH = _of(ToolKind.WEB_SEARCH, "WebSearch", web.search)

_WITHOUT_FORM = (
    "js_repl", "js", "js_reset", "test_sync_tool",
    "list_available_plugins_to_install", "request_plugin_install", "request_permissions",
    "imagegen", "image_generation", "clock.sleep", "clock.curr_time", "sleep", "curr_time",
    "get_context_remaining", "new_context",
    "create_channel", "get_channels", "list_threads", "search_posts", "read_thread", "read_post",
    "subscribe", "unsubscribe",
)  # fmt: skip
"""Tools that are known and have no kind of their own: shown as JSON."""

SPECS: Mapping[str, ToolSpec] = {
    "shell": _BASH,
    "container.exec": _BASH,
    "local_shell_call": _BASH,
    "local_shell": _BASH,
    "shell_command": _BASH,
    "exec_command": _BASH,
    "unified_exec": _of(ToolKind.SHELL, "Bash", _unified),
    "write_stdin": _of(ToolKind.SHELL, "write_stdin", _stdin),
    "exec": _of(ToolKind.SHELL, "exec", _script),
    "wait": _of(ToolKind.SHELL, "wait", _waited),
    "apply_patch": _of(ToolKind.EDIT, "Patch", edit.patch),
    "update_plan": ToolSpec(ToolKind.TODOS, "TodoWrite", todo.replace, todo.result),
    "read_file": ToolSpec(ToolKind.READ, "Read", read.payload, read.result),
    "list_dir": ToolSpec(ToolKind.LS, "LS", search.ls, search.paths_result),
    "grep_files": ToolSpec(ToolKind.GREP, "Grep", search.grep, search.grep_result),
    "view_image": ToolSpec(ToolKind.READ, "Read", _image, read.result),
    "web_search": _WEB_SEARCH,
    "web_search_call": _WEB_SEARCH,
    "request_user_input": _of(ToolKind.ASK, "AskUserQuestion", _questions),
    "request_user_input_async": _of(ToolKind.ASK, "AskUserQuestion", _questions),
    "list_mcp_resources": _mcp("list_mcp_resources"),
    "list_mcp_resource_templates": _mcp("list_mcp_resource_templates"),
    "read_mcp_resource": _mcp("read_mcp_resource"),
    **{
        name: _of(ToolKind.SUBAGENT_TASK, "Task", _agent)
        for name in ("spawn_agent", "spawn_agents_on_csv")
    },
    **{
        name: _of(ToolKind.SUBAGENT_TASK, name, _to_agents)
        for name in (
            "send_input", "send_message", "followup_task", "assign_task", "resume_agent",
            "wait_agent", "list_agents", "interrupt_agent", "close_agent",
            "report_agent_job_result",
        )
    },
    "post": tool("send_message", "post", keys={"text": "message", "agents_to_notify": "to"}),
    "automation_update": tool("schedule", "automation_update", keys={"mode": "action"}),
    **tools(
        skill="skill",
        tool_search="tool_search tool_suggest",
        goal_set="create_goal",
        goal_get="get_goal",
        goal_update="update_goal",
    ),
    **{name: ToolSpec(ToolKind.UNKNOWN, name, _shown_as_json) for name in _WITHOUT_FORM},
}  # fmt: skip
"""Every tool of the client; tools of MCP servers are known by their namespace or their prefix."""


def full_name(name: str, namespace: str | None) -> str:
    """The name of a tool with its namespace, as `mcp__server__tool` or `clock.sleep`."""
    if namespace is None or namespace in _OWN_NAMESPACES or name.startswith(MCP_PREFIX):
        return name
    return f"{namespace}__{name}" if namespace.startswith(MCP_PREFIX) else f"{namespace}.{name}"


def mcp_spec(server: str | None, tool: str | None) -> ToolSpec:
    """The spec of a tool of an MCP server; a server that is not known has no part in the name."""
    canonical = f"{MCP_PREFIX}{server}__{tool}" if server and tool else tool or "mcp"

    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(server, tool)

    return ToolSpec(ToolKind.MCP, canonical, payload, origin=ToolOrigin.MCP)


def spec_for(
    name: str, args: Fields, namespace: str | None = None, *, items: bool = False
) -> ToolSpec | None:
    """The spec of this very call; None for a tool that only the shared rules can know.

    `items`: the log also records what was done as finished items.
    """
    if namespace is not None and namespace.startswith(MCP_PREFIX):
        return mcp_spec(namespace[len(MCP_PREFIX) :], name)
    known = SPECS.get(full_name(name, namespace)) or SPECS.get(name)
    if name == "apply_patch":
        return _patch_spec(args)
    if name == "wait" and "cell_id" not in args and args:
        return SPECS["wait_agent"]
    if name == "exec":
        return _script_spec(text(args, *_SCRIPT) or "", items=items) or known
    return known


def _patch_spec(args: Fields) -> ToolSpec:
    """Writing where a patch adds one file, deleting where it only deletes, else editing."""
    spec = SPECS["apply_patch"]
    payload = edit.patch(args)
    operations = {file.operation for file in payload.files}
    files = payload.files
    if operations == {FileOperation.DELETE}:
        paths = tuple(file.path for file in files)
        return _fixed(ToolKind.DELETE, spec, DeletePayload(paths))
    if operations == {FileOperation.CREATE} and len(files) == 1:
        added = files[0].edits[0].new if files[0].edits else None
        return _fixed(ToolKind.WRITE, spec, WritePayload(files[0].path, added))
    return _fixed(spec.kind, spec, payload)


def _fixed(kind: ToolKind, spec: ToolSpec, payload: Payload) -> ToolSpec:
    def make(_fields: Fields) -> Payload:
        return payload

    return replace(spec, kind=kind, payload=make)


def is_container(name: str, args: Fields, *, items: bool) -> bool:
    """True for a script all of whose calls have records of their own, as far as its text shows."""
    if name != "exec":
        return False
    nested = nested_calls(text(args, *_SCRIPT) or "")
    return bool(nested) and all(_is_recorded(each.name, items=items) for each in nested)


def _is_recorded(name: str, *, items: bool) -> bool:
    """True for a tool whose calls by a script are recorded: all logs have patches and searches."""
    if name in ("apply_patch", "web__run"):
        return True
    return items and (name in ("exec_command", "view_image") or name.startswith(MCP_PREFIX))


def _script_spec(script: str, *, items: bool) -> ToolSpec | None:
    """The spec of the only call that a script stands for, with the arguments that it gives it.

    That is the one without a record of its own, or else the only one. A patch is not one of them:
    only its own record says whether it was applied.
    """
    nested = nested_calls(script)
    own = [each for each in nested if not _is_recorded(each.name, items=items)] or nested
    if len(own) != 1 or own[0].args is None:
        return None
    name, args = own[0].name, own[0].args
    if name in ("exec", "apply_patch"):
        return None
    spec = spec_for(name, args) or classify(name, args)
    if spec.kind is ToolKind.UNKNOWN:
        return None
    try:
        return _fixed(spec.kind, spec, spec.payload(args))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def wrapped_call(call: ToolCall) -> ToolCall:
    """The call that the script of an `exec` makes, of several the one that has to be allowed.

    Commands without one are taken together, since any of them may run; a script whose text shows no
    call stays what it is, without a command.
    """
    script = text(call.args or {}, *_SCRIPT) if call.provider_name == "exec" else None
    if script is None:
        return call
    nested = nested_calls(script)
    asking = [each for each in nested if each.args is not None and is_escalated(each.args)]
    made = [_nested(call, each) for each in (asking[:1] or nested)]
    commands = [each.payload.command for each in made if isinstance(each.payload, ShellPayload)]
    if not made:
        return replace(call, kind=ToolKind.UNKNOWN, payload=UnknownPayload())
    if len(commands) == len(made):
        return replace(made[0], payload=ShellPayload("\n".join(commands)))
    return made[0]


def _nested(call: ToolCall, nested: NestedCall) -> ToolCall:
    args = nested.args or {}
    spec = spec_for(nested.name, args)
    return build.tool_call(call_id=call.call_id, name=nested.name, arguments=args, spec=spec)


def web_spec(action: Fields) -> ToolSpec:
    """The spec of a search, or of opening a page or finding something in one."""
    if text(action, "type") in ("open_page", "find_in_page"):
        return _of(ToolKind.WEB_FETCH, "WebFetch", _page)
    return _WEB_SEARCH


def _page(fields: Fields) -> WebFetchPayload:
    return WebFetchPayload(url=text(fields, "url") or "", prompt=text(fields, "pattern"))


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    return spec_for(name, args) or SPECS.get(name.rpartition(".")[2])


def attach_result(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call joined with its outcome, with the typed result of its kind."""
    settled = results.settled(result)
    known = SPECS.get(call.provider_name)
    maker = known.result if known is not None and known.kind is call.kind else None
    maker = maker or results.BY_KIND.get(call.kind)
    if maker is not None and call.kind is not ToolKind.SHELL:
        maker = results.without_heads(maker)
    spec = ToolSpec(call.kind, call.canonical_name, _shown_as_json, maker)
    return build.attach_result(call, settled, spec)

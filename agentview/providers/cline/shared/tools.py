"""Which tool a name means: those of the engine, of the extension and of its forks."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    Payload,
    ReadPayload,
    ShellPayload,
    SubagentPayload,
    TextEdit,
    TodoStatus,
    WebFetchPayload,
)
from agentview.normalize.json_fields import as_text, items, mapping, path, text, texts
from agentview.normalize.json_values import Fields, changed
from agentview.normalize.tools import edit, execute, read, search, subagent, todo
from agentview.normalize.tools.registry import FAMILIES, editor_family
from agentview.normalize.tools.specs import ToolSpec, known_calls
from agentview.providers._kit.tool_table import tool, tools

_BLOCK = re.compile(
    r"^(?:-{3,} ?|<{3,} ?)SEARCH>?[ \t]*\n(?::start_line:[^\n]*\n)?(?::end_line:[^\n]*\n)?"
    r"(?:-{7}\n)?(.*?)^=======[ \t]*\n(.*?)^(?:\+{3,} ?|>{3,} ?)REPLACE>?[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_MANY = "\n"


def blocks(diff: str) -> tuple[TextEdit, ...]:
    return tuple(
        TextEdit(found[1].removesuffix("\n"), found[2].removesuffix("\n"))
        for found in _BLOCK.finditer(diff.replace("\r\n", "\n"))
    )


def _commands(fields: Fields) -> ShellPayload:
    """Commands that one call runs, one after the other."""
    several = items(fields.get("commands"))
    if not several:
        # The client takes a single command under other names too.
        given = changed(fields, {"command": text(fields, "commands", "command", "cmd")})
        return execute.run(given)
    lines = [text(mapping(each), "command", "cmd") or as_text(each) or "" for each in several]
    return ShellPayload(_MANY.join(lines), cwd=text(fields, "cwd"))


def _reads(fields: Fields) -> ReadPayload:
    """Files that one call reads; the lines where it is one."""
    args = mapping(fields.get("args"))
    several = (
        items(fields.get("files")) or items(fields.get("file_paths")) or items(args.get("file"))
    )
    if not several:
        return read.payload(mapping(args.get("file")) or fields)
    places = [path(mapping(each)) or as_text(each) or "" for each in several]
    if len(places) == 1:
        return replace(read.payload(mapping(several[0])), path=places[0])
    return ReadPayload(", ".join(places))


def _queries(fields: Fields) -> Payload:
    several = texts(fields.get("queries"))
    return search.grep(changed(fields, {"pattern": " | ".join(several)}) if several else fields)


def _requests(fields: Fields) -> Payload:
    wanted = [mapping(each) for each in items(fields.get("requests"))] or [fields]
    urls = [text(each, "url") or "" for each in wanted]
    return WebFetchPayload(", ".join(urls), text(wanted[0], "prompt"))


def _replaced(fields: Fields) -> EditPayload:
    """SEARCH and REPLACE blocks; some models list pairs instead."""
    diff = text(fields, "diff", "content") or ""
    found = blocks(diff)
    if not found:
        return edit.edit(fields) if not diff else edit.patch(changed(fields, {"diff": diff}))
    return EditPayload((FileEdit(path(fields) or "", found),))


def _agents(fields: Fields) -> SubagentPayload:
    made = subagent.start(fields)
    prompts = [text(fields, key) for key in sorted(fields) if key.startswith("prompt")]
    said = [each for each in prompts if each] or ([made.prompt] if made.prompt else [])
    return replace(made, prompt="\n\n".join(said) or None, agent_type=text(fields, "mode"))


_LIST = tool(
    "todo_write",
    payload=todo.ticked(TodoStatus.IN_PROGRESS, "todos", "task_progress", "content"),
)
_REPLACE = tool("edit", payload=_replaced)
_INSERT = tool("edit", keys=dict.fromkeys(("content", "new_text", "insert_text"), "new_string"))
_SWITCH = tool("plan_enter", keys={"mode_slug": "reason", "mode": "reason"})

SPECS: Mapping[str, ToolSpec] = {
    # The engine.
    **tools(ask="ask_question"),
    "read_files": tool("read", payload=_reads),
    "run_commands": tool("bash", payload=_commands),
    "search_codebase": tool("grep", payload=_queries),
    "fetch_web_content": tool("web_fetch", payload=_requests),
    "spawn_agent": tool("task", "spawn_agent"),
    # The extension and its forks, as the model calls them.
    **tools(
        write="write_to_file new_rule",
        edit="search_and_replace search_replace edit_file",
        patch="apply_patch",
        output="read_command_output",
        grep="search_files",
        ls="list_files",
        semantic="list_code_definition_names codebase_search",
        web_fetch="web_fetch",
        web_search="web_search",
        ask="ask_followup_question",
        skill="skills skill use_skill",
        plain="image_generation generate_image condense attempt_completion "
        "browser_action load_mcp_documentation summarize_task run_slash_command fetch_instructions "
        "report_bug generate_explanation",
    ),
    "read_file": tool("read", payload=_reads),
    **dict.fromkeys(("replace_in_file", "apply_diff"), _REPLACE),
    "insert_content": _INSERT,
    "execute_command": tool("bash", keys={"timeout": "timeout_seconds"}),
    **dict.fromkeys(("use_mcp_tool", "access_mcp_resource"), FAMILIES["mcp"]),
    **{
        name: tool("task", name, payload=_agents)
        for name in ("new_task", "use_subagents", "subagent")
    },
    **dict.fromkeys(("update_todo_list", "focus_chain"), _LIST),
    "plan_mode_respond": tool("plan", keys={"response": "plan"}),
    "switch_mode": _SWITCH,
    # The extension and its forks, as they show them.
    **tools(
        read="readFile",
        write="newFileCreated",
        edit="searchAndReplace",
        delete="fileDeleted",
        ls="listFilesTopLevel listFilesRecursive listFiles",
        grep="searchFiles",
        semantic="listCodeDefinitionNames codebaseSearch",
        web_fetch="webFetch",
        web_search="webSearch",
        todo_write="updateTodoList",
        plain="finishTask",
    ),
    **dict.fromkeys(("editedExistingFile", "appliedDiff"), _REPLACE),
    "insertContent": _INSERT,
    "newTask": tool("task", "new_task", payload=_agents),
    "switchMode": _SWITCH,
}


EDITOR = "editor"
"""A tool whose arguments say what a call does."""


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool of the clients; the shared rules know the name of a server's tool."""
    if name == EDITOR:
        return FAMILIES[editor_family(args)]
    if name in SPECS:
        return SPECS[name]
    return tool("message", name) if name.startswith("team_") else None


known = known_calls(lambda name: None if name == EDITOR else find_tool(name, {}))
"""Facts of the calls of a tool without their arguments."""

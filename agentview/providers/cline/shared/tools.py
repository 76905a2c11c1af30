"""Which tool a name means: those of the engine, of the extension and of its forks."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    Payload,
    PlanAction,
    PlanPayload,
    ReadPayload,
    ShellPayload,
    SubagentPayload,
    TextEdit,
    TodosAction,
    TodosPayload,
    TodoStatus,
    UnknownPayload,
    WebFetchPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import as_text, items, mapping, path, text, texts
from agentview.normalize.json_values import Fields, changed
from agentview.normalize.tools import edit, execute, read, search, subagent, todo
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec

_BLOCK = re.compile(
    r"^(?:-{3,} ?|<{3,} ?)SEARCH>?[ \t]*\n(?::start_line:[^\n]*\n)?(?::end_line:[^\n]*\n)?"
    r"(?:-{7}\n)?(.*?)^=======[ \t]*\n(.*?)^(?:\+{3,} ?|>{3,} ?)REPLACE>?[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_MANY = "\n"


def blocks(diff: str) -> tuple[TextEdit, ...]:
    """The pairs of texts in a list of SEARCH and REPLACE blocks."""
    return tuple(
        TextEdit(found[1].removesuffix("\n"), found[2].removesuffix("\n"))
        for found in _BLOCK.finditer(diff.replace("\r\n", "\n"))
    )


def _listed(fields: Fields) -> TodosPayload:
    said = text(fields, "todos", "task_progress", "content") or ""
    return TodosPayload(TodosAction.REPLACE, todo.checklist(said, TodoStatus.IN_PROGRESS))


def _commands(fields: Fields) -> ShellPayload:
    """Commands that one call runs, one after the other."""
    several = items(fields.get("commands"))
    if not several:
        # The client takes a single command under other names too.
        given = changed(fields, {"command": text(fields, "commands", "command", "cmd")})
        return execute.run(given)
    lines = [text(mapping(each), "command", "cmd") or as_text(each) or "" for each in several]
    return ShellPayload(_MANY.join(lines), cwd=text(fields, "cwd"))


def _executed(fields: Fields) -> ShellPayload:
    """A command of the extension; its timeout counts seconds."""
    made = execute.run(fields)
    return replace(made, timeout=made.timeout * 1000 if made.timeout is not None else None)


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


def _inserted(fields: Fields) -> EditPayload:
    new = text(fields, "content", "new_text", "insert_text") or ""
    return EditPayload((FileEdit(path(fields) or "", (TextEdit("", new),)),))


def _proposed(fields: Fields) -> PlanPayload:
    return PlanPayload(PlanAction.PROPOSE, text=text(fields, "response", "plan"))


def _switched(fields: Fields) -> PlanPayload:
    return PlanPayload(PlanAction.ENTER, text=text(fields, "mode_slug", "mode", "reason"))


def _agents(fields: Fields) -> SubagentPayload:
    made = subagent.start(fields)
    prompts = [text(fields, key) for key in sorted(fields) if key.startswith("prompt")]
    said = [each for each in prompts if each] or ([made.prompt] if made.prompt else [])
    return replace(made, prompt="\n\n".join(said) or None, agent_type=text(fields, "mode"))


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _with(family: str, payload: PayloadMaker, name: str | None = None) -> ToolSpec:
    spec = FAMILIES[family]
    return replace(spec, payload=payload, canonical_name=name or spec.canonical_name)


def _plain(name: str) -> ToolSpec:
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


def _named(family: str, name: str) -> ToolSpec:
    return replace(FAMILIES[family], canonical_name=name)


_EDITS = {"view": "read", "create": "write", "insert": "edit", "str_replace": "edit"}

SPECS: Mapping[str, ToolSpec] = {
    # The engine.
    "read_files": _with("read", _reads),
    "run_commands": _with("bash", _commands),
    "search_codebase": _with("grep", _queries),
    "fetch_web_content": _with("web_fetch", _requests),
    "spawn_agent": _named("task", "spawn_agent"),
    "ask_question": FAMILIES["ask"],
    # The extension and its forks, as the model calls them.
    "read_file": _with("read", _reads),
    "write_to_file": FAMILIES["write"],
    "new_rule": FAMILIES["write"],
    "replace_in_file": _with("edit", _replaced),
    "apply_diff": _with("edit", _replaced),
    "search_and_replace": FAMILIES["edit"],
    "search_replace": FAMILIES["edit"],
    "edit_file": FAMILIES["edit"],
    "insert_content": _with("edit", _inserted),
    "apply_patch": FAMILIES["patch"],
    "execute_command": _with("bash", _executed),
    "read_command_output": _named("output", "read_command_output"),
    "search_files": FAMILIES["grep"],
    "list_files": FAMILIES["ls"],
    "list_code_definition_names": FAMILIES["semantic"],
    "codebase_search": FAMILIES["semantic"],
    "web_fetch": FAMILIES["web_fetch"],
    "web_search": FAMILIES["web_search"],
    "use_mcp_tool": FAMILIES["mcp"],
    "access_mcp_resource": FAMILIES["mcp"],
    "new_task": _with("task", _agents, "new_task"),
    "use_subagents": _with("task", _agents, "use_subagents"),
    "subagent": _with("task", _agents, "subagent"),
    "update_todo_list": _with("todo_write", _listed),
    "focus_chain": _with("todo_write", _listed),
    "plan_mode_respond": _with("plan", _proposed),
    "switch_mode": _with("plan_enter", _switched),
    "ask_followup_question": FAMILIES["ask"],
    **{
        name: _plain(name)
        for name in (
            "skills", "skill", "use_skill", "image_generation", "generate_image", "condense",
            "attempt_completion", "browser_action", "load_mcp_documentation", "summarize_task",
            "run_slash_command", "fetch_instructions", "report_bug", "generate_explanation",
        )
    },
    # The extension and its forks, as they show them.
    "readFile": FAMILIES["read"],
    "newFileCreated": FAMILIES["write"],
    "editedExistingFile": _with("edit", _replaced),
    "appliedDiff": _with("edit", _replaced),
    "searchAndReplace": FAMILIES["edit"],
    "insertContent": _with("edit", _inserted),
    "fileDeleted": FAMILIES["delete"],
    "listFilesTopLevel": FAMILIES["ls"],
    "listFilesRecursive": FAMILIES["ls"],
    "listFiles": FAMILIES["ls"],
    "searchFiles": FAMILIES["grep"],
    "listCodeDefinitionNames": FAMILIES["semantic"],
    "codebaseSearch": FAMILIES["semantic"],
    "webFetch": FAMILIES["web_fetch"],
    "webSearch": FAMILIES["web_search"],
    "updateTodoList": FAMILIES["todo_write"],
    "newTask": _with("task", _agents, "new_task"),
    "switchMode": _with("plan_enter", _switched),
    "finishTask": _plain("finishTask"),
}  # fmt: skip


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool of the clients; the shared rules know the name of a server's tool."""
    if name == "editor":
        return FAMILIES[_EDITS.get(text(args, "command") or "", "edit")]
    if name in SPECS:
        return SPECS[name]
    return _named("message", name) if name.startswith("team_") else None

"""Which tool a name means; a tool of a server is known by what its record says."""

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    McpPayload,
    Payload,
    PlanAction,
    PlanPayload,
    ShellPayload,
    SubagentPayload,
    TodoItem,
    TodosAction,
    TodosPayload,
    TodoStatus,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute, plan, subagent, todo
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

_TODOS = re.compile(r"\b(?:into|update)\s+[\"'`]?todos\b", re.IGNORECASE)
_INSERT = re.compile(
    r"into\s+[\"'`]?todos[\"'`]?\s*\(([^)]*)\)\s*values\s*(.*)", re.IGNORECASE | re.DOTALL
)
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([(),])|([^'(),]+)")
_SET = re.compile(r"\bstatus\s*=\s*'(\w+)'", re.IGNORECASE)
_WHERE = re.compile(r"\bid\s*(?:=|in\s*\()\s*('[^)]*)", re.IGNORECASE)
_QUOTED = re.compile(r"'([^']*)'")
_SQL_CHARS = 20_000
"""Characters of a statement that are looked at."""


def _run(fields: Fields) -> ShellPayload:
    """A command; `async` ones run on when their call has ended."""
    background = text(fields, "mode") == "async"
    return replace(execute.run(fields), timeout=None, background=background)


def _listed(fields: Fields) -> TodosPayload:
    """A list as Markdown: `- [x] text`."""
    found = todo.checklist(text(fields, "todos") or "", TodoStatus.CANCELLED)
    return TodosPayload(TodosAction.REPLACE, found) if found else todo.replace(fields)


def _todo_rows(fields: Fields) -> TodosPayload:
    """Rows that a statement writes to the table of todos of the session's own database."""
    sql = (text(fields, "query") or "")[:_SQL_CHARS]
    insert = _INSERT.search(sql)
    if insert is not None:
        names = [name.strip(" \"'`\n").lower() for name in insert[1].split(",")]
        rows = [dict(zip(names, row, strict=False)) for row in _rows(insert[2])]
        return TodosPayload(TodosAction.UPDATE, tuple(todo.item(row) for row in rows if row))
    state, where = _SET.search(sql), _WHERE.search(sql)
    ids = _QUOTED.findall(where[1]) if where is not None else []
    status = todo.status(state[1]) if state is not None else TodoStatus.UNKNOWN
    return TodosPayload(TodosAction.UPDATE, tuple(TodoItem(own, status, id=own) for own in ids))


def _rows(values: str) -> Iterator[list[str]]:
    """The values of each pair of brackets."""
    row: list[str] = []
    for match in _TOKEN.finditer(values):
        text, sign, bare = match.groups()
        if text is not None:
            row.append(text.replace("''", "'"))
        elif sign == "(":
            row = []
        elif sign == ")":
            yield row
        elif bare is not None and bare.strip():
            row.append(bare.strip())


def _proposed(fields: Fields) -> PlanPayload:
    made = plan.propose(fields)
    return PlanPayload(PlanAction.PROPOSE, text=text(fields, "summary") or made.text)


def _started(fields: Fields) -> SubagentPayload:
    return replace(subagent.start(fields), background=text(fields, "mode") == "background")


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _plain(name: str) -> ToolSpec:
    """A tool that is known and has no kind of its own."""
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


def _named(family: str, name: str) -> ToolSpec:
    return replace(FAMILIES[family], canonical_name=name)


_SHELL = replace(FAMILIES["bash"], payload=_run)
_SQL_TODOS = ToolSpec(ToolKind.TODOS, "sql", _todo_rows)

SPECS: Mapping[str, ToolSpec] = {
    "bash": _SHELL,
    "powershell": _SHELL,
    "shell": _SHELL,
    **{f"read_{shell}": _named("output", f"read_{shell}") for shell in ("bash", "powershell")},
    **{f"list_{shell}": _named("output", f"list_{shell}") for shell in ("bash", "powershell")},
    **{f"write_{shell}": _named("input", f"write_{shell}") for shell in ("bash", "powershell")},
    **{f"stop_{shell}": _named("kill", f"stop_{shell}") for shell in ("bash", "powershell")},
    "view": FAMILIES["read"],
    "create": FAMILIES["write"],
    "edit": FAMILIES["edit"],
    "apply_patch": FAMILIES["patch"],
    "grep": FAMILIES["grep"],
    "rg": FAMILIES["grep"],
    "glob": FAMILIES["glob"],
    "web_fetch": FAMILIES["web_fetch"],
    "web_search": FAMILIES["web_search"],
    "task": replace(FAMILIES["task"], payload=_started),
    "read_agent": _named("message", "read_agent"),
    "write_agent": _named("message", "write_agent"),
    "list_agents": _named("message", "list_agents"),
    "update_todo": replace(FAMILIES["todo_write"], payload=_listed),
    "ask_user": FAMILIES["ask"],
    "exit_plan_mode": replace(FAMILIES["plan"], payload=_proposed),
    **{
        name: _plain(name)
        for name in (
            "sql", "report_intent", "store_memory", "skill", "session_store_sql", "task_complete",
            "fetch_copilot_cli_documentation",
        )
    },
}  # fmt: skip


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name; that of a statement by what it writes."""
    if name == "sql" and _TODOS.search((text(args, "query") or "")[:_SQL_CHARS]) is not None:
        return _SQL_TODOS
    return SPECS.get(name)


def server_spec(server: str, tool: str) -> ToolSpec:
    """The spec of a tool of a server."""

    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(server, tool)

    return ToolSpec(ToolKind.MCP, f"mcp__{server}__{tool}", payload, origin=ToolOrigin.MCP)

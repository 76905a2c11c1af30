"""Which tool a name means; a tool of a server is known by what its record says."""

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    ShellPayload,
    SubagentPayload,
    TodoItem,
    TodosAction,
    TodosPayload,
    TodoStatus,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute, subagent, todo
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.permission_request import elicitation
from agentview.providers._kit.tool_table import tool, tools

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


def _started(fields: Fields) -> SubagentPayload:
    return replace(subagent.start(fields), background=text(fields, "mode") == "background")


ELICITATION = "elicitation"
_SQL_TODOS = ToolSpec(ToolKind.TODOS, "sql", _todo_rows)

_SHELLS = ("bash", "powershell")

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        output=" ".join(f"read_{shell} list_{shell}" for shell in _SHELLS),
        input=" ".join(f"write_{shell}" for shell in _SHELLS),
        kill=" ".join(f"stop_{shell}" for shell in _SHELLS),
        read="view",
        write="create",
        edit="edit",
        patch="apply_patch",
        grep="grep rg",
        glob="glob",
        web_fetch="web_fetch",
        web_search="web_search",
        message="read_agent write_agent list_agents",
        ask="ask_user",
        skill="skill",
        memory_save="store_memory",
        topic="report_intent",
        plain="sql session_store_sql task_complete fetch_copilot_cli_documentation",
    ),
    **dict.fromkeys((*_SHELLS, "shell"), tool("bash", payload=_run)),
    "task": tool("task", payload=_started),
    "update_todo": tool("todo_write", payload=todo.ticked(TodoStatus.CANCELLED, "todos")),
    "exit_plan_mode": tool("plan", keys={"summary": "plan"}),
    ELICITATION: ToolSpec(ToolKind.ASK, "AskUserQuestion", elicitation),
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name; that of a statement by what it writes."""
    if name == "sql" and _TODOS.search((text(args, "query") or "")[:_SQL_CHARS]) is not None:
        return _SQL_TODOS
    return SPECS.get(name)

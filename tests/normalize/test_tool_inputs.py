"""Arguments by any of the names agents have for them become one typed payload."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain import tool_inputs as p
from agentview.normalize.tools import edit, execute, mcp, plan, read, search, subagent, todo, web
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import PayloadMaker

UPDATE = p.TodosAction.UPDATE

CASES: list[tuple[PayloadMaker, dict[str, object], p.Payload]] = [
    (read.payload, {"file_path": "a", "offset": 5, "limit": 9}, p.ReadPayload("a", 5, 9)),
    (read.payload, {"path": "a", "start_line": 5, "end_line": 9}, p.ReadPayload("a", 5, 5)),
    (read.payload, {"path": "a", "view_range": [2, 4]}, p.ReadPayload("a", 2, 3)),
    (read.payload, {"path": "a", "view_range": [2, -1]}, p.ReadPayload("a", 2)),
    (read.payload, {"file_path": 12, "pages": "1-5"}, p.ReadPayload("12", pages="1-5")),
    (read.payload, {"file_path": ["a.py"]}, p.ReadPayload("a.py")),
    (read.payload, {}, p.ReadPayload("")),
    (edit.write, {"filePath": "a", "contents": "x"}, p.WritePayload("a", "x")),
    (edit.write, {"path": "a", "content": ["x", "y"]}, p.WritePayload("a", "x\ny")),
    (edit.write, {"path": "a"}, p.WritePayload("a", None)),
    (
        edit.edit,
        {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": "true"},
        p.EditPayload((p.FileEdit("a", (p.TextEdit("x", "y", True),)),)),
    ),
    (
        edit.edit,
        {"path": "a", "edits": [{"oldText": "x", "newText": "y"}, "odd", {"old_str": "z"}]},
        p.EditPayload((p.FileEdit("a", (p.TextEdit("x", "y"), p.TextEdit("z", ""))),)),
    ),
    (edit.edit, {"path": "a", "edits": "odd"}, p.EditPayload((p.FileEdit("a"),))),
    (edit.edit, {}, p.EditPayload((p.FileEdit(""),))),
    (
        edit.patch,
        {"changes": {"a": {"type": "add", "content": "x"}, "b": {"delete": {"content": "y"}}}},
        p.EditPayload(
            (
                p.FileEdit("a", (p.TextEdit("", "x"),), operation=p.FileOperation.CREATE),
                p.FileEdit("b", (p.TextEdit("y", ""),), operation=p.FileOperation.DELETE),
            )
        ),
    ),
    (
        edit.patch,
        {"changes": {"a": {"update": {"unified_diff": "@@", "move_path": "b"}}}},
        p.EditPayload((p.FileEdit("a", patch="@@", move_to="b"),)),
    ),
    (edit.patch, {"patch": "odd"}, p.EditPayload((p.FileEdit("", patch="odd"),))),
    (edit.patch, {}, p.EditPayload(())),
    (
        edit.rename,
        {"source": "a", "destination": "b"},
        p.EditPayload((p.FileEdit("a", operation=p.FileOperation.RENAME, move_to="b"),)),
    ),
    (edit.delete, {"path": "a"}, p.DeletePayload(("a",))),
    (edit.delete, {"file_paths": ["a", "b"]}, p.DeletePayload(("a", "b"))),
    (edit.delete, {}, p.DeletePayload(())),
    (
        edit.notebook,
        {"notebook_path": "n", "cell_number": 3, "new_source": ["a\n", "b"]},
        p.NotebookEditPayload("n", "a\nb", "3"),
    ),
    (
        execute.run,
        {"command": "ls", "timeout": 2000, "run_in_background": True, "description": "d"},
        p.ShellPayload("ls", description="d", timeout=2.0, background=True),
    ),
    (execute.run, {"cmd": "ls", "workdir": "/w"}, p.ShellPayload("ls", cwd="/w")),
    (execute.run, {"command": ["bash", "-lc", "a | b"]}, p.ShellPayload("a | b")),
    (
        execute.run,
        {"command": [r"C:\Program Files\PowerShell\7\pwsh.exe", "-NoProfile", "-Command", "ls x"]},
        p.ShellPayload("ls x"),
    ),
    (execute.run, {"command": ["cmd.exe", "/C", "dir", "x"]}, p.ShellPayload("dir x")),
    (
        execute.run,
        {"command": ["powershell.exe", "-File", "a.ps1"]},
        p.ShellPayload("powershell.exe -File a.ps1"),
    ),
    (execute.run, {"command": ["rg", "a b"]}, p.ShellPayload("rg 'a b'")),
    (execute.run, {"command": {"a": 1}}, p.ShellPayload('{"a":1}')),
    (execute.run, {}, p.ShellPayload("")),
    (
        execute.acting(p.ShellAction.INPUT),
        {"session_id": 4, "chars": "y\n"},
        p.ShellPayload("y\n", p.ShellAction.INPUT, task_id="4"),
    ),
    (
        search.grep,
        {"pattern": "x", "glob": ["*.py", "*.ts"], "-i": True, "output_mode": "content"},
        p.GrepPayload("x", include="*.py, *.ts", mode="content", ignore_case=True),
    ),
    (search.grep, {"regex": "x", "file_pattern": "*.c"}, p.GrepPayload("x", include="*.c")),
    (search.glob, {"glob_pattern": "*.c", "path": "a"}, p.GlobPayload("*.c", "a")),
    (search.ls, {"dir_path": "a", "ignore": ["b"]}, p.LsPayload("a", ("b",))),
    (search.ls, {}, p.LsPayload(None)),
    (
        search.semantic,
        {"query": "q", "target_directories": ["a"]},
        p.SemSearchPayload("q", ("a",)),
    ),
    (search.lints, {"paths": ["a", "b"]}, p.LintsPayload(("a", "b"))),
    (search.lints, {"operation": "hover", "filePath": "a"}, p.LintsPayload(("a",), "hover")),
    (web.fetch, {"url": "https://x", "prompt": "p"}, p.WebFetchPayload("https://x", "p")),
    (
        web.fetch,
        {"prompt": "Read (https://x.org/a) now"},
        p.WebFetchPayload("https://x.org/a", "Read (https://x.org/a) now"),
    ),
    (web.search, {"queries": ["a", "b"]}, p.WebSearchPayload("a\nb")),
    (
        web.search,
        {"query": "q", "allowed_domains": ["a"], "blocked_domains": "b"},
        p.WebSearchPayload("q", ("a",), ("b",)),
    ),
    (mcp.payload, {"server": "s", "uri": "u"}, p.McpPayload("s", None, "u")),
    (
        subagent.start,
        {"description": "d", "prompt": "p", "subagent_type": "t", "name": "n", "model": "m"},
        p.SubagentPayload("d", "p", "t", "n", "m"),
    ),
    (
        subagent.message,
        {"to": "bob", "message": {"type": "stop"}, "summary": "s"},
        p.SubagentPayload("s", '{"type":"stop"}', recipient="bob"),
    ),
    (
        todo.replace,
        {"todos": [{"content": "c", "status": "in_progress", "activeForm": "a"}, "bare"]},
        p.TodosPayload(
            p.TodosAction.REPLACE,
            (
                p.TodoItem("c", p.TodoStatus.IN_PROGRESS, active="a"),
                p.TodoItem("bare", p.TodoStatus.UNKNOWN),
            ),
        ),
    ),
    (
        todo.replace,
        {"todos": '[{"text": "t", "completed": true, "id": 4}]'},
        p.TodosPayload(p.TodosAction.REPLACE, (p.TodoItem("t", p.TodoStatus.COMPLETED, id="4"),)),
    ),
    (todo.replace, {"plan": "odd"}, p.TodosPayload(p.TodosAction.REPLACE)),
    (
        todo.replace,
        {"merge": True, "todos": [{"id": "2", "status": "completed"}]},
        p.TodosPayload(UPDATE, (p.TodoItem("", p.TodoStatus.COMPLETED, id="2"),)),
    ),
    (
        todo.acting(UPDATE),
        {"taskId": "1", "status": "deleted", "addBlockedBy": ["2"], "owner": "bob"},
        p.TodosPayload(
            UPDATE,
            (p.TodoItem("", p.TodoStatus.DELETED, id="1", note="owner: bob\nblocked by 2"),),
        ),
    ),
    (todo.acting(p.TodosAction.LIST), {}, p.TodosPayload(p.TodosAction.LIST)),
    (plan.enter, {}, p.PlanPayload(p.PlanAction.ENTER)),
    (
        plan.propose,
        {"plan": "# P", "planFilePath": "p.md"},
        p.PlanPayload(p.PlanAction.PROPOSE, "# P", path="p.md"),
    ),
    (
        plan.propose,
        {"plan": [{"step": "s", "status": "done"}]},
        p.PlanPayload(p.PlanAction.PROPOSE, steps=(p.TodoItem("s", p.TodoStatus.COMPLETED),)),
    ),
    (plan.propose, {}, p.PlanPayload(p.PlanAction.PROPOSE)),
    (
        plan.ask,
        {"questions": [{"question": "q", "options": [{"label": "l"}, "m"], "multiSelect": True}]},
        p.AskPayload(
            (p.AskQuestion("q", options=(p.AskOption("l"), p.AskOption("m")), multiple=True),)
        ),
    ),
    (plan.ask, {"question": "q"}, p.AskPayload((p.AskQuestion("q"),))),
    (plan.ask, {"questions": 3}, p.AskPayload(())),
]


@pytest.mark.parametrize(("make", "args", "expected"), CASES)
def test_payload(make: PayloadMaker, args: dict[str, object], expected: p.Payload):
    assert make(args) == expected


KEYS = st.sampled_from(
    [
        "file_path",
        "path",
        "edits",
        "changes",
        "old_string",
        "content",
        "command",
        "cmd",
        "timeout",
        "pattern",
        "glob",
        "query",
        "url",
        "todos",
        "plan",
        "questions",
        "options",
        "prompt",
        "description",
        "view_range",
        "patch",
        "name",
        "to",
        "message",
        "uri",
    ]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@given(args=st.dictionaries(KEYS, VALUES, max_size=5))
def test_no_arguments_raise(family: str, args: dict[str, object]):
    payload = FAMILIES[family].payload(args)
    assert isinstance(payload, p.Payload)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (None, "a", "a"),
        ("a", None, "a"),
        ("a", "b", "b"),
        ("a\nblocked by 1", "owner: ana", "a\nblocked by 1\nowner: ana"),
        ("a\nblocked by 1", "b\nblocked by 1", "b\nblocked by 1"),
    ],
)
def test_a_later_note_takes_the_place_of_words_and_adds_facts(
    old: str | None, new: str | None, note: str
) -> None:
    assert todo.noted(old, new) == note

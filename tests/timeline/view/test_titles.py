"""Titles of every kind, in every state, for any content."""

import pytest
from msgspec.structs import replace

from agentview.domain.activity import Activity, RowKind, row_kind
from agentview.domain.content import ImageBlock
from agentview.domain.events import (
    Body,
    Compaction,
    Hidden,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.events import (
    Title as SessionTitle,
)
from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    FileOperation,
    GlobPayload,
    GrepPayload,
    McpPayload,
    Payload,
    PlanAction,
    PlanPayload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    SubagentPayload,
    TodoItem,
    TodosAction,
    TodosPayload,
    TodoStatus,
    UnknownPayload,
    WebFetchPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    Hunk,
    Match,
    MatchResult,
    PathsResult,
    ReadResult,
    Result,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.shell_command import with_reading
from agentview.timeline.view.titles.title import StatusIcon, title_of
from tests.ui.activities import CALLS, CWD, HUNK, PROSE, STATES, activity, call, failed, running
from tests.ui.hostile import CONTROL, HOSTILE, poisoned

ROWS: tuple[Activity, ...] = (
    *(state(of) for of in CALLS.values() for state in STATES),
    *(activity(body) for body in PROSE),
)


def said(kind: ToolKind, payload: Payload, result: Result | None = None) -> tuple[str, str]:
    title = title_of(activity(call(kind, payload, result)))
    return title.subject, title.detail


def test_every_title_says_something_in_one_line() -> None:
    for row in ROWS:
        title = title_of(row)
        assert title.kind == row_kind(row.body)
        assert title.label
        assert title.subject
        assert title.subject.isprintable()
        assert title.detail == "" or title.detail.isprintable()
        assert title.time == row.started


def test_no_known_kind_shows_raw_json() -> None:
    for row in ROWS:
        assert not title_of(row).subject.startswith("{")


@pytest.mark.parametrize("text", HOSTILE)
def test_any_content_makes_a_harmless_title(text: str) -> None:
    for row in ROWS:
        title = title_of(poisoned(row, text))
        assert title.label
        assert title.subject
        for part in (title.label, title.subject, title.detail):
            assert not CONTROL.search(part)
            assert len(part) <= 500


def test_each_state_has_its_mark() -> None:
    of = CALLS[ToolKind.READ]
    assert [title_of(state(of)).mark for state in STATES] == [
        StatusIcon.OK,
        StatusIcon.RUNNING,
        StatusIcon.STREAMING,
        StatusIcon.FAILED,
        StatusIcon.DENIED,
        StatusIcon.ABANDONED,
        StatusIcon.FAILED,
    ]
    assert title_of(replace(running(of), live=False)).mark is StatusIcon.ABANDONED
    silent = replace(of, ok=False, state=ToolState.OUTPUT_AVAILABLE)
    assert title_of(activity(silent)).mark is StatusIcon.FAILED
    untold = replace(of, ok=None, state=ToolState.OUTPUT_AVAILABLE)
    assert title_of(activity(untold)).mark is StatusIcon.ANSWERED


def test_an_interrupted_call_says_so() -> None:
    of = replace(CALLS[ToolKind.READ], interrupted=True)
    assert title_of(failed(of)).detail == "interrupted"


@pytest.mark.parametrize(
    ("payload", "result", "subject", "detail"),
    [
        (ReadPayload(f"{CWD}/a.py"), ReadResult("x\ny\n", 1, 2, 2), "a.py", "2 lines"),
        (ReadPayload(f"{CWD}/a.py", 5, 10), None, "a.py  5–14", ""),
        (ReadPayload(f"{CWD}/a.py", 5), None, "a.py  from 5", ""),
        (
            ReadPayload("/etc/hosts", 5, 2),
            ReadResult("x\ny", 5, 2, 90),
            "/etc/hosts  5–6",
            "2 of 90 lines",
        ),
        (ReadPayload("a.pdf", pages="1-3"), None, "a.pdf  pages 1-3", ""),
        (ReadPayload("a.py"), ReadResult(unchanged=True), "a.py", "unchanged"),
        (
            ReadPayload("a.png"),
            ReadResult(media=(ImageBlock(width=10, height=20, byte_size=3_000),)),
            "a.png",
            "image 10×20 3.0 kB",
        ),
    ],
)
def test_read(payload: Payload, result: Result | None, subject: str, detail: str) -> None:
    assert said(ToolKind.READ, payload, result) == (subject, detail)


def test_write_tells_new_from_overwritten() -> None:
    new = ChangeResult((FileChange("a.py", FileOperation.CREATE),))
    assert said(ToolKind.WRITE, WritePayload("a.py", "é\n"), new) == ("a.py", "new · 1 line · 3 B")
    old = ChangeResult((FileChange("a.py", before="a\nb\n"),))
    _, detail = said(ToolKind.WRITE, WritePayload("a.py", "a\nc\nd\n"), old)
    assert detail.startswith("overwritten · +2 −1 · 3 lines")


def test_edit_counts_lines_per_file_and_names_moves() -> None:
    payload = EditPayload((FileEdit("a.py"), FileEdit("b.py")))
    result = ChangeResult((FileChange("a.py", hunks=(HUNK,)), FileChange("b.py", hunks=(HUNK,))))
    assert said(ToolKind.EDIT, payload, result) == ("a.py and 1 more", "+4 −2 · 2 files")
    moved = ChangeResult(
        (FileChange("a.py", FileOperation.RENAME, hunks=(HUNK,), move_to="b.py"),), by_person=True
    )
    title = title_of(activity(call(ToolKind.EDIT, payload, moved)))
    assert (title.label, title.subject) == ("Rename", "a.py → b.py")
    assert title.detail == "+2 −1 · changed by you"


@pytest.mark.parametrize(
    ("payload", "result", "label", "subject", "detail"),
    [
        (ShellPayload("ls\npwd"), ShellResult(exit_code=0), "Shell", "ls …", ""),
        (ShellPayload("ls", cwd="/tmp"), ShellResult(), "Shell", "ls  in /tmp", ""),  # noqa: S108
        (ShellPayload("ls", cwd=CWD), ShellResult(exit_code=3), "Shell", "ls", "exit 3"),
        (
            ShellPayload("ls"),
            ShellResult(timed_out=True, exit_code=124),
            "Shell",
            "ls",
            "timed out · exit 124",
        ),
        (
            ShellPayload("fix"),
            ShellResult(
                exit_code=0,
                changes=(
                    FileChange("a", hunks=(Hunk(1, 1, 1, 2, ("-x", "+y", "+z")),)),
                    FileChange("b"),
                ),
            ),
            "Shell",
            "fix",
            "2 files changed  +2 −1",
        ),
        (
            ShellPayload("ls", timeout=90.0),
            ShellResult(timed_out=True),
            "Shell",
            "ls",
            "timed out after 1m",
        ),
        (
            ShellPayload("serve", background=True),
            ShellResult(task_id="b1"),
            "Shell",
            "serve",
            "in the background as b1",
        ),
        (
            ShellPayload("", ShellAction.OUTPUT, task_id="b1"),
            ShellResult(status="running"),
            "Output",
            "b1",
            "running",
        ),
    ],
)
def test_shell(payload: Payload, result: Result, label: str, subject: str, detail: str) -> None:
    title = title_of(activity(call(ToolKind.SHELL, payload, result)))
    assert (title.label, title.subject, title.detail) == (label, subject, detail)


def test_a_command_stays_what_it_is_beside_what_it_seems_to_do() -> None:
    made = call(ToolKind.SHELL, ShellPayload("cat src/retry.py"), ShellResult(stdout="x"))
    title = title_of(activity(with_reading(made)))
    assert (title.label, title.subject) == ("Shell", "cat src/retry.py")
    assert title.detail == "reads"
    unread = call(ToolKind.SHELL, ShellPayload("cat src/retry.py > x && make"), ShellResult())
    assert title_of(activity(with_reading(unread))).detail == ""


def test_a_failed_command_says_its_exit_code() -> None:
    of = replace(CALLS[ToolKind.SHELL], result=ShellResult(stdout="no", exit_code=1), ok=False)
    of = replace(of, state=ToolState.OUTPUT_ERROR, error="Exit code 1\nno")
    assert title_of(activity(of)).detail == "exit 1"


def test_a_background_task_says_what_became_of_it() -> None:
    of = call(ToolKind.SHELL, ShellPayload("serve", background=True), ShellResult(task_id="b1"))
    later = Notification(Topic.BACKGROUND, "serve failed with exit code 2")
    assert title_of(replace(activity(of), outcome=later)).detail == "serve failed with exit code 2"


@pytest.mark.parametrize(
    ("result", "detail"),
    [
        (
            MatchResult((Match("a", 1, "x"), Match("a", 2, "x"), Match("b", 1, "x"))),
            "3 matches in 2 files",
        ),
        (MatchResult((Match("a", 1, "x"),), truncated=True), "1+ matches in 1 file"),
        (MatchResult((Match("a"), Match("b"))), "2 files"),
        (MatchResult((Match("a", count=4),), match_count=4), "4 matches in 1 file"),
        (MatchResult(), "no matches"),
    ],
)
def test_grep(result: Result, detail: str) -> None:
    assert said(ToolKind.GREP, GrepPayload("x"), result)[1] == detail


def test_searches_say_where_and_how_many() -> None:
    assert said(ToolKind.GLOB, GlobPayload("*.py", f"{CWD}/src"), PathsResult()) == (
        "*.py  in src",
        "no files",
    )
    assert said(ToolKind.GLOB, GlobPayload("*", CWD), PathsResult(("a",), 90, truncated=True)) == (
        "*",
        "90 files · cut off",
    )
    url = WebFetchPayload("https://www.example.org/")
    assert said(ToolKind.WEB_FETCH, url)[0] == "example.org"
    assert said(ToolKind.WEB_FETCH, WebFetchPayload("not a url"))[0] == "not a url"
    assert said(ToolKind.WEB_FETCH, WebFetchPayload("http://[bad"))[0] == "http://[bad"


def test_todos_name_what_is_in_progress_or_the_item_itself() -> None:
    items = (TodoItem("a", TodoStatus.COMPLETED), TodoItem("b", TodoStatus.COMPLETED))
    replaced = TodosPayload(TodosAction.REPLACE, items)
    assert said(ToolKind.TODOS, replaced) == ("all done", "2/2 done")
    dropped = TodosPayload(TodosAction.REPLACE, (*items, TodoItem("c", TodoStatus.CANCELLED)))
    assert said(ToolKind.TODOS, dropped) == ("none left", "2/3 done")
    assert said(ToolKind.TODOS, TodosPayload(TodosAction.REPLACE))[0] == "empty list"
    one = TodosPayload(TodosAction.UPDATE, (TodoItem("", TodoStatus.IN_PROGRESS, "7"),))
    assert said(ToolKind.TODOS, one) == ("#7", "in progress")


def test_agents_and_plans() -> None:
    result = SubagentResult("completed", call_count=1, total_tokens=800)
    assert said(ToolKind.SUBAGENT_TASK, SubagentPayload("find it"), result) == (
        "find it",
        "1 call · 800 tokens",
    )
    asked = SubagentPayload(prompt="go on", recipient="a-1")
    assert title_of(activity(call(ToolKind.SUBAGENT_TASK, asked))).label == "Message"
    assert said(ToolKind.PLAN, PlanPayload(PlanAction.ENTER))[0] == "planning begins"
    assert said(ToolKind.PLAN, PlanPayload(PlanAction.PROPOSE, "## The plan\nx"))[0] == "The plan"
    assert title_of(running(CALLS[ToolKind.PLAN])).detail == "waiting for approval"
    assert title_of(running(CALLS[ToolKind.ASK])).detail == "waiting for an answer"


def test_a_call_that_the_model_did_not_make_itself_says_what_did() -> None:
    ran = replace(CALLS[ToolKind.MCP], via="script")
    assert title_of(activity(ran)).detail.endswith("via script")
    assert title_of(running(ran)).detail == "running · via script"


def test_tools_without_a_form_show_their_first_arguments() -> None:
    args = {"a": 1, "b": [1, 2], "c": {"d": 1}, "e": None, "f": True, "g": "x\ny"}
    of = call(ToolKind.UNKNOWN, UnknownPayload(), args=args, name="Odd")
    title = title_of(activity(of))
    assert title.label == "Odd"
    assert title.subject == "a: 1, b: 2 items, c: 1 field, e: none, f: yes, g: x y"
    bare = call(ToolKind.UNKNOWN, UnknownPayload(), args={}, name="Odd")
    assert title_of(activity(bare)).subject == "no arguments"
    mcp = call(ToolKind.MCP, McpPayload("server", None, "res://1"), args={})
    assert title_of(activity(mcp)).subject == "server › res://1"


@pytest.mark.parametrize(
    ("body", "label", "subject", "detail", "mark"),
    [
        (User("do it\nnow", via="sdk"), "you", "do it", "2 lines · sdk", StatusIcon.NONE),
        (User("", (ImageBlock(),)), "you", "1 image", "", StatusIcon.NONE),
        (User(" "), "you", "empty prompt", "", StatusIcon.NONE),
        (Message("## **Done** with `x`"), "assistant", "Done with x", "", StatusIcon.NONE),
        (Message(""), "assistant", "empty message", "", StatusIcon.NONE),
        (Reasoning("", withheld=True), "thinking", "withheld", "", StatusIcon.NONE),
        (Reasoning("why?"), "thinking", "why?", "", StatusIcon.NONE),
        (SlashCommand("model", "opus"), "command", "/model opus", "", StatusIcon.NONE),
        (SlashCommand("", output="set to opus"), "output", "set to opus", "", StatusIcon.NONE),
        (SlashCommand("ls", "", None, None, True), "you ran", "ls", "", StatusIcon.NONE),
        (SlashCommand("", "", "one\ntwo", None, True), "output", "one", "", StatusIcon.NONE),
        (SlashCommand("", "", "", "boom", True), "output", "boom", "", StatusIcon.NONE),
        (SlashCommand("", "", "", None, True), "output", "no output", "", StatusIcon.NONE),
        (Notification(Topic.HOOK, "ran"), "hook", "ran", "", StatusIcon.NONE),
        (
            Compaction("manual", 90_000, None),
            "compacted",
            "the history was replaced by a summary (manual)",
            "90k → – tokens",
            StatusIcon.NONE,
        ),
        (
            ToolResult("c", True),
            "result",
            "of a call that is not in the log",
            "without its call",
            StatusIcon.OK,
        ),
        (Hidden("twin", "message"), "hidden", "message", "twin", StatusIcon.NONE),
        (Unparsed("cut off", "{"), "malformed", "cut off", "", StatusIcon.WARNING),
        (
            TokenUsage("r", Usage(10, output=5)),
            "usage",
            "15 tokens in context",
            "",
            StatusIcon.NONE,
        ),
        (SessionTitle("A title", TitleSource.AI), "title", "A title", "ai", StatusIcon.NONE),
        (ToolProgress("c", "50 %"), "progress", "50 %", "", StatusIcon.NONE),
    ],
)
def test_prose(body: Body, label: str, subject: str, detail: str, mark: StatusIcon) -> None:
    title = title_of(activity(body))
    assert (title.label, title.subject, title.detail, title.mark) == (label, subject, detail, mark)


def test_a_duration_comes_from_the_times_or_from_the_record() -> None:
    assert title_of(activity(PROSE[0], seconds=2.0)).duration == 2.0
    assert title_of(activity(Reasoning("x", duration=2.1), seconds=None)).duration == 2.1
    assert title_of(activity(Message("x"), seconds=None)).duration is None


@pytest.mark.slow
def test_titles_take_no_longer_for_long_texts() -> None:
    of: ToolCall = replace(
        CALLS[ToolKind.SHELL], payload=ShellPayload("x" * 5_000_000), error="y" * 5_000_000
    )
    assert len(title_of(activity(of)).subject) == 500
    assert len(title_of(activity(User("\n" * 500_000 + "z"))).subject) == 1
    assert {RowKind.USER, RowKind.MESSAGE} <= {row_kind(row.body) for row in ROWS}


@pytest.mark.parametrize(
    "before", ["\x1b[?2026h", "\x1b[1;31m", "\x1b]0;title\x07", "\x1b(B", "\x9b2K", "\x1b[?25l\n"]
)
def test_what_was_printed_has_no_escape_sequences_in_a_title(before: str) -> None:
    printed = f"{before}\x1b[1m Context Usage\x1b[0m"
    of = failed(CALLS[ToolKind.MCP], printed)
    bodies = (
        SlashCommand("", output=printed),
        SlashCommand("/context", error=printed),
        ToolProgress("t1", output=printed),
    )
    for each in (of, *map(activity, bodies)):
        title = title_of(each)
        assert "Context Usage" in (title.subject, title.detail)
    # They stay visible in what was asked for: a terminal would hide a part of it.
    asked = title_of(activity(User("echo \x1b]0;rm -rf ~")))
    assert asked.subject == "echo ␛]0;rm -rf ~"

"""Activities of every kind and state, made of domain objects alone."""

import json
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.activity import Activity, ChildSummary
from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
    Branch,
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import (
    ApprovalPayload,
    AskOption,
    AskPayload,
    AskQuestion,
    DeletePayload,
    EditPayload,
    FileEdit,
    FileOperation,
    Finding,
    GlobPayload,
    Goal,
    GoalAction,
    GoalPayload,
    GrepPayload,
    LintsPayload,
    LsPayload,
    McpPayload,
    MemoryAction,
    MemoryPayload,
    MemoryStep,
    NotebookEditPayload,
    Payload,
    PlanAction,
    PlanPayload,
    ReadPayload,
    ReviewPayload,
    ScheduleAction,
    ScheduledJob,
    SchedulePayload,
    SemSearchPayload,
    SendMessagePayload,
    ShellPayload,
    SkillPayload,
    SubagentPayload,
    TextEdit,
    Timing,
    TodoItem,
    TodosAction,
    TodosPayload,
    TodoStatus,
    ToolSearchPayload,
    TopicPayload,
    UnknownPayload,
    WebFetchPayload,
    WebSearchPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    ChangeResult,
    Diagnostic,
    FileChange,
    GoalResult,
    Hunk,
    LintsResult,
    Match,
    MatchResult,
    Memory,
    MemoryResult,
    PathsResult,
    PlanResult,
    ReadResult,
    Result,
    ScheduleResult,
    SearchHit,
    SearchResult,
    ShellResult,
    SubagentResult,
    TodosResult,
    ToolSearchResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from agentview.domain.tools import (
    Denial,
    DeniedBy,
    ToolCall,
    ToolKind,
    ToolOrigin,
    ToolState,
)

CWD = "/home/ana/shop-api"
START = 1_763_000_000.0
ERROR = "File does not exist.\nDid you mean src/retry.py?"
WORDS = "not in this repo"


def activity(body: Body, *, seconds: float | None = 0.2, live: bool = False) -> Activity:
    """An activity of one event that took so many seconds; None for one that has no end."""
    event = Event(
        suffix="0",
        session_id="s-1",
        source=SourceRef("/logs/s-1.jsonl", 1_204, 310, 12),
        body=body,
        time=START,
        facts=Facts(cwd=CWD),
    )
    ended = None if seconds is None else START + seconds
    return Activity(body, (event,), started=START, ended=ended, live=live)


def call(
    kind: ToolKind,
    payload: Payload,
    result: Result | None = None,
    *,
    args: Mapping[str, object] | None = None,
    output: tuple[Block, ...] = (),
    name: str = "Tool",
) -> ToolCall:
    """A call that succeeded."""
    arguments = {"path": "src/retry.py"} if args is None else args
    return ToolCall(
        call_id="call-1",
        kind=kind,
        origin=ToolOrigin.MCP if kind is ToolKind.MCP else ToolOrigin.SYSTEM,
        provider_name=name,
        canonical_name=name,
        args_json=json.dumps(arguments),
        args=arguments,
        args_error=None,
        payload=payload,
        state=ToolState.OUTPUT_AVAILABLE,
        ok=True,
        result=result,
        output=output,
    )


def running(of: ToolCall) -> Activity:
    """The call before its result."""
    bare = replace(of, state=ToolState.INPUT_AVAILABLE, ok=None, result=None, output=())
    return activity(bare, seconds=None, live=True)


def streaming(of: ToolCall) -> Activity:
    """The call while its arguments are being written."""
    bare = replace(
        of,
        state=ToolState.INPUT_STREAMING,
        ok=None,
        result=None,
        output=(),
        args=None,
        args_json='{"path": "src/ret',
        args_error="the text ends within a string",
    )
    return activity(bare, seconds=None, live=True)


def failed(
    of: ToolCall, error: str = "File does not exist.\nDid you mean src/retry.py?"
) -> Activity:
    """The call when the tool could not do it."""
    return activity(
        replace(of, state=ToolState.OUTPUT_ERROR, ok=False, result=None, output=(), error=error)
    )


def denied(
    of: ToolCall, by: DeniedBy = DeniedBy.PERSON, words: str | None = "not in this repo"
) -> Activity:
    """The call when it was refused."""
    return activity(
        replace(
            of,
            state=ToolState.OUTPUT_DENIED,
            ok=False,
            result=None,
            output=(),
            denial=Denial(by, words),
        )
    )


def abandoned(of: ToolCall) -> Activity:
    """The call when the log went on without a result."""
    return activity(
        replace(of, state=ToolState.ABANDONED, ok=None, result=None, output=()), seconds=None
    )


def malformed(of: ToolCall) -> Activity:
    """The call when its arguments are not JSON."""
    return activity(
        replace(
            of,
            args=None,
            args_json='{"path": src/retry.py}',
            args_error="arguments are not valid JSON: expected a value at column 10",
            state=ToolState.OUTPUT_ERROR,
            ok=False,
            result=None,
            output=(),
            error="invalid arguments",
        )
    )


STATES = (activity, running, streaming, failed, denied, abandoned, malformed)

SOURCE = '''"""Waiting between attempts."""

import random


class Retry:
    """How long to wait before the next attempt."""

    def __init__(self, base: float = 0.5, cap: float = 30.0) -> None:
        self.base = base
        self.cap = cap

    def delay(self, attempt: int) -> float:
        # Doubles with every attempt, with a little noise.
        wait = self.base * 2 ** attempt
        return min(self.cap, wait) + random.random()
'''

HUNK = Hunk(
    39,
    7,
    39,
    8,
    (
        " ",
        " def delay(attempt: int) -> float:",
        '     """Seconds to wait before an attempt."""',
        "-    return base * 2 ** attempt",
        "+    wait = base * 2 ** attempt",
        "+    return min(cap, wait)",
        " ",
        " ",
        " def attempts() -> int:",
    ),
)
HUNK_BELOW = Hunk(
    80,
    5,
    81,
    5,
    (" class Client:", "-    timeout = 10", "+    timeout = 30", "     retries = 3", " "),
)
OUTPUT = (
    "\x1b[1m============ test session starts ============\x1b[0m\n"
    "collected 14 items\n\n"
    "tests/test_retry.py \x1b[32m.........\x1b[0m\x1b[31mF\x1b[0m\x1b[32m....\x1b[0m\n\n"
    "    def test_delay():\n"
    ">       assert delay(2) == 4\n"
    "\x1b[31mE       assert 3 == 4\x1b[0m\n\n"
    "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m13 passed\x1b[0m in 0.42s\n"
)
ANSWER = """The failure is in **backoff**: `delay` has no upper bound.

1. Cap the delay at `cap` seconds
2. Run the whole suite

| file | change |
|---|---|
| `src/retry.py` | +3 −1 |
| `tests/test_retry.py` | a new case for the cap |

```python
def delay(attempt):
    return min(cap, base * 2 ** attempt)
```

> It was never tested beyond four attempts.

See [the report](https://example.org/retry).
"""

_TODOS = (
    TodoItem("Find the flaky test", TodoStatus.COMPLETED, "1"),
    TodoItem("Cap the delay", TodoStatus.IN_PROGRESS, "2", active="Capping the delay"),
    TodoItem("Run the whole suite", TodoStatus.PENDING, "3"),
    TodoItem("Rewrite the client", TodoStatus.CANCELLED, "4"),
)

CALLS: Mapping[ToolKind, ToolCall] = {
    ToolKind.READ: call(
        ToolKind.READ,
        ReadPayload(f"{CWD}/src/retry.py", 1, 80),
        ReadResult(SOURCE, 1, 17, 17),
    ),
    ToolKind.WRITE: call(
        ToolKind.WRITE,
        WritePayload(f"{CWD}/src/retry.py", SOURCE),
        ChangeResult((FileChange(f"{CWD}/src/retry.py", FileOperation.CREATE),)),
    ),
    ToolKind.EDIT: call(
        ToolKind.EDIT,
        EditPayload(
            (FileEdit(f"{CWD}/src/retry.py", (TextEdit("return base", "return min(cap, base)"),)),)
        ),
        ChangeResult((FileChange(f"{CWD}/src/retry.py", hunks=(HUNK, HUNK_BELOW)),)),
    ),
    ToolKind.DELETE: call(
        ToolKind.DELETE,
        DeletePayload((f"{CWD}/old/a.py", f"{CWD}/old/b.py")),
        ChangeResult((FileChange(f"{CWD}/old/a.py", FileOperation.DELETE, before="import os\n"),)),
    ),
    ToolKind.SHELL: call(
        ToolKind.SHELL,
        ShellPayload("pytest -q tests/test_retry.py"),
        ShellResult(stdout=OUTPUT, stderr="warning: 2 plugins not found", exit_code=0),
    ),
    ToolKind.GREP: call(
        ToolKind.GREP,
        GrepPayload("def delay", path=f"{CWD}/src", include="*.py"),
        MatchResult(
            (
                Match(f"{CWD}/src/retry.py", 13, "    def delay(self, attempt: int) -> float:"),
                Match(f"{CWD}/src/retry.py", 14, "        # Doubles", context=True),
                Match(f"{CWD}/src/backoff.py", 41, "def delay(attempt):"),
            ),
        ),
    ),
    ToolKind.GLOB: call(
        ToolKind.GLOB,
        GlobPayload("**/*.py"),
        PathsResult((f"{CWD}/src/retry.py", f"{CWD}/src/backoff.py", "/opt/lib/other.py")),
    ),
    ToolKind.SEM_SEARCH: call(
        ToolKind.SEM_SEARCH,
        SemSearchPayload("where is the delay computed", (f"{CWD}/src",)),
        SearchResult((SearchHit(f"{CWD}/src/retry.py", 13, 16, "def delay(self):", 0.91),)),
    ),
    ToolKind.LS: call(
        ToolKind.LS,
        LsPayload(f"{CWD}/src"),
        PathsResult((f"{CWD}/src/api/", f"{CWD}/src/retry.py")),
    ),
    ToolKind.READ_LINTS: call(
        ToolKind.READ_LINTS,
        LintsPayload((f"{CWD}/src/retry.py",)),
        LintsResult(
            (
                Diagnostic(f"{CWD}/src/retry.py", "Name is not defined", "error", 13, 9, "pyright"),
                Diagnostic(f"{CWD}/src/retry.py", "Import is not used", "warning", 3, 1),
            )
        ),
    ),
    ToolKind.WEB_FETCH: call(
        ToolKind.WEB_FETCH,
        WebFetchPayload("https://www.example.org/docs/retry?page=2", "How is the delay capped?"),
        WebFetchResult("https://www.example.org/docs/retry", 200, "OK", 48_213, "Retry", ANSWER),
    ),
    ToolKind.WEB_SEARCH: call(
        ToolKind.WEB_SEARCH,
        WebSearchPayload("exponential backoff cap"),
        WebSearchResult(
            (
                WebHit("Backoff explained", "https://www.example.org/backoff", "Cap the delay."),
                WebHit("Timeouts", "https://example.com/timeouts"),
            )
        ),
    ),
    ToolKind.MCP: call(
        ToolKind.MCP,
        McpPayload("tracker", "find_issue"),
        args={"query": "flaky retry", "labels": ["bug", "ci"], "limit": 5, "all": False},
        output=(
            TextBlock('{"issues": [{"id": 41, "title": "flaky", "open": true, "owner": null}]}'),
            ImageBlock("image/png", "aGVsbG8=", width=640, height=480),
            ResourceBlock("file:///report.txt", "report", "text/plain", "all is well", 11),
            JsonBlock({"pages": 2}),
        ),
    ),
    ToolKind.SUBAGENT_TASK: call(
        ToolKind.SUBAGENT_TASK,
        SubagentPayload("Find flaky tests", "Run it ten times.\nReport what differs.", "tester"),
        SubagentResult("completed", "a-1", ANSWER, 14, 48_200, 62.0),
    ),
    ToolKind.PLAN: call(
        ToolKind.PLAN,
        PlanPayload(PlanAction.PROPOSE, "# Cap the delay\n\n- change `delay`\n- test it", _TODOS),
        PlanResult(approved=True),
    ),
    ToolKind.TODOS: call(
        ToolKind.TODOS,
        TodosPayload(TodosAction.REPLACE, _TODOS),
        TodosResult(before=(replace(_TODOS[1], status=TodoStatus.PENDING),), after=_TODOS),
    ),
    ToolKind.NOTEBOOK_EDIT: call(
        ToolKind.NOTEBOOK_EDIT,
        NotebookEditPayload(f"{CWD}/plots.ipynb", "import numpy as np\nnp.ones(3)", "c4", "code"),
        ChangeResult((FileChange(f"{CWD}/plots.ipynb"),)),
    ),
    ToolKind.ASK: call(
        ToolKind.ASK,
        AskPayload(
            (
                AskQuestion(
                    "Which cap is right?",
                    "Cap",
                    (AskOption("30 s", "what the docs say"), AskOption("60 s")),
                ),
            )
        ),
        AskResult((AskAnswer("Which cap is right?", "30 s"),)),
    ),
    ToolKind.SKILL: call(
        ToolKind.SKILL,
        SkillPayload("release", "--dry-run"),
        args={"skill": "release", "args": "--dry-run"},
        output=(TextBlock("# Release\n\nTag the commit, then push."),),
    ),
    ToolKind.TOOL_SEARCH: call(
        ToolKind.TOOL_SEARCH,
        ToolSearchPayload("notebook", 5),
        ToolSearchResult(("NotebookEdit", "mcp__plots__draw"), 41),
    ),
    ToolKind.MEMORY: call(
        ToolKind.MEMORY,
        MemoryPayload(
            (
                MemoryStep(
                    MemoryAction.CHANGE,
                    "The cap of retries is 30 s.",
                    "/memories/retries.md",
                    "The cap of retries is 60 s.",
                    "ana said so",
                ),
                MemoryStep(MemoryAction.SEARCH, "retries"),
            )
        ),
        MemoryResult(
            (
                Memory(
                    "Retries wait longer each time.\nThe first waits 1 s.", "retries.md:3", 0.91
                ),
                Memory("ana likes short tests."),
            )
        ),
    ),
    ToolKind.SCHEDULE: call(
        ToolKind.SCHEDULE,
        SchedulePayload(
            ScheduleAction.CREATE,
            ScheduledJob(
                Timing(cron="0 9 * * 1-5", recurring=True),
                prompt="Look at the build.\nSay what failed.",
            ),
            "the build runs at night",
        ),
        ScheduleResult((ScheduledJob(id="6bf00d65", next_run=1_763_024_400.0),)),
    ),
    ToolKind.SEND_MESSAGE: call(
        ToolKind.SEND_MESSAGE,
        SendMessagePayload(
            "The build is **green** again.", "ana", "telegram", attachments=("build.log",)
        ),
        output=(TextBlock("sent"),),
    ),
    ToolKind.GOAL: call(
        ToolKind.GOAL,
        GoalPayload(GoalAction.SET, Goal("No retry waits for more than 30 s", token_budget=50_000)),
        GoalResult(
            Goal(
                "No retry waits for more than 30 s",
                "active",
                token_budget=50_000,
                tokens_used=1_370,
                time_used=95.0,
            )
        ),
    ),
    ToolKind.REVIEW: call(
        ToolKind.REVIEW,
        ReviewPayload(
            (
                Finding(
                    "The cap is compared in ms",
                    f"{CWD}/src/retry.py",
                    41,
                    "important",
                    "correctness",
                    "A delay of 31 s passes for 31 ms.",
                    "confirmed",
                ),
                Finding("The test has no name", "tests/test_retry.py", severity="nit"),
            ),
            effort="high",
        ),
        output=(TextBlock("2 findings reported."),),
    ),
    ToolKind.UNKNOWN: call(
        ToolKind.UNKNOWN,
        UnknownPayload(),
        args={"target": "shelf", "amount": 3},
        output=(TextBlock("moved 3 books"),),
        name="ArrangeBooks",
    ),
}
"""A call of every kind that succeeded."""

REQUEST = call(
    ToolKind.ASK,
    ApprovalPayload(
        (
            AskQuestion(
                "Allow rm -r build?", "Permission", (AskOption("Allow"), AskOption("Reject"))
            ),
        ),
        detail="It is not in the folder of the project.",
    ),
    AskResult((AskAnswer("Allow rm -r build?", "Allow"),)),
)
"""A request for permission to make a call."""

TOPIC = call(
    ToolKind.UNKNOWN,
    TopicPayload("Correct the delay", "The retry waits too long.\nThe test shows it."),
    output=(TextBlock("topic updated"),),
    name="update_topic",
)
"""A heading."""

PROSE: tuple[Body, ...] = (
    User("Fix the flaky retry test, then run the whole suite.", (ImageBlock("image/png"),)),
    Message(ANSWER),
    Reasoning("The failure is in **backoff**.\nI should look at `delay`.", duration=2.1),
    Reasoning("", withheld=True),
    SlashCommand("/compact", "keep the plan", output="done\nin 2 s"),
    SlashCommand("git status", "", "nothing to commit", None, True),
    Notification(Topic.API_ERROR, "Overloaded, trying again", Level.ERROR, "attempt 2 of 10"),
    Notification(Topic.MODEL, "model is now opus"),
    Compaction("auto", 160_000, 12_000, "We fixed **retry**."),
    Branch(2, 5, "Write the docs.\nAs a table.", 0.12),
    Attachment("notes.md", "file", "# Notes\nto do", f"{CWD}/notes.md"),
    ToolResult("call-9", False, (TextBlock("out"),), error="no such tool"),
    Hidden("snapshot of files", "file-snapshot"),
    Unparsed("not valid JSON: line 1 column 7", '{"type": nope', None),
    Unparsed("unknown type", '{"type": "comet"}', "comet", malformed=False),
    REQUEST,
    TOPIC,
)
"""Facts that are not calls, at least one of every kind of row."""


def with_child(of: Activity) -> Activity:
    """The activity with an agent at work below it."""
    steps = (activity(CALLS[ToolKind.READ]), running(CALLS[ToolKind.SHELL]))
    return replace(of, child_summary=ChildSummary(SessionState.WORKING, 12, 1, 9_000, None, steps))

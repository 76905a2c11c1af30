"""Typed results of tool calls: one result per family of kinds."""

from agentview.domain.content import Block
from agentview.domain.tool_inputs import FileOperation, Goal, ScheduledJob, TodoItem
from agentview.domain.value import Value


class Hunk(Value):
    """One hunk of a diff: 1-based line numbers; `lines` start with ' ', '+', '-' or a backslash."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]
    heading: str = ""
    """The function or section of the hunk; empty where it is not recorded."""


class NotebookCell(Value):
    """A cell of a notebook with the text of its outputs."""

    cell_type: str
    source: str
    id: str | None = None
    language: str | None = None
    outputs: tuple[Block, ...] = ()


class ReadResult(Value):
    """A read text. `content` has no line-number prefixes; `start` is its first line, 1-based."""

    content: str | None = None
    start: int | None = None
    line_count: int | None = None
    total_lines: int | None = None
    media: tuple[Block, ...] = ()
    cells: tuple[NotebookCell, ...] = ()
    unchanged: bool = False
    """The client said that the file is as it was when last read."""
    truncated: bool = False
    note: str | None = None


class FileChange(Value):
    """Change of one file. `hunks` is None where the log has no patch."""

    path: str
    operation: FileOperation = FileOperation.UPDATE
    hunks: tuple[Hunk, ...] | None = None
    before: str | None = None
    after: str | None = None
    move_to: str | None = None
    notes: tuple[str, ...] = ()
    """Other facts of a patch on the file: that its mode changed, that it is binary."""
    whole: tuple[str, str] | None = None
    """The file before and after, where `before` and `after` are a part of it, such as a cell."""


class ChangeResult(Value):
    """Result of write, edit, delete and notebook_edit."""

    files: tuple[FileChange, ...]
    by_person: bool = False
    """The person changed what was proposed before it was applied."""


class ShellResult(Value):
    """Output of a command. `output` is set where stdout and stderr are not distinguished."""

    stdout: str | None = None
    stderr: str | None = None
    output: str | None = None
    exit_code: int | None = None
    interrupted: bool = False
    timed_out: bool = False
    task_id: str | None = None
    """Id of the background process, where there is one."""
    status: str | None = None
    """The provider's word for the state of a background process."""
    launched: bool = False
    """It says only that work began in the background; the end is reported later."""
    spill_path: str | None = None
    """File with the whole output, where the log holds only its beginning."""
    spill_size: int | None = None
    media: tuple[Block, ...] = ()
    changes: tuple[FileChange, ...] = ()
    """Files that it changed, where the client looked for that and recorded it."""


class Match(Value):
    """One line found. `line` is 1-based; `context` marks a line shown around a match."""

    path: str
    line: int | None = None
    text: str | None = None
    context: bool = False
    count: int | None = None
    """Matches in the file, in count mode."""


class MatchResult(Value):
    """Result of grep: matches in the order recorded; counts where they are known."""

    matches: tuple[Match, ...] = ()
    match_count: int | None = None
    file_count: int | None = None
    truncated: bool = False


class PathsResult(Value):
    """Result of glob and ls; a directory ends with '/'. `tree` is a listing as recorded."""

    paths: tuple[str, ...] = ()
    count: int | None = None
    truncated: bool = False
    tree: str | None = None


class SearchHit(Value):
    """One ranked result of a search by meaning."""

    path: str
    start: int | None = None
    end: int | None = None
    text: str | None = None
    score: float | None = None


class SearchResult(Value):
    """Result of sem_search, best first."""

    hits: tuple[SearchHit, ...] = ()


class Diagnostic(Value):
    """One finding of a linter or language server; lines and columns are 1-based."""

    path: str
    message: str
    severity: str | None = None
    line: int | None = None
    column: int | None = None
    source: str | None = None


class LintsResult(Value):
    """Result of read_lints; `text` where the answer is not a list of diagnostics."""

    diagnostics: tuple[Diagnostic, ...] = ()
    text: str | None = None


class WebFetchResult(Value):
    """A page as the tool gave it. `byte_size` is the size of the page; duration in seconds."""

    url: str | None = None
    status: int | None = None
    status_text: str | None = None
    byte_size: int | None = None
    title: str | None = None
    text: str | None = None
    duration: float | None = None


class WebHit(Value):
    """One result of a web search."""

    title: str
    url: str
    excerpt: str | None = None


class WebSearchResult(Value):
    """Results of a web search, with what the tool said around them."""

    hits: tuple[WebHit, ...] = ()
    text: str | None = None
    duration: float | None = None


class SubagentResult(Value):
    """How another agent ended, or that it was started. `duration` is in seconds."""

    status: str | None = None
    agent_id: str | None = None
    text: str | None = None
    call_count: int | None = None
    total_tokens: int | None = None
    duration: float | None = None
    model: str | None = None
    launched: bool = False
    """It says only that work began in the background; the end is reported later."""


class PlanResult(Value):
    """Outcome of a plan; `approved` is None where the log does not say."""

    approved: bool | None = None
    text: str | None = None
    path: str | None = None


class TodosResult(Value):
    """The list after the call and, where known, before it; None is unknown."""

    before: tuple[TodoItem, ...] | None = None
    after: tuple[TodoItem, ...] | None = None


class AskAnswer(Value):
    """The answer to one question, as recorded."""

    question: str
    answer: str


class AskResult(Value):
    """The answers of the person."""

    answers: tuple[AskAnswer, ...] = ()


class ToolSearchResult(Value):
    """Names of the tools that were found; `total` counts those that were searched."""

    tools: tuple[str, ...] = ()
    total: int | None = None


class Memory(Value):
    """One thing that was remembered: its text, where it is, how well it fits."""

    text: str
    place: str | None = None
    score: float | None = None


class MemoryResult(Value):
    """Entries that were found in the memory, best first."""

    found: tuple[Memory, ...] = ()


class ScheduleResult(Value):
    """The jobs that the client answered with: the one that was made, or all of a list."""

    jobs: tuple[ScheduledJob, ...] = ()


class GoalResult(Value):
    """The goal after the call; None where the client said that there is none."""

    goal: Goal | None = None


Result = (
    ReadResult
    | ChangeResult
    | ShellResult
    | MatchResult
    | PathsResult
    | SearchResult
    | LintsResult
    | WebFetchResult
    | WebSearchResult
    | SubagentResult
    | PlanResult
    | TodosResult
    | AskResult
    | ToolSearchResult
    | MemoryResult
    | ScheduleResult
    | GoalResult
)
"""A typed result; tools without one (mcp, unknown) are shown by their output blocks."""

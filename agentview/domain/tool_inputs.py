"""Typed arguments of tool calls: one payload per tool kind."""

from enum import StrEnum

from agentview.domain.value import Value


class FileOperation(StrEnum):
    """Operation on a file."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    RENAME = "rename"


class TodoStatus(StrEnum):
    """Status of one item of a todo list or plan."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    DELETED = "deleted"
    UNKNOWN = "unknown"


class TextEdit(Value):
    """Replace `old` by `new`."""

    old: str
    new: str
    replace_all: bool = False


class TodoItem(Value):
    """One item of a list: `active` is the text to show while it is worked on."""

    text: str
    status: TodoStatus
    id: str | None = None
    active: str | None = None
    priority: str | None = None
    note: str | None = None
    """Description, owner, or what blocks it."""


class AskOption(Value):
    """One choice offered by a question."""

    label: str
    description: str | None = None


class AskQuestion(Value):
    """A question to the person."""

    text: str
    header: str | None = None
    options: tuple[AskOption, ...] = ()
    multiple: bool = False


class ReadPayload(Value):
    """Read a file; `start` is a 1-based line, `limit` a count of lines."""

    path: str
    start: int | None = None
    limit: int | None = None
    pages: str | None = None


class WritePayload(Value):
    """Write a whole file; `content` is None where the log does not have it."""

    path: str
    content: str | None = None


class FileEdit(Value):
    """Edits to one file: old and new texts, or a patch as recorded."""

    path: str
    edits: tuple[TextEdit, ...] = ()
    patch: str | None = None
    operation: FileOperation = FileOperation.UPDATE
    move_to: str | None = None
    notes: tuple[str, ...] = ()
    """Other facts of the patch on the file: that its mode changed, that it is binary."""


class EditPayload(Value):
    """Edit one or more files."""

    files: tuple[FileEdit, ...]


class DeletePayload(Value):
    """Delete files."""

    paths: tuple[str, ...]


class ShellAction(StrEnum):
    """Action of a shell call on a process."""

    RUN = "run"
    OUTPUT = "output"
    """Read what a background process has written."""
    INPUT = "input"
    """Write to a running process."""
    KILL = "kill"
    WATCH = "watch"
    """Report each line that a process writes."""


class ShellPayload(Value):
    """Run a command, or act on the background process `task_id`. `timeout` is in seconds."""

    command: str
    action: ShellAction = ShellAction.RUN
    description: str | None = None
    cwd: str | None = None
    timeout: float | None = None
    background: bool = False
    task_id: str | None = None

    @property
    def process(self) -> str | None:
        """The earlier call whose process this one reads, writes to or ends; None for a command."""
        return None if self.action is ShellAction.RUN else self.task_id


class GrepPayload(Value):
    """Search file contents. `mode` is the provider's word: content, files or count."""

    pattern: str
    path: str | None = None
    include: str | None = None
    mode: str | None = None
    ignore_case: bool = False
    multiline: bool = False
    literal: bool = False


class GlobPayload(Value):
    """Find files by name."""

    pattern: str
    path: str | None = None


class SemSearchPayload(Value):
    """Search by meaning."""

    query: str
    paths: tuple[str, ...] = ()


class LsPayload(Value):
    """List a directory."""

    path: str | None = None
    ignore: tuple[str, ...] = ()


class LintsPayload(Value):
    """Ask for diagnostics; `operation` where the tool has several (hover, references ...)."""

    paths: tuple[str, ...] = ()
    operation: str | None = None


class WebFetchPayload(Value):
    """Fetch a page; `prompt` is what was asked of it."""

    url: str
    prompt: str | None = None


class WebSearchPayload(Value):
    """Search the web."""

    query: str
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()


class McpPayload(Value):
    """Call a tool of an MCP server, or read one of its resources (`uri`)."""

    server: str | None
    tool: str | None
    uri: str | None = None


class SubagentPayload(Value):
    """Start another agent, or send it a message."""

    description: str | None = None
    prompt: str | None = None
    agent_type: str | None = None
    agent_name: str | None = None
    model: str | None = None
    background: bool = False
    recipient: str | None = None
    """Set when this is a message to an agent that runs already."""


class PlanAction(StrEnum):
    """Action on a plan."""

    ENTER = "enter"
    """Planning begins."""
    PROPOSE = "propose"
    """The plan is put before the person."""
    UPDATE = "update"
    """The list of steps is replaced."""


class PlanPayload(Value):
    """A plan as Markdown text or as steps."""

    action: PlanAction
    text: str | None = None
    steps: tuple[TodoItem, ...] = ()
    path: str | None = None


class TodosAction(StrEnum):
    """Action on a todo list."""

    REPLACE = "replace"
    CREATE = "create"
    UPDATE = "update"
    GET = "get"
    LIST = "list"


class TodosPayload(Value):
    """A todo list, or the items that one step of a task-style tool names."""

    action: TodosAction
    items: tuple[TodoItem, ...] = ()


class NotebookEditPayload(Value):
    """Change one cell. `mode` is replace, insert or delete."""

    path: str
    source: str | None = None
    cell: str | None = None
    cell_type: str | None = None
    mode: str = "replace"


class AskPayload(Value):
    """Questions to the person."""

    questions: tuple[AskQuestion, ...]


class ApprovalPayload(AskPayload):
    """The question whether something may be done: it waits for a decision, not for words."""

    asked_for: str | None = None
    """Id of the call that must not be done before."""
    detail: str | None = None
    """Shown with the question by the client: a reason, a preview."""


class TopicPayload(Value):
    """The topic that the agent turns to: a heading, for which a client has a tool."""

    title: str | None = None
    text: str | None = None
    """More about it."""


class SkillPayload(Value):
    """Load, run or manage a skill; `name` is None for a call that is about all of them."""

    name: str | None = None
    arguments: str | None = None


class ToolSearchPayload(Value):
    """Look for tools that the model was not given at first. `limit` is a count of tools."""

    query: str
    limit: int | None = None


class MemoryAction(StrEnum):
    """Action on the memory that lasts from session to session."""

    SAVE = "save"
    CHANGE = "change"
    REMOVE = "remove"
    READ = "read"
    SEARCH = "search"
    LIST = "list"


class MemoryStep(Value):
    """One thing that is saved, changed, removed or looked up."""

    action: MemoryAction | None = None
    """None where neither the tool's name nor its arguments say it."""
    text: str | None = None
    """The text to save, or to search for."""
    place: str | None = None
    """Where: a path, a key, a subject, a store."""
    before: str | None = None
    """The text that is replaced or removed; of a renamed file its old path."""
    note: str | None = None
    """Why."""


class MemoryPayload(Value):
    """Work on the memory that outlives the session; there is at least one step."""

    steps: tuple[MemoryStep, ...]


class Timing(Value):
    """When something runs. At most one of `cron`, `every`, `delay`, `at` and `words` is set."""

    cron: str | None = None
    """An expression of five or six fields, as recorded."""
    every: float | None = None
    """Seconds from one run to the next."""
    delay: float | None = None
    """Seconds from the call to the run."""
    at: float | None = None
    """Epoch seconds."""
    words: str | None = None
    """The client's own text, where it is none of these."""
    zone: str | None = None
    """Name of the time zone of `cron`; None is that of the client's machine."""
    recurring: bool | None = None
    """None where the log does not say it."""


class ScheduledJob(Value):
    """Something that runs later without anyone asking for it."""

    timing: Timing | None = None
    id: str | None = None
    name: str | None = None
    prompt: str | None = None
    """The prompt that the agent is given then."""
    next_run: float | None = None
    """Epoch seconds, as the client said it."""


class ScheduleAction(StrEnum):
    """Change of a schedule, or a look at it."""

    CREATE = "create"
    UPDATE = "update"
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"
    RUN = "run"
    """It runs now, outside its schedule."""
    LIST = "list"


class SchedulePayload(Value):
    """Have something run later, or manage what does; `action` is None where nothing says it."""

    action: ScheduleAction | None = None
    job: ScheduledJob = ScheduledJob()
    reason: str | None = None


class SendMessagePayload(Value):
    """Say something to a person, in a channel or to another session."""

    text: str | None = None
    to: str | None = None
    channel: str | None = None
    """By which way: the name of a service, or of a room there."""
    subject: str | None = None
    attachments: tuple[str, ...] = ()
    """Paths or addresses of what is sent along."""
    action: str | None = None
    """The client's word for what is done, where that is not to send a message."""
    spoken: bool = False


class Goal(Value):
    """An objective that an agent pursues over several turns. None is unknown."""

    objective: str | None = None
    status: str | None = None
    """The client's word for it."""
    criterion: str | None = None
    """How one sees that it is reached."""
    budget: str | None = None
    """Its limit, where that is not a count of tokens: `20 turns`."""
    token_budget: int | None = None
    tokens_used: int | None = None
    time_used: float | None = None
    """Seconds."""


class GoalAction(StrEnum):
    """Change of a goal, or a look at it."""

    SET = "set"
    UPDATE = "update"
    GET = "get"
    CLEAR = "clear"


class GoalPayload(Value):
    """Set, change or ask for the goal; `action` is None where nothing says it."""

    action: GoalAction | None = None
    goal: Goal = Goal()
    note: str | None = None


class Finding(Value):
    """One thing that a review found; lines are 1-based, None is unknown."""

    message: str
    path: str | None = None
    line: int | None = None
    severity: str | None = None
    category: str | None = None
    detail: str | None = None
    """Why it matters: when it fails, what one can do."""
    verdict: str | None = None
    """The outcome of checking or correcting it."""


class ReviewPayload(Value):
    """Findings of a review, in the order that they were reported in."""

    findings: tuple[Finding, ...] = ()
    summary: str | None = None
    effort: str | None = None
    """The client's word for how hard it looked."""


class UnknownPayload(Value):
    """No form is known: the arguments themselves are what there is to show."""


Payload = (
    ReadPayload
    | WritePayload
    | EditPayload
    | DeletePayload
    | ShellPayload
    | GrepPayload
    | GlobPayload
    | SemSearchPayload
    | LsPayload
    | LintsPayload
    | WebFetchPayload
    | WebSearchPayload
    | McpPayload
    | SubagentPayload
    | PlanPayload
    | TodosPayload
    | NotebookEditPayload
    | AskPayload
    | ApprovalPayload
    | TopicPayload
    | SkillPayload
    | ToolSearchPayload
    | MemoryPayload
    | SchedulePayload
    | SendMessagePayload
    | GoalPayload
    | ReviewPayload
    | UnknownPayload
)

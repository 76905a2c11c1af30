"""Tool calls: the closed list of kinds, their origin and state, and the call itself."""

from collections.abc import Mapping
from enum import StrEnum

from agentview.domain.content import Block
from agentview.domain.tool_inputs import Payload
from agentview.domain.tool_results import Result
from agentview.domain.value import Value


class ToolKind(StrEnum):
    """Purpose of a tool; picks the widget."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    DELETE = "delete"
    SHELL = "shell"
    GREP = "grep"
    GLOB = "glob"
    SEM_SEARCH = "sem_search"
    LS = "ls"
    READ_LINTS = "read_lints"
    WEB_FETCH = "web_fetch"
    WEB_SEARCH = "web_search"
    MCP = "mcp"
    SUBAGENT_TASK = "subagent_task"
    PLAN = "plan"
    TODOS = "todos"
    NOTEBOOK_EDIT = "notebook_edit"
    ASK = "ask"
    SKILL = "skill"
    TOOL_SEARCH = "tool_search"
    MEMORY = "memory"
    SCHEDULE = "schedule"
    SEND_MESSAGE = "send_message"
    GOAL = "goal"
    REVIEW = "review"
    UNKNOWN = "unknown"


CHANGING = frozenset({ToolKind.WRITE, ToolKind.EDIT, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT})
"""Kinds of calls whose arguments name files that they change."""
LOOKS = frozenset({ToolKind.READ, ToolKind.GREP, ToolKind.GLOB, ToolKind.LS})
"""Kinds of looks that a shell command can be made of."""


class ToolOrigin(StrEnum):
    """Who provides a tool."""

    SYSTEM = "system"
    """The client itself."""
    MCP = "mcp"
    """A Model Context Protocol server."""


class ToolState(StrEnum):
    """How far a call has come."""

    INPUT_STREAMING = "input-streaming"
    """Its arguments are still being written."""
    INPUT_AVAILABLE = "input-available"
    """It has its arguments and no result yet."""
    OUTPUT_AVAILABLE = "output-available"
    """It succeeded."""
    OUTPUT_ERROR = "output-error"
    """It failed."""
    OUTPUT_DENIED = "output-denied"
    """A person or a rule refused it."""
    ABANDONED = "abandoned"
    """The log continued without an answer to it."""


class DeniedBy(StrEnum):
    """Who refused a call."""

    PERSON = "person"
    RULE = "rule"
    CLASSIFIER = "classifier"
    APPROVAL = "approval"
    """Nobody: the call needs an approval that it did not get."""
    UNKNOWN = "unknown"


class Denial(Value):
    """A refusal, with the words of the person where there are any."""

    by: DeniedBy
    words: str | None = None


class ShellStep(Value):
    """One thing that a shell command seems to do.

    A look whose words name no file, pattern or directory has the ShellPayload of its part of the
    command: `git log`, `wc -l a.py`, `cat *.md`.
    """

    kind: ToolKind
    payload: Payload


class ShellReading(Value):
    """The apparent effect of a shell command, inferred from its words: only the command is a fact.

    There is at least one step. All are of one kind, or all of them are looks.
    """

    steps: tuple[ShellStep, ...]

    @property
    def kind(self) -> ToolKind | None:
        """The kind of all steps; None for looks of several kinds."""
        kind = self.steps[0].kind
        return kind if all(step.kind is kind for step in self.steps) else None

    @property
    def looks(self) -> bool:
        return all(step.kind in LOOKS for step in self.steps)


class ToolCall(Value):
    """A request of the model to run a tool, joined with its outcome once that is known.

    `args_json` is the text of the arguments: as recorded where the log has a text, the bytes of the
    record where it has an object, compact JSON where the arguments were put together from several
    fields. `args` is its mapping, or None with the reason in `args_error`. `kind` is the recorded
    kind.
    """

    call_id: str
    kind: ToolKind
    origin: ToolOrigin
    provider_name: str
    """Name of the tool in the provider's words."""
    canonical_name: str
    args_json: str
    args: Mapping[str, object] | None
    args_error: str | None
    payload: Payload
    state: ToolState = ToolState.INPUT_AVAILABLE
    ok: bool | None = None
    """None until the outcome is known."""
    result: Result | None = None
    output: tuple[Block, ...] = ()
    """The output, as the blocks it was recorded in."""
    error: str | None = None
    denial: Denial | None = None
    interrupted: bool = False
    title: str | None = None
    """The agent's own title of this call, where the log has one."""
    via: str | None = None
    """The caller, in a word, if it is not the model itself: a script that it wrote."""
    made_by: str | None = None
    """Id of the call that made it, where the log says so."""
    is_container: bool = False
    """It only makes calls that have records of their own, as far as its text shows."""
    maker: "ToolCall | None" = None
    """The container that made it, with its result; of several calls of it the first has it."""
    reading: ShellReading | None = None
    """The apparent effect of a shell command; the kind of the call stays SHELL."""
    requests: tuple["ToolCall", ...] = ()
    """The requests for permission to make it, in order, each with its answer as its result."""
    polls: tuple["ToolCall", ...] = ()
    """Later calls that ask for the output of what it began, write to it or end it, in order."""
    inferred: bool = False
    """The kind is a guess from words of the name: no table has the name."""

    @property
    def name(self) -> str:
        """Name of the tool in the provider's words, else the canonical one."""
        return self.provider_name or self.canonical_name

    @property
    def names(self) -> tuple[str, str]:
        """The names of its tool: the client's own, then the canonical one."""
        return self.provider_name, self.canonical_name

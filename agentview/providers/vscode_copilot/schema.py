"""Records of Copilot Chat (VS Code to 1.109): a request with its response, and what is around them.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
record has besides is read from its `fields`.
"""

from msgspec import Raw, Struct

Number = int | float | str | None


class Words(Struct, gc=False):
    """A text in Markdown."""

    value: str | None = None


class Text(Struct, gc=False):
    """Words of the person, or of an error."""

    text: str | None = None
    message: str | None = None


class Confirmed(Struct, gc=False):
    """Who let a call be made, and how, as the client counts the ways (`ToolConfirmKind`)."""

    type: Number = None
    reason: object = None


class Details(Struct, gc=False, rename="camel"):
    """Outcome of a call, as the editor shows it."""

    input: str | None = None
    output: Raw = Raw()
    is_error: bool | None = None


class Terminal(Struct, gc=False, rename="camel"):
    """How a command ended."""

    exit_code: Number = None


class CommandLine(Struct, gc=False, rename="camel"):
    """A command as the model gave it, and as the tool or the person changed it."""

    original: str | None = None
    tool_edited: str | None = None
    user_edited: str | None = None


class Printed(Struct, gc=False):
    """Output of a command."""

    text: str | None = None


class Specific(Struct, gc=False, rename="camel"):
    """Arguments and outcome of a call of a tool of the client, as far as it keeps them.

    By its `kind` it is a command (`terminal`), an agent (`subagent`), tasks (`todoList`), or the
    arguments as they were (`input`).
    """

    kind: str | None = None
    terminal_command_state: Terminal | None = None
    command_line: CommandLine | None = None
    terminal_command_output: Printed | None = None
    description: str | None = None
    agent_name: str | None = None
    prompt: str | None = None
    model_name: str | None = None
    result: str | None = None
    """The answer of an agent."""
    todo_list: Raw = Raw()
    raw_input: Raw = Raw()


class Part(Struct, gc=False, rename="camel"):
    """A part of a response; one without a kind is a text in Markdown."""

    kind: str | None = None
    value: object = None
    content: Words | None = None
    name: str | None = None
    inline_reference: Raw = Raw()
    reasoning_duration_ms: Number = None
    # Calls.
    tool_call_id: str | None = None
    tool_id: str | None = None
    invocation_message: Words | str | None = None
    past_tense_message: Words | str | None = None
    is_confirmed: Confirmed | bool | None = None
    is_complete: bool | None = None
    result_details: Details | list[Raw] | None = None
    tool_specific_data: Specific | None = None
    sub_agent_invocation_id: str | None = None
    """Of a call of an agent: the call that started it."""
    # Questions.
    title: Words | str | None = None
    message: Words | str | None = None
    state: str | None = None
    is_used: bool | None = None
    questions: Raw = Raw()
    data: Raw = Raw()

    @property
    def details(self) -> Details | None:
        """The outcome of a call, unless it is a list of files."""
        return self.result_details if isinstance(self.result_details, Details) else None


class Asked(Struct, gc=False):
    """A call that the model asks for."""

    id: str | None = None
    name: str | None = None
    arguments: Raw = Raw()


class Thinking(Struct, gc=False):
    """Thoughts of the model, in one text or several."""

    text: object = None


class Round(Struct, gc=False, rename="camel"):
    """One answer of the model."""

    thinking: Thinking | None = None
    response: str | None = None
    tool_calls: list[Asked | None] | None = None


class Metadata(Struct, gc=False, rename="camel"):
    """Facts that the agent keeps with a request."""

    tool_call_rounds: list[Round | None] | None = None
    tool_call_results: dict[str, Raw] | None = None


class Timings(Struct, gc=False, rename="camel"):
    """Milliseconds."""

    total_elapsed: Number = None


class Result(Struct, gc=False, rename="camel"):
    """How a request ended."""

    metadata: Metadata | None = None
    timings: Timings | None = None
    error_details: Text | None = None


class State(Struct, gc=False, rename="camel"):
    """The state of a request, as the client counts them (`ResponseModelState`)."""

    value: Number = None
    completed_at: Number = None


class Record(Struct, gc=False, rename="camel"):
    """A request, or, without an id, what is around the requests."""

    request_id: str | None = None
    row: object = None
    message: Text | str | None = None
    variable_data: Raw = Raw()
    """Attachments of the person."""
    response: list[Part | None] | None = None
    response_id: str | None = None
    timestamp: Number = None
    model_id: str | None = None
    result: Result | None = None
    model_state: State | None = None
    is_canceled: bool | None = None
    custom_title: str | None = None
    requests: object = None
    """Of what is cut off: how many."""


# Bodies.


class Place(Struct, gc=False, rename="camel"):
    """A file, or a link to one."""

    path: str | None = None
    fs_path: str | None = None
    name: str | None = None
    uri: object = None


class Variable(Struct, gc=False):
    """An attachment."""

    name: str | None = None
    id: str | None = None
    kind: str | None = None
    value: object = None


class Attached(Struct):
    """Attachments of a prompt."""

    variables: list[Variable | None] = []


class Tree(Struct, gc=False):
    """A text as the editor keeps it for the model."""

    node: object = None


class Node(Struct, rename="camel"):
    """A part of such a text."""

    type: Number = None
    text: str | None = None
    line_break_before: bool | None = None
    children: list[object] = []


class Returned(Struct, gc=False, rename="camel"):
    """A part of an outcome for the model."""

    value: Tree | str | None = None
    mime_type: str | None = None
    data: str | None = None


class Shown(Struct, gc=False, rename="camel"):
    """A part of an outcome, as the editor shows it."""

    value: str | None = None
    mime_type: str | None = None
    is_text: bool | None = None


class Option(Struct, gc=False):
    """An answer to choose."""

    label: str | None = None
    id: str | None = None


class Question(Struct):
    """A question to the person."""

    title: str | None = None
    question: str | None = None
    message: Words | str | None = None
    options: list[Option | None] = []

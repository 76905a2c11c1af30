"""Parts of messages in the form of the vendor's interface, and results as they are shown."""

from msgspec import UNSET, Struct, UnsetType

from agentview.providers.gemini.shared.usage import Number


class FunctionCall(Struct, gc=False):
    """A call among the parts of a message."""

    id: str | UnsetType | None = UNSET
    name: str | None = None
    args: object = None


class FunctionResponse(Struct, gc=False):
    """The answer to a call: `output` or `error`, or an object of another form, with media."""

    id: str | None = None
    name: str | None = None
    response: object = None
    parts: object = None


class Media(Struct, gc=False, rename="camel"):
    """An image or a document, within the log or at a place."""

    mime_type: str | None = None
    display_name: str | None = None
    data: str | None = None
    file_uri: str | None = None


class ContentPart(Struct, gc=False, rename="camel"):
    """One part of a content."""

    text: str | None = None
    thought: object = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    inline_data: Media | None = None
    file_data: Media | None = None


class Token(Struct, gc=False):
    """A piece of a line on a terminal."""

    text: str | None = None
    bold: bool | None = None
    dim: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    inverse: bool | None = None
    fg: str | None = None
    bg: str | None = None


class ChangeStatistics(Struct, gc=False):
    """Lines of a change that are the person's own."""

    user_added_lines: Number = None
    user_removed_lines: Number = None


class ShownMatch(Struct, gc=False, rename="camel"):
    """A line that was found, or one next to it."""

    file_path: str | None = None
    absolute_path: str | None = None
    line_number: Number = None
    line: str | None = None
    is_context: bool | None = None


class ShownSource(Struct, gc=False):
    """A page that an answer names."""

    title: str | None = None
    url: str | None = None


class ExecutionSummary(Struct, gc=False, rename="camel"):
    """Tokens, calls and time of an agent."""

    total_tool_calls: Number = None
    total_tokens: Number = None
    total_duration_ms: Number = None


class Shown(Struct, gc=False, rename="camel"):
    """A result as the person is shown it: each tool has some of these keys."""

    type: str | None = None
    summary: str | None = None
    # A command.
    text: str | None = None
    output: str | None = None
    ansi_output: object = None
    error: str | None = None
    outcome: str | None = None
    exit_code: Number = None
    output_files: list[str | None] | None = None
    truncated: bool | None = None
    # A changed file; of a large one the log has a preview.
    file_path: str | None = None
    file_name: str | None = None
    file_diff: str | None = None
    file_diff_truncated: bool | None = None
    is_new_file: bool | None = None
    original_content: str | None = None
    original_content_truncated: bool | None = None
    new_content: str | UnsetType | None = UNSET
    new_content_truncated: bool | None = None
    diff_stat: ChangeStatistics | None = None
    # What was found, and the entries of a directory.
    matches: list[ShownMatch | None] | None = None
    files: list[str | None] | None = None
    sources: list[ShownSource | None] | None = None
    # An agent, a plan, things to do.
    result: str | None = None
    status: str | None = None
    terminate_reason: str | None = None
    execution_summary: ExecutionSummary | None = None
    plan: str | None = None
    rejected: bool | None = None
    todos: object = None

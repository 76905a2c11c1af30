"""Lines of a history of Grok Build (July 2026). The names are those of the format."""

from msgspec import Raw, Struct, field


class Function(Struct, gc=False):
    """A tool with its arguments, which are a text or an object."""

    name: str | None = None
    arguments: Raw = Raw()


class Asked(Function, gc=False):
    """A call; in histories of the first form the tool is in an object of its own."""

    id: str | None = None
    function: Function | None = None


class Search(Struct, gc=False):
    """A call that the service made itself."""

    id: str | None = None
    tool_type: str | None = None
    status: str | None = None
    action: Raw = Raw()


class Summary(Struct, gc=False):
    """A part of a thought."""

    text: str | None = None


class Line(Struct, gc=False):
    """An entry of the history; those of the first form have a role in place of a type."""

    type: str | None = None
    role: str | None = None
    content: str | list[Raw] | None = None
    synthetic_reason: str | None = None
    model_id: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[Asked | None] | None = None
    summary: list[Summary | None] | None = None
    tool_call_id: str | None = None
    kind: Search | None = None


class Place(Struct, gc=False):
    """A session, and where it is."""

    id: str | None = None
    cwd: str | None = None


class About(Struct):
    """The summary next to a log."""

    generated_title: str | None = None
    session_summary: str | None = None
    info: Place = field(default_factory=Place)
    current_model_id: str | None = None
    head_branch: str | None = None

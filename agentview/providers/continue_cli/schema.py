"""Items of a history of Continue (1.5), and what is around it.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct

Number = int | float | str | None
Content = str | list[Raw] | None
"""A text, or a list of parts."""
Anything = object


class Function(Struct, gc=False):
    """A tool with its arguments, which are a text or an object."""

    name: str | None = None
    arguments: Raw = Raw()


class Asked(Struct, gc=False):
    """A call."""

    id: str | None = None
    function: Function | None = None


class Given(Struct, gc=False):
    """A part of a result, or of what came with a prompt."""

    content: Content = None
    name: str | None = None


class State(Struct, gc=False, rename={"call_id": "toolCallId", "call": "toolCall"}):
    """How far a call has come, with a copy of it."""

    call_id: str | None = None
    call: Asked | None = None
    status: str | None = None
    output: list[Given | None] | None = None


class Cached(Struct, gc=False, rename={"cached": "cachedTokens", "written": "cacheWriteTokens"}):
    """Tokens of a cache, by two names."""

    cached_tokens: Number = None
    cached: Number = None
    cache_write_tokens: Number = None
    written: Number = None


class Counts(
    Struct,
    gc=False,
    rename={
        "prompt": "promptTokens", "completion": "completionTokens", "details": "promptTokensDetails"
    },
):  # fmt: skip
    """Tokens, by two names; those that go in include what a cache gave."""

    model: str | None = None
    cost_cents: Number = None
    prompt_tokens: Number = None
    prompt: Number = None
    completion_tokens: Number = None
    completion: Number = None
    prompt_tokens_details: Cached | None = None
    details: Cached | None = None


class Message(Struct, gc=False, rename={"calls": "toolCalls", "call_id": "toolCallId"}):
    """A message; with the role `tool`, the result of a call."""

    role: str | None = None
    content: Content = None
    calls: list[Asked | None] | None = None
    call_id: str | None = None
    usage: Counts | None = None


class Thought(Struct, gc=False):
    """Thoughts of the model."""

    text: str | None = None


class Item(Struct, gc=False, rename="camel"):
    """An item of the history, or what is around it."""

    message: Message | None = None
    context_items: list[Given | None] | None = None
    editor_state: Anything = None
    reasoning: Thought | None = None
    tool_call_states: list[State | None] | None = None
    conversation_summary: Anything = None
    # Around the history.
    session_id: Anything = UNSET
    title: str | None = None
    workspace_directory: str | None = None
    chat_model_title: str | None = None
    mode: str | None = None
    usage: Counts | None = None

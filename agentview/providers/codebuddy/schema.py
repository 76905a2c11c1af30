"""Lines of a session of CodeBuddy: items as the OpenAI Agents SDK for JavaScript has them.

The client adds an id, a time, a session and a folder. The names are those of the format. A `Raw`
is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct

Number = int | float | str | None


class Details(Struct, gc=False):
    """Tokens that are a part of others."""

    cached_tokens: Number = None
    reasoning_tokens: Number = None


class Tokens(Struct, gc=False, rename="camel"):
    """Tokens of a request; what a cache gave and took is not part of its input."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_input_tokens: Number = None
    cache_creation_input_tokens: Number = None
    reasoning_tokens: Number = None


class ServiceTokens(Struct, gc=False):
    """The same as the service stated them: a cache's are part of the prompt."""

    prompt_tokens: Number = None
    completion_tokens: Number = None
    cached_tokens: Number = None
    prompt_cache_hit_tokens: Number = None
    prompt_cache_write_tokens: Number = None
    completion_thinking_tokens: Number = None
    prompt_tokens_details: Details | None = None
    completion_tokens_details: Details | None = None


class Given(Struct, gc=False, rename="camel"):
    """The service's data on a response."""

    model: str | None = None
    request_model_id: str | None = None
    usage: Tokens | None = None
    raw_usage: ServiceTokens | None = None


class Line(Struct, gc=False, rename="camel"):
    """A line of a session; which keys it has follows from its type."""

    type: str | None = None
    id: str | None = None
    timestamp: Number = None
    session_id: str | None = None
    cwd: str | None = None
    role: str | None = None
    content: Raw = Raw()
    raw_content: Raw = Raw()
    provider_data: Given | None = None
    # Calls, and what they brought.
    name: str | None = None
    call_id: str | None = None
    arguments: Raw = Raw()
    output: Raw = Raw()
    status: str | None = None
    # The name of a session.
    title: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None

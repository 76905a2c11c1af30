"""Tokens of all requests until now, as both generations count them."""

from msgspec import Struct

from agentview.domain.usage import Usage
from agentview.normalize.json_values import whole_of

Number = int | float | str | None


class Tokens(Struct, gc=False):
    """Tokens of all that was done; those of the prompt include what a cache gave or took."""

    prompt_tokens: Number = None
    completion_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    reasoning_tokens: Number = None


def usage_of(tokens: Tokens) -> Usage | None:
    """The tokens by kind; None where those of the prompt are not known."""
    given = whole_of(tokens.prompt_tokens)
    if given is None:
        return None
    cached, written = whole_of(tokens.cache_read_tokens), whole_of(tokens.cache_write_tokens)
    return Usage(
        max(0, given - (cached or 0) - (written or 0)),
        cached,
        written,
        whole_of(tokens.completion_tokens),
        whole_of(tokens.reasoning_tokens),
    )

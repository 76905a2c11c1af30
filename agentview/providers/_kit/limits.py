"""Whether an error of a model's service says that one of its limits is reached."""

import re

from agentview.domain.events import Topic

_CHARS = 600
"""Characters of an error that are looked at: an answer of the service may follow the words."""
_TOO_MANY = 429
"""Status of HTTP for too many requests."""
_LIMIT = re.compile(
    r"(?:usage|rate|session|daily|weekly|token|request)[ _-]limit|limit (?:was )?reached"
    r"|hit your limit|resource[ _]exhausted|quota (?:was )?ex|exhausted your|insufficient[ _]quota"
    r"|too many requests|\b429\b",
    re.IGNORECASE,
)


def error_topic(*words: str | None, status: int | None = None) -> Topic:
    """LIMIT where the status or the words of an error name a limit, else API_ERROR.

    The words are those of the services themselves, which clients pass on: OpenAI's and
    Anthropic's `rate limit`, Google's `RESOURCE_EXHAUSTED`, HTTP's `Too Many Requests`.
    """
    named = any(word is not None and _LIMIT.search(word[:_CHARS]) for word in words)
    return Topic.LIMIT if named or status == _TOO_MANY else Topic.API_ERROR

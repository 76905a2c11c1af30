"""Tokens of a response, in the words of all generations of the library."""

from agentview.domain.usage import Usage
from agentview.normalize.json_values import Fields, fields_of, whole_of


def usage_of(value: object) -> Usage | None:
    """Tokens of a response; None where nothing is counted.

    Up to 0.7 they are `request_tokens` and `response_tokens`, with what a cache gave in `details`;
    from 0.8 on `input_tokens` and `output_tokens`. Input counts what a cache gave and took.
    """
    fields = fields_of(value)
    details = fields_of(fields.get("details"))
    total = _first(fields, "input_tokens", "request_tokens")
    cached = _first(fields, "cache_read_tokens")
    if cached is None:
        cached = _first(
            details, "cache_read_input_tokens", "cached_tokens", "cached_content_tokens"
        )
    written = _first(fields, "cache_write_tokens")
    if written is None:
        written = _first(details, "cache_creation_input_tokens")
    reasoning = _first(fields, "output_reasoning_tokens")
    if reasoning is None:
        reasoning = _first(details, "reasoning_tokens", "thoughts_tokens")
    usage = Usage(
        input_uncached=max(total - (cached or 0) - (written or 0), 0)
        if total is not None
        else None,
        input_cached=cached,
        cache_write=written,
        output=_first(fields, "output_tokens", "response_tokens"),
        reasoning=reasoning,
    )
    return usage if usage != Usage() else None


def _first(fields: Fields, *keys: str) -> int | None:
    found = (whole_of(fields.get(key)) for key in keys)
    return next((count for count in found if count is not None), None)

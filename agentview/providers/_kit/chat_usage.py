"""Tokens of a response of a chat API, whatever it calls them."""

from collections.abc import Iterator

from agentview.domain.usage import Usage
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, whole_of

_HOLDERS = (
    "usageDetails", "usage_details", "usage", "usage_metadata", "usageMetadata", "models_usage",
    "token_usage", "tokenUsage", "totalUsage", "metrics",
)  # fmt: skip
_AROUND = ("response_metadata", "metadata", "metrics", "raw", "additional_kwargs", "extra", "meta")
_MODELS = ("model", "model_name", "modelName", "modelVersion", "model_id", "model_slug", "modelId")
_INPUT = (
    "prompt_tokens", "input_tokens", "promptTokens", "inputTokens", "promptTokenCount",
    "prompt_token_count", "prompt_eval_count", "inputTokenCount", "input",
)  # fmt: skip
_OUTPUT = (
    "completion_tokens", "output_tokens", "completionTokens", "outputTokens",
    "candidatesTokenCount", "candidates_token_count", "eval_count", "outputTokenCount", "output",
)  # fmt: skip
_APART = ("cache_read_input_tokens", "cacheReadInputTokens", "input_cached_tokens", "cacheRead")
"""Keys of cached tokens, in APIs that do not count them as input."""
_WRITTEN = (
    "cache_creation_input_tokens", "cacheWriteInputTokens", "cacheCreationInputTokens",
    "cacheWrite",
)  # fmt: skip
_INCLUDED = (
    "cached_tokens", "cache_read", "cachedContentTokenCount", "cached_content_token_count",
    "cached_input_tokens", "cachedInputTokens", "prompt_cache_hit_tokens",
)  # fmt: skip
"""Keys of cached tokens, in APIs that count them as input."""
_REASONING = (
    "reasoning_tokens", "reasoning", "thoughtsTokenCount", "thoughts_token_count",
    "reasoningTokens", "output_reasoning_tokens",
)  # fmt: skip
_THOUGHTS_APART = frozenset({"thoughtsTokenCount", "output_reasoning_tokens"})
"""Names of thoughts that are counted apart from the answer."""
_DETAILS = (
    "prompt_tokens_details", "input_tokens_details", "input_token_details",
    "completion_tokens_details", "output_tokens_details", "output_token_details", "tokens",
    "billed_units",
)  # fmt: skip


def model_in(fields: Fields) -> str | None:
    """The model that a response names, in itself or in what is known about it."""
    for holder in (fields, *_holders(fields)):
        if (model := text(holder, *_MODELS)) is not None:
            return model if not isinstance(holder.get("model"), dict) else None
    return None


def _holders(fields: Fields) -> Iterator[Fields]:
    yield from (fields_of(fields.get(key)) for key in _AROUND)


def usage_in(fields: Fields) -> Usage | None:
    """The tokens of a response or a message; None where it does not count any."""
    for holder in (fields, *_holders(fields)):
        for key in _HOLDERS:
            if (usage := _counted(fields_of(holder.get(key)))) is not None:
                return usage
    return _counted(fields) if "prompt_eval_count" in fields else None


def _counted(counts: Fields) -> Usage | None:
    if not counts:
        # Most are.
        return None
    details = [fields_of(counts.get(key)) for key in _DETAILS]
    both = (counts, *details)
    given, output = _first(both, _INPUT), _first(both, _OUTPUT)
    if given is None and output is None:
        return None
    cached, written = _first((counts,), _APART), _first((counts,), _WRITTEN)
    thought = _first(both, _REASONING)
    if cached is None and written is None:
        cached = _first(both, _INCLUDED)
        if given is not None and cached is not None:
            given = max(0, given - cached)
    if thought is not None and output is not None and not _THOUGHTS_APART.isdisjoint(counts):
        output += thought
    return Usage(given, cached, written, output, thought)


def _first(holders: tuple[Fields, ...], keys: tuple[str, ...]) -> int | None:
    values = (whole_of(holder.get(key)) for key in keys for holder in holders)
    return next((value for value in values if value is not None), None)

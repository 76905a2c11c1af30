"""Token counts of a response, in the words of a log and in those of the vendor's interface."""

from agentview.domain.usage import Usage
from agentview.normalize.json_values import Fields, whole_of

_RECORDED = ("input", "cached", "output", "thoughts", "tool", "total")
_INTERFACE = (
    "promptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
    "totalTokenCount",
)


def recorded_usage(tokens: Fields) -> Usage | None:
    """Usage of `tokens {input, output, cached, thoughts, tool, total}`; None without counts."""
    return _usage(tokens, _RECORDED)


def interface_usage(metadata: Fields) -> Usage | None:
    """Usage of a `usageMetadata` of the vendor's interface; None without counts."""
    return _usage(metadata, _INTERFACE)


def _usage(fields: Fields, keys: tuple[str, ...]) -> Usage | None:
    given, cached, said, thoughts, tool, total = (whole_of(fields.get(key)) for key in keys)
    if given is None and said is None:
        return None
    # Prompts of tools are counted next to the prompt, what a cache gave inside of it.
    uncached = None if given is None else max(0, given - (cached or 0)) + (tool or 0)
    output = said
    if said is not None and thoughts:
        # The vendor counts thoughts next to the answer, other interfaces inside of it.
        inside = total is not None and total == (given or 0) + said + (tool or 0)
        output = said if inside else said + thoughts
    return Usage(input_uncached=uncached, input_cached=cached, output=output, reasoning=thoughts)

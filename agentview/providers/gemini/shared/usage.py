"""Token counts of a response, in the words of a log and in those of the vendor's interface."""

from msgspec import Struct

from agentview.domain.usage import Usage
from agentview.normalize.json_values import whole_of

Number = int | float | str | None


class Tokens(Struct, gc=False):
    """Tokens as the log has them."""

    input: Number = None
    cached: Number = None
    output: Number = None
    thoughts: Number = None
    tool: Number = None
    total: Number = None


class InterfaceTokens(
    Struct,
    gc=False,
    rename={
        "input": "promptTokenCount",
        "cached": "cachedContentTokenCount",
        "output": "candidatesTokenCount",
        "thoughts": "thoughtsTokenCount",
        "tool": "toolUsePromptTokenCount",
        "total": "totalTokenCount",
    },
):
    """The same, in the words of the vendor's interface."""

    input: Number = None
    cached: Number = None
    output: Number = None
    thoughts: Number = None
    tool: Number = None
    total: Number = None


class PrintedTokens(Struct, gc=False):
    """Tokens of a response in the words of another vendor's interface."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_input_tokens: Number = None


def usage_of(tokens: Tokens | InterfaceTokens | None) -> Usage | None:
    """Usage of the tokens of a response; None without counts."""
    if tokens is None:
        return None
    given, said = whole_of(tokens.input), whole_of(tokens.output)
    if given is None and said is None:
        return None
    cached, thoughts = whole_of(tokens.cached), whole_of(tokens.thoughts)
    tool, total = whole_of(tokens.tool), whole_of(tokens.total)
    # Prompts of tools are counted next to the prompt, what a cache gave inside of it.
    uncached = None if given is None else max(0, given - (cached or 0)) + (tool or 0)
    output = said
    if said is not None and thoughts:
        # The vendor counts thoughts next to the answer, other interfaces inside of it.
        inside = total is not None and total == (given or 0) + said + (tool or 0)
        output = said if inside else said + thoughts
    return Usage(uncached, cached, None, output, thoughts)

"""Tools of the agent that a log names: its provider knows them, else the shared rules do."""

import re
from collections.abc import Mapping
from functools import cache

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.json_values import fields_of, text_of
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers import load_provider, provider_names
from agentview.providers.base import Provider

_OTHER = re.compile(r"[^a-z0-9]+")
_RESULTS: Mapping[ToolKind, ResultMaker] = {
    spec.kind: spec.result for spec in reversed([*FAMILIES.values()]) if spec.result is not None
}
"""How results are read of a call whose kind a provider knew by the name of its tool."""


@cache
def provider_of(agent: str) -> Provider | None:
    """The provider of the agent that goes by this name; None for one that has none here."""
    name = _OTHER.sub("_", agent.lower()).strip("_")
    fits = [
        each
        for each in provider_names()
        if name == each
        or name.endswith(f"_{each}")
        or name.startswith(f"{each}_")
        or each.startswith(f"{name}_")
    ]
    return load_provider(max(fits, key=lambda each: (each == name, len(each)))) if fits else None


def call_of_agent(call: ToolCall, agent: str | None) -> ToolCall:
    """The call as the provider of the agent makes it."""
    provider = provider_of(agent) if agent else None
    return call if provider is None else provider.reading.merge_call(call, call)


def attach_result(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call joined with its outcome, as the provider of the agent does it.

    `structured` has nothing but the name of the agent under `agent`, and under `own` what its own
    log says of the outcome, if anything.
    """
    structured = fields_of(result.structured)
    if set(structured) == {"agent", "own"}:
        result = replace(result, structured=structured["own"])
        provider = provider_of(text_of(structured["agent"]) or "")
        if provider is not None:
            return provider.reading.attach_result(call, result)
    return build.attach_result(call, result, None, _RESULTS.get(call.kind))

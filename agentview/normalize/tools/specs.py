"""Entry of a provider's table on one tool name."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from agentview.domain.events import ToolResult
from agentview.domain.index_entry import KIND_CODES, CallFact, Signal
from agentview.domain.tool_inputs import Payload, ShellAction, ShellPayload
from agentview.domain.tool_results import Result
from agentview.domain.tools import CHANGING, ToolCall, ToolKind, ToolOrigin
from agentview.domain.value import Value

PayloadMaker = Callable[[Mapping[str, object]], Payload]
ResultMaker = Callable[[ToolCall, ToolResult], Result | None]


class ToolSpec(Value, gc=True):
    """Kind, canonical name, and how to read arguments and results of a tool."""

    kind: ToolKind
    canonical_name: str
    payload: PayloadMaker
    result: ResultMaker | None = None
    origin: ToolOrigin = ToolOrigin.SYSTEM
    inferred: bool = False
    """The kind is a guess from words of the name."""


# What the name of a tool says of a call, without its arguments.

_ARGUED = (ToolKind.SUBAGENT_TASK, ToolKind.PLAN, ToolKind.UNKNOWN)
"""Kinds of calls whose arguments have a say in what they are or start."""


class KnownCall(Value):
    """Facts of a call that indexing needs."""

    kind: ToolKind
    code: int
    signal: int
    call: CallFact | None
    """None where the arguments say which files it changes."""
    tool: str | None = None
    """The canonical name of the tool of a call whose kind is unknown."""


def _acts(spec: ToolSpec) -> bool:
    """True for a tool that acts on what another call began, which only its arguments name."""
    if spec.kind is not ToolKind.SHELL:
        return False
    payload = spec.payload({})
    return isinstance(payload, ShellPayload) and payload.action is not ShellAction.RUN


def known_call(name: str, spec: ToolSpec | None) -> KnownCall | None:
    """Facts of calls of this name; None when they depend on their arguments."""
    if spec is None or spec.kind in _ARGUED or _acts(spec):
        return None
    signal = Signal.QUESTION if spec.kind is ToolKind.ASK else Signal.AGENT
    call = None if spec.kind in CHANGING else CallFact(name)
    return KnownCall(spec.kind, KIND_CODES[spec.kind], signal, call)


def known_calls(
    spec_of: Callable[[str], ToolSpec | None],
) -> Callable[[str], KnownCall | None]:
    """Return a function from the name of a tool to what `known_call` gives, which remembers it."""

    @lru_cache(maxsize=256)
    def known(name: str) -> KnownCall | None:
        return known_call(name, spec_of(name))

    return known

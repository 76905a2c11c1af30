"""What the name of a tool says of a call, without its arguments."""

from agentview.domain.index_entry import KIND_CODES, CallFact, Signal
from agentview.domain.tools import CHANGING, ToolKind
from agentview.domain.value import Value
from agentview.normalize.tools.specs import ToolSpec

_ARGUED = (ToolKind.SUBAGENT_TASK, ToolKind.PLAN, ToolKind.UNKNOWN)
"""Kinds of calls whose arguments have a say in what they are or start."""


class KnownCall(Value):
    """What indexing needs of a call."""

    kind: ToolKind
    code: int
    signal: int
    call: CallFact | None
    """None where the arguments say which files it changes."""


def known_call(name: str, spec: ToolSpec | None) -> KnownCall | None:
    """What is known of calls of this name; None when their arguments have a say in it."""
    if spec is None or spec.kind in _ARGUED:
        return None
    signal = Signal.QUESTION if spec.kind is ToolKind.ASK else Signal.AGENT
    call = None if spec.kind in CHANGING else CallFact(name)
    return KnownCall(spec.kind, KIND_CODES[spec.kind], signal, call)

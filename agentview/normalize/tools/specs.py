"""What a provider's table knows about one tool name."""

from collections.abc import Callable, Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import Payload
from agentview.domain.tool_results import Result
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin
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

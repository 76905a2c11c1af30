"""What a provider's table knows about one tool name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentview.domain.events import ToolResult
from agentview.domain.payloads import Payload
from agentview.domain.results import Result
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin

PayloadMaker = Callable[[Mapping[str, object]], Payload]
ResultMaker = Callable[[ToolCall, ToolResult], Result | None]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Kind, canonical name, and how to read arguments and results of a tool."""

    kind: ToolKind
    canonical_name: str
    payload: PayloadMaker
    result: ResultMaker | None = None
    origin: ToolOrigin = ToolOrigin.SYSTEM

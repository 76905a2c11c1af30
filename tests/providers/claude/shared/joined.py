"""Makes a call with its outcome from the parts that a log has of it."""

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, ToolCall
from agentview.normalize.build import tool_call
from agentview.providers.claude.claude_code import PROVIDER
from agentview.providers.claude.shared.tools import SPECS

Fields = dict[str, object]


def joined(
    name: str,
    arguments: Fields,
    structured: object = None,
    content: str | tuple[Block, ...] | None = None,
    *,
    ok: bool = True,
    error: str | None = None,
    denial: Denial | None = None,
) -> ToolCall:
    """The call `name`, answered with `toolUseResult` and the content of its result block."""
    call = tool_call(call_id="toolu_1", name=name, arguments=arguments, spec=SPECS.get(name))
    blocks = (TextBlock(content),) if isinstance(content, str) else content or ()
    if not ok and error is None and isinstance(content, str):
        error = content
    outcome = ToolResult("toolu_1", ok, blocks, structured=structured, error=error, denial=denial)
    return PROVIDER.reading.attach_result(call, outcome)

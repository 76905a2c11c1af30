"""The agents of a session: which call started each, and what they are called."""

from agentview.domain.activity import Activity
from agentview.domain.payloads import SubagentPayload
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.timeline.plain import first_line

_NAME = 40


def agent_name(call: Activity | None, ref: SessionRef | None = None) -> str:
    """What an agent is called in few words: its type, else its task, else what its log is named."""
    body = None if call is None else call.body
    payload = body.payload if isinstance(body, ToolCall) else None
    names: list[str | None] = []
    if isinstance(payload, SubagentPayload):
        names += [payload.agent_type, payload.agent_name, payload.description, payload.prompt]
    names.append(ref.label if ref is not None else None)
    said = (first_line(name, _NAME) for name in names if name)
    return next((name for name in said if name), "agent")

"""What the log of Codex leaves open of the state of a session."""

from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_values import fields_of
from agentview.normalize.session_state import LogHabits

_ESCALATED = "require_escalated"


def _asks_first(call: ToolCall) -> bool:
    """True if a command is to run outside the sandbox, which a person or a rule has to allow.

    `sandbox_permissions` says so since 0.7x, `with_escalated_permissions` before. Where the policy
    is never to ask, the client refuses such a call at once.
    """
    args = fields_of(call.args)
    escalated = args.get("with_escalated_permissions") is True
    return call.kind is ToolKind.SHELL and (
        escalated or args.get("sandbox_permissions") == _ESCALATED
    )


HABITS = LogHabits(asks_first=_asks_first)

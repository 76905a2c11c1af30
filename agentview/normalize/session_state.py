"""Who has to act next in a session, from one event: the rule of every list, header and command."""

from agentview.domain.activity import RowKind, row_kind
from agentview.domain.events import Event, Message, Notification, ToolResult, Topic
from agentview.domain.index_entry import Signal
from agentview.domain.session import LiveState
from agentview.domain.tool_inputs import ApprovalPayload, PlanAction, PlanPayload
from agentview.domain.tools import ToolCall, ToolKind

_OVER = {Topic.TURN_END: Signal.PERSON, Topic.INTERRUPT: Signal.INTERRUPTED}
_STATES = {
    Signal.AGENT: LiveState.WORKING,
    Signal.PERSON: LiveState.WAITING_INPUT,
    Signal.QUESTION: LiveState.WAITING_INPUT,
    Signal.APPROVAL: LiveState.WAITING_APPROVAL,
    Signal.FAILED: LiveState.WAITING_INPUT,
    Signal.LIMITED: LiveState.LIMITED,
    Signal.INTERRUPTED: LiveState.INTERRUPTED,
    Signal.ENDED: LiveState.ENDED,
}


def signal_of(event: Event) -> int:
    """The `Signal` of an event, with the bit UNTOLD for a result without an outcome."""
    body = event.body
    if event.facts is not None and event.facts.ended:
        return Signal.ENDED
    if isinstance(body, Notification):
        if body.failed:
            return Signal.LIMITED if body.topic is Topic.LIMIT else Signal.FAILED
        return _OVER.get(body.topic, Signal.NONE)
    if isinstance(body, Message):
        return Signal.PERSON
    if isinstance(body, ToolCall):
        return _of_call(body)
    if isinstance(body, ToolResult):
        unknown = body.ok is None and body.denial is None
        return Signal.AGENT | Signal.UNTOLD if unknown else Signal.AGENT
    return Signal.AGENT if row_kind(body) in (RowKind.USER, RowKind.REASONING) else Signal.NONE


def _of_call(call: ToolCall) -> int:
    if call.kind is ToolKind.ASK:
        return Signal.APPROVAL if isinstance(call.payload, ApprovalPayload) else Signal.QUESTION
    if isinstance(call.payload, PlanPayload) and call.payload.action is PlanAction.PROPOSE:
        return Signal.APPROVAL
    return Signal.AGENT


def state_of(signal: int) -> LiveState:
    """The state of a session whose last signal this is; UNKNOWN for none."""
    return _STATES.get(signal & ~Signal.UNTOLD, LiveState.UNKNOWN)

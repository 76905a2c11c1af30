"""What is told of agents that an agent started, in a draft of the protocol or beside it."""

from collections.abc import Callable, Mapping

from agentview.domain.events import Event, Level, Notification, Topic
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.providers.acp.event_builder import Frame

_RUNNING = ("running", "pending", "working")
_BROKEN = ("failed", "error", "disconnected")


def _spawned(frame: Frame, update: Fields) -> list[Event]:
    name = text(update, "name", "title", "description", "role") or "an agent"
    body = Notification(Topic.BACKGROUND, f"Agent began: {name}", detail=text(update, "task"))
    return [frame.event("agent", body)]


def _ended(frame: Frame, update: Fields) -> list[Event]:
    """The state of an agent, said in one word or with the reason why it stopped."""
    told = mapping(update.get("state"))
    state = text(told, "stopReason", "state") or text(update, "state", "status")
    if state is None or state in _RUNNING:
        return _working(frame, update)
    level = Level.WARNING if state in _BROKEN else Level.INFO
    output = text(update, "output", "error")
    body = Notification(Topic.BACKGROUND, f"Agent ended: {state}", level, detail=output)
    return [frame.event("agent", body)]


def _changed(frame: Frame, update: Fields) -> list[Event]:
    named = text(update, "name", "title") is not None
    return _spawned(frame, update) if named else _ended(frame, update)


def _working(frame: Frame, update: Fields) -> list[Event]:
    return [frame.hidden("an agent is at work", text(update, "sessionUpdate") or "")]


AGENTS: Mapping[str, Callable[[Frame, Fields], list[Event]]] = {
    "subagent_spawned": _spawned,
    "subagent_progress": _working,
    "subagent_update": _changed,
    "subagent_state_update": _ended,
    "subagent_finished": _ended,
}
"""Updates on the agents that an agent started."""

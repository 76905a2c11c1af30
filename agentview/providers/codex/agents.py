"""Agents that an agent started: how they are called, and how they ended."""

from collections.abc import Iterator, Mapping

from agentview.domain.events import Level, Notification, Topic, runs
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.typed_records import LightEvent
from agentview.providers.codex.event_builder import CodexRecord

STARTING = frozenset({"spawn_agent", "spawn"})
"""Tools that start an agent."""
WAITING = frozenset({"wait_agent", "wait"})

_NAMES = frozenset({"task_name", "agent_id", "nickname"})
_LEVELS: Mapping[str | None, Level] = {
    "completed": Level.INFO,
    "errored": Level.ERROR,
    "failed": Level.ERROR,
    "interrupted": Level.WARNING,
    "not_found": Level.WARNING,
    "shutdown": Level.WARNING,
}
"""How bad it is that an agent has ended in a state."""


def started_agent(answer: Fields) -> str | None:
    """The agent in an answer that does no more than name what was started.

    It is named by its path, up to 0.15x by the id of its thread.
    """
    return text(answer, "task_name", "agent_id") if answer.keys() <= _NAMES else None


def state_of(value: object) -> tuple[str | None, str | None]:
    """The state of an agent and its last words.

    It is a word, an object with that word as its key, or one with `status` and `message`.
    """
    fields = fields_of(value)
    if "status" in fields:
        return text(fields, "status"), text(fields, "message")
    state = next((key for key in fields if key in _LEVELS), None)
    return (text_of(value), None) if state is None else (state, text(fields, state))


def agent_note(name: str, state: str | None, said: str | None = None) -> Notification:
    """The report that an agent is in a state, with its last words."""
    level = _LEVELS.get(state, Level.INFO)
    return Notification(Topic.BACKGROUND, f"Agent {name}: {state or 'reported'}", level, said)


def ended_agents(record: CodexRecord, states: Fields) -> Iterator[LightEvent]:
    for at, (name, value) in enumerate(states.items()):
        state, said = state_of(value)
        if state in _LEVELS:
            yield record.event(f"ended/{at}", agent_note(name, state, said), path=runs(name))

"""How turns end, what they cost, and what agents add to the protocol for that."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from agentview.domain.events import (
    Compaction,
    Event,
    Level,
    Notification,
    TokenUsage,
    Topic,
)
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import Fields, as_text, mapping, number, real, text
from agentview.providers._kit.typed_records import read_as
from agentview.providers.acp.event_builder import AcpMessage
from agentview.providers.acp.schema import Added, Answered, ByModel, Quota

# Reports about agents that an agent started, in a draft of the protocol or next to it.

_RUNNING = ("running", "pending", "working")
_BROKEN = ("failed", "error", "disconnected")


def _spawned(message: AcpMessage, update: Fields) -> list[Event]:
    name = text(update, "name", "title", "description", "role") or "an agent"
    body = Notification(Topic.BACKGROUND, f"Agent began: {name}", detail=text(update, "task"))
    return [message.event("agent", body)]


def _ended(message: AcpMessage, update: Fields) -> list[Event]:
    """The state of an agent, said in one word or with the reason why it stopped."""
    state_fields = mapping(update.get("state"))
    state = text(state_fields, "stopReason", "state") or text(update, "state", "status")
    if state is None or state in _RUNNING:
        return _working(message, update)
    level = Level.WARNING if state in _BROKEN else Level.INFO
    output = text(update, "output", "error")
    body = Notification(Topic.BACKGROUND, f"Agent ended: {state}", level, detail=output)
    return [message.event("agent", body)]


def _changed(message: AcpMessage, update: Fields) -> list[Event]:
    named = text(update, "name", "title") is not None
    return _spawned(message, update) if named else _ended(message, update)


def _working(message: AcpMessage, update: Fields) -> list[Event]:
    return [message.hidden("an agent is at work", text(update, "sessionUpdate") or "")]


AGENTS: Mapping[str, Callable[[AcpMessage, Fields], list[Event]]] = {
    "subagent_spawned": _spawned,
    "subagent_progress": _working,
    "subagent_update": _changed,
    "subagent_state_update": _ended,
    "subagent_finished": _ended,
}
"""Updates on the agents that an agent started."""


_TICKS = 1e10
"""How many units of what a turn cost, in which one agent states that, make a dollar."""
_REASONING = ("thoughtTokens", "reasoningOutputTokens", "reasoningTokens")

_ModelCounts = list[tuple[str | None, Fields]]
"""Counts, with the model that they are of."""


def stop_event(message: AcpMessage, reason: str | None, turn: str | None = None) -> Event:
    """The end of a turn; agents that name their `turn` may report its end twice."""
    topic = Topic.INTERRUPT if reason == "cancelled" else Topic.TURN_END
    usual = reason in (None, "end_turn", "cancelled")
    words = f"Turn ended: {reason}" if reason else "Turn ended"
    level = Level.INFO if usual else Level.WARNING
    event = message.event("stop", Notification(topic, words, level))
    return replace(event, dedupe_key=f"stop:{turn}") if turn else event


def answered_events(message: AcpMessage, result: Fields) -> list[Event]:
    """Events of the answer to a prompt: its turn ended, with its tokens where they are reported."""
    answered = read_as(result, Answered)
    added = read_as(answered.meta, Added)
    turn = as_text(added.prompt_id)
    stop = stop_event(message, as_text(answered.stop_reason), turn)
    quota = added.quota or Quota()
    by_model: _ModelCounts = [
        (as_text(each.model), mapping(each.token_count))
        for each in quota.model_usage or ()
        if each is not None
    ]
    counts = mapping(answered.usage)
    if counts:
        only = by_model[0][0] if len(by_model) == 1 else as_text(added.model_id)
        return [stop, *_used(message, [(only, counts)], turn)]
    by_model = by_model or [(None, mapping(quota.token_count))]
    return [stop, *_used(message, by_model, turn), *_used(message, _by_model(added), turn)]


def _completed(message: AcpMessage, update: Fields) -> list[Event]:
    """The end of a turn in a log that has only what the agent message, and so no answers."""
    turn = text(update, "prompt_id", "promptId")
    stop = stop_event(message, text(update, "stop_reason", "stopReason"), turn)
    return [stop, *_used(message, _by_model(read_as(update, Added)), turn)]


def _compacted(message: AcpMessage, update: Fields) -> list[Event]:
    body = Compaction(
        tokens_before=number(update, "tokens_before"),
        tokens_after=number(update, "tokens_after"),
        summary=text(update, "summary_preview"),
    )
    return [message.event("compaction", body)]


def _rewound(message: AcpMessage, update: Fields) -> list[Event]:
    """The person went back; which rows that takes back the log of updates does not name."""
    at = number(update, "target_prompt_index")
    where = f"prompt {at + 1}" if at is not None else "an earlier prompt"
    return [message.event("rewind", Notification(Topic.REWIND, f"Went back to before {where}"))]


ADDED: Mapping[str, Callable[[AcpMessage, Fields], list[Event]]] = {
    "turn_completed": _completed,
    "auto_compact_completed": _compacted,
    "rewind_marker": _rewound,
    **AGENTS,
}
"""Updates outside of the protocol, which agents also send under a method of their own."""


def _by_model(added: Added) -> _ModelCounts:
    models = read_as(added.usage, ByModel).model_usage or {}
    found: _ModelCounts = [(model, mapping(counts)) for model, counts in models.items()]
    return found or [(as_text(added.model_id), mapping(added.usage))]


def response_events(message: AcpMessage, added: Fields) -> list[Event]:
    """Tokens of one response of the model, which some agents add to a piece of a message."""
    own = read_as(added, Added)
    model = as_text(own.model if own.model_id is None else own.model_id)
    counts: _ModelCounts = [(model, mapping(own.usage))]
    return _each_used(message, counts, f"response@{message.source.offset}")


def _used(message: AcpMessage, counts: _ModelCounts, turn: str | None) -> list[Event]:
    named = f"turn:{turn}" if turn else f"{message.answered}@{message.source.offset}"
    return _each_used(message, counts, named)


def _each_used(message: AcpMessage, model_counts: _ModelCounts, named: str) -> list[Event]:
    found: list[Event] = []
    for place, (model, counts) in enumerate(model_counts):
        if counts:
            response = f"{named}.{place}" if place else named
            ticks = real(counts, "costUsdTicks")
            cost = ticks / _TICKS if ticks is not None else None
            body = TokenUsage(response, _counted(counts), model, cost=cost)
            found.append(message.event(f"usage{place or ''}", body))
    return found


def _counted(counts: Fields) -> Usage:
    """Return tokens; the total shows which counts include others.

    The input may hold what a cache gave, and the output may leave out what was reasoning.
    """
    given = number(counts, "inputTokens", "input_tokens")
    cached = number(counts, "cachedReadTokens", "cachedInputTokens", "cached_read_tokens")
    written = number(counts, "cachedWriteTokens", "cacheWriteInputTokens", "cacheCreationTokens")
    output = number(counts, "outputTokens", "output_tokens")
    stored = (cached or 0) + (written or 0)
    total = number(counts, "totalTokens", "total_tokens")
    reasoning = number(counts, *_REASONING)
    sums = (given or 0) + (output or 0)
    apart = bool(reasoning) and total == sums + (reasoning or 0)
    within = given is not None and (total == sums or apart)
    return Usage(
        input_uncached=given - stored if given is not None and within else given,
        input_cached=cached,
        cache_write=written,
        output=(output or 0) + (reasoning or 0) if apart else output,
        reasoning=reasoning,
    )

"""Events of `result` records: how a run ended, what it cost, what was refused."""

from agentview.domain.events import Event, Facts, Level, Notification, TokenUsage, Topic
from agentview.domain.usage import Usage
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers.claude.shared.assistant_records import usage_of
from agentview.providers.claude.shared.event_builder import Frame

_ENDS = {
    "success": "The run ended",
    "error_during_execution": "The run failed",
    "error_max_turns": "The run stopped: it reached its limit of turns",
    "error_max_budget_usd": "The run stopped: its budget is used up",
    "error_max_structured_output_retries": "The run failed: no valid structured output came",
}
_ABORTED = "aborted_"
"""Begin of `terminal_reason` where somebody stopped the run."""

_COUNTS = (
    "inputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
    "outputTokens",
    "thinkingTokens",
)


def result_events(frame: Frame) -> list[Event]:
    """The end of a run, with the tokens and the cost of all that was done until now.

    A client that takes several prompts prints one for each; counts and cost go on in it.
    """
    fields = frame.fields
    cost = real_of(fields.get("total_cost_usd"))
    facts = Facts(cost=cost) if cost is not None else None
    events = [frame.event("end", _ending(frame), facts=facts)]
    total = _total(fields)
    if total is not None:
        body = TokenUsage("", total, total=True)
        events.append(frame.event("usage", body))
    return events


def _ending(frame: Frame) -> Notification:
    fields = frame.fields
    subtype = text_of(fields.get("subtype")) or "(none)"
    failed = fields.get("is_error") is True or subtype.startswith("error")
    text = _ENDS.get(subtype) or f"The run ended: {subtype}"
    topic, level = Topic.TURN_END, Level.INFO
    if (text_of(fields.get("terminal_reason")) or "").startswith(_ABORTED):
        topic, level, text = Topic.INTERRUPT, Level.WARNING, "The run was interrupted"
    elif failed:
        level = Level.ERROR
        text = _ENDS["error_during_execution"] if subtype == "success" else text
    return Notification(
        topic, text, level, _detail(fields), duration=seconds_of(fields.get("duration_ms"))
    )


def _detail(fields: Fields) -> str | None:
    """What there is to say beside the text of the answer, which was a message of its own."""
    turns = whole_of(fields.get("num_turns"))
    cost = real_of(fields.get("total_cost_usd"))
    refused = [
        text_of(fields_of(item).get("tool_name")) or "a tool"
        for item in items_of(fields.get("permission_denials"))
    ]
    figures = [
        f"{turns} turn{'' if turns == 1 else 's'}" if turns is not None else None,
        f"${cost:.4f}" if cost is not None else None,
        f"refused: {', '.join(refused)}" if refused else None,
    ]
    lines = [" · ".join(part for part in figures if part)]
    lines += [said for item in items_of(fields.get("errors")) if (said := text_of(item))]
    # Nothing else has the text of a failed run, or of a command that no model answered.
    if fields.get("is_error") is True or fields.get("local_command") or turns == 0:
        lines.append(text_of(fields.get("result")) or "")
    return "\n".join(line for line in lines if line) or None


def _total(fields: Fields) -> Usage | None:
    """All tokens so far: of all models where they are told, which are those that cost."""
    models = [fields_of(usage) for usage in fields_of(fields.get("modelUsage")).values()]
    if any("inputTokens" in usage for usage in models):
        return Usage(*(_sum(models, name) for name in _COUNTS))
    usage = fields_of(fields.get("usage"))
    return usage_of(usage) if usage else None


def _sum(models: list[Fields], name: str) -> int | None:
    known = [count for usage in models if (count := whole_of(usage.get(name))) is not None]
    return sum(known) if known else None

"""Limits of the account that the client notes with each count of tokens.

By the client's source: `resets_at` since 0.47, `resets_in_seconds` before, and the first versions
had `primary_used_percent` and the like in one flat object.
"""

from collections.abc import Iterator

from agentview.domain.events import Facts
from agentview.domain.usage_limit import UsageLimit
from agentview.normalize.json_values import Fields, fields_of, real_of, text_of
from agentview.providers.codex.event_builder import CodexRecord

_WINDOWS = ("primary", "secondary")
_GROUP = "codex"
"""The id of the limits of the plan, also where a log does not have it."""


def limit_facts(record: CodexRecord) -> Facts | None:
    """What the `rate_limits` of a record say, None where they say nothing.

    Those that a thread repeats of another one are of an earlier time.
    """
    stated = fields_of(record.payload.get("rate_limits"))
    if not stated or record.copied or record.repeated:
        return None
    limits = tuple(_limits(stated, record.time))
    return Facts(limits=limits) if limits else None


def _limits(stated: Fields, at: float | None) -> Iterator[UsageLimit]:
    group = text_of(stated.get("limit_id")) or _GROUP
    name = text_of(stated.get("limit_name"))
    for window in _WINDOWS:
        fields = fields_of(stated.get(window))
        used = real_of(fields.get("used_percent", stated.get(f"{window}_used_percent")))
        minutes = real_of(fields.get("window_minutes", stated.get(f"{window}_window_minutes")))
        if used is None:
            continue
        yield UsageLimit(
            group,
            name,
            minutes * 60 if minutes else None,
            min(1.0, max(0.0, used / 100)),
            _reset(fields, at),
            at,
        )


def _reset(fields: Fields, at: float | None) -> float | None:
    seconds = real_of(fields.get("resets_in_seconds"))
    if seconds is not None and at is not None:
        return at + seconds
    return real_of(fields.get("resets_at")) or None

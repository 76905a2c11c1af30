"""Reports of how much of a limit of the account is used: records of the type `rate_limit_event`."""

from datetime import UTC, datetime

from agentview.domain.events import Event, Facts, Level, Topic
from agentview.domain.usage_limit import UsageLimit
from agentview.normalize.json_values import real_of, time_of
from agentview.providers.claude.claude_stream.schema import RateLimit, Report
from agentview.providers.claude.claude_stream.system import notice
from agentview.providers.claude.shared.event_builder import ClaudeRecord

_REACHED = "rejected"
_NOTICES = {
    "allowed_warning": ("A rate limit is near", Level.WARNING),
    _REACHED: ("A rate limit is reached", Level.ERROR),
}
_WINDOWS = {"five_hour": 5 * 3600.0, "seven_day": 7 * 86_400.0}
"""Seconds of the limits that are named after nothing but their window."""


def rate_limit_events(record: ClaudeRecord, own: Report) -> list[Event]:
    """A notice where a limit is near or reached; the figure in any case."""
    info = own.rate_limit_info or RateLimit()
    used, kind, status = real_of(info.utilization), info.rate_limit_type or None, info.status or ""
    resets = time_of(info.resets_at)
    record.facts = _facts(record, 1.0 if status == _REACHED else used, kind, resets)
    known = _NOTICES.get(status)
    if known is None:
        return [record.hidden("no rate limit is near", "rate_limit_event")]
    details = (
        kind.replace("_", " ") if kind is not None else None,
        f"{used:.0%} used" if used is not None else None,
        _until(resets),
    )
    return notice(record, Topic.LIMIT, *known, " · ".join(part for part in details if part))


def _facts(
    record: ClaudeRecord, used: float | None, kind: str | None, resets: float | None
) -> Facts | None:
    """Return the used part of a limit, 0 to 1; each record is of one, which its type names."""
    if kind is None or used is None:
        return record.facts
    window = _WINDOWS.get(kind)
    name = None if window is not None else kind.replace("_", " ")
    limit = UsageLimit(kind, name, window, min(1.0, max(0.0, used)), resets, record.time)
    return Facts(limits=(limit,))


def _until(moment: float | None) -> str | None:
    if moment is None:
        return None
    # In UTC: what is shown must not depend on where it is read.
    return f"until {datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"

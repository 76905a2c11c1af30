"""Tokens of a response, once for each, whichever record has them, and limits of the account.

Limits by the client's source: `resets_at` since 0.47, `resets_in_seconds` before; the first
versions had `primary_used_percent` and the like in one flat object.
"""

from collections.abc import Iterator

from agentview.domain.events import Event, Facts, Hidden, TokenUsage
from agentview.domain.usage import Usage
from agentview.domain.usage_limit import UsageLimit
from agentview.normalize.json_values import Fields, fields_of, real_of, text_of, whole_of
from agentview.providers.codex.event_builder import CodexRecord
from agentview.providers.codex.forked_prefix import total_name

_PARTS = frozenset({"input_tokens", "output_tokens"})
"""Counts without which one does not say what was used."""
_ANOTHERS = "tokens that the session which this one continues has used"
_WINDOWS = ("primary", "secondary")
_GROUP = "codex"
"""The id of the limits of the plan, also where a log does not have it."""


def usage_of(counts: Fields) -> Usage:
    """Tokens of one response; `input_tokens` as recorded includes what a cache gave and took."""
    given = whole_of(counts.get("input_tokens"))
    cached = whole_of(counts.get("cached_input_tokens"))
    written = whole_of(counts.get("cache_write_input_tokens"))
    fresh = given
    if given is not None:
        fresh = max(0, given - (cached or 0) - (written or 0))
    return Usage(
        input_uncached=fresh,
        input_cached=cached,
        cache_write=written,
        output=whole_of(counts.get("output_tokens")),
        reasoning=whole_of(counts.get("reasoning_output_tokens")),
    )


def counted(record: CodexRecord, total: Fields, last: Fields) -> Event | None:
    """The usage of the response after which the thread had used `total`.

    The same totals are written again and again, and by two sorts of records: they name the
    response. None where nothing shows what the response itself took: after a compaction the client
    writes an estimate, which has a sum and no parts. What a thread repeats of another one was spent
    there, also where the thread then writes the last of it once more. Without totals each record is
    of a response of its own.
    """
    if not last:
        return None
    if not whole_of(last.get("input_tokens")) and not whole_of(last.get("output_tokens")):
        return None
    name = total_name(total) if total else record.name
    if record.copied or record.repeated or name == record.session.spent_before:
        return record.event("hidden", Hidden(_ANOTHERS, _record_type(record)))
    return record.event("usage", TokenUsage(name, usage_of(last)), facts=limit_facts(record))


def _record_type(record: CodexRecord) -> str:
    return text_of(record.payload.get("type")) or text_of(record.fields.get("type")) or "(none)"


def token_count_events(record: CodexRecord) -> list[Event]:
    """Events of a `token_count`: the thread's totals and the newest response, or limits only.

    Some writers of this format state the totals alone, or, as the oldest clients did, nothing but
    the tokens of the response.
    """
    flat = "info" not in record.payload and "input_tokens" in record.payload
    info = fields_of(record.payload.get("info"))
    total = fields_of(info.get("total_token_usage"))
    last = record.payload if flat else fields_of(info.get("last_token_usage"))
    event = counted(record, total, last)
    alone = _PARTS & total.keys() and not _PARTS & last.keys()
    if alone and not (record.copied or record.repeated):
        body = TokenUsage(record.name, usage_of(total), total=True)
        return [record.event("usage", body, facts=limit_facts(record))]
    if event is None:
        reason = "limits, or an estimate, without the tokens of a response"
        return [record.hidden(reason, "token_count", facts=limit_facts(record))]
    return [event]


def usage_record_events(record: CodexRecord) -> list[Event]:
    """Events of a `token_usage_record`; without totals it only repeats a `token_count`."""
    totals = fields_of(record.payload.get("thread_token_usage"))
    event = counted(record, totals, fields_of(record.payload.get("usage"))) if totals else None
    if event is None:
        return [record.hidden("tokens, reported by a token_count", "token_usage_record")]
    return [event]


def turn_usage(record: CodexRecord, usage: object) -> list[Event]:
    """What the thread has used by the end of a turn: the printed stream has only the sum so far.

    In a log that holds several threads it takes the place of what that thread had used before.
    """
    counts = fields_of(usage)
    if not counts:
        return []
    if record.printed_by is not None:
        return [
            record.event("usage", TokenUsage(f"thread:{record.printed_by[1]}", usage_of(counts)))
        ]
    return [record.event("usage", TokenUsage(record.name, usage_of(counts), total=True))]


def limit_facts(record: CodexRecord) -> Facts | None:
    """Return what the `rate_limits` of a record say, None where they say nothing.

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

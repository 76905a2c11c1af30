"""Tokens of a response, once for each, whichever record has them, and limits of the account.

Limits by the client's source: `resets_at` since 0.47, `resets_in_seconds` before; the first
versions had `primary_used_percent` and the like in one flat object.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from agentview.domain.events import Facts, Hidden, TokenUsage
from agentview.domain.index_entry import Flag
from agentview.domain.usage import Usage
from agentview.domain.usage_limit import UsageLimit
from agentview.normalize.json_values import Fields, real_of, whole_of
from agentview.providers._kit.typed_records import HIDDEN, LightEvent, hidden
from agentview.providers._kit.typed_values import fitting
from agentview.providers.codex.event_builder import CodexRecord
from agentview.providers.codex.forked_prefix import total_name
from agentview.providers.codex.schema import Counts, Info, RateLimits, Window

_NOTHING = Counts()
_ANOTHERS = "tokens that the session which this one continues has used"
_GROUP = "codex"
"""The id of the limits of the plan, also where a log does not have it."""


def usage_of(counts: Counts) -> Usage:
    """Tokens of one response; `input_tokens` as recorded includes what a cache gave and took."""
    fresh, cached = whole_of(counts.input_tokens), whole_of(counts.cached_input_tokens)
    written = whole_of(counts.cache_write_input_tokens)
    if written is None:
        written = whole_of(counts.cache_creation_input_tokens)
    if fresh is not None:
        fresh = max(0, fresh - (cached or 0) - (written or 0))
    output, reasoning = whole_of(counts.output_tokens), whole_of(counts.reasoning_output_tokens)
    return Usage(fresh, cached, written, output, reasoning)


def counted(record: CodexRecord, total: Counts | None, last: Counts | None) -> LightEvent | None:
    """The usage of the response after which the thread had used `total`.

    The same totals are written again and again, and by two sorts of records: they name the
    response. None where nothing shows what the response itself took: after a compaction the client
    writes an estimate, which has a sum and no parts. What a thread repeats of another one was spent
    there, also where the thread then writes the last of it once more. Without totals each record is
    of a response of its own.
    """
    if last is None or not (whole_of(last.input_tokens) or whole_of(last.output_tokens)):
        return None
    name = record.name
    if total is not None and total != _NOTHING:
        name = total_name(total)
    if record.copied or record.repeated or name == record.session.spent_before:
        kind = record.payload.type or record.record.type or "(none)"
        return record.part("hidden", HIDDEN, Flag.BOOKKEEPING, Hidden, (_ANOTHERS, kind))
    return _used(record, TokenUsage(name, usage_of(last)))


def _used(record: CodexRecord, usage: TokenUsage) -> LightEvent:
    light = record.usage_part(usage)
    light.facts = _limit_facts(record)
    return light


def token_count_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of a `token_count`: the thread's totals and the newest response, or limits only.

    Some writers of this format state the totals alone, or, as the oldest clients did, nothing but
    the tokens of the response.
    """
    info = record.payload.info
    total = info.total_token_usage if isinstance(info, Info) else None
    last = info.last_token_usage if isinstance(info, Info) else None
    if info is UNSET and "input_tokens" in record.values:
        last = _counts_in(record.values)
    alone = total is not None and _has_parts(total) and not _has_parts(last or _NOTHING)
    if total is not None and alone and not (record.copied or record.repeated):
        return [_used(record, TokenUsage(record.name, usage_of(total), total=True))]
    event = counted(record, total, last)
    if event is None:
        reason = "limits, or an estimate, without the tokens of a response"
        facts = None if record.copied or record.repeated else _limit_facts(record)
        event = hidden(record, reason, "token_count", facts=facts)
    return [event]


def _has_parts(counts: Counts) -> bool:
    return counts.input_tokens is not None or counts.output_tokens is not None


def _counts_in(fields: Fields) -> Counts:
    return fitting(fields, Counts)[0]


def usage_record_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of a `token_usage_record`; without totals it only repeats a `token_count`.

    One that names no thread is of Trae CLI, which writes no `token_count`.
    """
    totals, used = record.payload.thread_token_usage, record.payload.usage
    if totals is None and not record.payload.thread_id and used is not None and _has_parts(used):
        response = record.report.response_id or record.name
        return [record.usage_part(TokenUsage(response, usage_of(used)))]
    event = None
    if totals is not None and totals != _NOTHING:
        event = counted(record, totals, record.payload.usage)
    reason = "tokens, reported by a token_count"
    return [hidden(record, reason, "token_usage_record") if event is None else event]


def turn_usage(record: CodexRecord) -> Sequence[LightEvent]:
    """Usage of the thread by the end of a turn: the printed stream has only the sum so far.

    In a log that holds several threads it takes the place of what that thread had used before.
    """
    counts, part = record.payload.usage, record.printed_by
    if counts is None or counts == _NOTHING:
        return []
    if part is not None:
        return [record.event("usage", TokenUsage(f"thread:{part[1]}", usage_of(counts)))]
    return [record.event("usage", TokenUsage(record.name, usage_of(counts), total=True))]


def _limit_facts(record: CodexRecord) -> Facts | None:
    """Facts of the `rate_limits` of a record. Those of a repeated record are of an earlier time."""
    stated = record.payload.rate_limits
    limits = () if stated is None else tuple(_limits(stated, record.time))
    return Facts(limits=limits) if limits else None


def _limits(stated: RateLimits, at: float | None) -> Iterator[UsageLimit]:
    for window in (
        stated.primary or Window(stated.primary_used_percent, stated.primary_window_minutes),
        stated.secondary or Window(stated.secondary_used_percent, stated.secondary_window_minutes),
    ):
        if window.used_percent is None or (used := real_of(window.used_percent)) is None:
            continue
        minutes = real_of(window.window_minutes)
        yield UsageLimit(
            stated.limit_id or _GROUP,
            stated.limit_name or None,
            minutes * 60 if minutes else None,
            min(1.0, max(0.0, used / 100)),
            _reset(window, at),
            at,
        )


def _reset(window: Window, at: float | None) -> float | None:
    seconds = real_of(window.resets_in_seconds)
    if seconds is not None and at is not None:
        return at + seconds
    return real_of(window.resets_at) or None

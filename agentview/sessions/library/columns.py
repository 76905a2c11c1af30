"""Columns of the library: their texts and sort keys."""

from collections.abc import Callable, Mapping

from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.sort_order import Column
from agentview.sessions.library.liveness import activity_time, current_status
from agentview.sessions.library.session_list import project_name
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.usage_rollup import UsageRollup
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.format_numbers import UNKNOWN, span, tokens

DESCENDING = frozenset(
    {
        Column.STARTED,
        Column.ACTIVE,
        Column.LENGTH,
        Column.TURNS,
        Column.TOOLS,
        Column.PROBLEMS,
        Column.TOKENS,
        Column.COST,
    }
)
"""Columns of which the largest and newest comes first, unless asked for the other way round."""

FIGURES = frozenset({Column.TURNS, Column.TOOLS, Column.PROBLEMS, Column.TOKENS, Column.COST})
"""Columns that are known once a log has been indexed."""

Key = float | str
"""A sort key of sessions; all of a column are of one type."""

_CENT = 0.01
_URGENCY = {
    state: float(place)
    for place, state in enumerate(
        (
            SessionState.NEEDS_APPROVAL, SessionState.NEEDS_ANSWER, SessionState.FAILED,
            SessionState.YOUR_TURN, SessionState.LIMITED, SessionState.WORKING,
            SessionState.STARTING, SessionState.INTERRUPTED, SessionState.UNKNOWN,
            SessionState.ENDED,
        )
    )
}  # fmt: skip


def urgency(status: SessionStatus) -> float:
    """How soon a person should look, the lowest number first; what may wait for approval is early.

    A call that runs or waits stands before turns that are over.
    """
    if status.may_wait:
        return _URGENCY[SessionState.FAILED] - 0.5
    return _URGENCY[status.state]


def length_of(facts: SessionFacts) -> float | None:
    """Seconds from the first record to the last."""
    info = facts.info
    if info.started is None or info.last_activity is None:
        return None
    return max(0.0, info.last_activity - info.started)


def fact_key(column: Column) -> Callable[[SessionFacts, float], Key | None] | None:
    """How a column is sorted by what head and tail of a log say; None for one of `FIGURES`.

    The function takes the current time; it returns None where the log has no value.
    """
    return _FACT_KEYS.get(column)


def figure_key(column: Column, figures: UsageRollup) -> float | None:
    return {
        Column.TURNS: figures.turns,
        Column.TOOLS: figures.calls,
        Column.PROBLEMS: figures.problems,
        Column.TOKENS: figures.tokens,
        Column.COST: figures.cost.shown,
    }[column]


def _state(facts: SessionFacts, now: float) -> Key | None:
    info = facts.info
    return urgency(current_status(info, now))


def _folded(text: str | None) -> str | None:
    return text.casefold() if text else None


_FACT_KEYS: Mapping[Column, Callable[[SessionFacts, float], Key | None]] = {
    Column.STATE: _state,
    Column.PROVIDER: lambda facts, _: facts.info.ref.provider,
    Column.TITLE: lambda facts, _: _folded(facts.info.title),
    Column.PROJECT: lambda facts, _: _folded(project_name(facts.info)),
    Column.BRANCH: lambda facts, _: _folded(facts.info.branch),
    Column.STARTED: lambda facts, _: facts.info.started,
    Column.ACTIVE: lambda facts, _: activity_time(facts.info) or None,
    Column.LENGTH: lambda facts, _: length_of(facts),
}


def figure_text(column: Column, figures: UsageRollup) -> str:
    """Text of one of `FIGURES`: `12`, `1.9M`, `$1.93`, with `+` behind a lower bound."""
    if column is Column.COST:
        return money(figures.cost)
    count = figure_key(column, figures)
    if count is None:
        return UNKNOWN
    more = "" if figures.whole or column is Column.TURNS else "+"
    return tokens(int(count)) + more


def money(cost: Cost) -> str:
    """The same as `Cost.text` in few cells: `$1.93`, `~$240`, `~<$0.01`, `~$1.93+`."""
    amount = cost.shown
    if amount is None:
        return UNKNOWN
    sign = "" if cost.client is not None else "~"
    if 0 < amount < _CENT:
        return f"{sign}<${_CENT}"
    text = f"{amount:.2f}" if amount < 99.995 else f"{amount:,.0f}"
    return f"{sign}${text}{'' if cost.whole else '+'}"


def length_text(facts: SessionFacts) -> str:
    return span(length_of(facts))

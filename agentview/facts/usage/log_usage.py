"""Usage of one log, as it is kept and added up with the other logs of its session."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from agentview.domain.period import Period
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.usage.accumulator import UsageAccumulator
from agentview.facts.usage.aggregate import UsageGroups
from agentview.facts.usage.report import ToolUsage, UsageSums
from agentview.facts.usage.tally import Tally
from agentview.facts.usage.time_breakdown import TimeSplit


class LogUsage(Value):
    """Usage of one log. The fields that `UsageSums` has too mean the same, for this log."""

    own: Tally
    agents: Tally
    abandoned: Tally
    by_model: dict[str | None, Tally]
    by_tool: dict[str | None, Tally]
    by_hour: dict[str | None, Tally]
    tools: dict[str, ToolUsage]
    time: TimeSplit
    standing: int
    compactions: int
    client_cost: float | None
    started: float | None
    ended: float | None
    turns: tuple[tuple[float | None, bool], ...]
    """When each turn started and whether it is abandoned, where one is; else none."""
    began: float | None
    """Time of the first event in the log, whether in the period or not."""
    span: tuple[float, float] | None
    """The first and the last time of all its records."""
    has_untimed: bool
    is_inside: bool
    is_whole: bool
    """All of the log is in the period."""


def log_usage(ledger: UsageAccumulator, sums: UsageGroups) -> LogUsage:
    """Return the usage of a log's records; `sums` are those of the ledger."""
    abandoned = [ledger.is_abandoned(turn.place[0]) for turn in ledger.turns]
    starts = [turn.started for turn in ledger.turns] if any(abandoned) else []
    return LogUsage(
        sums.own,
        sums.agents,
        ledger.abandoned(sums),
        dict(sums.by_model),
        dict(sums.by_tool),
        dict(sums.by_hour),
        ledger.tool_usage(),
        ledger.clock.split,
        sum(
            turn.stands and not left and ledger.extent.period.has(turn.started)
            for turn, left in zip(ledger.turns, abandoned, strict=True)
        ),
        len(ledger.compacted),
        None if ledger.partial or ledger.extent.is_cut else ledger.client_cost,
        ledger.extent.started,
        ledger.extent.ended,
        tuple(zip(starts, abandoned, strict=False)),
        ledger.extent.began,
        ledger.extent.span,
        ledger.extent.has_untimed,
        not ledger.extent.is_cut
        or ledger.extent.started is not None
        or sums.own.is_used
        or sums.agents.is_used,
        not ledger.extent.is_cut,
    )


def in_period(usage: LogUsage, period: Period) -> LogUsage | None:
    """Usage of a log in a period, from that of the whole log; None where only the log says that."""
    if period.is_all:
        return usage
    if usage.span is None or period.has_none(*usage.span):
        return _nothing_of(usage)
    return usage if period.has_all(*usage.span) and not usage.has_untimed else None


def _nothing_of(usage: LogUsage) -> LogUsage:
    return replace(
        usage,
        own=Tally(),
        agents=Tally(),
        abandoned=Tally(),
        by_model={},
        by_tool={},
        by_hour={},
        tools={},
        time=TimeSplit(),
        standing=0,
        compactions=0,
        client_cost=None,
        started=None,
        ended=None,
        is_inside=False,
        is_whole=False,
    )


def with_agents(
    ref: SessionRef,
    main: LogUsage,
    agents: Sequence[tuple[str, LogUsage]],
    *,
    left_out: bool = False,
) -> UsageSums:
    """Add what agents used, by the paths of their logs, to what is known of their session's log.

    The tallies of `main` are changed. With `left_out` there are agents that are not among them.
    """
    for _, agent in agents:
        _add_agent(main, agent)
    return UsageSums(
        ref,
        main.own,
        main.agents,
        main.abandoned,
        main.by_model,
        main.by_tool,
        main.by_hour,
        main.tools,
        main.time,
        main.standing,
        main.compactions,
        None if left_out or not all(agent.is_whole for _, agent in agents) else main.client_cost,
        tuple(path for path, _ in agents),
        main.started,
        main.ended,
        sum(agent.is_inside for _, agent in agents),
        main.is_inside or any(agent.is_inside for _, agent in agents),
        main.has_untimed or any(agent.has_untimed for _, agent in agents),
    )


def _add_agent(main: LogUsage, agent: LogUsage) -> None:
    main.agents.merge(agent.own)
    main.agents.merge(agent.agents)
    turn = turn_at([started for started, _ in main.turns], agent.began)
    if turn and main.turns[turn - 1][1]:
        main.abandoned.merge(agent.own)
        main.abandoned.merge(agent.agents)
    for mine, more in (
        (main.by_model, agent.by_model),
        (main.by_tool, agent.by_tool),
        (main.by_hour, agent.by_hour),
    ):
        for key, tally in more.items():
            mine.setdefault(key, Tally()).merge(tally)
    for tool, used in agent.tools.items():
        main.tools[tool] = main.tools[tool].plus(used) if tool in main.tools else used


def turn_at(starts: Sequence[float | None], started: float | None) -> int:
    """Number of the turn in which an agent was started; the last one where no time is known."""
    if started is None:
        return len(starts)
    return next(_earlier(starts, started), min(1, len(starts)))


def _earlier(starts: Sequence[float | None], started: float) -> Iterator[int]:
    for number in range(len(starts), 0, -1):
        start = starts[number - 1]
        if start is not None and start <= started:
            yield number

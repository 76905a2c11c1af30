"""What one log used, as it is kept and added up with the other logs of its session."""

from collections.abc import Iterator, Sequence

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.usage.accumulator import Turn, UsageAccumulator
from agentview.facts.usage.aggregate import UsageGroups
from agentview.facts.usage.report import ToolUsage, UsageSums
from agentview.facts.usage.tally import Tally
from agentview.facts.usage.time_breakdown import TimeSplit


class LogUsage(Value):
    """What one log used. The fields that `UsageSums` has too mean the same, for this log."""

    own: Tally
    agents: Tally
    abandoned: Tally
    by_model: dict[str | None, Tally]
    by_tool: dict[str | None, Tally]
    by_day: dict[str | None, Tally]
    tools: dict[str, ToolUsage]
    time: TimeSplit
    standing: int
    compactions: int
    client_cost: float | None
    started: float | None
    ended: float | None
    turns: tuple[tuple[float | None, bool], ...]
    """When each turn started and whether it is abandoned, where one is; else none."""


def log_usage(ledger: UsageAccumulator, sums: UsageGroups) -> LogUsage:
    """Return what the records of a log have come to; `sums` are those of the ledger."""
    abandoned = [ledger.is_abandoned(turn.place[0]) for turn in ledger.turns]
    starts = [turn.started for turn in ledger.turns] if any(abandoned) else []
    return LogUsage(
        sums.own,
        sums.agents,
        ledger.abandoned(sums),
        dict(sums.by_model),
        dict(sums.by_tool),
        dict(sums.by_day),
        ledger.tools.usage(),
        ledger.clock.split,
        sum(map(_stands, ledger.turns, abandoned)),
        len(ledger.compacted),
        None if ledger.partial else ledger.client_cost,
        ledger.started,
        ledger.ended,
        tuple(zip(starts, abandoned, strict=False)),
    )


def _stands(turn: Turn, abandoned: bool) -> bool:
    return turn.stands and not abandoned


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
        main.by_day,
        main.tools,
        main.time,
        main.standing,
        main.compactions,
        None if left_out else main.client_cost,
        tuple(path for path, _ in agents),
        main.started,
        main.ended,
    )


def _add_agent(main: LogUsage, agent: LogUsage) -> None:
    main.agents.merge(agent.own)
    main.agents.merge(agent.agents)
    turn = turn_at([started for started, _ in main.turns], agent.started)
    if turn and main.turns[turn - 1][1]:
        main.abandoned.merge(agent.own)
        main.abandoned.merge(agent.agents)
    for mine, more in (
        (main.by_model, agent.by_model),
        (main.by_tool, agent.by_tool),
        (main.by_day, agent.by_day),
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
    """Numbers of the turns that had begun at a time, the last one first."""
    for number in range(len(starts), 0, -1):
        start = starts[number - 1]
        if start is not None and start <= started:
            yield number

"""Usage of sessions as lines of text: tables with bars, and a sparkline of the context."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rich.cells import cell_len, set_cell_size

from agentview.cli.output.usage_json import by_size
from agentview.domain.session import SessionInfo
from agentview.facts.usage.group_by import Breakdown, Group, GroupKey, Totals
from agentview.facts.usage.report import SessionUsage, ToolUsage, largest
from agentview.facts.usage.tally import Tally
from agentview.facts.usage.time_breakdown import TimeSplit
from agentview.sessions.targets.session_line import short_ids
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.format_numbers import (
    UNKNOWN,
    counted,
    dollars,
    estimated,
    span,
    tokens,
)
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.sparkline import bar, sparkline

_GAP = "  "
_BAR = 12
_SPARK = 40
_NAME = 44
_TURNS = 40
"""Turns that are shown of a session; of more, those that used most."""
_COUNT_HEADS = ("INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "COST")
_NOTE = "~ estimated at list prices; costs without ~ are reported by the client."
_PARTLY = "+ at least: some of the tokens have no known price."
_UNFINISHED = "+ at least: the log has no final count of the output of {}."

Row = Sequence[str]


def session_lines(
    usage: SessionUsage, info: SessionInfo, width: int | None, *, unicode: bool
) -> list[str]:
    """One session in full."""
    plot = _Plots(unicode)
    total = usage.total
    lines = [one_line(info.title or usage.ref.session_id), ""]
    lines += _sums(
        usage.cost, [("total", total), ("session", usage.own), ("sub-agents", usage.agents)]
    )
    if usage.no_counts is not None:
        lines.append(usage.no_counts)
    if usage.abandoned.responses:
        lines.append(_abandoned(usage.abandoned))
    if usage.cost.client is not None:
        lines.append(
            f"reported by the client: {dollars(usage.cost.client)}"
            if usage.agents.responses
            else f"at list prices: {_estimate(total)}"
        )
    lines += ["", _time_line(usage.time), *_context_lines(usage, plot)]
    models = {name or UNKNOWN: tally for name, tally in by_size(usage.by_model)}
    if models:
        lines += ["", *_table("MODEL", models, plot)]
    lines += _tool_lines(usage.tools, usage.by_tool, plot)
    shown = largest(usage.turns, _TURNS)
    turns: dict[str, Tally] = {}
    for turn in shown:
        name = f"{'abandoned' if turn.abandoned else turn.number} {turn.prompt}".strip()
        while name in turns:
            name += " "
        turns[name] = turn.tally
    if turns:
        lines += ["", *_table("TURN", turns, plot)]
        if len(usage.turns) > len(turns):
            lines.append(f"… {counted(len(usage.turns) - len(turns), 'turn')} that used less")
    return _fitted([*lines, *_notes(total)], width, unicode=unicode)


def totals_lines(
    totals: Totals, infos: Mapping[str, SessionInfo], width: int | None, *, unicode: bool
) -> list[str]:
    """Many sessions, and the groups that were asked for."""
    plot = _Plots(unicode)
    agents = f", {counted(totals.agent_logs, 'sub-agent')}" if totals.agent_logs else ""
    head = f"{counted(totals.all.sessions, 'session')}{agents}, {counted(totals.turns, 'turn')}"
    lines = [head, ""]
    tally = totals.all.tally
    lines += _sums(
        totals.all.cost,
        [("total", tally), ("sessions", totals.own), ("sub-agents", totals.agents)],
    )
    if totals.abandoned.responses:
        lines.append(_abandoned(totals.abandoned))
    if totals.all.client_cost is not None:
        sessions = counted(totals.all.client_sessions, "session")
        lines.append(f"reported by client for {sessions}: {dollars(totals.all.client_cost)}")
        lines.append(
            f"with costs reported by clients: {totals.all.cost.text()}"
            if totals.agents.responses
            else f"estimated at list prices: {_estimate(tally)}"
        )
    lines += ["", _time_line(totals.all.time)]
    breakdown = totals.breakdown
    if breakdown is None:
        days = sorted((day, each) for day, each in totals.days.items() if day is not None)
        if len(days) > 1:
            spark = plot.spark([each.tokens or 0 for _, each in days])
            lines.append(f"days     {spark}  {days[0][0]} to {days[-1][0]}, tokens")
        lines += _tool_lines(totals.tools, None, plot)
    else:
        named = _named(breakdown, infos)
        tallies = {name: group.tally for name, group in named.items()}
        costs = {name: breakdown.cost(group) for name, group in named.items()}
        lines += ["", *_table(breakdown.by.value.upper(), tallies, plot, costs)]
    return _fitted([*lines, *_notes(tally)], width, unicode=unicode)


class _Plots:
    """Bars and lines in the letters that the output has."""

    def __init__(self, unicode: bool) -> None:
        self.unicode = unicode

    def bar(self, part: float, whole: float) -> str:
        return bar(part, whole, _BAR, unicode=self.unicode)

    def spark(self, values: Sequence[int]) -> str:
        return sparkline(values, _SPARK, unicode=self.unicode)


def _counts(tally: Tally, cost: Cost | None = None) -> list[str]:
    usage = tally.usage
    given = (usage.input_uncached, usage.input_cached, usage.cache_write)
    output = f"{tokens(usage.output)}{'+' if usage.unfinished else ''}"
    return [*map(tokens, given), output, (cost or tally.worth()).text()]


def _abandoned(tally: Tally) -> str:
    used = f"{tokens(tally.tokens)} tokens, {tally.worth().text()}"
    return f"of the total, abandoned branches: {used}"


def _estimate(tally: Tally) -> str:
    return estimated(tally.cost, whole=tally.cost_is_whole)


def _sums(cost: Cost, rows: Sequence[tuple[str, Tally]]) -> list[str]:
    """The total, which cost so much, and its parts.

    Clients report no cost of a part: with parts, all rows are at list prices, so that they add up.
    """
    (name, total), *parts = rows
    if not parts[-1][1].responses:
        return _aligned([["", *_COUNT_HEADS], [name, *_counts(total, cost)]])
    listed = total.client_cost is None
    shown = [
        [each, *_counts(tally, _listed(tally) if listed else None)]
        for each, tally in ((name, total), *parts)
    ]
    return _aligned([["", *_COUNT_HEADS], *shown])


def _listed(tally: Tally) -> Cost:
    return Cost(None, tally.cost, tally.cost_is_whole)


def _table(
    title: str,
    tallies: Mapping[str, Tally],
    plot: _Plots,
    costs: Mapping[str, Cost] = MappingProxyType({}),
) -> list[str]:
    """A row each; `costs` are those of whole sessions, all others cost what their tokens did."""
    most = max((tally.tokens or 0 for tally in tallies.values()), default=0)
    rows = [
        [_name(name), *_counts(tally, costs.get(name)), plot.bar(tally.tokens or 0, most)]
        for name, tally in tallies.items()
    ]
    return _aligned([[title, *_COUNT_HEADS, "TOKENS"], *rows], last_left=True)


def _name(text: str) -> str:
    name = one_line(text)
    return name if cell_len(name) <= _NAME else set_cell_size(name, _NAME - 1) + "…"


def _named(breakdown: Breakdown, infos: Mapping[str, SessionInfo]) -> dict[str, Group]:
    named: dict[str, Group] = {}
    groups = breakdown.ordered()
    refs = [group.ref for _, group in groups if group.ref is not None]
    short = short_ids(ref.own_id for ref in refs)
    for key, group in groups:
        name = key if key is not None else _UNNAMED.get(breakdown.by, UNKNOWN)
        if group.ref is not None:
            info = infos.get(group.ref.path)
            ident = short[group.ref.own_id]
            name = f"{ident}  {info.title or UNKNOWN}" if info is not None else ident
        while name in named:
            name += " "
        named[name] = group
    return named


_TOOL_CHARS = 40
_UNNAMED: dict[GroupKey | None, str] = {GroupKey.TOOL: "no tool"}


def _tool_lines(
    tools: Mapping[str, ToolUsage], tallies: Mapping[str | None, Tally] | None, plot: _Plots
) -> list[str]:
    if not tools:
        return []
    most = max(each.calls for each in tools.values())
    heads = ["TOOL", "CALLS", "PROBLEMS", "TIME", *(["OUTPUT", "COST"] if tallies else [])]
    rows: list[Row] = [[*heads, "CALLS"]]
    for tool, each in sorted(tools.items(), key=lambda item: (-item[1].calls, item[0])):
        tally = tallies.get(tool) if tallies else None
        used = [_counts(tally)[3], _counts(tally)[4]] if tally is not None else [UNKNOWN, UNKNOWN]
        rows.append(
            [
                one_line(tool, _TOOL_CHARS),
                str(each.calls),
                str(each.problems),
                span(each.seconds),
                *(used if tallies else []),
                plot.bar(each.calls, most),
            ]
        )
    return ["", *_aligned(rows, last_left=True)]


def _time_line(time: TimeSplit) -> str:
    parts = [
        f"{name} {span(seconds)}"
        for name, seconds in (("model", time.model), ("tools", time.tools), ("you", time.person))
    ]
    unknown = f" · unaccounted {span(time.unknown)}" if time.unknown else ""
    return f"time     {' · '.join(parts)}{unknown}"


def _context_lines(usage: SessionUsage, plot: _Plots) -> list[str]:
    if not usage.context:
        return [f"context  {UNKNOWN}"]
    newest = usage.context[-1].tokens
    window = f" of {tokens(usage.window)}" if usage.window else ""
    spark = plot.spark([point.tokens for point in usage.context])
    compacted = f", {counted(usage.compactions, 'compaction')}" if usage.compactions else ""
    return [f"context  {spark}  {tokens(newest)}{window}{compacted}"]


def _notes(tally: Tally) -> list[str]:
    unfinished = tally.usage.unfinished
    notes = [
        *([_NOTE] if tally.cost is not None else []),
        *([_PARTLY] if tally.cost is not None and tally.partly else []),
        *([_UNFINISHED.format(counted(unfinished, "response"))] if unfinished else []),
    ]
    return ["", *notes] if notes else []


def _aligned(rows: Sequence[Row], *, last_left: bool = False) -> list[str]:
    """Rows as columns: the first from the left, numbers from the right."""
    widths = [max(cell_len(row[at]) for row in rows) for at in range(len(rows[0]))]

    def left(at: int) -> bool:
        return at == 0 or (last_left and at == len(widths) - 1)

    return [
        _GAP.join(
            cell + " " * (size - cell_len(cell))
            if left(at)
            else " " * (size - cell_len(cell)) + cell
            for at, (cell, size) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _fitted(lines: Sequence[str], width: int | None, *, unicode: bool) -> list[str]:
    if not unicode:
        lines = [line.translate(_ASCII) for line in lines]
    if width is None:
        return list(lines)
    return [
        set_cell_size(line, width).rstrip() if cell_len(line) > width else line for line in lines
    ]


_ASCII = str.maketrans({UNKNOWN: "-", "…": "...", "·": "-"})

"""Usage of sessions as JSON; unknown figures are null."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import asdict

from agentview.domain.period import Period
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.tools import ToolKind
from agentview.facts.usage.group_by import Breakdown, Group, Totals
from agentview.facts.usage.report import SessionUsage, ToolUsage
from agentview.facts.usage.tally import Tally
from agentview.facts.usage.time_breakdown import TimeSplit
from agentview.reports.export.encoding import iso_time, shown_cost_fields

Object = dict[str, object]
_Key = TypeVar("_Key")


def document(
    totals: Totals,
    within: Period,
    only: SessionUsage | None,
    infos: Mapping[str, SessionInfo],
    unreadable: Iterable[tuple[str, str]],
) -> Object:
    """All of it; `only` is the session when it is one, which is then given in full."""
    return {
        "version": 1,
        "by": totals.breakdown.by.value if totals.breakdown is not None else None,
        "after": iso_time(within.after),
        "before": iso_time(within.before),
        "sessions": totals.all.sessions,
        "agents": totals.agent_logs,
        "turns": totals.turns,
        "compactions": totals.compactions,
        "started": iso_time(totals.started),
        "ended": iso_time(totals.ended),
        "sessions_without_times": totals.untimed,
        "total": _tally(totals.all.tally),
        "own": _tally(totals.own),
        "subagents": _tally(totals.agents),
        "abandoned": _tally(totals.abandoned),
        **shown_cost_fields(totals.all.cost),
        "client_cost": totals.all.client_cost,
        "client_cost_sessions": totals.all.client_sessions,
        "unpriced_models": sorted(totals.unpriced, key=lambda name: (name is None, name)),
        "seconds": _time(totals.all.time),
        "tools": _tools(totals.tools),
        "groups": _groups(totals.breakdown, infos) if totals.breakdown is not None else [],
        "session": _session(only) if only is not None else None,
        "unreadable": [{"path": path, "reason": reason} for path, reason in unreadable],
    }


def _tally(tally: Tally) -> Object:
    usage = tally.usage
    return {
        "responses": tally.responses,
        **asdict(usage),
        "tokens": tally.tokens,
        "cost_estimate": tally.cost,
        "client_cost": tally.client_cost,
        "cost_estimate_complete": tally.cost_is_whole if tally.cost is not None else None,
    }


def _time(time: TimeSplit) -> Object:
    return {
        "model": time.model,
        "tools": time.tools,
        "person": time.person,
        "unknown": time.unknown,
    }


_KINDS = frozenset(kind.value for kind in ToolKind)


def _tools(tools: Mapping[str, ToolUsage]) -> Sequence[Object]:
    ordered = sorted(tools.items(), key=lambda item: (-item[1].calls, item[0]))
    return [
        {
            **_tool(tool),
            "calls": each.calls,
            "problems": each.problems,
            "seconds": each.seconds,
        }
        for tool, each in ordered
    ]


def _tool(tool: str | None) -> Object:
    """The kind of a tool, and its name where the kind is unknown; null for no tool."""
    known = tool is None or tool in _KINDS
    return {"kind": tool if known else ToolKind.UNKNOWN.value, "name": None if known else tool}


def _groups(breakdown: Breakdown, infos: Mapping[str, SessionInfo]) -> Sequence[Object]:
    return [
        {**_key(key, group, infos), "sessions": group.sessions, **_tally(group.tally)}
        | (_whole(group) if breakdown.of_sessions else {})
        for key, group in breakdown.ordered()
    ]


def _key(key: str | None, group: Group, infos: Mapping[str, SessionInfo]) -> Object:
    if group.ref is None:
        return {"key": key}
    info = infos.get(group.ref.path)
    return {
        "key": group.ref.own_id,
        **_where(group.ref),
        "title": info.title if info is not None else None,
        "project": info.project if info is not None else None,
    }


def _where(ref: SessionRef) -> Object:
    return {"host": ref.host, "provider": ref.provider, "path": ref.path}


def _whole(group: Group) -> Object:
    return {
        **shown_cost_fields(group.cost),
        "client_cost": group.client_cost,
        "seconds": _time(group.time),
    }


def _session(usage: SessionUsage) -> Object:
    return {
        "id": usage.ref.own_id,
        **_where(usage.ref),
        "turns": [
            {
                "number": turn.number,
                "prompt": turn.prompt,
                "started": iso_time(turn.started),
                "abandoned": turn.abandoned,
                **_tally(turn.tally),
            }
            for turn in usage.turns
        ],
        "models": [{"model": name, **_tally(tally)} for name, tally in by_size(usage.by_model)],
        "tools": [{**_tool(tool), **_tally(tally)} for tool, tally in by_size(usage.by_tool)],
        "context": [
            {"time": iso_time(point.time), "tokens": point.tokens, "compacted": point.compacted}
            for point in usage.context
        ],
        "context_window": usage.window,
        "compactions": usage.compactions,
        "unreadable_agents": list(usage.trouble),
    }


def by_size(tallies: Mapping[_Key, Tally]) -> list[tuple[_Key, Tally]]:
    return sorted(tallies.items(), key=lambda item: (-(item[1].tokens or 0), str(item[0])))

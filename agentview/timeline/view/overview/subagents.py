"""The agents of a session: which call started each, what they are called, what they did."""

from collections.abc import Iterable, Iterator, Mapping

from agentview.domain.activity import Activity
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tool_results import SubagentResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.sanitize import first_line

_NAME = 40


class Agent(Value, gc=True):
    """An agent, or a call that started one whose log is not known.

    `way` leads to its log from that of the session, through the agents that started one another; it
    is that of its parent where it has no log. `row` is of the call, in the log of the parent; None
    where no call is known.
    """

    parent: SessionStore
    row: int | None
    depth: int
    way: tuple[Stream, ...]
    log: SessionStore | None


_Started = dict[int, dict[int, list[Stream]]]
"""The agents of each call, by the log of the call and its row."""


class AgentTotals(Value):
    """Totals of an agent so far; None is unknown."""

    calls: int | None = None
    problems: int | None = None
    tokens: int | None = None
    seconds: float | None = None


class Known:
    """Facts from earlier trees; to be forgotten when rows are."""

    def __init__(self) -> None:
        self.starts: dict[tuple[str, int], bool] = {}
        """Whether the call at a row of the log at a path starts an agent."""
        self.calls: dict[Stream, tuple[SessionStore, int]] = {}
        """The log and the row of the call that started the agent of a stream."""

    def forget(self, path: str, rows: Iterable[int]) -> None:
        for row in rows:
            self.starts.pop((path, row), None)


def agent_tree(session: SessionStore, known: Known | None = None) -> Iterator[Agent | None]:
    """All agents, each behind the one that started it, in the order of the calls.

    Calls that started an agent without a log are decoded, but those that are `known`. Gives None
    while it looks for the calls.
    """
    known = known or Known()
    logs = {stream: log for stream, log in session.children.items() if log is not session}
    yield from _find_calls((session, *logs.values()), logs, known)
    started: _Started = {}
    for stream, (store, row) in known.calls.items():
        if stream in logs:
            started.setdefault(id(store), {}).setdefault(row, []).append(stream)
    with_log: set[Stream] = set()
    for agent in _below(session, (), logs, started, known.starts):
        if agent.log is not None:
            with_log.add(agent.way[-1])
        yield agent
    # Of an agent the others in its session are known too, and those that it did not start.
    whole = session.session.stream.kind is StreamKind.MAIN
    for stream, log in logs.items():
        if whole and stream not in with_log:
            yield Agent(session, None, 0, (stream,), log)


def _find_calls(
    stores: Iterable[SessionStore], logs: Mapping[Stream, SessionStore], known: Known
) -> Iterator[None]:
    """Find the calls that started the agents of which none is known yet, a log at a time."""
    sought = {stream: log for stream, log in logs.items() if stream not in known.calls}
    for store in stores:
        if not sought:
            return
        for stream, log in tuple(sought.items()):
            row = None if log is store else store.child_call(stream)
            if row is not None:
                known.calls[stream] = store, row
                del sought[stream]
        yield


def _below(
    store: SessionStore,
    way: tuple[Stream, ...],
    logs: dict[Stream, SessionStore],
    started: _Started,
    starts: dict[tuple[str, int], bool],
) -> Iterator[Agent]:
    own = started.get(id(store), {})
    calls = (row for row in store.of_kinds({ToolKind.SUBAGENT_TASK}) if store.shown(row))
    for row in sorted({*calls, *own}):
        streams = [stream for stream in own.get(row, ()) if stream not in way]
        if not streams and (own.get(row) or not _starts_agent(store, row, starts)):
            continue
        depth = len(way) + store.nested(row)
        run = any(logs[stream].session.run is not None for stream in streams)
        if run or not streams:
            yield Agent(store, row, depth, way, None)
        for stream in streams:
            yield Agent(store, row, depth + run, (*way, stream), logs[stream])
            # The agents of one in the log of its parent stand there as well.
            if not logs[stream].session.shared:
                yield from _below(logs[stream], (*way, stream), logs, started, starts)


def _starts_agent(store: SessionStore, row: int, starts: dict[tuple[str, int], bool]) -> bool:
    """Return True if a call starts an agent: others speak to one, wait for it or end it."""
    key = store.session.path, row
    if key not in starts:
        call = store.activity(row)
        asked = _payload(call)
        task = asked.prompt or asked.description or asked.agent_type
        starts[key] = call.child is not None or (asked.recipient is None and bool(task))
    return starts[key]


def agent_totals(log: SessionStore | None, call: Activity | None) -> AgentTotals:
    """Return the totals of an agent, from its log; without one, from the result of its call."""
    if log is not None:
        summary, usage = log.summary, log.summary.usage
        counts = (usage.input_uncached, usage.input_cached, usage.cache_write, usage.output)
        known = [count for count in counts if count is not None]
        first, last = summary.times.first, summary.times.last
        return AgentTotals(
            summary.count(*ToolKind),
            summary.problems,
            sum(known) if known else None,
            None if first is None or last is None else last - first,
        )
    body = None if call is None else call.body
    result = body.result if isinstance(body, ToolCall) else None
    reported = result if isinstance(result, SubagentResult) else SubagentResult()
    took = reported.duration
    if took is None and call is not None and not _payload(call).background:
        took = call.duration
    return AgentTotals(reported.call_count, None, reported.total_tokens, took)


def agent_name(
    call: Activity | None, ref: SessionRef | None = None, prompt: str | None = None
) -> str:
    """Name of an agent in few words: its type, else its task, else the name of its log.

    Of several that one call started each has its own label, or its own first `prompt`.
    """
    payload = _payload(call)
    names: list[str | None] = [payload.agent_type, payload.agent_name, payload.description]
    names += [payload.prompt, ref.label if ref is not None else None, prompt]
    if ref is not None and ref.run is not None:
        names = [ref.label, prompt]
    said = (first_line(name, _NAME) for name in names if name)
    return next((name for name in said if name), "agent")


def agent_task(call: Activity | None) -> str:
    """Task of an agent, where its name does not say it; empty when that is unknown."""
    payload = _payload(call)
    if not (payload.agent_type or payload.agent_name):
        return ""
    return first_line(payload.description or payload.prompt or "")


def _payload(call: Activity | None) -> SubagentPayload:
    body = None if call is None else call.body
    payload = body.payload if isinstance(body, ToolCall) else None
    return payload if isinstance(payload, SubagentPayload) else SubagentPayload()

"""The test runs of a session and of its agents."""

from collections.abc import Iterable, Iterator

from agentview.domain.index_entry import Flag
from agentview.domain.suite_result import SuiteResult
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.reports.blame.file_past import Writer
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.titles.test_results import results_of


class TestRun(Value):
    """A command that printed results of tests."""

    command: str
    result: SuiteResult
    time: float | None
    """When it began."""
    event_id: str
    log: str
    offset: int
    """Where its record is."""


def runs_of(store: SessionStore) -> list[TestRun]:
    """The test runs of a session and of the agents that it started, in order."""
    logs = (store, *store.children.values())
    # Agents may be in the log of their session.
    found = {run.event_id: run for own in logs for run in _runs_in(own)}
    return sorted(found.values(), key=lambda run: run.time or 0.0)


def _runs_in(store: SessionStore) -> Iterator[TestRun]:
    for row in store.of_kinds((ToolKind.SHELL,)):
        if store.joined_codes(row, row + 1)[1][0] & Flag.ABSENT & ~Flag.REWOUND:
            continue
        activity = store.joined_activity(row)
        call = activity.body
        if not isinstance(call, ToolCall) or not isinstance(call.payload, ShellPayload):
            continue
        result = results_of(call)
        if result is not None:
            yield TestRun(
                command=call.payload.command,
                result=result,
                time=activity.started,
                event_id=str(activity.first.id),
                log=store.session.path,
                offset=store.offset(row),
            )


def runs_after(writer: Writer, runs: Iterable[TestRun]) -> tuple[TestRun, ...]:
    return tuple(run for run in runs if _is_after(writer, run))


def _is_after(writer: Writer, run: TestRun) -> bool:
    if run.log == writer.log.path:
        return run.offset > writer.place[0]
    return None not in (run.time, writer.time) and (run.time or 0) >= (writer.time or 0)

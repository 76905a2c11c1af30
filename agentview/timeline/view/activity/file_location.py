"""Which file an activity is about, and at which line, so that it can be opened."""

from collections.abc import Iterator, Sequence

from agentview.domain.activity import Activity
from agentview.domain.record_ref import FileLocation
from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    ReadPayload,
    ReviewPayload,
    ShellPayload,
)
from agentview.domain.tool_results import (
    ChangeResult,
    Hunk,
    LintsResult,
    MatchResult,
    PathsResult,
    ReadResult,
    Result,
    SearchResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall
from agentview.normalize.shell_command import directory_of
from agentview.normalize.tools.patch import parse_changes
from agentview.timeline.view.activity.activity_text import file_paths
from agentview.timeline.view.diff.printed import printed_diffs
from agentview.timeline.view.titles.findings import findings_of, first_finding
from agentview.timeline.view.titles.test_results import results_of
from agentview.timeline.view.titles.text import cwd_of


def file_place(activity: Activity) -> FileLocation | None:
    """The first place that the activity is about; None when it names no file."""
    body = activity.body
    cwd = cwd_of(activity)
    found: tuple[str, int | None] | None = None
    if isinstance(body, ToolCall):
        if isinstance(body.payload, ShellPayload):
            cwd = directory_of(body.payload.command, body.payload.cwd or cwd)
        found = next(_places(body), None)
    if found is None:
        path = next(iter(file_paths(activity)), None)
        found = None if path is None else (path, None)
    return FileLocation(*found, cwd) if found and found[0] else None


def _places(call: ToolCall) -> Iterator[tuple[str, int | None]]:
    """Places by how well they are known: those of the result before those of the arguments."""
    payload, result = call.payload, call.result
    if isinstance(payload, ReadPayload):
        start = result.start if isinstance(result, ReadResult) else None
        yield payload.path, payload.start or start
    if result is not None:
        yield from _result_places(result)
    if isinstance(payload, EditPayload | ReviewPayload):
        yield from _asked_places(payload)
    if (tests := results_of(call)) is not None:
        yield from ((one.path, one.line) for one in tests.failures if one.path is not None)
    elif found := findings_of(call):
        first = first_finding(found)
        yield first.path, first.line
    if call.reading is not None:
        for step in call.reading.steps:
            if isinstance(step.payload, ReadPayload):
                yield step.payload.path, step.payload.start


def _asked_places(payload: EditPayload | ReviewPayload) -> Iterator[tuple[str, int | None]]:
    if isinstance(payload, EditPayload):
        yield from ((file.path, _edited_line(file)) for file in payload.files)
    else:
        yield from ((one.path, one.line) for one in payload.findings if one.path)


def _result_places(result: Result) -> Iterator[tuple[str, int | None]]:
    match result:
        case ChangeResult():
            yield from ((one.move_to or one.path, _changed_line(one.hunks)) for one in result.files)
        case ShellResult():
            yield from (
                (one.move_to or one.path, _changed_line(one.hunks)) for one in printed_diffs(result)
            )
        case MatchResult():
            yield from ((one.path, one.line) for one in result.matches if not one.context)
        case LintsResult():
            yield from ((one.path, one.line) for one in result.diagnostics)
        case SearchResult():
            yield from ((one.path, one.start) for one in result.hits)
        case PathsResult():
            yield from ((path, None) for path in result.paths if not path.endswith("/"))
        case _:
            return


def _changed_line(hunks: Sequence[Hunk] | None) -> int | None:
    """The first line that was changed, not the one that the first hunk begins with."""
    for hunk in hunks or ():
        line = hunk.new_start
        if line <= 0:
            continue
        for text in hunk.lines:
            if text[:1] in "+-":
                return line
            line += 1
    return None


def _edited_line(file: FileEdit) -> int | None:
    if file.patch is None:
        return None
    lines = (_changed_line(change.hunks) for change in parse_changes(file.patch))
    return next((line for line in lines if line is not None), None)

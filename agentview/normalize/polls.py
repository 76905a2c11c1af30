"""Polls: the later calls that act on a command that runs on, and its outcome by them."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolState


def with_polls(call: ToolCall, polls: Sequence[ToolCall]) -> ToolCall:
    """Join a call with later calls on what it began, in order, each with its result.

    Its output is that of all of them, its outcome that of the last one that says so. One whose own
    records have its end has all of its output.
    """
    if not polls:
        return call
    call = replace(call, polls=(*polls,))
    for poll in polls:
        known = call.result
        if not isinstance(known, ShellResult) or not known.launched:
            break
        if isinstance(poll.result, ShellResult):
            call = _continued(call, known, poll, poll.result)
        elif _ends(poll):
            call = _ended(call, replace(known, launched=False), None)
    return call


def _continued(call: ToolCall, known: ShellResult, poll: ToolCall, later: ShellResult) -> ToolCall:
    runs = later.launched and not _ends(poll)
    result = replace(
        known,
        output=_grown(known.output, later.output),
        stdout=_grown(known.stdout, later.stdout),
        stderr=_grown(known.stderr, later.stderr),
        exit_code=known.exit_code if later.exit_code is None else later.exit_code,
        interrupted=known.interrupted or later.interrupted,
        status=later.status,
        media=(*known.media, *later.media),
        launched=runs,
    )
    if runs:
        return replace(call, result=result)
    code = later.exit_code
    ok = code == 0 if code is not None else None if _ends(poll) else poll.ok
    return _ended(call, result, ok, poll.error)


def _ended(
    call: ToolCall, result: ShellResult, ok: bool | None, error: str | None = None
) -> ToolCall:
    state = ToolState.OUTPUT_ERROR if ok is False else ToolState.OUTPUT_AVAILABLE
    error = error if ok is False else None
    return replace(call, result=result, ok=ok, state=state, error=error)


def _ends(poll: ToolCall) -> bool:
    """True for a call that ended the command."""
    kills = isinstance(poll.payload, ShellPayload) and poll.payload.action is ShellAction.KILL
    return kills and poll.ok is not False and poll.state is ToolState.OUTPUT_AVAILABLE


def _grown(known: str | None, later: str | None) -> str | None:
    """The output so far with a later part of it, or with all of it again and more."""
    if not known or not later:
        return known or later
    return later if later.startswith(known) else known + later

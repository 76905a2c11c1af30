"""What shell commands did to files, as far as their words tell."""

import re
from collections.abc import Iterator
from dataclasses import replace

from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    WritePayload,
)
from agentview.domain.tool_results import ReadResult, ShellResult
from agentview.domain.tools import ShellStep, ToolCall, ToolKind, ToolState
from agentview.file_changes.call_outcome import Told, asked_for, seen_in
from agentview.file_changes.line_ends import told_to_end_with_returns
from agentview.file_changes.operations import (
    Appended,
    EndsWithReturns,
    Moved,
    Removed,
    Seen,
    Unclear,
    Written,
)
from agentview.file_changes.scripts import UNNAMED
from agentview.file_changes.shell_commands import (
    directory,
    echoed,
    moved,
    printed,
    statements,
    was_unopened,
)
from agentview.file_changes.uncertainty import Act
from agentview.file_changes.writers import LONGEST, seems_to_write, without_texts
from agentview.normalize.shell_command import read_command

_CHANGES = (ToolKind.WRITE, ToolKind.EDIT, ToolKind.DELETE)
_COMMAND = "a command may have changed it"
_NO_TOOL = re.compile(
    r"(?i)(?:error: ?)?(?:no such tool|unknown tool|tool ['\"`]?[\w.-]+['\"`]? "
    r"(?:was |is )?(?:not found|not available|does not exist|unknown))"
)
"""What is said of a call of a tool that there is not: it never ran."""
_ASKS = re.compile(r"\|\||\brm\s+(?:-\w+\s+)*-\w*[iI]")
"""Where part of it runs only if another one fails, or a file goes only if somebody agrees."""
_FAILED = re.compile(r"(?m)^(?:mv|rm|cp|tee|unlink): ")
"""How programs complain that did not do, or not all of, what they were asked for."""
_GOES_ELSEWHERE = re.compile(r"(?:^|[;&|({\n])[ \t]*(?:cd|pushd)\s")


def told_by_command(call: ToolCall, cwd: str | None) -> Iterator[Told]:
    """What a shell command did, or may have done, in a session in the directory `cwd`."""
    payload, result = call.payload, call.result
    if not isinstance(payload, ShellPayload) or payload.action is not ShellAction.RUN:
        return
    if call.state not in (ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR):
        return
    if _NO_TOOL.match(call.error or ""):
        return
    went_well = call.state is ToolState.OUTPUT_AVAILABLE and call.ok is not False
    output = ""
    if isinstance(result, ShellResult):
        went_well = went_well and result.exit_code in (0, None) and result.task_id is None
        output = (result.stdout if result.stdout is not None else result.output) or ""
    errors = result.stderr if isinstance(result, ShellResult) else None
    said = "\n".join(filter(None, (output, errors, call.error)))
    here = directory(payload.command, payload.cwd or cwd)
    command = payload.command
    for path in told_to_end_with_returns(command, output):
        yield Told(path, Act.READ, EndsWithReturns(), here)
    if went_well and call.reading is not None and not _asks(command):
        known = list(_by_reading(call, output))
        yield from (replace(one, cwd=here, words=command) for one in known)
        if known or call.reading.kind not in _CHANGES:
            return
    for piece, where, sure in statements(command, payload.cwd or cwd):
        certain = went_well and sure and not _asks(piece) and _FAILED.search(said) is None
        known = list(_by_words(piece)) if certain else []
        known = known or list(_doubts(piece, said))
        yield from (replace(one, cwd=where, words=command) for one in known)


def _asks(command: str) -> bool:
    return _ASKS.search(without_texts(command[:LONGEST])[0]) is not None


def _doubts(command: str, output: str) -> Iterator[Told]:
    """Files that a command may have changed, for all that is known of it."""
    elsewhere = _GOES_ELSEWHERE.search(command) is not None
    for path in seems_to_write(command):
        if not was_unopened(path, output):
            unplaced = elsewhere and not path.startswith("/")
            effect = Unclear(_COMMAND, certain=False)
            yield Told(UNNAMED if unplaced else path, Act.COMMAND, effect)


def _by_reading(call: ToolCall, output: str) -> Iterator[Told]:
    """What a command did that is understood as a whole."""
    reading, payload = call.reading, call.payload
    if reading is None or not isinstance(payload, ShellPayload):
        return
    for step in reading.steps:
        read = step.payload
        if not isinstance(read, ReadPayload):
            yield from _by_step(step)
        elif not read.path.startswith("git "):
            alone = printed(payload.command, reading, output)
            effect = (
                seen_in(read, ReadResult(output, start=read.start), exact=False) if alone else None
            )
            effect = effect or Seen("", whole=False)
            yield Told(read.path, Act.READ, effect, start=read.start, limit=read.limit)


def _by_words(command: str) -> Iterator[Told]:
    """What a command wrote, moved or deleted, as far as its words tell."""
    way = moved(command)
    if way is not None:
        yield Told(way[0], Act.MOVE, Moved(way[1]))
    said = echoed(command)
    if said is not None:
        path, text, appended = said
        yield Told(path, Act.WRITE, Appended(text) if appended else Written(text))
        return
    reading = read_command(command)
    for step in reading.steps if reading is not None else ():
        yield from _by_step(step)


def _by_step(step: ShellStep) -> Iterator[Told]:
    """What one step of a command wrote or deleted."""
    match step.payload:
        case WritePayload() as write:
            yield Told(write.path, Act.WRITE, Written(write.content or ""))
        case EditPayload() as edit:
            for asked in edit.files:
                if asked.patch is None and asked.edits and not asked.edits[0].old:
                    yield Told(asked.path, Act.WRITE, Appended(asked.edits[0].new))
                else:
                    yield from asked_for(asked)
        case DeletePayload() as delete:
            for path in delete.paths:
                yield Told(path, Act.DELETE, Removed())
        case _:
            return

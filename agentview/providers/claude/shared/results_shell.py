"""Results of Claude Code's shell tools, and of those that act on background tasks."""

import re

from agentview.domain.content import Block, ImageBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import FileOperation, ShellPayload
from agentview.domain.tool_results import FileChange, ShellResult
from agentview.domain.tools import ToolCall
from agentview.normalize.error_text import exit_code, section, timed_out, unwrap
from agentview.normalize.json_fields import Fields, flag, mapping, number, real, text
from agentview.normalize.output_text import media_of, text_of
from agentview.normalize.tools.patch import recorded_hunks
from agentview.providers._kit.typed_values import read_as
from agentview.providers.claude.shared.schema import BashDiff, ChangedFile

_RUNNING = "running"
_CALL_ERROR = "tool_use_error"
"""Tag around the text of a call that was never carried out."""
_NO_OUTPUT = "(Bash completed with no output)"
_INTERRUPTED = "[Request interrupted by user"
_ABORTED = "<error>Command was aborted before completion</error>"

_BACKGROUND = re.compile(
    r"(?:running in background with|backgrounded by user with|moved to the background \()"
    r" ?ID: ([\w-]+)"
)
_OUTPUT_FILE = re.compile(r"Output is being written to: (\S.*?)(?=\. You will|\.?\s*\n|\.?\s*\Z)")
_TIMED_OUT_HEAD = re.compile(r"Command did not complete within its \d")
_PERSISTED = re.compile(
    r"\s*<persisted-output>\nOutput too large \([^)\n]*\)\. Full output saved to: ([^\n]+)\n"
    r"(?:\nPreview \([^\n]*\):\n)?"
)
_PERSISTED_END = "</persisted-output>"
_MONITOR = re.compile(r"Monitor started \(task ([\w-]+)")
_HEAD = 2_000


def run(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Result of Bash and PowerShell.

    A command that failed has no `toolUseResult` object: the text of the error holds the exit code
    in its first line and both streams behind it.
    """
    fields = mapping(outcome.structured)
    if outcome.denial is not None:
        return None
    if "stdout" in fields or "stderr" in fields:
        return _streams(fields, outcome)
    said = text_of(outcome.output)
    if outcome.ok is False:
        return _failed(said, outcome)
    if said is None:
        return None
    persisted = _PERSISTED.match(said)
    if persisted is not None:
        preview = said[persisted.end() :].removesuffix(_PERSISTED_END).rstrip("\n")
        return ShellResult(output=preview, spill_path=persisted[1])
    task, file = _background(said)
    return ShellResult(
        output="" if said == _NO_OUTPUT or task is not None else said,
        timed_out=_TIMED_OUT_HEAD.match(said) is not None,
        task_id=task,
        launched=outcome.ok is None,
        spill_path=file,
        media=media_of(outcome.output),
    )


def _streams(fields: Fields, outcome: ToolResult) -> ShellResult:
    stdout = text(fields, "stdout")
    media: tuple[Block, ...] = media_of(outcome.output)
    if flag(fields, "isImage"):
        media = media or _data_image(stdout)
        stdout = None
    task = text(fields, "backgroundTaskId")
    file = _background(text_of(outcome.output) or "")[1] if task is not None else None
    late = real(fields, "timedOutAfterMs") is not None
    return ShellResult(
        stdout=stdout,
        stderr=text(fields, "stderr"),
        interrupted=flag(fields, "interrupted"),
        timed_out=late,
        task_id=task,
        launched=outcome.ok is None,
        status=text(fields, "returnCodeInterpretation"),
        spill_path=text(fields, "persistedOutputPath") or file,
        spill_size=number(fields, "persistedOutputSize"),
        media=media,
        changes=_changes(read_as(fields.get("bashEditDiff"), BashDiff)),
    )


def _changes(diff: BashDiff) -> tuple[FileChange, ...]:
    """Files that a command changed, those without a patch too.

    Nothing is reported where something else may have changed them meanwhile.
    """
    if diff.shared:
        return ()
    found = {
        each.file_path: FileChange(
            each.file_path, _operation(each), recorded_hunks(each.hunks) or None
        )
        for each in diff.files or ()
        if each is not None and each.file_path is not None
    }
    for path in filter(None, diff.changed_files or ()):
        found.setdefault(path, FileChange(path))
    return tuple(found.values())


def _operation(file: ChangedFile) -> FileOperation:
    if file.created:
        return FileOperation.CREATE
    return FileOperation.DELETE if file.deleted else FileOperation.UPDATE


def _data_image(stdout: str | None) -> tuple[Block, ...]:
    """The image that a command printed as a `data:` URL."""
    head, comma, data = (stdout or "").strip().partition(",")
    if not comma or not head.startswith("data:image/"):
        return ()
    return (ImageBlock(media_type=head[len("data:") :].partition(";")[0], data=data),)


def _failed(said: str | None, outcome: ToolResult) -> ShellResult | None:
    if said is None and outcome.error is None:
        return None
    if said is not None and unwrap(said, _CALL_ERROR) is not None:
        return None
    recorded = said if said is not None else outcome.error or ""
    code, output = exit_code(recorded)
    return ShellResult(
        output=output,
        exit_code=code,
        interrupted=outcome.interrupted
        or output.startswith(_INTERRUPTED)
        or output.rstrip().endswith(_ABORTED),
        timed_out=timed_out(output),
    )


def _background(said: str) -> tuple[str | None, str | None]:
    """Id and output file of a command that was moved to the background."""
    head = said[:_HEAD]
    task = _BACKGROUND.search(head)
    file = _OUTPUT_FILE.search(head) if task is not None else None
    return (task[1] if task is not None else None), (file[1] if file is not None else None)


def task_output(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Result of BashOutput and TaskOutput: an object, else text in tags."""
    if outcome.ok is False:
        return None
    whole = mapping(outcome.structured)
    fields = mapping(whole.get("task")) or whole
    if not fields:
        return _tagged(call, text_of(outcome.output))
    return ShellResult(
        stdout=text(fields, "stdout"),
        stderr=text(fields, "stderr"),
        output=text(fields, "output", "result"),
        exit_code=number(fields, "exitCode", "exit_code"),
        task_id=text(fields, "task_id", "shellId") or _asked(call),
        status=text(fields, "status", "retrieval_status"),
        launched=text(fields, "status") == _RUNNING,
    )


def _tagged(call: ToolCall, said: str | None) -> ShellResult | None:
    status = section(said, "status") if said is not None else None
    if said is None or status is None:
        return None
    code = section(said, "exit_code")
    return ShellResult(
        stdout=_lines(section(said, "stdout")),
        stderr=_lines(section(said, "stderr")),
        output=_lines(section(said, "output")),
        exit_code=number({"code": code}, "code"),
        task_id=section(said, "task_id") or _asked(call),
        status=status.strip(),
        launched=status.strip() == _RUNNING,
    )


def _lines(said: str | None) -> str | None:
    return said.strip("\n") if said is not None else None


def _asked(call: ToolCall) -> str | None:
    return call.payload.task_id if isinstance(call.payload, ShellPayload) else None


def stopped(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Result of KillShell and TaskStop: an object, which old results hold as JSON text."""
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured) or mapping(text_of(outcome.output))
    message = text(fields, "message")
    if message is None:
        return None
    return ShellResult(task_id=text(fields, "task_id", "shell_id") or _asked(call), status=message)


def monitor(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Result of Monitor: the id of the task that reports later."""
    task = text(mapping(outcome.structured), "taskId")
    if task is None:
        started = _MONITOR.match(text_of(outcome.output) or "")
        task = started[1] if started is not None else None
    return ShellResult(task_id=task, launched=outcome.ok is None) if task is not None else None

"""Commands and processes: arguments to a ShellPayload, plain results to a ShellResult."""

import shlex
from pathlib import PureWindowsPath
from typing import cast

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall
from agentview.normalize.error_text import exit_code, timed_out
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    first,
    flag,
    mapping,
    number,
    real,
    text,
    texts,
)
from agentview.normalize.output_text import media_of, text_of
from agentview.normalize.tools.specs import PayloadMaker

_COMMAND_KEYS = (
    "command", "cmd", "commandLine", "CommandLine", "command_line", "script", "code", "keystrokes",
)  # fmt: skip
_TASK_KEYS = (
    "task_id",
    "taskId",
    "bash_id",
    "shell_id",
    "shellId",
    "session_id",
    "sessionId",
    "process_id",
    "pid",
    "agentId",
    "id",
)
_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish"}
_SCRIPT_OPTIONS = {
    "powershell": ("-command", "-c"),
    "pwsh": ("-command", "-c"),
    "cmd": ("/c", "/k"),
}
"""Behind which option the script of a Windows shell begins, in any case."""


def run(fields: Fields) -> ShellPayload:
    """Run a command. A `timeout` without a unit is in milliseconds, as most agents have it."""
    return ShellPayload(
        command=command_text(first(fields, *_COMMAND_KEYS)),
        description=text(fields, "description", "justification", "explanation"),
        cwd=text(
            fields,
            "cwd",
            "workdir",
            "working_directory",
            "workingDirectory",
            "dir_path",
            "directory",
        ),
        timeout=_timeout(fields),
        background=flag(fields, "run_in_background", "is_background", "isBackground", "background"),
    )


def acting(action: ShellAction) -> PayloadMaker:
    """Makes the payload of a tool that acts on a process that runs already."""

    def act(fields: Fields) -> ShellPayload:
        return ShellPayload(
            command=command_text(first(fields, *_COMMAND_KEYS, "chars", "input", "text")),
            action=action,
            description=text(fields, "description"),
            timeout=_timeout(fields),
            task_id=text(fields, *_TASK_KEYS),
        )

    return act


def command_text(value: object) -> str:
    """A command as one would type it: the script of `bash -lc script`, an argv list quoted."""
    if not isinstance(value, list):
        return as_text(value) or ""
    argv = list(texts(cast("object", value)))
    return (_script(argv) if argv else None) or shlex.join(argv)


def _script(argv: list[str]) -> str | None:
    """The script that a shell is to run; None for another program, or without a script."""
    # Both separators: the agent may have run on another system.
    shell = PureWindowsPath(argv[0]).name.lower().removesuffix(".exe")
    if shell in _SHELLS:
        return argv[2] if len(argv) == 3 and argv[1].startswith("-") else None
    options = _SCRIPT_OPTIONS.get(shell, ())
    begin = next((at for at, word in enumerate(argv) if word.lower() in options), None)
    return " ".join(argv[begin + 1 :]) if begin is not None else None


def _timeout(fields: Fields) -> float | None:
    milliseconds = real(fields, "timeout", "timeout_ms", "timeoutMs", "yield_time_ms")
    if milliseconds is not None:
        return milliseconds / 1000
    return real(fields, "timeout_seconds", "timeoutSeconds", "timeout_sec")


def result(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """The streams where they were recorded apart, else the text as it came."""
    fields = mapping(outcome.structured)
    stdout = text(fields, "stdout")
    stderr = text(fields, "stderr")
    code = number(fields, "exit_code", "exitCode", "exit", "returncode")
    output = text(fields, "output", "aggregated_output")
    if stdout is None and stderr is None and output is None:
        output = text_of(outcome.output)
        if output is None:
            return None
    late = False
    if output is not None and code is None:
        code, output = exit_code(output)
        late = timed_out(output)
    return ShellResult(
        stdout=stdout,
        stderr=stderr,
        output=output,
        exit_code=code,
        interrupted=outcome.interrupted or flag(fields, "interrupted"),
        timed_out=late or flag(fields, "timed_out", "timedOut"),
        media=media_of(outcome.output),
    )

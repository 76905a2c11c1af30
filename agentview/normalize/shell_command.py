"""The apparent effect of a shell command: reads, searches, lists, writes; inferred from its words.

A command is read only when all of it is understood. The call stays what it was recorded as.
"""

import posixpath
import re
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    FileEdit,
    ReadPayload,
    ShellAction,
    ShellPayload,
    TextEdit,
    WritePayload,
)
from agentview.domain.tools import ShellReading, ShellStep, ToolCall, ToolKind
from agentview.normalize.shell_programs import NEUTRAL, Steps, narrowed, passes_on, steps_of
from agentview.normalize.shell_split import Pipeline, Simple, pipelines
from agentview.normalize.tools.patch import parse_patch

_CD = r"(?:cd\s+(?:'[^']*'|\"[^\"$`]*\"|[^\s;&|$`]+)\s*(?:&&|;|\n)\s*)?"
_FILE = r"(?:'(?P<{0}q>[^']+)'|\"(?P<{0}d>[^\"$`]+)\"|(?P<{0}>[^\s'\"<>|&;$`*?]+))"
_END = r"\n(?P<body>.*?\n)??(?P=mark)\s*"
_MARK = r"<<-?\s*(?P<quote>['\"]?)(?P<mark>\w+)(?P=quote)"
ENTERS = re.compile(
    r"\s*cd\s+(?:'(?P<q>[^']*)'|\"(?P<d>[^\"$`]*)\"|(?P<p>[^\s;&|$`'\"]+))\s*(?:&&|;|\n)\s*"
)
"""The change of directory that a command begins with."""
_WRITES = (
    re.compile(
        rf"\s*{_CD}cat\s*(?P<to>>>?)\s*{_FILE.format('file')}\s*{_MARK}\s*{_END}", re.DOTALL
    ),
    re.compile(
        rf"\s*{_CD}cat\s*{_MARK}\s*(?P<to>>>?)\s*{_FILE.format('file')}\s*{_END}", re.DOTALL
    ),
    re.compile(
        rf"\s*{_CD}tee\s+(?P<to>-a\s+)?{_FILE.format('file')}\s*(?:>\s*/dev/null\s*)?{_MARK}"
        rf"(?:\s*>\s*/dev/null)?\s*{_END}",
        re.DOTALL,
    ),
)
_PATCHES = (
    re.compile(rf"\s*{_CD}apply_?patch\s*{_MARK}\s*{_END}", re.DOTALL),
    re.compile(rf"\s*{_CD}apply_?patch\s+(?P<quote>['\"])(?P<body>.*)(?P=quote)\s*", re.DOTALL),
)
_LONGEST = 10_000
"""Characters of a command that is split; of a longer one it is not known what it does."""
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})


def with_reading(call: ToolCall) -> ToolCall:
    """The call with what its command seems to do; calls of other kinds stay as they are."""
    payload = call.payload
    if call.kind is not ToolKind.SHELL or not isinstance(payload, ShellPayload):
        return call
    if payload.action is not ShellAction.RUN:
        return call
    reading = read_command(payload.command)
    return replace(call, reading=reading) if reading is not None else call


# Some clients repeat the command of a call in each of its updates.
@lru_cache(maxsize=32)
def read_command(command: str) -> ShellReading | None:
    """The apparent effect of a command; None when some of it is not understood.

    A command that changes something is understood when all its steps are of one kind, one that
    only looks also when they differ.
    """
    return _read(command, placed=False)


def _read(command: str, *, placed: bool) -> ShellReading | None:
    whole = _written(command) or _patched(command)
    if whole is not None:
        return ShellReading(whole)
    split = pipelines(command) if len(command) <= _LONGEST else None
    if split is None:
        return None
    script = _unwrapped(split)
    if script is not None:
        return _read(script, placed=True)
    steps = _steps(split, placed=placed)
    if not steps:
        return None
    reading = ShellReading(steps)
    return reading if reading.looks or reading.kind is not None else None


def directory_of(command: str, cwd: str | None) -> str | None:
    """The directory that the rest of a command runs in, after a `cd` that it begins with."""
    match = ENTERS.match(command)
    if match is None:
        return cwd
    to = match["q"] or match["d"] or match["p"] or "."
    return posixpath.join(cwd, to) if cwd else to if to.startswith("/") else None


def _written(command: str) -> Steps | None:
    """Return the steps of a command that writes a text of its own to a file."""
    for pattern in _WRITES:
        match = pattern.fullmatch(command)
        if match is None or not _is_literal(match):
            continue
        path = match["file"] or match["fileq"] or match["filed"]
        body = match["body"] or ""
        if (match["to"] or "").strip() in (">>", "-a"):
            edit = FileEdit(path, edits=(TextEdit("", body),))
            return (ShellStep(ToolKind.EDIT, EditPayload((edit,))),)
        return (ShellStep(ToolKind.WRITE, WritePayload(path, body)),)
    return None


def _is_literal(match: re.Match[str]) -> bool:
    """Return True if a text is written as it stands, and ends where it seems to end."""
    body = match["body"] or ""
    expanded = not match["quote"] and any(mark in body for mark in "$`\\")
    return not expanded and match["mark"] not in body.split("\n")


def _patched(command: str) -> Steps | None:
    """Return the steps of a command that applies a patch of its own."""
    for pattern in _PATCHES:
        match = pattern.fullmatch(command)
        body = match["body"] if match is not None else None
        if body is not None and match is not None and match["quote"] == "'":
            body = body.replace("'\"'\"'", "'")
        if body is not None and body.lstrip().startswith("*** Begin Patch"):
            files = parse_patch(body)
            return (ShellStep(ToolKind.EDIT, EditPayload(files)),) if files else None
    return None


def _unwrapped(split: tuple[Pipeline, ...]) -> str | None:
    """The script of `bash -lc script`, when a command is nothing else."""
    if len(split) != 1 or len(split[0]) != 1 or len(split[0][0]) != 3:
        return None
    program, option, script = (word.text for word in split[0][0])
    wraps = PurePosixPath(program).name in _SHELLS and option in ("-c", "-lc", "-ic", "-cl")
    return script if wraps else None


def _steps(split: tuple[Pipeline, ...], *, placed: bool) -> Steps | None:
    """Steps of all pipelines; paths behind a `cd` that the command does not begin with have it."""
    steps: list[ShellStep] = []
    directory: str | None = ""
    for number, pipeline in enumerate(split):
        first = pipeline[0]
        if len(pipeline) == 1 and first[0].text == "cd":
            if number or placed:
                directory = _entered(directory, first)
            continue
        found = _pipeline(pipeline)
        if found is None or (directory is None and found):
            return None
        steps += (_inside(step, directory) for step in found) if directory else found
    return tuple(steps)


def _entered(directory: str | None, change: Simple) -> str | None:
    """The directory after a `cd`; None if its words do not show it."""
    to = change[-1].text
    if directory is None or len(change) != 2 or change[-1].glob or to.startswith(("-", "~")):
        return None
    return posixpath.join(directory, to)


def _inside(step: ShellStep, directory: str) -> ShellStep:
    payload = step.payload
    if isinstance(payload, ReadPayload):
        return ShellStep(step.kind, replace(payload, path=posixpath.join(directory, payload.path)))
    if isinstance(payload, DeletePayload):
        paths = tuple(posixpath.join(directory, path) for path in payload.paths)
        return ShellStep(step.kind, replace(payload, paths=paths))
    return step


def _pipeline(pipeline: Pipeline) -> Steps | None:
    """Steps of a pipeline: what its first command does, if the others only pass on."""
    first = pipeline[0]
    if first[0].text in NEUTRAL:
        return () if all(map(passes_on, pipeline[1:])) else None
    found = steps_of(first)
    if not all(map(passes_on, pipeline[1:])):
        return None
    if found is not None and len(found) == 1 and len(pipeline) > 1:
        return (narrowed(found[0], pipeline[1]),)
    return found

"""Files that something may have changed which is only told of in words: other servers, a person."""

from collections.abc import Iterator

from agentview.domain.events import SlashCommand
from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    McpPayload,
    NotebookEditPayload,
    WritePayload,
)
from agentview.domain.tools import ToolCall
from agentview.file_changes.call_outcome import Told
from agentview.file_changes.operations import Unclear
from agentview.file_changes.shell_commands import statements
from agentview.file_changes.uncertainty import Act
from agentview.file_changes.writers import seems_to_write
from agentview.normalize.classify import classify

_BY_TOOL = "a tool of another server may have changed it"
_BY_PERSON = "a command that you ran may have changed it"
_ELSEWHERE = frozenset(
    {"owner", "repo", "repository", "branch", "ref", "bucket", "url", "host", "project_id"}
)
"""Arguments of tools whose paths, where they are relative, are not of this machine."""


def told_by_other_server(call: ToolCall) -> Iterator[Told]:
    """The files that a tool of another server seems to write to, by its name and its arguments.

    What it did to them is its own affair: no text of its arguments is taken for that of a file.
    """
    asked, args = call.payload, call.args
    if not isinstance(asked, McpPayload) or not asked.tool or args is None:
        return
    words = f"{asked.server}: {asked.tool}" if asked.server else asked.tool
    for path in _written(classify(asked.tool, args).payload(args)):
        if path.startswith("/") or not _ELSEWHERE.intersection(args):
            yield Told(path, Act.TOOL, Unclear(_BY_TOOL, certain=False), words=words)


def _written(payload: object) -> Iterator[str]:
    match payload:
        case WritePayload() | NotebookEditPayload():
            paths = [payload.path]
        case EditPayload():
            paths = [path for file in payload.files for path in (file.path, file.move_to)]
        case DeletePayload():
            paths = [*payload.paths]
        case _:
            paths = []
    yield from (path.removeprefix("file://") for path in paths if path)


def told_by_person(command: SlashCommand, cwd: str | None) -> Iterator[Told]:
    """The files that a command which a person ran through the client seems to write to."""
    if not command.shell:
        return
    for piece, where, _ in statements(command.name, cwd):
        for path in seems_to_write(piece):
            effect = Unclear(_BY_PERSON, certain=False)
            yield Told(path, Act.COMMAND, effect, where, words=command.name)

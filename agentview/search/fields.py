"""What the texts of an event are: words that were said, a command, paths, arguments, a result."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import IntEnum

from agentview.domain.activity import Activity
from agentview.domain.events import Attachment, Body, SlashCommand, ToolProgress, ToolResult
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall
from agentview.search.tokenizer import bounded
from agentview.timeline.activity_text import body_texts, file_paths

RESULT_CHARS = 4096
"""Characters that are looked at from each end of a result."""

_OTHER_CHARS = (49_152, 16_384)
"""Characters that are looked at from the beginning and the end of all else."""

Texts = Iterator[tuple["Column", Iterable[str]]]


class Column(IntEnum):
    """What a text of an activity is."""

    SAID = 0
    """A prompt, a message, a thought, a notice: the words themselves."""
    COMMAND = 1
    PATH = 2
    ARGS = 3
    """Arguments of a call other than command and paths; the name of the tool."""
    RESULT = 4


COLUMNS = tuple(column.name.lower() for column in Column)


def bounded_text(text: str, column: Column) -> str:
    """As much of the text of a column as is looked at."""
    head, tail = (RESULT_CHARS, RESULT_CHARS) if column is Column.RESULT else _OTHER_CHARS
    return bounded(text, head, tail)


def texts_of(body: Body) -> Texts:
    """The texts of an event that say something, by column."""
    for column, texts in _told_apart(body):
        found = [text for text in texts if text]
        if found:
            yield column, found


def _told_apart(body: Body) -> Texts:
    if isinstance(body, ToolCall):
        yield from _of_call(body)
    elif isinstance(body, ToolResult | ToolProgress):
        yield Column.RESULT, body_texts(body)
    elif isinstance(body, SlashCommand):
        yield Column.COMMAND, (f"{body.name} {body.args}".strip(),)
        yield Column.RESULT, (body.output or "", body.error or "")
    elif isinstance(body, Attachment):
        yield Column.PATH, (body.path or "",)
        yield Column.SAID, body_texts(body)
    else:
        yield Column.SAID, body_texts(body)


def _of_call(call: ToolCall) -> Texts:
    command = call.payload.command if isinstance(call.payload, ShellPayload) else ""
    paths = file_paths(Activity(call, ()))
    yield Column.COMMAND, (command,)
    yield Column.PATH, paths
    asked = call
    if call.output or call.error or call.denial:
        asked = replace(call, output=(), error=None, denial=None)
        outcome = ToolResult(
            call.call_id, call.ok, output=call.output, error=call.error, denial=call.denial
        )
        yield Column.RESULT, body_texts(outcome)
    told = {command, *paths}
    yield Column.ARGS, (text for text in body_texts(asked) if text not in told)

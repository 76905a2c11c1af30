"""Transcripts as text, which older clients wrote: what each part of one says.

A part begins with a line that names it: `user:`, `assistant:`, `[Thinking]`, `[Tool call] Name` or
`[Tool result] Name`. A line of the same form inside of a text begins a part all the same: nothing
distinguishes the two.
"""

import re
from collections.abc import Sequence

from agentview.domain.content import TextBlock
from agentview.domain.events import Event, Message, Reasoning, ToolResult
from agentview.providers._kit.event_builder import EventMaker

_PART = re.compile(
    rb"^(?:(?P<role>user|assistant):[ \t]*(?=\r?$)"
    rb"|\[(?P<kind>Thinking|Tool call|Tool result)\][ \t]?)",
    re.MULTILINE,
)
_ANSWER = re.compile(r"^\[Tool result\][^\n]*(?:\n|$)", re.MULTILINE)
_ARGUMENT = re.compile(r"^  (\w+):(?: (.*))?$")
_BOM = b"\xef\xbb\xbf"


def is_plain(data: bytes) -> bool:
    """Return True if data begins as such a transcript, or as a part of one, does."""
    match = _PART.match(data.removeprefix(_BOM))
    return match is not None


def begins_plain(head: bytes) -> bool:
    return re.match(rb"(?:\xef\xbb\xbf)?user:[ \t]*\r?\n", head) is not None


def split_plain(data: bytes) -> Sequence[tuple[int, int]]:
    """Start and end of each part; a call and the result right behind it are one.

    Raises ValueError when the data is not such a transcript.
    """
    if not begins_plain(data):
        raise ValueError("no transcript begins like this")
    starts = [0]
    called = None
    for match in _PART.finditer(data):
        name = data[match.end() :].partition(b"\n")[0].strip() if match["kind"] else None
        answers = match["kind"] == b"Tool result" and name == called
        if not answers and match.start() > len(_BOM):
            starts.append(match.start())
        called = name if match["kind"] == b"Tool call" else None
    return list(zip(starts, [*starts[1:], len(data)], strict=True))


def plain_events(record: EventMaker) -> Sequence[Event]:
    """Events of one part."""
    data = record.raw.removeprefix(_BOM)
    match = _PART.match(data)
    said = data[match.end() if match else 0 :].decode("utf-8", "replace").replace("\r\n", "\n")
    if match is None or not said.strip():
        return [record.hidden("a part without text", "text")]
    # Imported here: discovery asks only how such a file begins.
    from agentview.providers.cursor.shared.content import prompt_events

    if match["role"] == b"user":
        return prompt_events(record, said.strip("\n"))
    record.response_id = record.name
    if match["role"] == b"assistant":
        return [record.event("message", Message(said.strip("\n")))]
    if match["kind"] == b"Thinking":
        return [record.event("thought", Reasoning(said.strip()))]
    name, _, rest = said.partition("\n")
    if match["kind"] == b"Tool result":
        return [_result(record, rest)]
    return _call(record, name.strip() or "(no name)", rest)


def _call(record: EventMaker, name: str, rest: str) -> Sequence[Event]:
    """A call with its arguments, and with the result where that is in the same part."""
    answer = _ANSWER.search(rest)
    lines = rest[: answer.start()] if answer is not None else rest
    arguments = _arguments(lines)
    # Imported here: discovery asks only how such a file begins.
    from agentview.normalize.build import tool_call
    from agentview.providers.cursor.shared import tools

    call = tool_call(
        call_id=record.name,
        name=name,
        arguments=arguments,
        raw=lines.rstrip().encode(),
        spec=tools.find_tool(name, arguments),
    )
    events = [record.event("call", call)]
    if answer is not None:
        events.append(_result(record, rest[answer.end() :]))
    return events


def _result(record: EventMaker, said: str) -> Event:
    output = (TextBlock(said.strip("\n")),) if said.strip() else ()
    return record.event("result", ToolResult(record.name, None, output))


def _arguments(lines: str) -> dict[str, object]:
    """Arguments that stand indented on lines of their own; a deeper line continues a value."""
    found: dict[str, object] = {}
    last: str | None = None
    for line in lines.rstrip().split("\n"):
        match = _ARGUMENT.match(line)
        if match is not None:
            last = str(match[1])
            found[last] = match[2] or ""
        elif last is not None and line.strip():
            found[last] = f"{found[last]}\n{line.strip()}".lstrip("\n")
    return found

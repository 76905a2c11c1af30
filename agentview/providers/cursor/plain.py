"""Transcripts as text, which older clients wrote: what each part of one says.

A part begins with a line that names it: `user:`, `assistant:`, `[Thinking]`, `[Tool call] Name` or
`[Tool result] Name`. A line of the same form inside of a text begins a part all the same: nothing
tells the two apart.
"""

import re
from collections.abc import Sequence

from agentview.domain.blocks import TextBlock
from agentview.domain.events import Event, Message, Reasoning, ToolResult
from agentview.normalize.calls import tool_call
from agentview.providers.cursor import tools
from agentview.providers.cursor.content import prompt_events
from agentview.providers.cursor.frame import Frame

_PART = re.compile(
    rb"^(?:(?P<role>user|assistant):[ \t]*(?=\r?$)"
    rb"|\[(?P<kind>Thinking|Tool call|Tool result)\][ \t]?)",
    re.MULTILINE,
)
_ARGUMENT = re.compile(r"^  (\w+):(?: (.*))?$")
_BOM = b"\xef\xbb\xbf"


def is_plain(data: bytes) -> bool:
    """Whether data begins as such a transcript, or as a part of one, does."""
    match = _PART.match(data.removeprefix(_BOM))
    return match is not None


def begins_plain(head: bytes) -> bool:
    """Whether a file that begins with `head` is such a transcript: it begins with a prompt."""
    return re.match(rb"(?:\xef\xbb\xbf)?user:[ \t]*\r?\n", head) is not None


def split_plain(data: bytes) -> Sequence[tuple[int, int]]:
    """Start and end of each part. Raises ValueError when the data is no such transcript."""
    if not begins_plain(data):
        raise ValueError("no transcript begins like this")
    starts = [match.start() for match in _PART.finditer(data)]
    starts = [0, *(start for start in starts if start > len(_BOM))]
    return list(zip(starts, [*starts[1:], len(data)], strict=True))


def plain_events(frame: Frame) -> list[Event]:
    """Events of one part."""
    data = frame.raw.removeprefix(_BOM)
    match = _PART.match(data)
    said = data[match.end() if match else 0 :].decode("utf-8", "replace").replace("\r\n", "\n")
    if match is None or not said.strip():
        return frame.hidden("a part without text", "text")
    if match["role"] == b"user":
        return prompt_events(frame, said.strip("\n"))
    if match["role"] == b"assistant":
        return [frame.event("message", Message(said.strip("\n")))]
    if match["kind"] == b"Thinking":
        return [frame.event("thought", Reasoning(said.strip()))]
    name, _, rest = said.partition("\n")
    if match["kind"] == b"Tool result":
        output = (TextBlock(rest.strip("\n")),) if rest.strip() else ()
        return [frame.event("result", ToolResult(frame.name, None, output))]
    call = tool_call(
        call_id=frame.name,
        name=name.strip() or "(no name)",
        arguments=_arguments(rest),
        raw=rest.rstrip().encode(),
        spec=tools.spec_for(name.strip(), _arguments(rest)),
    )
    return [frame.event("call", call), frame.event("outcome", ToolResult(frame.name, ok=None))]


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

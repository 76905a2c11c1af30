"""A session held in memory: rows that tests make, append to and change."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.content import TextBlock
from agentview.domain.events import Body, Event, Hidden, Message, Unparsed, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef
from agentview.domain.tool_inputs import Payload, ReadPayload, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin, ToolState
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.header import HeaderFacts

START = 1_763_700_000.0


class MemorySession:
    """Rows over a list of activities, with header facts that a test sets."""

    def __init__(self, bodies: Sequence[Body] = (), path: Path = Path("memory.jsonl")) -> None:
        self.ref = SessionRef("claude_code", "memory-session", str(path))
        self.facts = HeaderFacts(provider="memory", title="a session in memory")
        self.started = False
        self.closed = False
        self._first = 0
        self._activities: list[Activity] = []
        self._callbacks: list[Callable[[RowsChanged], None]] = []
        for body in bodies:
            self._add(body)

    @property
    def store(self) -> "MemorySession":
        return self

    @property
    def first(self) -> int:
        return self._first

    @property
    def end(self) -> int:
        return self._first + len(self._activities)

    def kind(self, row: int) -> Kind:
        return row_kind(self.activity(row).body)

    def shown(self, row: int) -> bool:
        return self.kind(row) is not RowKind.HIDDEN

    def problem(self, row: int) -> bool:
        body = self.activity(row).body
        return isinstance(body, Unparsed) or (isinstance(body, ToolCall) and body.ok is False)

    def starts_turn(self, row: int) -> bool:
        return self.kind(row) is RowKind.USER

    def nested(self, row: int) -> bool:
        return self.activity(row).first.stream != MAIN_STREAM

    def activity(self, row: int) -> Activity:
        return self._activities[row - self._first]

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    def header(self) -> HeaderFacts:
        return replace(self.facts, rows=len(self._activities))

    def start(self) -> None:
        self.started = True

    def close(self) -> None:
        self.closed = True

    def append(self, *bodies: Body) -> None:
        for body in bodies:
            self._add(body)
        self._tell(RowsChanged(appended=len(bodies)))

    def prepend(self, *bodies: Body) -> None:
        for body in reversed(bodies):
            self._first -= 1
            self._activities.insert(0, self._made(body, self._first))
        self._tell(RowsChanged(prepended=len(bodies)))

    def change(self, row: int, body: Body) -> None:
        self._activities[row - self._first] = self._made(body, row)
        self._tell(RowsChanged(updated=(row,)))

    def tell_header(self, facts: HeaderFacts) -> None:
        self.facts = facts
        self._tell(RowsChanged())

    def _add(self, body: Body) -> None:
        self._activities.append(self._made(body, self.end))

    def _made(self, body: Body, row: int) -> Activity:
        offset, length = _place(Path(self.ref.path), row)
        source = SourceRef(self.ref.path, offset, length, row + 1)
        event = Event("0", "memory-session", source, body, time=START, record_id=str(row))
        started = START + row
        running = isinstance(body, ToolCall) and body.state is ToolState.INPUT_AVAILABLE
        return Activity(body, (event,), started, None if running else started + 0.5)

    def _tell(self, change: RowsChanged) -> None:
        for callback in tuple(self._callbacks):
            callback(change)


def _place(path: Path, row: int) -> tuple[int, int]:
    """Offset and length of line `row` of the file, or of nothing where there is no such line."""
    if not path.is_file():
        return 0, 0
    offset = 0
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True)):
        if number == row:
            return offset, len(line.rstrip(b"\r\n"))
        offset += len(line)
    return offset, 0


def prompt(text: str) -> User:
    return User(text)


def answer(text: str) -> Message:
    return Message(text)


def hidden(reason: str) -> Hidden:
    return Hidden(reason, "bookkeeping")


def shell(command: str, output: str = "", exit_code: int | None = 0) -> ToolCall:
    """A shell call; `exit_code` None is one that still runs."""
    call = _call(ToolKind.SHELL, "Bash", ShellPayload(command), {"command": command})
    if exit_code is None:
        return call
    return replace(
        call,
        state=ToolState.OUTPUT_ERROR if exit_code else ToolState.OUTPUT_AVAILABLE,
        ok=exit_code == 0,
        output=(TextBlock(output),),
        result=ShellResult(output=output, exit_code=exit_code),
        error=f"exit code {exit_code}" if exit_code else None,
    )


def read(path: str, content: str = "") -> ToolCall:
    return replace(
        _call(ToolKind.READ, "Read", ReadPayload(path), {"file_path": path}),
        state=ToolState.OUTPUT_AVAILABLE,
        ok=True,
        output=(TextBlock(content),),
    )


def _call(kind: ToolKind, name: str, payload: Payload, args: Mapping[str, object]) -> ToolCall:
    text = orjson.dumps(args).decode()
    return ToolCall("call-1", kind, ToolOrigin.SYSTEM, name, name, text, args, None, payload)

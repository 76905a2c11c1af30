# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
"""A plug-in whose methods misbehave as the environment says: `METHOD/MANNER`."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from agentview.api import (
    FAMILIES,
    Event,
    LogFiles,
    Message,
    Provider,
    Reading,
    SessionInfo,
    SessionRef,
    SourceRef,
    Stream,
    TextBlock,
    ToolResult,
    TypedBuilder,
    TypedLines,
    User,
    first_record,
    make_reading,
    text,
    tool_call,
)

VARIABLE = "HOSTILE_PLUGIN"
NAME = "hostile"
TOOLS = {"run": FAMILIES["bash"]}


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return FORM.events(record, source, session)


class Line(Struct):
    """Nothing is declared: all is read from values."""


def _events(record: TypedBuilder[Line]) -> list[Event]:
    fields = record.fields
    if "hostile" in fields:
        return [record.hidden("the log begins", "hostile")]
    if "ask" in fields:
        return [record.event("prompt", User(text(fields, "ask") or ""))]
    if "say" in fields:
        return [record.event("text", Message(text(fields, "say") or ""))]
    own = text(fields, "id") or ""
    if "do" in fields:
        name = text(fields, "do") or ""
        made = tool_call(call_id=own, name=name, arguments=fields.get("args"), spec=TOOLS[name])
        return [record.event("call", made)]
    return [record.event("result", ToolResult(own, True, (TextBlock(text(fields, "got") or ""),)))]


FORM = TypedLines(Line, TypedBuilder[Line].of, _events)


class Logs(LogFiles):
    def probe(self, head: bytes, path: Path) -> float:
        _ = path
        return 0.99 if head.startswith(b'{"hostile":') else 0.0

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        return [Path(env["HOME"]) / ".hostile"]

    def session_id(self, head: bytes) -> str | None:
        return text(first_record(head), "hostile")


def _endless(depth: int) -> Any:
    return _endless(depth + 1)


def _raising(error: BaseException) -> Callable[..., Any]:
    def call(*_: Any) -> Any:
        raise error

    return call


def _breaking(*_: Any) -> Iterator[Any]:
    yield 5
    raise ValueError("half way")


def _given(value: Any) -> Callable[..., Any]:
    return lambda *_: value


MANNERS: dict[str, Callable[..., Any]] = {
    "none": _given(None),
    "number": _given(7),
    "text": _given("yesterday"),
    "half_text": _given("\ud800"),
    "list": _given([None, 7, "x"]),
    "object": _given(object()),
    "generator": _breaking,
    "raises": _raising(ValueError("no\nagentview: done\x1b[2J")),
    "lookup": _raising(KeyError("no")),
    "assertion": _raising(AssertionError()),
    "system_exit": _raising(SystemExit(3)),
    "recursion": lambda *_: _endless(0),
    "memory": _raising(MemoryError()),
}
"""What any method may do, whatever it is asked."""


def _odd_info(ref: Any) -> Any:
    wrong: Any = {"title": 5, "started": "2026-01-01", "last_activity": b"x", "status": "working"}
    return replace(SessionInfo(ref), **wrong)


def _odd_ref(path: Any) -> Any:
    wrong: Any = {"stream": "main", "size": "large", "modified": "yesterday"}
    return SessionRef(NAME, "odd", str(path), **wrong)


def _odd_event(body: Any, **fields: Any) -> Callable[..., Any]:
    def call(_: bytes, source: SourceRef, session: SessionRef) -> Any:
        return [Event("odd", session.session_id, source, body, **fields)]

    return call


def _odd_call(_: bytes, source: SourceRef, session: SessionRef) -> Any:
    call = tool_call(call_id="1", name="run", arguments={}, spec=TOOLS["run"])
    wrong: Any = {"args": [1], "payload": {"command": "ls"}, "kind": "shell", "state": None}
    return [Event("odd", session.session_id, source, replace(call, **wrong))]


def _elsewhere(_: bytes, source: SourceRef, session: SessionRef) -> Any:
    return [Event("odd", session.session_id, replace(source, offset=10**12), User("x"))]


class OddBody:
    @property
    def __class__(self) -> Any:
        raise RuntimeError("asked")


_ODD: Any = 7
SPECIAL: dict[str, dict[str, Callable[..., Any]]] = {
    "info": {"odd_info": _odd_info},
    "ref": {"odd_ref": _odd_ref, "of_another": lambda path: SessionRef("codex", "x", str(path))},
    "session_at": {
        "odd_ref": _odd_ref,
        "of_nobody": lambda path: SessionRef("nobody", "x", str(path)),
    },
    "children": {
        "odd_children": lambda ref: [replace(ref, path=None)],
        "of_nobody": lambda ref: [replace(ref, provider="nobody", stream=Stream())],
    },
    "probe": {"nan": lambda *_: float("nan"), "list": lambda *_: [0.99]},
    "decode": {
        "odd_body": _odd_event(7),
        "odd_text": _odd_event(User(_ODD)),
        "odd_time": _odd_event(User("x"), time="now"),
        "odd_stream": _odd_event(User("x"), stream="main"),
        "odd_class": _odd_event(OddBody()),
        "odd_call": _odd_call,
        "elsewhere": _elsewhere,
        "piece": _odd_event(Message("x"), run="say"),
        "empty": lambda *_: [],
    },
    "attach_result": {"odd_call": lambda call, _: replace(call, output=7, error=5, result="x")},
}
"""What a method may do besides: an answer of the right class, with wrong fields."""

_ON_DISCOVERY = (
    "probe", "roots", "files", "session_at", "ref", "children", "child_places",
    "externalized_output", "info",
)  # fmt: skip
_ON_READING = (
    "decode", "attach_result", "merge_call", "kind_of", "unused_keys", "record_keys",
)  # fmt: skip
_ON_PROVIDER = (
    "load_reading", "context_window", "resume_command", "refresh_ref", "retention",
)  # fmt: skip
METHODS = (*_ON_DISCOVERY, *_ON_READING, *_ON_PROVIDER)
ASKED: set[str] = set()
"""Methods that were called in this process."""


def _misbehaving(method: str, sound: Any) -> Callable[..., Any]:
    def call(*asked: Any) -> Any:
        ASKED.add(method)
        named, _, manner = os.environ.get(VARIABLE, "").partition("/")
        if named != method:
            return None if sound is None else sound(*asked)
        return (SPECIAL.get(method, {}).get(manner) or MANNERS[manner])(*asked)

    return call


_SOUND: dict[str, Any] = {
    "record_keys": lambda record_id: (record_id,),
}


def _reading() -> Reading:
    sound = make_reading(decode, lines=FORM, tools=TOOLS)
    return replace(
        sound,
        **{
            name: _misbehaving(name, _SOUND.get(name, getattr(sound, name))) for name in _ON_READING
        },
    )


_LOGS = Logs(NAME)
for _name in _ON_DISCOVERY:
    setattr(_LOGS, _name, _misbehaving(_name, getattr(_LOGS, _name)))
_PROVIDER = Provider(name=NAME, label="Hostile", discovery=_LOGS, load_reading=_reading)
PROVIDER = replace(
    _PROVIDER, **{name: _misbehaving(name, getattr(_PROVIDER, name)) for name in _ON_PROVIDER}
)

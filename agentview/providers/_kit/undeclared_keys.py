"""Which keys of a record its format does not declare and nothing reads, and which do not fit."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Raw, Struct

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.json_line import UNREADABLE, escaped
from agentview.providers._kit.typed_records import (
    TypedBuilder,
    TypedLines,
    event_of,
    value_of,
)
from agentview.providers._kit.unused_keys import (
    NotingObject,
    noting,
    read_bodies,
    unread,
)
from agentview.providers.base import Answer


def undeclared_keys(
    record: bytes,
    source: SourceRef,
    session: SessionRef,
    lines: TypedLines[Any],
    tools: Mapping[str, ToolSpec],
    answer: Answer,
    *,
    whole: bool = False,
) -> Sequence[str]:
    """JSON pointers of the keys of a record that count for nothing, not of what is below them.

    They are those that are neither declared nor read, and those whose values do not fit. Of a body,
    a key is read if somebody looks at it; with `whole`, all of what is declared or read is.
    """
    builder = lines.record_of(record, source, session)
    if builder is None:
        return ()
    walk = _Walk(whole=whole)
    builder.value_of = walk.read
    try:
        events = [event_of(each) for each in lines.decode_record(builder)]
        read_bodies(events, tools, answer)
    except UNREADABLE:
        return ()
    return tuple(walk.of_record(walk.read(builder.raw), builder, ""))


class _Walk:
    """Goes through the values of a record and its declared form, side by side."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._read: dict[int, tuple[object, object]] = {}
        """Bodies and their values, by the identity of the body."""
        self._inner: dict[int, TypedBuilder[Any]] = {}
        """Records that are bodies."""

    def read(self, body: Raw | bytes) -> object:
        """The value of a body, which notes what is looked at."""
        known = self._read.get(id(body))
        if known is None:
            known = self._read[id(body)] = (body, noting(value_of(body)))
        return known[1]

    def of_record(self, value: object, builder: TypedBuilder[Any], place: str) -> Iterator[str]:
        yield from (f"{place}{fault.pointer}" for fault in builder.faults)
        self._inner.update((id(body), inner) for body, inner in builder.inner)
        path, declared = builder.declared
        for key in path:
            value = dict(value.members()).get(str(key)) if isinstance(value, NotingObject) else None
            place = f"{place}/{escaped(str(key))}"
        yield from self._below(value, declared, place, noted=False)

    def _below(self, value: object, typed: object, place: str, *, noted: bool) -> Iterator[str]:
        if isinstance(typed, Raw):
            if self._whole:
                return
            yield from self._of_body(value, typed, place, noted=noted)
        elif isinstance(typed, Struct) and isinstance(value, NotingObject):
            yield from self._of_object(value, typed, place)
        elif isinstance(typed, list | tuple) and isinstance(value, list):
            pairs = zip(cast("list[object]", value), cast("Sequence[object]", typed), strict=False)
            for index, (item, declared) in enumerate(pairs):
                yield from self._below(item, declared, f"{place}/{index}", noted=noted)

    def _of_object(self, value: NotingObject, typed: Struct, place: str) -> Iterator[str]:
        names = dict(zip(typed.__struct_encode_fields__, typed.__struct_fields__, strict=True))
        for key, item in value.members():
            at, noted = f"{place}/{escaped(key)}", key in value.noted
            if key in names:
                yield from self._below(item, getattr(typed, names[key]), at, noted=noted)
            elif noted:
                yield from () if self._whole else unread(item, at)
            else:
                yield at

    def _of_body(self, value: object, body: Raw, place: str, *, noted: bool) -> Iterator[str]:
        inner, read = self._inner.get(id(body)), self._read.get(id(body))
        if inner is not None:
            yield from self.of_record(value, inner, place)
        elif read is not None:
            yield from unread(read[1], place)
        elif noted:
            yield from unread(value, place)
        else:
            yield place

"""Logs that are one JSON document each: discovery, and the events of its records."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Raw, Struct
from msgspec.json import Decoder

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import outer_members
from agentview.normalize.json_values import fields_of
from agentview.normalize.partial_json import begun, load
from agentview.normalize.raw_span import Span, element_spans
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.event_builder import EventMaker
from agentview.providers._kit.json_line import UNREADABLE
from agentview.providers._kit.session_info import overview
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, TypedLines
from agentview.providers.base import Light
from agentview.sources.files import read_part

_Typed = TypeVar("_Typed", bound=TypedBuilder[Any])
_Made = TypeVar("_Made", bound=EventMaker)
_BETWEEN = b", \t\r\n"
_BLANKS = b"\xef\xbb\xbf \t\r\n"
_LARGEST = 16 * 1024 * 1024
"""Bytes of a document that are read to say what it is about; of a larger one its head is."""
_FIRST, _LAST = 12, 24
"""Records at each end that say what a session is about and what it is doing."""


@lru_cache(maxsize=4)
def members_of(head: bytes) -> Mapping[str, object]:
    """The members of a document's object that its beginning has; none for anything else.

    It is kept, because each provider asks for those of the same file.
    """
    text = head.lstrip(_BLANKS)
    if not text.startswith(b"{"):
        return {}
    return begun(text.decode("utf-8", "replace")) or {}


class JsonDocuments(LogFiles, ABC):
    """A `Discovery` of documents; a subclass says how they begin and what divides them."""

    endings = (".json",)

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence by the members of the object that a file holds, as far as `head` has them."""
        _ = path
        return self.probe_record(members_of(head))

    @abstractmethod
    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each record of a document. Raises ValueError when it is none."""

    def begins(self, head: bytes) -> bool:
        return self.probe(head, Path()) > 0

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        return overview(ref, self._edges(ref, decode))

    def _edges(self, ref: SessionRef, decode: Light) -> Iterator[LightEvent]:
        data = read_part(Path(ref.path), 0, _LARGEST + 1)
        if len(data) > _LARGEST:
            return
        try:
            spans = self.split(data)
        except ValueError:
            return
        ends = spans if len(spans) <= _FIRST + _LAST else [*spans[:_FIRST], *spans[-_LAST:]]
        for start, end in ends:
            yield from decode(data[start:end], SourceRef(ref.path, start, end - start), ref)


def name_surroundings(record: _Made) -> _Made:
    """Name what is around the list so that the name holds while the list grows; returns it.

    The stream of the log names it among those of its session: each of them has such a record. One
    that is named by its place keeps the words in front of that, and one that has an id keeps it.
    """
    own, place = record.record_id, f"@{record.source.offset}"
    if own is None or own.endswith(place):
        owner = (record.stream.id or "") if own is None else own.removesuffix(place)
        text = record.raw.strip()
        if text.startswith(b"]"):
            record.record_id = f"{owner}@{'between' if text.endswith(b'[') else 'end'}"
        elif owner:
            record.record_id = f"{owner}{place}"
    return record


class TypedDocuments(TypedLines[_Typed]):
    """How the records of documents of a format are read that declares them.

    Each is an item of the list, or what is around the list, whose members `around` reads. With
    `group` it may be several items in a row, and what is behind the list.
    """

    def __init__(
        self,
        schema: type[Struct],
        builder: Callable[[Any, bytes, SourceRef, SessionRef], _Typed],
        decode_record: Callable[[_Typed], Sequence[LightEvent]],
        begin: re.Pattern[str],
        *,
        around: Callable[[_Typed], Sequence[LightEvent]],
        group: Callable[[Sequence[_Typed]], Sequence[LightEvent]] | None = None,
    ) -> None:
        super().__init__(schema, builder, decode_record, begin)
        self.around = around
        self.group = group

    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        items, end = _items(line) if self.group is not None else ([], 0)
        rest = line[end:] if items else line
        over = bool(rest.strip(_BETWEEN)) or not items
        members = outer_members(rest) if over else None
        if (over and members is None) or (len(items) == 1 and not over):
            return super()._damaged(line, source, session)
        try:
            events = list(self._grouped(items, source, session))
            if members is not None:
                made = self._fitted(members, rest, source, session)
                events += self.around(name_surroundings(made))
        except UNREADABLE:
            return super()._damaged(line, source, session)
        return events

    def _grouped(
        self, items: Sequence[bytes], source: SourceRef, session: SessionRef
    ) -> Sequence[LightEvent]:
        """Events of items in a row; ValueError where one is not JSON.

        All have the place of the record, so that each of its bytes belongs to an event.
        """
        made: list[_Typed] = []
        for at, raw in enumerate(items):
            try:
                record = self.builder(self.read(raw), raw, source, session)
            except UNREADABLE:
                record = self._fitted(fields_of(load(raw)), raw, source, session)
            record.suffix_end = f"/{at}"
            made.append(record)
        return self.group(made) if self.group is not None and made else ()


def _items(record: bytes) -> tuple[list[bytes], int]:
    """The text of each object that a record begins with, and where the last one ends."""
    if not record.lstrip(_BLANKS).startswith(b"{"):
        return [], 0
    try:
        return [bytes(each) for each in _texts(b"[" + record + b"]")], len(record)
    except (ValueError, RecursionError):
        # Something follows, or one of them is nested deeply.
        spans = element_spans(b"[" + record, 0)
    found = [record[start - 1 : end - 1] for start, end in spans]
    return found, spans[-1][1] - 1 if spans else 0


_texts = Decoder(list[Raw]).decode

"""A plug-in as the program asks it: whatever it answers, or raises, ends nothing.

Each answer is compared with the types of the contract. In place of a wrong one the program gets
what says nothing: no session, no fact, a record that was not read. What was wrong is reported.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from msgspec.structs import replace

from agentview.domain.events import Event, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.errors import AgentViewError
from agentview.normalize import build
from agentview.providers._kit.type_check import fault_of
from agentview.providers.base import (
    Discovery,
    Documents,
    Light,
    ListedClient,
    LiveRegistry,
    Provider,
    Reading,
    Retention,
    resumes_nothing,
)
from agentview.providers.contained import unread_event
from agentview.sources.member import Archive, DirectoryRecord, Folder, Member

Report = Callable[[str], None]
"""Takes what was wrong, in a few words."""

_METHODS = (
    "probe", "roots", "files", "session_at", "ref", "children", "child_places",
    "externalized_output", "info",
)  # fmt: skip
_FACTS = (
    "name", "label", "agent", "protocol", "documents", "database", "folder",
    "archive", "has_linked_events", "records", "record_type_keys", "live_registry",
    "process_file",
    "habits", "programs",
)  # fmt: skip
"""Attributes of a provider that are no functions."""


def fault_in(provider: Provider) -> str | None:
    """Why a provider is none; None where it has the form of one."""
    hints = get_type_hints(Provider)
    found = (fault_of(getattr(provider, key), hints[key], key) for key in _FACTS)
    fault = next(filter(None, found), None)
    missing = [each for each in _METHODS if not callable(getattr(provider.discovery, each, None))]
    return f"its discovery has no {missing[0]}" if fault is None and missing else fault


class _Asked:
    """Asks one provider, and reports each wrong answer."""

    def __init__(self, name: str, report: Report) -> None:
        self.name = name
        self.report = report

    def fault(self, value: object, form: Any, place: str) -> bool:
        """Report what is wrong with a value, if anything is."""
        try:
            found = fault_of(value, form, place)
        except Exception as error:
            found = _raised(place, error)
        if found is not None:
            self.report(found)
        return found is not None

    def of_another(self, ref: SessionRef, place: str) -> bool:
        """Report a session that is said to be of another provider."""
        if ref.provider != self.name:
            self.report(f"{place} names the provider {ref.provider}")
        return ref.provider != self.name

    def ask(
        self, place: str, form: Any, otherwise: Any, call: Callable[..., Any], *asked: Any
    ) -> Any:
        """The answer if it has the form, else `otherwise`."""
        try:
            answer = call(*asked)
        except AgentViewError:
            # The log cannot be read, which is not a fault of the plug-in.
            raise
        except FileNotFoundError:
            return otherwise
        except (Exception, SystemExit) as error:
            self.report(_raised(place, error))
            return otherwise
        return otherwise if self.fault(answer, form, place) else answer

    def guarded(self, place: str, form: Any, otherwise: Any, call: Any) -> Any:
        """The function, as it is asked; None where there is none."""
        if call is None:
            return None

        def asked(*arguments: Any) -> Any:
            return self.ask(place, form, otherwise, call, *arguments)

        return asked

    def each(self, place: str, form: Any, found: Callable[[], Iterable[Any]]) -> Iterator[Any]:
        """The answers that come one by one, up to the first that is wrong."""
        try:
            for answer in found():
                if self.fault(answer, form, place):
                    return
                yield answer
        except AgentViewError:
            raise
        except (Exception, SystemExit) as error:
            self.report(_raised(place, error))


def _nothing(record: bytes, source: SourceRef, session: SessionRef) -> list[Any]:
    _ = record, source, session
    return []


_NOTHING = Reading(_nothing, build.attach_result, {}, lambda _: ToolKind.UNKNOWN, _nothing)
"""How a plug-in reads records whose decoder cannot be loaded."""


def _raised(place: str, error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:
        said = ""
    return f"{place} raised {type(error).__name__}{f': {said}' if said else ''}"


class _GuardedDiscovery:
    """A `Discovery` that says nothing where that of the plug-in is wrong."""

    def __init__(self, discovery: Discovery, asked: _Asked) -> None:
        self._discovery = discovery
        self._asked = asked

    def probe(self, head: bytes, path: Path) -> float:
        found = self._asked.ask("probe", float, 0.0, self._discovery.probe, head, path)
        if not 0 <= found <= 1:
            self._asked.report(f"probe is {found}, not from 0 to 1")
            return 0.0
        return found

    def roots(self, env: Mapping[str, str]) -> Sequence[Path]:
        return self._asked.ask("roots", Sequence[Path], (), self._discovery.roots, env)

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        found = lambda: self._discovery.files(root)  # noqa: E731
        return self._asked.each("files", os.DirEntry | Member, found)

    def session_at(self, path: Path) -> SessionRef | None:
        found = self._asked.ask(
            "session_at", SessionRef | None, None, self._discovery.session_at, path
        )
        return None if found is None or self._asked.of_another(found, "session_at") else found

    def ref(self, path: Path) -> SessionRef:
        plain = SessionRef(self._asked.name, path.stem, str(path))
        found = self._asked.ask("ref", SessionRef, plain, self._discovery.ref, path)
        return plain if self._asked.of_another(found, "ref") else found

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        found = self._asked.ask("children", Sequence[SessionRef], (), self._discovery.children, ref)
        return [child for child in found if not self._asked.of_another(child, "children")]

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        return self._asked.ask(
            "child_places", Sequence[Path], (), self._discovery.child_places, ref
        )

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        ask, method = self._asked.ask, self._discovery.externalized_output
        return ask("externalized_output", Path | None, None, method, ref, recorded)

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        plain = SessionInfo(ref)
        found = self._asked.ask("info", SessionInfo, plain, self._discovery.info, ref, decode)
        return plain if self._asked.of_another(found.ref, "info") else found


def guarded(provider: Provider, report: Report) -> Provider:
    """The provider, each of whose answers is looked at; `fault_in` it is nothing."""
    asked = _Asked(provider.name, report)
    ask = asked.guarded
    resume = ask("resume_command", Sequence[str] | None, None, provider.resume_command)
    return replace(
        provider,
        discovery=_GuardedDiscovery(provider.discovery, asked),
        load_reading=lambda: _guarded_reading(provider, asked),
        context_window=ask("context_window", int | None, None, provider.context_window),
        resume_command=resume if "resume" in provider.capabilities else resumes_nothing,
        refresh_ref=ask("refresh_ref", SessionRef | None, None, provider.refresh_ref),
        retention=ask("retention", Retention | None, None, provider.retention),
        documents=_guarded_documents(provider.documents, asked),
        folder=_guarded_folder(provider.folder, asked),
        archive=_guarded_archive(provider.archive, asked),
        live_registry=_guarded_registry("live_registry", provider.live_registry, asked),
        process_file=_guarded_registry("process_file", provider.process_file, asked),
        habits=replace(
            provider.habits,
            asks_first=ask("asks_first", bool, False, provider.habits.asks_first),
            brief=ask("brief", bool, False, provider.habits.brief),
        ),
    )


def _guarded_reading(provider: Provider, asked: _Asked) -> Reading:
    reading = asked.ask("load_reading", Reading, _NOTHING, provider.load_reading)

    def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
        events = asked.ask("decode", list[Event], [], reading.decode, record, source, session)
        if events and all(_is_within(event.source, source) for event in events):
            if not provider.has_linked_events and any(map(_is_linked, events)):
                asked.report("decode gave events with `run` or `amends`, without has_linked_events")
            return events
        asked.report(
            f"decode gave {'an event that is not of its record' if events else 'no event'}"
        )
        reason = f"the plug-in {provider.name} gave no event"
        return [unread_event(session, source, record, reason)]

    def attach_result(call: ToolCall, result: ToolResult) -> ToolCall:
        joined = asked.ask("attach_result", ToolCall, None, reading.attach_result, call, result)
        return build.attach_result(call, result) if joined is None else joined

    def merge_call(call: ToolCall, later: ToolCall) -> ToolCall:
        merged = asked.ask("merge_call", ToolCall, None, reading.merge_call, call, later)
        return build.merge_call(call, later) if merged is None else merged

    ask = asked.guarded
    return Reading(
        decode=decode,
        attach_result=attach_result,
        tool_kinds=reading.tool_kinds,
        kind_of=ask("kind_of", ToolKind, ToolKind.UNKNOWN, reading.kind_of),
        unused_keys=ask("unused_keys", Sequence[str], (), reading.unused_keys),
        merge_call=merge_call,
        record_keys=ask("record_keys", Sequence[str], (), reading.record_keys),
    )


def _is_linked(event: Event) -> bool:
    return bool(event.run) or event.amends


def _is_within(inner: SourceRef, outer: SourceRef) -> bool:
    end = inner.offset + inner.length
    inside = outer.offset <= inner.offset <= end <= outer.offset + outer.length
    return inner.path == outer.path and inside


def _guarded_documents(documents: Documents | None, asked: _Asked) -> Documents | None:
    if documents is None:
        return None
    split = asked.guarded("split", Sequence[tuple[int, int]] | None, None, documents.split)

    def split_or_raise(data: bytes) -> Sequence[tuple[int, int]]:
        spans = split(data)
        if spans is None or not all(0 <= start <= end <= len(data) for start, end in spans):
            raise ValueError("not split")
        return spans

    return Documents(asked.guarded("begin", bool, False, documents.begin), split_or_raise)


def _guarded_folder(folder: Folder | None, asked: _Asked) -> Folder | None:
    if folder is None:
        return None

    def opened(path: str) -> Callable[[], Iterable[Any]]:
        records = asked.ask("folder.open", Callable[..., Any], tuple, folder.open, path)
        return lambda: (
            replace(record, read=asked.guarded("read", bytes | None, None, record.read))
            for record in asked.each("folder.open", DirectoryRecord, records)
        )

    return Folder(
        folder.marks,
        opened,
        lambda path: asked.each("changing", str, lambda: folder.changing(path)),
    )


def _guarded_archive(archive: Archive | None, asked: _Asked) -> Archive | None:
    if archive is None:
        return None
    return Archive(
        asked.guarded("archive.begins", bool, False, archive.begins),
        lambda held: asked.each(
            "archive.sessions", Mapping[str, object], lambda: archive.sessions(held)
        ),
        lambda held, own: asked.each("archive.lines", bytes, lambda: archive.lines(held, own)),
    )


def _guarded_registry(
    name: str, registry: LiveRegistry | None, asked: _Asked
) -> LiveRegistry | None:
    if registry is None:
        return None
    ask = asked.guarded
    return replace(
        registry,
        directory=ask(f"{name}.directory", str | None, None, registry.directory),
        is_entry=ask(f"{name}.is_entry", bool, False, registry.is_entry),
        entry=ask(f"{name}.entry", ListedClient | None, None, registry.entry),
        lists=ask(f"{name}.lists", bool, False, registry.lists),
        log=ask(f"{name}.log", str | None, None, registry.log),
    )

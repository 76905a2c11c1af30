"""Annotations of one session, and of all sessions as several instances keep them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from agentview.domain.annotations import NO_ANNOTATIONS, Annotations
from agentview.domain.session import SessionRef
from agentview.domain.unread import SeenPlace
from agentview.sessions.annotations.bookmarks import bookmarks_in
from agentview.sessions.annotations.notes import notes_in
from agentview.sessions.annotations.seen import all_seen_in
from agentview.sessions.annotations.session_file import (
    AnnotationsNotSaved,
    Fields,
    SessionFile,
    saved_fields,
)
from agentview.sessions.annotations.session_marks import is_hidden, is_starred, own_title, tags_in
from agentview.system.paths import state_dir

SessionKey = tuple[str, str]
"""Provider and session id."""


def annotations_of(ref: SessionRef, directory: Path | None = None) -> Annotations:
    """All that a person added to a session; that of its subagents is under their streams.

    `directory` holds the files of all sessions; None is the state directory's own. Reads one file
    and changes nothing; a session without a file, or with a damaged one, has none. Raises
    AnnotationsNotSaved for a file that cannot be read.
    """
    return annotations_in(saved_fields(SessionFile(ref.provider, ref.session_id, directory).path))


def annotations_in(fields: Fields) -> Annotations:
    """All that the file of a session says; entries that are not valid are passed over."""
    if not fields:
        return NO_ANNOTATIONS
    return Annotations(
        own_title(fields),
        is_starred(fields),
        tuple(notes_in(fields).values()),
        tuple(bookmarks_in(fields).values()),
        all_seen_in(fields),
        tags_in(fields),
        is_hidden(fields),
    )


def readable_annotations_of(ref: SessionRef) -> Annotations:
    """The same without an error: nothing where it cannot be read."""
    try:
        return annotations_of(ref)
    except AnnotationsNotSaved:
        return NO_ANNOTATIONS


class AllAnnotations:
    """The annotations of all sessions, as kept by all instances and as known in this one.

    `load` reads files and is for a thread; a file that did not change is not read again.
    """

    def __init__(self, directory: Path | None = None) -> None:
        """`directory` holds the files of all sessions; None is the state directory's own."""
        self._directory = directory
        self._read: dict[str, tuple[int, SessionKey, Annotations]] = {}
        self._known: Mapping[SessionKey, Annotations] = {}
        self._put: dict[tuple[SessionKey, str], SeenPlace] = {}

    @property
    def by_session(self) -> Mapping[SessionKey, Annotations]:
        return self._known

    def of(self, ref: SessionRef) -> Annotations:
        """Return the annotations of a session; nothing for a subagent: its session has them."""
        if ref.parent_id is not None or ref.stream.id:
            return NO_ANNOTATIONS
        return self._known.get((ref.provider, ref.session_id), NO_ANNOTATIONS)

    def seen(self, ref: SessionRef) -> SeenPlace | None:
        """How far the stream of a session was read; None where it was never on a screen."""
        key = ref.provider, ref.session_id
        known = self._known.get(key, NO_ANNOTATIONS).seen_in(ref.stream.id)
        put = self._put.get((key, ref.stream.id))
        if known is None or put is None:
            return put or known
        return known if known.is_after(put) else put

    def put_seen(self, ref: SessionRef, seen: SeenPlace) -> None:
        """Take what is being written, so that nobody waits for it."""
        self._put[(ref.provider, ref.session_id), ref.stream.id] = seen

    def load(self) -> bool:
        """Read what changed; whether anything did. What cannot be read counts as not there."""
        folder = self._directory or state_dir() / "sessions"
        read: dict[str, tuple[int, SessionKey, Annotations]] = {}
        for name, modified in _files(folder):
            before = self._read.get(name)
            if before is None or before[0] != modified:
                before = modified, *_kept(folder / name)
            read[name] = before
        changed = read != self._read
        if changed:
            self._read = read
            self._known = {key: annotations for _, key, annotations in read.values()}
        return changed


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and ".damaged-" not in entry.name:
                    yield entry.name, entry.stat().st_mtime_ns
    except OSError:
        return


def _kept(path: Path) -> tuple[SessionKey, Annotations]:
    try:
        fields = saved_fields(path)
    except AnnotationsNotSaved:
        fields = {}
    provider, session_id = fields.get("provider"), fields.get("session")
    if not (isinstance(provider, str) and isinstance(session_id, str)):
        return ("", ""), NO_ANNOTATIONS
    return (provider, session_id), annotations_in(fields)

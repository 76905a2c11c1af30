"""A session as one JSON document: a header, and the lines of `agentview events`."""

from collections.abc import Iterator

from agentview import __version__
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.providers import load_provider
from agentview.reports.export.document.entries import Added, Heading, Hide
from agentview.reports.export.encoding import iso_time, to_json_document, to_json_line
from agentview.reports.export.events import IDS_AND_PLACES, VERSION, Fields
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import SessionFeed
from agentview.reports.export.masking import masked_line

_IDS = IDS_AND_PLACES - {"records", "source"}
"""Keys that are the same with and without secrets; the paths of logs have names of people."""


class Chosen(Value):
    """The exported part of a session, by ids: events, and calls whose agents are."""

    events: frozenset[str]
    calls: frozenset[str]

    def has(self, line: Fields) -> bool:
        return line.get("id") in self.events or line.get("parent_call") in self.calls


def json_document(
    ref: SessionRef, heading: Heading, added: Added, chosen: Chosen | None, hide: Hide
) -> Iterator[bytes]:
    """The document in pieces; `chosen` None is all. Ids and places lead to lines and records."""
    header = {
        "v": VERSION,
        "agentview": __version__,
        "session": heading.session,
        "provider": ref.provider,
        "client": heading.provider,
        "client_version": heading.version,
        "title": heading.title,
        "project": heading.project,
        "branch": heading.branch,
        "model": heading.model,
        "started": iso_time(heading.started),
        "last_activity": iso_time(heading.ended),
        "masked": hide is not _same,
        "own_title": added.title,
        "starred": added.starred,
        "notes": [
            {"event": event, "text": text}
            for event, text in added.notes.items()
            if chosen is None or event in chosen.events
        ],
        "bookmarks": sorted(
            event for event in added.bookmarks if chosen is None or event in chosen.events
        ),
    }
    yield b'{"header": ' + to_json_document(header).rstrip(b"\n") + b',\n"events": ['
    provider = load_provider(ref.provider)
    between = b"\n"
    for line in SessionFeed(provider, ref, JoinedLines(provider, every=False, follow=False)).read():
        if chosen is None or chosen.has(line):
            yield between + to_json_line(masked_line(line, hide, _IDS)).rstrip(b"\n")
            between = b",\n"
    yield b"\n]}\n"


def _same(value: object) -> object:
    return value


UNMASKED: Hide = _same
"""Hides nothing."""

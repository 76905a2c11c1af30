"""A session as one document: a page, Markdown, JSON or a picture, without secrets if asked."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.errors import AgentViewError
from agentview.reports.export.document.entries import (
    Added,
    Entry,
    Heading,
    Hide,
    Part,
    added_to,
    entries,
    heading_of,
)
from agentview.reports.export.document.json_document import UNMASKED, Chosen, json_document
from agentview.reports.export.document.mask_report import MaskReport
from agentview.reports.export.document.request import ExportRequest, Form
from agentview.sessions.following.whole_session import load_session
from agentview.system.file_writing import write_whole
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences


def document(ref: SessionRef, wanted: ExportRequest, report: MaskReport | None) -> Iterator[bytes]:
    """The document in pieces; secrets are masked and counted where there is a report.

    Raises AgentViewError when the session cannot be read.
    """
    hide: Hide = UNMASKED if report is None else report.hide
    added = added_to(ref, hide)
    heading = heading_of(ref, added, hide)
    part, form = wanted.part, wanted.form
    if form is Form.JSON:
        chosen = None if part.whole else _chosen(load_session(ref), part)
        return json_document(ref, heading, added, chosen, hide)
    store = load_session(ref)
    if form is Form.MARKDOWN:
        from agentview.reports.export.document.markdown import markdown_document

        texts = markdown_document(
            store,
            heading,
            added,
            part,
            hide,
            str if report is None else report.hide_patch,
            level=wanted.level or DetailLevel.SUMMARY,
            limit=wanted.limit,
        )
    elif form is Form.HTML:
        texts = _page(store, heading, added, wanted, hide)
    else:
        texts = _picture(store, heading, added, wanted, hide)
    return (text.encode("utf-8", "replace") for text in texts)


def write_document(pieces: Iterable[bytes], path: Path) -> None:
    """Write a document to a file that only this user may read, and that is there once it is whole.

    Raises AgentViewError.
    """
    try:
        write_whole(path, pieces)
    except OSError as error:
        raise AgentViewError(f"Cannot write {path}: {error.strerror}.") from error


def _page(
    store: SessionStore, heading: Heading, added: Added, wanted: ExportRequest, hide: Hide
) -> Iterator[str]:
    # The screen's renderers take longer to import than most commands take to run.
    from agentview.ui.page.document import page

    level_of = _preferences(wanted.level).level
    return page(store, heading, added, wanted.part, hide, level=wanted.level, level_of=level_of)


def _picture(
    store: SessionStore, heading: Heading, added: Added, wanted: ExportRequest, hide: Hide
) -> Iterator[str]:
    from agentview.ui.page.picture import picture

    shown = entries(store, wanted.part, added, hide)
    yield picture(heading, shown, _preferences(wanted.level).level, wanted.frame)


def _preferences(level: DetailLevel | None) -> DetailPreferences:
    from agentview.settings.reading import read_settings

    return read_settings(os.environ).settings.preferences(level, live=False)


def _chosen(store: SessionStore, part: Part) -> Chosen:
    events: set[str] = set()
    calls: set[str] = set()
    agents: dict[SessionStore, None] = {}
    for entry in entries(store, part, Added(), UNMASKED):
        events.update(event.id for event in entry.activity.events)
        calls.update(_call_ids(entry))
        agents.update(dict.fromkeys(entry.agents))
    waiting = list(agents)
    while waiting:
        for entry in entries(waiting.pop(), Part(), Added(), UNMASKED):
            calls.update(_call_ids(entry))
            waiting += [agent for agent in entry.agents if agent not in agents]
            agents.update(dict.fromkeys(entry.agents))
    return Chosen(frozenset(events), frozenset(calls))


def _call_ids(entry: Entry) -> Iterator[str]:
    if isinstance(entry.activity.body, ToolCall):
        yield entry.activity.body.call_id

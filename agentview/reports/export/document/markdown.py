"""A session as Markdown for a pull request or an issue: prompts, answers, changed files, diffs."""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from agentview.domain.events import Compaction, Message, Notification, SlashCommand, Unparsed, User
from agentview.domain.tools import ToolCall
from agentview.facts.edits.net_diff import ChangeMark
from agentview.facts.edits.patch_files import PatchFile, patch_files
from agentview.facts.edits.session_changes import SessionChanges
from agentview.reports.export.document.entries import (
    Added,
    Entry,
    Heading,
    Hide,
    Part,
    entries,
    facts_of,
)
from agentview.reports.export.document.safe_markdown import code, fenced, plain, quoted
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.titles.text import MINUS
from agentview.timeline.view.titles.title import Title, title_of

LIMIT = 60_000
"""Characters of a document where nobody asks for another number: forges take 65,536."""

_IN_A_LINE = ToolCall | Notification | SlashCommand | Compaction | Unparsed
_NOTE_ROOM = 160
"""Characters that are kept for what says that the rest was left out."""


def markdown_document(
    store: SessionStore,
    heading: Heading,
    added: Added,
    part: Part,
    hide: Hide,
    hide_patch: Callable[[str], str],
    *,
    level: DetailLevel = DetailLevel.SUMMARY,
    limit: int = LIMIT,
) -> Iterator[str]:
    """The document in pieces that end with a line end.

    It has at most `limit` characters, or any number if that is 0.

    `level` says how much of a turn is shown: its prompt, its last answer too, or all messages and
    calls. What has a note of the person is shown at every level. The list of files comes before the
    diffs where there is no room for both.
    """
    room = _Room(limit)
    yield from room.take("\n".join(_head(heading)) + "\n")
    files = _changed(store) if part.whole else []
    listed = "\n".join(["", "## Changed files", "", *_listed(files, hide)]) + "\n" if files else ""
    room.reserve(len(listed))
    for turn in _turns(entries(store, part, added, hide), level):
        yield from room.take(turn)
    yield from room.left_out("turn")
    room.reserve(0)
    yield from room.take(listed)
    for file in files:
        yield from room.take(_folded(file, hide, hide_patch))
    yield from room.left_out("diff")


class _Room:
    """Pieces as long as there is room for them; those for which there is none are counted."""

    def __init__(self, limit: int) -> None:
        self._left = limit - _NOTE_ROOM if limit else None
        self._reserved = 0
        self._missed = 0

    def reserve(self, characters: int) -> None:
        """Keep room for what comes later."""
        self._reserved = characters

    def take(self, piece: str) -> Iterator[str]:
        """The piece if it fits and no piece before it was left out."""
        if not piece:
            return
        if self._left is not None:
            if self._missed or len(piece) > self._left - self._reserved:
                self._missed += 1
                return
            self._left -= len(piece)
        yield piece

    def left_out(self, noun: str) -> Iterator[str]:
        """The sentence about what was left out since it was asked last."""
        if self._missed:
            yield f"\n*{counted(self._missed, noun)} left out: no room.*\n"
        self._missed = 0


def _head(heading: Heading) -> Iterator[str]:
    yield f"# {plain(heading.headline)}"
    yield ""
    for name, value in facts_of(heading):
        yield f"- {name}: {plain(value)}"


def _turns(found: Iterator[Entry], level: DetailLevel) -> Iterator[str]:
    """Each turn as one text."""
    held: list[Entry] = []
    for entry in found:
        if held and entry.turn != held[0].turn:
            yield _turn(held, level)
            held = []
        spoken = isinstance(entry.activity.body, User | Message)
        if level is DetailLevel.FULL or spoken or entry.note:
            held.append(entry)
    if held:
        yield _turn(held, level)


def _turn(held: Sequence[Entry], level: DetailLevel) -> str:
    number = held[0].turn
    heading = ["", f"## Turn {number}" if number else "## Before the first prompt"]
    lines = [*heading]
    last = next((e for e in reversed(held) if isinstance(e.activity.body, Message)), None)
    for entry in held:
        body = entry.activity.body
        if isinstance(body, User):
            lines += ["", "**Prompt**", "", *quoted(body.text.strip("\n"))]
        elif isinstance(body, Message):
            asked = level is DetailLevel.SUMMARY and entry is last
            if level is DetailLevel.FULL or asked or entry.note:
                lines += ["", "**Answer**", "", *quoted(body.text.strip("\n"))]
        elif isinstance(body, _IN_A_LINE) or entry.note:
            lines += _line(entry, lines)
        if entry.note:
            lines += ["", f"**Note**: {plain(entry.note)}"]
    return "\n".join(lines) + "\n" if lines != heading else ""


def _line(entry: Entry, before: Sequence[str]) -> list[str]:
    activity, title = entry.activity, title_of(entry.activity)
    requests = activity.body.requests if isinstance(activity.body, ToolCall) else ()
    lines = [f"- {plain(title.label)} {_title_text(title)}"]
    asked = [title_of(replace(activity, body=request)) for request in requests]
    lines += [f"  - asked for permission {_title_text(request)}" for request in asked]
    return lines if before[-1].lstrip().startswith("- ") else ["", *lines]


def _title_text(title: Title) -> str:
    detail = f" ({plain(title.detail)})" if title.detail else ""
    state = (
        f" [{title.mark.value}]" if title.mark.value in ("failed", "denied", "abandoned") else ""
    )
    return f"{code(title.subject)}{detail}{state}"


def _changed(store: SessionStore) -> list[PatchFile]:
    changes = SessionChanges(store)
    changes.finish()
    return [file for file in patch_files(changes) if file.is_changed]


def _listed(files: Sequence[PatchFile], hide: Hide) -> Iterator[str]:
    known = [file for file in files if file.net.mark is not ChangeMark.UNKNOWN]
    for file in known:
        yield f"- {_named(file, hide)}"
    if len(known) < len(files):
        yield f"- {counted(len(files) - len(known), 'file')} of which the change is not known"


def _named(file: PatchFile, hide: Hide) -> str:
    net = file.net
    name = code(str(hide(file.name)))
    if net.mark is ChangeMark.MOVED:
        name = f"{code(str(hide(file.old or net.origin)))} → {name}"
    words = "" if net.mark is ChangeMark.CHANGED else f" ({net.mark.value})"
    if net.added is None or net.removed is None:
        return f"{name}{words} –"
    return f"{name}{words} +{net.added} {MINUS}{net.removed}"


def _folded(file: PatchFile, hide: Hide, hide_patch: Callable[[str], str]) -> str:
    # A secret may take several lines, as a key does.
    patch = hide_patch("".join(file.lines())) if file.in_patch else ""
    if not patch:
        return ""
    lines = [
        "",
        f"<details><summary>{_named(file, hide)}</summary>",
        "",
        *fenced(patch.removesuffix("\n"), "diff"),
        "",
        "</details>",
    ]
    return "\n".join(lines) + "\n"

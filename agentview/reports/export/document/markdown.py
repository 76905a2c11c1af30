"""A session as Markdown for a pull request or an issue: prompts, answers, changed files, diffs."""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind, RowKind
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
from agentview.reports.export.document.safe_markdown import code, fenced, html_code, plain, quoted
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted, lines_changed
from agentview.timeline.view.titles.title import Title, title_of

LIMIT = 60_000
"""Characters of a document where nobody asks for another number: forges take 65,536."""

_IN_A_LINE = ToolCall | Notification | SlashCommand | Compaction | Unparsed
_SPOKEN = frozenset[Kind]({RowKind.USER, RowKind.MESSAGE})
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
    for turn in _turns(entries(store, _read(part, added, level), added, _as_it_is), level):
        if room.is_full:
            room.leave_out(bool(_turn(turn, level, _as_it_is)))
        else:
            yield from room.take(_turn(turn, level, hide))
    yield from room.left_out("turn")
    room.reserve(0)
    yield from room.take(listed)
    for file in files:
        patch = "".join(file.lines()) if file.in_patch else ""
        if room.has(len(patch)):
            yield from room.take(_folded(file, patch, hide, hide_patch))
        else:
            room.leave_out(bool(patch))
    yield from room.left_out("diff")


class _Room:
    """Pieces as long as there is room for them; those for which there is none are counted."""

    def __init__(self, limit: int) -> None:
        self._left = limit - _NOTE_ROOM if limit else None
        self._reserved = 0
        self._missed = 0

    def reserve(self, characters: int) -> None:
        self._reserved = characters

    @property
    def is_full(self) -> bool:
        return self._missed > 0

    def has(self, characters: int) -> bool:
        return not self.is_full and (
            self._left is None or characters <= self._left - self._reserved
        )

    def leave_out(self, piece: bool) -> None:
        self._missed += piece

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


def _as_it_is(value: object) -> object:
    return value


def _read(part: Part, added: Added, level: DetailLevel) -> Part:
    """The part of which activities are read: those of kinds that are not shown may have notes."""
    if level is DetailLevel.FULL or added.notes:
        return part
    return replace(part, kinds=_SPOKEN if part.kinds is None else part.kinds & _SPOKEN)


def _turns(found: Iterator[Entry], level: DetailLevel) -> Iterator[Sequence[Entry]]:
    """The parts of each turn that may be shown."""
    held: list[Entry] = []
    for entry in found:
        if held and entry.turn != held[0].turn:
            yield held
            held = []
        spoken = isinstance(entry.activity.body, User | Message)
        if level is DetailLevel.FULL or spoken or entry.note:
            held.append(entry)
    if held:
        yield held


def _turn(held: Sequence[Entry], level: DetailLevel, hide: Hide) -> str:
    """A turn as one text; only what it shows is looked through for secrets."""
    number = held[0].turn
    heading = ["", f"## Turn {number}" if number else "## Before the first prompt"]
    lines = [*heading]
    last = next((e for e in reversed(held) if isinstance(e.activity.body, Message)), None)
    for entry in held:
        body = entry.activity.body
        if isinstance(body, User):
            lines += ["", "**Prompt**", "", *_quoted(body.text, hide)]
        elif isinstance(body, Message):
            asked = level is DetailLevel.SUMMARY and entry is last
            if level is DetailLevel.FULL or asked or entry.note:
                lines += ["", "**Answer**", "", *_quoted(body.text, hide)]
        elif isinstance(body, _IN_A_LINE) or entry.note:
            shown = hide(entry.activity)
            lines += _line(shown, lines) if isinstance(shown, Activity) else []
        if entry.note:
            lines += ["", f"**Note**: {plain(entry.note)}"]
    return "\n".join(lines) + "\n" if lines != heading else ""


def _quoted(text: str, hide: Hide) -> list[str]:
    return quoted(str(hide(text)).strip("\n"))


def _line(activity: Activity, before: Sequence[str]) -> list[str]:
    title = title_of(activity)
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
        yield f"- {_named(file, hide, code)}"
    if len(known) < len(files):
        yield f"- {counted(len(files) - len(known), 'file')} of which the change is not known"


def _named(file: PatchFile, hide: Hide, as_code: Callable[[str], str]) -> str:
    net = file.net
    name = as_code(str(hide(file.name)))
    if net.mark is ChangeMark.MOVED:
        name = f"{as_code(str(hide(file.old or net.origin)))} → {name}"
    words = "" if net.mark is ChangeMark.CHANGED else f" ({net.mark.value})"
    if net.added is None or net.removed is None:
        return f"{name}{words} –"
    return f"{name}{words} {lines_changed(net.added, net.removed)}".rstrip()


def _folded(file: PatchFile, patch: str, hide: Hide, hide_patch: Callable[[str], str]) -> str:
    if not patch:
        return ""
    # A secret may take several lines, as a key does.
    patch = hide_patch(patch)
    lines = [
        "",
        f"<details><summary>{_named(file, hide, html_code)}</summary>",
        "",
        *fenced(patch.removesuffix("\n"), "diff"),
        "",
        "</details>",
    ]
    return "\n".join(lines) + "\n"

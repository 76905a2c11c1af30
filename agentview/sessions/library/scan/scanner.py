"""Finds the sessions of all providers: those that are known at once, then what has changed."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import perf_counter
from types import MappingProxyType

from agentview.domain.session import SessionInfo, SessionRef
from agentview.errors import AgentViewError, NotFound, reason_of
from agentview.providers import load_provider, provider_names, provider_roots, recognise
from agentview.providers.base import HEAD_BYTES, Provider
from agentview.sessions.archive.manifest import ArchivedLog, archived_logs
from agentview.sessions.library.cache_db import NO_LOG, Row, SessionCache, Stamp, facts_of
from agentview.sessions.library.search_roots import (
    DeletionRule,
    Roots,
    ScanBatch,
    SearchRoots,
    lies_under,
)
from agentview.sessions.library.session_record import SessionFacts
from agentview.sources.files import FolderLook, is_directory
from agentview.sources.member import LogStatus, Member, holds_sessions
from agentview.sources.one_look import one_look
from agentview.sources.open_file import read_head
from agentview.system.progress import in_turn, say

_BATCH_SECONDS = 0.1
"""A batch is handed on after this time, whatever is in it."""
_BATCH = 1000
"""Known sessions of a batch."""


Entry = os.DirEntry[str] | Member | ArchivedLog
Changed = tuple[int, str, Entry, Stamp]
"""Modification time, provider, entry and stamp of a file that is new or has changed."""


def roots_of(places: SearchRoots) -> Roots:
    """Provider and directory of each place; to find them out takes as long as a first frame."""
    if places.fixed is not None:
        return places.fixed
    return session_roots(os.environ, places.provider, places.more)


def session_roots(
    env: Mapping[str, str],
    provider: str | None = None,
    more: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[tuple[str, Path]]:
    """Provider and directory of each place where sessions may lie, each directory once.

    `more` are directories by provider next to those that it is known to write to.
    """
    names = provider_names() if provider is None else (provider,)
    roots: list[tuple[str, Path]] = []
    seen: set[tuple[str, str]] = set()
    look = FolderLook()
    for name in names:
        added = [Path(place).expanduser() for place in more.get(name, ())]
        for root in (*provider_roots(name, env), *added):
            real = (name, look.real(root))
            if real not in seen:
                seen.add(real)
                roots.append((name, root))
    return roots


def roots_here(roots: Roots) -> Roots:
    """The places of these where there may be something; of most clients there is nothing."""
    look = FolderLook()
    return [(name, root) for name, root in roots if not look.is_absent(root)]


def newest_first(refs: Iterable[SessionRef]) -> list[SessionRef]:
    """The same sessions by modification time of their files, each file once."""
    by_path = {ref.path: ref for ref in refs}
    return sorted(by_path.values(), key=lambda ref: (-(ref.modified or 0.0), ref.path))


def find_refs(roots: Roots, catalogue: SessionCache) -> list[SessionRef]:
    """All sessions under `roots`, the newest file first; of logs that are known none is opened."""
    inside = lies_under(roots)
    rows = {row[0]: row for row in catalogue.rows() if inside(row[0])}
    known = [facts.info.ref for facts in _known(rows)]
    survey = _survey(roots, rows, lambda: False)
    stale = {entry.path for _, _, entry, _ in survey.changed}
    stale.update(survey.gone)
    refs = [ref for ref in known if ref.path not in stale]
    with one_look(len(survey.changed)):
        changed = in_turn("looking at", survey.changed, len(survey.changed), "logs")
        fresh = [load_provider(name).session_of(entry) for _, name, entry, _ in changed]
    return newest_first([*refs, *(ref for ref in fresh if ref is not None)])


def sessions_under(roots: Roots, catalogue: SessionCache) -> list[SessionFacts]:
    """Known facts of each session under `roots`, agents included, once all are looked at."""
    by_path: dict[str, SessionFacts] = {}
    for found in scan_sessions(roots, catalogue=catalogue):
        by_path.update((facts.info.ref.path, facts) for facts in found.facts)
        for path in found.gone:
            by_path.pop(path, None)
        say(f"looking at {found.checked:,} of {found.total:,} sessions")
    return list(by_path.values())


def sessions_below(directory: Path, roots: Roots, provider: str | None = None) -> list[SessionRef]:
    """Every session whose log is below a directory that a person named, by path.

    Members of databases and archives are included, and files of sub-agents. A log in one of the
    `roots` belongs to the provider of that root. Elsewhere its folder and content decide. With
    `provider` all logs are taken as that provider's.
    """
    owners = (provider,) if provider is not None else provider_names()
    entries: dict[str, tuple[str, Entry]] = {}
    # All providers look through the same folders.
    with one_look():
        folders = [folder for folder, _, _ in os.walk(directory)] or [directory]
        for name in owners:
            say(f"looking for logs of {load_provider(name).label} in {directory}")
            # A provider looks for databases only in the folders that its client uses.
            deep = load_provider(name).database is not None
            for place in folders if deep else (directory,):
                for entry in load_provider(name).discovery.files(Path(place)):
                    entries.setdefault(entry.path, (name, entry))
        places = [(name, os.path.realpath(root)) for name, root in roots]
        found = [
            _found_below(*entries[path], places)
            if provider is None
            else load_provider(provider).session_of(entries[path][1])
            for path in in_turn("looking at", sorted(entries), len(entries), "files")
        ]
    return [ref for ref in found if ref is not None]


_Place = tuple[int, int] | str
"""Device and inode, or a path."""
_Places = Sequence[tuple[str, str]]
"""Provider and directory, without links, of each place where sessions may lie."""


def _found_below(name: str, entry: Entry, places: _Places) -> SessionRef | None:
    claims = load_provider(name)
    if isinstance(entry, Member):
        # Who lists the sessions in a file knows what is in it.
        return claims.session_of(entry)
    try:
        owner = _owner(Path(entry.path), places)
    except NotFound:
        return None
    except AgentViewError as error:
        return claims.unread(Path(entry.path), reason_of(error))
    return None if owner is None else owner.session_of(entry)


def _owner(path: Path, places: _Places) -> Provider | None:
    """The provider whose log a file is. Raises AgentViewError when it cannot be read."""
    real = os.path.realpath(path)
    owning = {
        name for name, place in places if real == place or real.startswith(f"{place.rstrip('/')}/")
    }
    if len(owning) == 1:
        return load_provider(owning.pop())
    return recognise(read_head(path, HEAD_BYTES), path)


def _known(rows: dict[str, Row]) -> Iterator[SessionFacts]:
    for path, row in tuple(rows.items()):
        facts = facts_of(row)
        if facts is not None:
            yield facts
        elif row[4] != NO_LOG:
            del rows[path]


@dataclass(slots=True)
class _ScanState:
    """The sessions on disk, compared with the known ones."""

    total: int = 0
    changed: list[Changed] = field(default_factory=list[Changed])
    """Each file that is to be looked at."""
    gone: list[str] = field(default_factory=list[str])


def scan_sessions(
    roots: Roots,
    stopped: Callable[[], bool] = lambda: False,
    catalogue: SessionCache | None = None,
) -> Iterator[ScanBatch]:
    """All sessions under `roots`, sub-agents' files included, in batches of about 0.1 s.

    First come those that the catalogue knows, as they were, then those that are new or have
    changed, the newest file first. Meant for a thread or a process of its own: it ends soon after
    `stopped` says so, without a batch that is the last one.
    """
    inside = lies_under(roots)
    every = catalogue.rows() if catalogue is not None else []
    rows = {row[0]: row for row in every if inside(row[0])}
    if len(rows) < len(every):
        yield ScanBatch((), len(rows), gone=tuple(row[0] for row in every if row[0] not in rows))
    known = _known(rows)
    while batch := tuple(islice(known, _BATCH)):
        yield ScanBatch(batch, len(rows))
    survey = _survey(roots, rows, stopped)
    if catalogue is not None and survey.gone:
        catalogue.forget(survey.gone)
    checked = survey.total - len(survey.changed)
    yield ScanBatch((), survey.total, checked, tuple(survey.gone))
    with one_look(len(survey.changed)):
        for found in _looked_at(survey.changed, rows, stopped, catalogue):
            checked += found.checked
            yield ScanBatch(found.facts, survey.total, checked, found.gone)
    if not stopped():
        rules = deletion_rules(roots)
        yield ScanBatch((), survey.total, checked, done=True, rules=rules)


def deletion_rules(roots: Roots) -> tuple[DeletionRule, ...]:
    """The rules by which clients delete logs below these directories; of those that keep all, none.

    It imports the providers of the directories that exist.
    """
    found: list[DeletionRule] = []
    for name, root in roots_here(roots):
        if not is_directory(root):
            continue
        provider = load_provider(name)
        kept = provider.retention(root)
        if kept is not None:
            rule = DeletionRule(name, provider.label, str(root), kept.days, kept.setting, kept.path)
            found.append(rule)
    return tuple(found)


def _survey(roots: Roots, rows: Mapping[str, Row], stopped: Callable[[], bool]) -> _ScanState:
    found = _ScanState()
    left = dict(rows)
    for number, (name, entry) in enumerate(_entries(roots)):
        if number % _BATCH == 0 and stopped():
            return found
        path = entry.path
        row = left.pop(path, None)
        try:
            status = entry.stat()
        except OSError:
            continue
        if row is None or not _is_same(row, status):
            stamp = status.st_size, status.st_mtime_ns, status.st_ino
            found.changed.append((stamp[1], name, entry, stamp))
        elif row[4] == NO_LOG:
            continue
        found.total += 1
    found.changed.sort(key=lambda each: (each[0], each[2].path), reverse=True)
    # What was in a place that cannot be listed now may well be there still.
    unlisted = tuple(f"{each.path}/" for *_, each, _ in found.changed if _is_unlisted(each))
    found.gone = sorted(path for path in left if not path.startswith(unlisted))
    return found


def _is_unlisted(entry: Entry) -> bool:
    return isinstance(entry, Member) and entry.fault is not None


def _is_same(row: Row, status: LogStatus) -> bool:
    return row[1] == status.st_size and row[2] == status.st_mtime_ns and row[3] == status.st_ino


def _entries(roots: Roots) -> Iterator[tuple[str, Entry]]:
    """Files that may be logs, then archived ones whose original is not among them."""
    archived = list(archived_logs(name for name, _ in roots))
    gone = {log.origin for _, log in archived}
    # One that was moved is there all the same.
    gone_names = {log.name for _, log in archived if log.named}
    for name, entry in _originals(roots):
        if gone:
            gone.discard(entry.path)
            gone_names.discard(entry.name)
        yield name, entry
    for name, log in archived:
        if log.origin in gone and (not log.named or log.name in gone_names):
            yield name, log


def _originals(roots: Roots) -> Iterator[tuple[str, "os.DirEntry[str] | Member"]]:
    """Files that may be logs; a directory or database that several places lead to by the first."""
    here = roots_here(roots)
    there = [(name, root) for name, root in here if is_directory(root) or holds_sessions(root)]
    several = {name for name, count in Counter(name for name, _ in there).items() if count > 1}
    owners: dict[tuple[str, _Place], tuple[Path, str]] = {}
    for name, root in there:
        folder, taken = "", False
        for entry in load_provider(name).discovery.files(root):
            if name in several:
                parent = os.path.dirname(entry.path)  # noqa: PTH120  (as in `_place`)
                if parent != folder:
                    folder = parent
                    owner = owners.setdefault((name, _place(parent)), (root, parent))
                    taken = owner != (root, parent)
                if taken:
                    continue
            yield name, entry


def _place(folder: str) -> _Place:
    """State of a directory or file that holds sessions on disk; its path where that is unknown."""
    try:
        # Thousands of objects of a path take longer than all else.
        status = os.stat(folder)  # noqa: PTH116
    except OSError:
        return folder
    return status.st_dev, status.st_ino


def _looked_at(
    changed: Sequence[Changed],
    rows: Mapping[str, Row],
    stopped: Callable[[], bool],
    catalogue: SessionCache | None,
) -> Iterator[ScanBatch]:
    """Facts of files that are new or have changed; `checked` counts those of the batch."""
    facts: list[SessionFacts] = []
    kept: list[tuple[str, Stamp, SessionInfo | None]] = []
    gone: list[str] = []
    checked = 0
    began = perf_counter()
    for at, (_, name, entry, stamp) in enumerate(changed, 1):
        if stopped():
            break
        path = entry.path
        info = info_of_entry(name, entry)
        checked += 1
        if info is None or info.ref.fault is None:
            kept.append((path, stamp, info))
        row = rows.get(path)
        if info is None and row is not None:
            gone.append(path)
        if info is not None:
            before = facts_of(row) if row is not None and info.ref.fault is None else None
            facts.append(SessionFacts(info, before.totals if before is not None else None))
        if at == len(changed) or perf_counter() - began >= _BATCH_SECONDS:
            if catalogue is not None:
                catalogue.put(kept)
            yield ScanBatch(tuple(facts), 0, checked, tuple(gone))
            facts, kept, gone, checked = [], [], [], 0
            began = perf_counter()


def info_of_entry(provider: str, entry: Entry) -> SessionInfo | None:
    """Facts of what a listing gave; None when it is not a log, or is there no longer."""
    if not _is_unlisted(entry):
        return info_of_file(provider, Path(entry.path))
    owner = load_provider(provider)
    ref = owner.session_of(entry)
    return None if ref is None else owner.info(ref)


def info_of_file(provider: str, path: Path) -> SessionInfo | None:
    """Facts of a file; None when it is not a log, or is there no longer."""
    if os.path.realpath(path) != str(path) and not _may_be_log(provider, path):
        return None
    owner = load_provider(provider)
    ref = owner.session_in(path)
    return owner.info(ref) if ref is not None else None


def _may_be_log(provider: str, path: Path) -> bool:
    """Return True if the content of a file may be a log: a link may lead to other clients' logs."""
    try:
        head = read_head(path, HEAD_BYTES)
        return load_provider(provider).discovery.probe(head, path) > 0
    except AgentViewError:
        return False

"""`agentview archive`: copies of sessions that stay when their client deletes them."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence

from agentview.cli.output.progress import Progress
from agentview.cli.output.table import table_lines
from agentview.cli.output.terminal import columns
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError, NotFound, UsageError
from agentview.providers.contained import reading
from agentview.query.values import age
from agentview.reports.export.encoding import Object, iso_time, to_json_document
from agentview.sessions.archive.copying import Outcome, archive_session, faults_of
from agentview.sessions.archive.manifest import (
    ArchivedSession,
    archived_session,
    archived_sessions,
    damaged_manifests,
)
from agentview.sessions.library.subagent_tree import main_sessions
from agentview.sessions.targets.log_file import PIPE, Choice, chosen_providers
from agentview.sessions.targets.session_line import home_relative, short_ids
from agentview.sessions.targets.session_query import (
    all_refs,
    belongs_to,
    info_of,
    is_of_project,
    known_roots,
)
from agentview.sessions.targets.target import resolve
from agentview.sources.member import last_write
from agentview.sources.one_look import one_look
from agentview.sources.packed_file import archive_folder, is_archived
from agentview.system.progress import in_turn
from agentview.timeline.view.format_numbers import UNKNOWN, ago, byte_size, counted
from agentview.timeline.view.sanitize import one_line

_LEAST = {"TITLE": 16, "PROJECT": 8}
_SPARE = ("PROVIDER", "PROJECT", "HOLDS")


def run(options: argparse.Namespace) -> int:
    """Copy, list or verify; 1 when a session could not be copied or a copy is damaged."""
    chosen_providers(options.provider)
    if options.target == PIPE:
        raise UsageError("Standard input cannot be archived.", "Give a session.")
    if options.all and options.target is not None:
        raise UsageError("Give TARGET or --all, not both.", "See 'agentview archive --help'.")
    if options.list or options.verify:
        found = _chosen(options)
        return _list(found, options) if options.list else _verify(found, options)
    if options.follow or options.unit is not None:
        return _follow(options)
    if options.target is None and not options.all:
        raise UsageError(
            "Nothing says what to archive.", "Give TARGET, or --all with --older-than 20d."
        )
    return _archive(options)


def _follow(options: argparse.Namespace) -> int:
    # Imported here: nothing else waits.
    from agentview.cli.archive_follow import follow, unit
    from agentview.cli.waits import wait_for

    if options.target is not None or options.older_than is not None or options.json:
        raise UsageError(
            "--follow copies all sessions.", "Leave out TARGET, --older-than and --json."
        )
    chosen = (("--provider", options.provider), ("--project", options.project))
    words = [word for name, value in chosen if value is not None for word in (name, value)]
    if options.unit is not None:
        sys.stdout.write(unit(options.unit, words))
        return 0
    places = [root for _, root in known_roots(options.provider)]
    wait_for(follow(places, lambda: _archive(options)))
    return 0


def _archive(options: argparse.Namespace) -> int:
    with Progress():
        refs = _sessions(options)
    outcomes: list[Outcome] = []
    failed: list[Object] = []
    with Progress() as progress, one_look(len(refs)):
        for ref in in_turn("archiving", refs, len(refs), "sessions"):
            try:
                with reading(ref):
                    outcomes.append(archive_session(info_of(ref)))
            except AgentViewError as error:
                progress.hide()
                failed.append({"session": ref.own_id, "log": ref.path, "error": error.message})
                print(f"agentview: not archived: {error.message}", file=sys.stderr)
    new = [each.session for each in outcomes if each.new]
    if options.json:
        document = {
            "archived": [_fields(each) for each in new],
            "unchanged": [each.session.session_id for each in outcomes if not each.new],
            "failed": failed,
        }
        sys.stdout.buffer.write(to_json_document(document))
    elif new or not options.follow:
        print(_summary(new, len(outcomes) - len(new)), flush=True)
    return 1 if failed else 0


def _summary(new: Sequence[ArchivedSession], unchanged: int) -> str:
    held, packed = sum(each.size for each in new), sum(each.packed for each in new)
    sizes = f", {byte_size(held)} in {byte_size(packed)}" if new else ""
    known = f" {counted(unchanged, 'session')} already archived." if unchanged else ""
    return (
        f"Archived and verified {counted(len(new), 'session')}{sizes}.{known}"
        f" They are in {home_relative(archive_folder())}."
    )


def _sessions(options: argparse.Namespace) -> list[SessionRef]:
    """Sessions to be copied, oldest first."""
    if options.target is not None:
        ref = resolve(options.target, Choice(options.provider, options.project))
        if ref.parent_id is not None and ref not in main_sessions([*all_refs(ref.provider), ref]):
            raise UsageError(
                f"{options.target} is an agent of the session {ref.parent_id}.",
                "Archive that session: its agents are copied with it.",
            )
        _check_original(ref)
        chosen = [ref]
    else:
        project: str | None = options.project
        refs = (ref for ref in main_sessions(all_refs(options.provider)) if _is_original(ref))
        chosen = [ref for ref in refs if belongs_to(ref, project)]
    if options.older_than is not None:
        limit = _limit(options.older_than)
        chosen = [ref for ref in chosen if ref.modified is not None and ref.modified <= limit]
    return sorted(chosen, key=lambda ref: ref.modified or 0.0)


def _is_original(ref: SessionRef) -> bool:
    return not is_archived(ref.path)


def _check_original(ref: SessionRef) -> None:
    if not _is_original(ref):
        raise NotFound(
            f"The log of {ref.own_id} is gone; the archive has it.",
            "See 'agentview archive --list'.",
        )


def _limit(text: str) -> float:
    found = age(text)
    if found is None:
        raise UsageError(f"--older-than cannot be {text}.", "Give hours, days or weeks: 12h, 20d.")
    return time.time() - found


def _chosen(options: argparse.Namespace) -> list[ArchivedSession]:
    """Archived sessions of a listing: all, those of a provider or a project, or one."""
    if options.target is not None:
        ref = resolve(options.target, Choice(options.provider))
        one = archived_session(ref)
        if one is None:
            raise NotFound(
                f"The session {ref.own_id} is not archived.",
                f"Archive it: agentview archive {ref.own_id[:8]}.",
            )
        return [one]
    found = archived_sessions(None if options.provider is None else (options.provider,))
    project: str | None = options.project
    limit = _limit(options.older_than) if options.older_than is not None else None
    return [
        each
        for each in found
        if (limit is None or (each.modified is not None and each.modified <= limit))
        and (project is None or (each.project is not None and is_of_project(each.project, project)))
    ]


def _list(found: Sequence[ArchivedSession], options: argparse.Namespace) -> int:
    if options.json:
        sys.stdout.buffer.write(to_json_document([_fields(each) for each in found]))
    elif found:
        print("\n".join(_table(found)))
    else:
        print("No session is archived.", file=sys.stderr)
    return 0


def _table(found: Sequence[ArchivedSession]) -> list[str]:
    ids, now = short_ids(each.session_id for each in found), time.time()
    newest = sorted(found, key=lambda each: -(each.modified or 0.0))
    rows = {
        "ID": [ids[each.session_id] for each in newest],
        "PROVIDER": [each.provider for each in newest],
        "TITLE": [each.title or UNKNOWN for each in newest],
        "PROJECT": [home_relative(each.project) for each in newest],
        "WRITTEN": [ago(each.modified, now) for each in newest],
        "ARCHIVED": [ago(each.archived, now) for each in newest],
        "HOLDS": [byte_size(each.size) for each in newest],
        "SIZE": [byte_size(each.packed) for each in newest],
        "ORIGINAL": ["there" if _is_there(each) else "gone" for each in newest],
    }
    cells = {title: [title, *map(one_line, texts)] for title, texts in rows.items()}
    return table_lines(cells, columns(), _LEAST, _SPARE)


def _is_there(session: ArchivedSession) -> bool:
    return last_write(session.logs[0]) is not None


def _verify(found: Sequence[ArchivedSession], options: argparse.Namespace) -> int:
    faults: list[Object] = []
    with Progress():
        for session in in_turn("verifying", found, len(found), "sessions"):
            faults += [_fault(session.session_id, fault) for fault in faults_of(session)]
    if options.target is None:
        faults += [_fault(None, f"{each} is damaged.") for each in _damaged(options)]
    if options.json:
        document = {"sessions": len(found), "faults": faults}
        sys.stdout.buffer.write(to_json_document(document))
    elif not faults:
        files = sum(len(each.files) for each in found)
        print(f"{counted(len(found), 'session')} in {counted(files, 'file')}: all as archived.")
    for each in faults:
        print(f"agentview: {one_line(str(each['fault']))}", file=sys.stderr)
    return 1 if faults else 0


def _fault(session: str | None, fault: str) -> Object:
    return {"session": session, "fault": fault}


def _damaged(options: argparse.Namespace) -> Iterator[str]:
    wanted = (
        archive_folder() if options.provider is None else (f"{archive_folder()}/{options.provider}")
    )
    return (each for each in damaged_manifests() if each.startswith(f"{wanted}/"))


def _fields(session: ArchivedSession) -> Object:
    return {
        "session": session.session_id,
        "provider": session.provider,
        "title": session.title,
        "project": session.project,
        "log": session.logs[0],
        "original": _is_there(session),
        "archive": session.place_of(session.logs[0]),
        "archived": iso_time(session.archived),
        "written": iso_time(session.modified),
        "bytes": session.size,
        "packed_bytes": session.packed,
        "files": [
            {"path": file.path, "bytes": file.size, "sha256": file.sha256} for file in session.files
        ],
        "earlier_copies": [f"{session.folder}/{number}" for number in session.earlier],
    }

"""`agentview events @all --format parquet`: tables of all sessions, brought up to date."""

import argparse
import getpass
import socket
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from agentview.cli.output.progress import Progress
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.kept.rules import rules_of, rules_with
from agentview.facts.usage.claims import ResponseDedupe, SessionClaims
from agentview.facts.usage.kept_prices import prices_stamp
from agentview.facts.usage.pricing import PriceList
from agentview.reports.export.parquet_manifest import (
    KeptSession,
    keys_in,
    packed,
    without_moved,
)
from agentview.reports.export.parquet_partitions import ParquetPartitions
from agentview.reports.export.session_data import read_session
from agentview.reports.export.session_tables import session_tables
from agentview.reports.export.stream_cursor import state_of
from agentview.reports.export.tables import TABLES
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.targets.log_file import Choice
from agentview.sessions.targets.target_sessions import chosen_sessions
from agentview.sources.file_stamp import stamp_of
from agentview.sources.one_look import one_look
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import clean, one_line

_DECIDING = ("reports/export", "redaction", "sessions/following")
"""Packages whose code decides what is in the tables, besides that of what is kept of logs."""


def write_all(options: argparse.Namespace, directory: Path) -> int:
    """Write the rows of sessions that are new or have changed; names those that are unreadable."""
    with Progress() as progress:
        progress.say("looking for sessions")
        refs = chosen_sessions((), Choice(options.provider, options.project))
        host, login = origin()
        with (
            one_look(len(refs), {ref.path: ref for ref in refs}),
            ParquetPartitions(
                directory,
                TABLES,
                host,
                login,
                options=_options_text(options),
                rules=f"{rules_with(*_DECIDING)} {prices_stamp()}",
            ) as tables,
        ):
            update = _Update(refs, tables, (host, login), options)
            update.run(progress)
            tables.commit()
    if update.written or tables.written:
        files = f"{counted(len(tables.written), 'day')} of tables in {directory}"
        print(clean(f"{counted(update.written, 'session')} written to {files}."))
    else:
        print(clean(f"No session changed; the tables in {directory} are up to date."))
    return 0


def origin() -> tuple[str, str]:
    """The names of this machine and of its user."""
    try:
        login = getpass.getuser()
    except (KeyError, OSError):
        login = "unknown"
    return socket.gethostname() or "unknown", login


def _options_text(options: argparse.Namespace) -> str:
    """The options that decide which rows there are."""
    given = [f"--{name} {value}" for name in ("provider", "project")
             if (value := getattr(options, name)) is not None]  # fmt: skip
    flags = ("no_subagents", "no_mask")
    given += [f"--{name.replace('_', '-')}" for name in flags if getattr(options, name)]
    return " ".join(given)


class _Update:
    """Goes through all sessions in the order in which `agentview stats` counts them."""

    def __init__(
        self,
        refs: Iterable[SessionRef],
        tables: ParquetPartitions,
        of: tuple[str, str],
        options: argparse.Namespace,
    ) -> None:
        self._refs = {ref.path: ref for ref in refs}
        self._naming: dict[tuple[str, str], list[SessionRef]] = {}
        """Logs of agents by the ids that they name."""
        for ref in self._refs.values():
            if ref.parent_id is not None:
                for name in {ref.session_id, ref.parent_id}:
                    self._naming.setdefault((ref.provider, name), []).append(ref)
        self._tables, self._of, self._options = tables, of, options
        self._prices, self._dedupe = PriceList(), ResponseDedupe()
        self.written = 0

    def run(self, progress: Progress) -> None:
        """Put the rows of what has changed; those of a session that is gone stay."""
        kept = self._tables.sessions
        sessions = count_order(self._refs.values(), agents=not self._options.no_subagents)
        places = [(ref.provider, ref.session_id, ref.path) for ref in sessions]
        there = {ref.path for ref in sessions}
        stays = without_moved(kept, places)
        self._tables.forget(kept.keys() - stays.keys())
        for path, each in stays.items():
            if path not in there:
                # What it counted is in the tables, so no copy of it may count that again.
                self._dedupe.note(keys_in(each.counted))
        read: set[str] = set()
        for number, ref in enumerate(sessions, 1):
            progress.say(f"session {number:,} of {len(sessions):,}")
            if ref.path not in read:
                read.update(self._bring(ref, stays.get(ref.path)))
            elif ref.path in stays:
                self._tables.forget([ref.path])

    def _bring(self, ref: SessionRef, kept: KeptSession | None) -> Iterable[str]:
        """Put the rows of a session unless they are there; gives the agents' logs among them."""
        try:
            files = self._files(ref, () if kept is None else kept.files)
            if kept is not None and self._is_same(ref, kept, files):
                self._dedupe.note(keys_in(kept.counted))
                return kept.agents
            return self._put(ref, self._dedupe.of(ref.provider), files)
        except AgentViewError as error:
            print(f"agentview: {one_line(error.message)}", file=sys.stderr, flush=True)
            if kept is None:
                return ()
            self._dedupe.note(keys_in(kept.counted))
            return kept.agents

    def _is_same(self, ref: SessionRef, kept: KeptSession, files: Mapping[str, str]) -> bool:
        """Return True if the session is as it was, and counts the same responses."""
        if files != kept.files or rules_of(ref.provider) is None:
            return False
        return self._dedupe.has_same(keys_in(kept.counted), keys_in(kept.repeated))

    def _put(self, ref: SessionRef, claims: SessionClaims, files: dict[str, str]) -> Iterable[str]:
        agents, mask = not self._options.no_subagents, not self._options.no_mask
        data = read_session(ref, self._prices, claims, agents=agents, mask=mask)
        # Of an agent that was found since, nobody knows what it was before it was read.
        files.update({path: "" for path in data.usage.agent_paths if path not in files})
        session = session_tables(data, *self._of, mask=mask)
        kept = KeptSession(
            provider=ref.provider,
            session_id=ref.session_id,
            day=session.day,
            agents=tuple(data.usage.agent_paths),
            files=files,
            counted=packed(claims.counted),
            repeated=packed(claims.repeated),
        )
        self._tables.put(ref.path, kept, session.rows)
        self.written += 1
        return kept.agents

    def _files(self, ref: SessionRef, known: Iterable[str]) -> dict[str, str]:
        """Which files a session is of, each with a text that changes with it."""
        notes = str(SessionFile(ref.provider, ref.session_id).path)
        paths = {ref.path, *self._agents_of(ref), *known, notes}
        return {path: self._version(path) for path in paths}

    def _agents_of(self, ref: SessionRef) -> set[str]:
        """Logs of agents that name the session, or an agent of it; quicker than its folder is."""
        found: set[str] = set()
        names = {ref.session_id, ref.own_id}
        while names:
            named = [log for name in names for log in self._naming.get((ref.provider, name), ())]
            names = {log.own_id for log in named if log.path not in found}
            found.update(log.path for log in named)
        return found

    def _version(self, path: str) -> str:
        ref = self._refs.get(path)
        if ref is not None:
            state = state_of(ref)
            return "" if state is None else state.version
        stamp = stamp_of(path)
        return "" if stamp is None else f"{stamp.inode} {stamp.size} {stamp.modified}"


def count_order(refs: Iterable[SessionRef], *, agents: bool = True) -> list[SessionRef]:
    """Logs in the order in which `agentview stats` counts them: agents last.

    Those of agents that a session before has are to be left out.
    """
    refs = list(refs)
    mains = [ref for ref in refs if ref.parent_id is None]
    return mains + ([ref for ref in refs if ref.parent_id is not None] if agents else [])

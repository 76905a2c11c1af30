"""`agentview status`: the state of all live sessions, as a table, as JSON or in a line."""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agentview.cli.hosts import found_sessions
from agentview.cli.kept_status import Answers, Dependencies, keep, own_variables
from agentview.cli.output.session_rows import session_rows
from agentview.cli.output.status_text import TableRow, formatted, table_text
from agentview.cli.output.terminal import columns
from agentview.domain.session import HERE
from agentview.domain.session_state import ASKED_AFTER, StateEvidence
from agentview.domain.usage_limit import current
from agentview.facts.kept.facts_db import facts_path
from agentview.reports.export.encoding import to_json_document
from agentview.sessions.clients.running import (
    detail_files,
    listed_directories,
    process_files,
    processes_looked_at,
    report_directories,
)
from agentview.sessions.library.live_list import (
    WithState,
    board_sessions,
    counts,
    is_listed,
    starting_sessions,
)
from agentview.sessions.library.liveness import activity_time, changes_at, may_be_live
from agentview.sessions.library.scan.scanner import session_roots
from agentview.sessions.library.session_list import distinct_names
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.unread import unread_of
from agentview.sessions.targets.session_query import (
    all_annotations,
    in_project,
    known_roots,
)
from agentview.settings.reading import read_settings
from agentview.sources.member import files_of
from agentview.system.paths import config_dir, state_dir
from agentview.timeline.view.format_numbers import UNKNOWN
from agentview.timeline.view.sanitize import one_line

_MOST_FILES = 10_000
"""Files and directories that are compared at most: with more of them nothing is kept."""
_SURVEY = 600.0
"""Seconds after which all logs are looked at again, whatever else is as it was."""
_PROCESSES = 60.0
"""The same of processes that decided a state: which files they have open is not compared."""
_UNCOMPARED = 2.0
"""Seconds for which such an answer holds where processes cannot be compared."""


def run(options: argparse.Namespace) -> int:
    """Print the states; no live session is an answer too."""
    now = time.time()
    provider: str | None = options.provider
    project: str | None = options.project
    sessions = found_sessions(options, totals=options.json, starting=True)
    every = sessions.facts
    ids = {(facts.info.ref.provider, facts.info.ref.session_id) for facts in every}
    starting = (
        starting_sessions(known_roots(provider), lambda ref: (ref.provider, ref.session_id) in ids)
        if sessions.here
        else ()
    )
    idle_after = 3600.0 * read_settings(os.environ).settings.board.idle_after
    on_board = [
        each
        for each in (*board_sessions(every, now, _is_read, idle_after), *starting)
        if project is None or in_project(each.facts.info, project)
    ]
    found = [each for each in on_board if is_listed(each)]
    fields, rows = counts(on_board), _table(found, hosts=sessions.hosts)
    document = None
    if options.format is not None:
        print(formatted(options.format, fields))
    elif options.json:
        # Imported here: neither the table nor a line of counts has totals.
        from agentview.sessions.targets.known_totals import with_current_totals

        counted = session_rows(with_current_totals(found), now)
        document = to_json_document(counted).decode()
        sys.stdout.buffer.write(document.encode())
    elif rows or not sessions.failures:
        print(table_text(rows, now, columns()))
    sys.stdout.flush()
    if provider is None and project is None and not options.settings and not options.hosts:
        _keep(Answers(document, fields, rows), every, found, (now, idle_after))
    return sessions.report()


def _is_read(facts: SessionFacts) -> bool:
    """True if all of a session was on a screen."""
    unread = unread_of(facts, all_annotations().seen(facts.info.ref))
    return unread is not None and not unread.count


def _table(found: Sequence[WithState], *, hosts: bool) -> list[TableRow]:
    infos = [live.facts.info for live in found]
    names = distinct_names({info.project for info in infos if info.project})
    return [
        (
            live.status.label,
            live.status.since,
            info.ref.provider,
            one_line(names.get(info.project or "", UNKNOWN)),
            one_line(live.facts.starred_title or UNKNOWN),
            one_line(live.status.queued_subject or ""),
            *([info.ref.host or HERE] if hosts else ()),
        )
        for live, info in zip(found, infos, strict=True)
    ]


# What an answer depends on.


class _Asked(Mapping[str, str]):
    """The environment; notes which variables somebody asked for."""

    def __init__(self) -> None:
        self.names: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> str:
        self.names[name] = os.environ.get(name)
        return os.environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(os.environ)

    def __len__(self) -> int:
        return len(os.environ)


def _keep(
    answers: Answers,
    every: Sequence[SessionFacts],
    found: Sequence[WithState],
    times_of: tuple[float, float],
) -> None:
    """Keep the answer of now, `times_of[0]`; after how long a session is idle is `times_of[1]`."""
    now, idle_after = times_of
    env = _Asked()
    session_roots(env)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        env.get(name)
    files = [str(facts_path()), *_files(every, now), *_agent_logs(found)]
    if len(files) > _MOST_FILES:
        return
    infos = [facts.info for facts in every if facts.info.ref.parent_id is None]
    times = [now + _SURVEY, *(changes_at(info, now) for info in infos)]
    times += [each.until for live in found for each in current(live.facts.info.limits, now)]
    begun = [live.status.since for live in found if live.status.since is not None]
    times += [since + ASKED_AFTER for since in begun]
    times += [activity_time(each.facts.info) + idle_after for each in found]
    processes = None
    if any(_by_process(live) for live in found):
        compared = Path("/proc/self/stat").exists()
        processes = _processes() if compared else None
        times.append(now + (_PROCESSES if compared else _UNCOMPARED))
    pids = [live.pid for live in found if live.pid is not None]
    until = min(moment for moment in times if moment is not None and moment > now)
    keep(answers, Dependencies(files, env.names | own_variables(), pids, processes, (now, until)))


def _by_process(live: WithState) -> bool:
    """True if the processes of a client decide the state, or may.

    No hook reports that a request was granted: that its command runs shows it.
    """
    by_process = live.status.evidence in (StateEvidence.PROCESS, StateEvidence.HOOKS)
    return by_process or not live.status.certain


def _processes() -> Mapping[str, Iterable[object]]:
    seen = processes_looked_at()
    return {
        "programs": seen.programs,
        "clients": seen.clients,
        "children": seen.children,
        "others": seen.others,
    }


def _files(every: Sequence[SessionFacts], now: float) -> Iterator[str]:
    """Everything whose change may change the answer; directories change with their entries."""
    yield str(state_dir() / "sessions")
    yield os.environ.get("AGENTVIEW_CONFIG") or str(config_dir() / "config.toml")
    for _, root in known_roots():
        yield from _folders(str(root))
    refs = [facts.info.ref for facts in every if facts.info.ref.parent_id is None]
    for ref in refs:
        yield from map(str, files_of(Path(ref.path)))
    live = [ref for ref in refs if may_be_live(ref, now)]
    yield from (file for ref in live for file in process_files(ref))
    yield from detail_files()
    directories = {each for ref in live for each in report_directories(ref)}
    for directory in directories | {*listed_directories(known_roots())}:
        yield directory
        yield from _entries(directory)


def _agent_logs(found: Sequence[WithState]) -> Iterator[str]:
    """Logs of agents of the sessions: tokens and cost are theirs too."""
    for agent in (agent for each in found for agent in each.agents):
        yield from map(str, files_of(Path(agent.info.ref.path)))


def _folders(root: str) -> Iterator[str]:
    """A directory and those below it in which a session may begin: not those next to a log."""
    yield root
    try:
        with os.scandir(root) as listed:
            entries = list(listed)
    except OSError:
        return
    logs = {entry.name.rpartition(".")[0] for entry in entries if "." in entry.name}
    for entry in entries:
        if entry.name not in logs and entry.is_dir(follow_symlinks=False):
            yield from _folders(entry.path)


def _entries(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as listed:
            return [entry.path for entry in listed]
    except OSError:
        return []

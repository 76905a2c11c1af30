"""The client of a session: the one function that every surface asks."""

import os
import time
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.session_state import (
    ABOUT_CHARS,
    ASKED_AFTER,
    Activity,
    AgentStatus,
    ClientFacts,
    SessionState,
    SessionStatus,
    StateEvidence,
    may_have_asked,
)
from agentview.domain.value import Value
from agentview.providers import load_provider
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.sessions.clients.processes import ClientProcess, LookedAt, Processes
from agentview.sessions.clients.registry import Registry, on_event_loop
from agentview.sessions.clients.seen import Seen, SeenClients
from agentview.sources.member import member_of

WRITING = 2.0
"""Seconds after the last record within which a client may not be in its list yet."""
LATEST = 7 * 86_400.0
"""Seconds after the last record for which processes are looked at."""

_ASKS = (Activity.APPROVAL, Activity.QUESTION, Activity.WAITING)
"""Activities of a client that waits for its person."""
_LEFT_OPEN = (SessionState.WORKING, SessionState.NEEDS_APPROVAL, SessionState.NEEDS_ANSWER)
"""States of a log with a call that may wait."""

_SLACK = 2.0
"""Seconds by which the system's time of a process may be wrong."""
_BEFORE = 5.0
"""Seconds after its last record by which the process of a session may have begun."""


class SessionFacts(Value):
    """Facts from the log of a session that are needed to find its client."""

    version: str | None = None
    """That of the client."""
    cwd: str | None = None
    status: SessionStatus = SessionStatus()
    last: float | None = None
    """Time of the last record, epoch seconds."""


Registries = tuple[tuple[LiveRegistry, Registry], ...]

_MOST = 1_000
"""Calls of which it is known that they ran."""
_ANY_LOG = "log"
_processes = Processes()
_registries: dict[tuple[str, int], Registry] = {}
"""By the directory and the identity of the form, of which each provider has one."""
_seen = SeenClients()
_ran: dict[tuple[str, str], None] = {}
"""Logs and calls whose commands were seen to run: they were allowed."""
_members: dict[str, tuple[str, str] | None] = {}
"""The database and the session of logs that are one, None for others."""


def client_of(ref: SessionRef, session: SessionFacts, now: float) -> ClientFacts | None:
    """Return the client of a session as known from outside its log; None where nothing is.

    `now` is the time of now. An agent within a session has no client of its own: it ends with that
    of its session. Lists and processes are as `look_at_clients` last found them where an event loop
    would be held; elsewhere they are looked at where that may change the answer.
    """
    facts = _listed(ref, session, now)
    if ref.stream.kind is not StreamKind.MAIN:
        return facts if facts is not None and not facts.alive else None
    if facts is None:
        facts = _running(ref, session, now)
    else:
        asked = facts.evidence is StateEvidence.HOOKS and facts.activity is Activity.APPROVAL
        # A number that may be of another machine says nothing of the processes of this one.
        known = facts.alive and facts.certain and (facts.activity is None or asked)
        if known and facts.pid is not None:
            runs = _runs_command(ref, facts.pid, session.status)
            facts = replace(facts, runs_command=runs)
    if facts is None or not facts.alive:
        return facts
    _expect_decision(session.status, now)
    asking = _asking_agents(ref, session.status, facts, now)
    if not asking:
        return facts
    first = None if _asks_itself(ref, session.status, facts) else asking[0]
    return replace(facts, asks_for=first, agents_ask=len(asking))


def _expect_decision(log: SessionStatus, now: float) -> None:
    """Have processes looked at once a call that waits would be over, or have begun a process."""
    undecided = log.state is SessionState.WORKING and not log.certain
    if undecided and (log.command or log.brief) and log.since is not None:
        decided = log.since + ASKED_AFTER
        if now < decided:
            _processes.expect(decided)


def _asks_itself(ref: SessionRef, own: SessionStatus, facts: ClientFacts) -> bool:
    """True if the session itself may wait for the person, by its client and its log."""
    if facts.activity is Activity.QUESTION and facts.about and own.state not in _LEFT_OPEN:
        return True
    if own.about is None or own.delegates or own.state not in _LEFT_OPEN:
        return False
    return not (own.command and facts.pid and _runs_command(ref, facts.pid, own))


def _asking_agents(
    ref: SessionRef, own: SessionStatus, facts: ClientFacts, now: float
) -> list[AgentStatus]:
    """The agents whose calls wait for the person, the one that asked first in front."""
    briefly, asks = on_event_loop(), facts.activity in _ASKS or own.delegates
    if not briefly and not asks:
        return []
    from agentview.sessions.clients.agents import AGENT_LOGS

    if briefly:
        AGENT_LOGS.expect(ref)
    if not asks:
        return []
    since = (facts.began or 0.0) - _SLACK
    waits_since = (facts.since or 0.0) if facts.activity in _ASKS else 0.0
    waiting = [
        each
        for each in AGENT_LOGS.open_calls(ref, waits_since, briefly=briefly)
        if (each.status.since or 0.0) >= since and _waits(ref, each.status, facts, now)
    ]
    return sorted(waiting, key=lambda each: each.status.since or 0.0)


def _waits(ref: SessionRef, call: SessionStatus, facts: ClientFacts, now: float) -> bool:
    """True if the call of an agent may be the one that its client asks about."""
    if call.asks and call.certain:
        return True
    at_work = call.asks or call.state is SessionState.WORKING
    if not at_work or call.certain or call.delegates:
        return False
    if facts.activity is Activity.QUESTION and call.command:
        # A command is approved; a question waits for words.
        return False
    if may_have_asked(call, now):
        return True
    runs = None
    if call.command and facts.pid is not None:
        runs = _runs_command(ref, facts.pid, call)
    if call.asks:
        # It asks first, and was allowed to once it runs.
        return not runs
    # Of a client that does not say that it waits, only a command that does not run shows it.
    return runs is False or (runs is None and facts.activity in _ASKS)


def continued_in(ref: SessionRef) -> SessionRef | None:
    """The session that the process of another one has by its client's list, as after `/clear`."""
    for form, registry in _registries_of(ref.provider, ref.path):
        client = None if form.is_file or form.by_hooks else registry.successor(ref.session_id)
        log = None if client is None else form.log(_root_of(ref.path, form, registry.place), client)
        if client is not None and log is not None:
            return SessionRef(ref.provider, client.session_id, log)
    return None


def _root_of(log: str, form: LiveRegistry, directory: str) -> str:
    """The directory of logs that a list is next to; `log` is one of them."""
    folders = [str(folder) for folder in Path(log).parents]
    next_to = (folder for folder in folders[::-1] if form.directory(f"{folder}/log") == directory)
    return next(next_to, folders[0])


def other_logs(ref: SessionRef) -> list[str]:
    """Files like its log that the process of a session had open too, or instead, at the last look.

    None of a session in a database, which is open for all of them.
    """
    seen = _seen.get(ref.path)
    if seen is None or _member(ref.path) is not None:
        return []
    own = _real(ref.path)
    return [
        path
        for process in _processes.clients()
        if seen.is_process(process.pid, process.began)
        for path in process.writes
        if path != own and path.endswith(_suffix(own))
    ]


def report_directories(ref: SessionRef) -> list[str]:
    """Directories whose files say what the client of a session does; they need not exist."""
    forms = [form for form in _forms_of(ref.provider) if not form.is_file]
    lists = _places(forms, ref)
    details = (form.details_at(place) for form in forms for place in _places([form], ref))
    return [*lists, *(place for place in details if place is not None)]


def is_report(path: Path, directories: Collection[str]) -> bool:
    """Return True if a file is in one of these `report_directories`, or in a folder of one."""
    return any(str(folder) in directories for folder in path.parents[:2])


def detail_files() -> list[str]:
    """Files that say more of sessions in the lists that were read."""
    return [path for registry in tuple(_registries.values()) for path in registry.details()]


def process_files(ref: SessionRef) -> list[str]:
    """Files next to the log of a session that say which process has it; they need not exist."""
    return _places((form for form in _forms_of(ref.provider) if form.is_file), ref)


def _places(forms: Iterable[LiveRegistry], ref: SessionRef) -> list[str]:
    found = (form.directory(ref.path) for form in forms)
    return [place for place in found if place is not None]


def listed_directories(roots: Iterable[tuple[str, Path]]) -> list[str]:
    """The lists of clients that are next to these directories of logs; they need not exist."""
    return [directory for _, _, directory in _lists_of(roots)]


def listed_clients(roots: Iterable[tuple[str, Path]]) -> list[tuple[SessionRef, ListedClient]]:
    """Clients that run by their own lists, with the session of each; its log need not exist."""
    found: list[tuple[SessionRef, ListedClient]] = []
    for provider, root, directory in _lists_of(roots):
        form = _forms_of(provider)[0]
        for client in _registry(directory, form).running():
            log = None if client.spare else form.log(root, client)
            if log is not None:
                found.append((SessionRef(provider, client.session_id, log), client))
    return found


def is_starting(ref: SessionRef) -> bool:
    """True if a client that runs has listed a session whose log it has not written yet."""
    return not os.path.lexists(ref.path) and any(
        client.session_id == ref.session_id and not client.spare
        for form, registry in _registries_of(ref.provider, ref.path)
        if not form.is_file and not form.by_hooks
        for client in registry.running()
    )


def _lists_of(roots: Iterable[tuple[str, Path]]) -> Iterator[tuple[str, str, str]]:
    for provider, root in roots:
        forms = _forms_of(provider)
        if forms and not forms[0].by_hooks and not forms[0].is_file:
            directory = forms[0].directory(f"{root}/log")
            if directory is not None:
                yield provider, str(root), directory


async def read_lists_again(changed: Iterable[Path]) -> None:
    """Read what clients say in these files, or in entries of lists, in a thread.

    Otherwise what a client says right after a look would show with the next one only.
    """
    places = {str(place) for path in changed for place in (path, *path.parents[:2])}
    lists = [
        registry
        for registry in tuple(_registries.values())
        if registry.place in places or registry.details_place in places
    ]
    if not lists:
        return
    # Imported here: commands that print states once need no event loop.
    import asyncio

    for registry in lists:
        registry.expire()
    await asyncio.to_thread(_look_at, lists)


def _look_at(lists: Iterable[Registry]) -> None:
    for registry in lists:
        registry.look()


def look_at_lists() -> None:
    """Read the lists of clients again: on an event loop they are as they were last found.

    Takes as long as their file systems do.
    """
    _look_at(tuple(_registries.values()))


def look_at_clients() -> None:
    """Look at lists of clients, and at their processes at most every two seconds.

    Whoever shows states for longer than a moment does so in a thread, every two seconds.
    """
    # Imported here, as below: few lists have a session whose client waits.
    from agentview.sessions.clients.agents import AGENT_LOGS

    look_at_lists()
    _processes.look()
    AGENT_LOGS.look()
    _seen.save()


def look_is_due() -> bool:
    """Return True if `look_at_clients` would look at processes or agents now."""
    from agentview.sessions.clients.agents import AGENT_LOGS

    return _processes.due or AGENT_LOGS.due


def processes_looked_at() -> LookedAt:
    return _processes.looked_at()


def _listed(ref: SessionRef, session: SessionFacts, now: float) -> ClientFacts | None:
    """The entry in a client's lists. An entry in one counts before its absence in another."""
    quiet = session.last is not None and now - session.last >= WRITING
    best: ClientFacts | None = None
    for form, registry in _registries_of(ref.provider, ref.path):
        expected = quiet and form.lists(session.version)
        facts = registry.facts(ref.session_id, expected=expected)
        if (form.by_hooks or form.partial) and _has_continued(facts, session):
            facts = None
        elif form.partial and facts is not None and not facts.alive and not facts.certain:
            # One that lists itself nowhere may have gone on in the session.
            other = _running(ref, session, now)
            facts = other if other is not None and other.alive else facts
        if best is None or (facts is not None and facts.alive and _says_less(best, facts)):
            best = facts
    return best


def _says_less(facts: ClientFacts, other: ClientFacts) -> bool:
    """True if a list says only that a client is not in it, or that it runs; not what it does."""
    if not facts.alive:
        return not facts.certain
    return facts.activity is None and other.activity is not None


def _has_continued(facts: ClientFacts | None, session: SessionFacts) -> bool:
    """True if a session was written after its client had gone: another one has it, unlisted."""
    if facts is None or facts.alive or facts.since is None or session.last is None:
        return False
    return session.last > facts.since + WRITING


def _running(ref: SessionRef, session: SessionFacts, now: float) -> ClientFacts | None:
    """Return the processes of a session that may be live."""
    if not _programs_of(ref.provider) or session.status.state is SessionState.ENDED:
        return None
    if session.last is None or now - session.last >= LATEST:
        return None
    _processes.watch(_programs_of(ref.provider))
    _look(ref)
    process, certain = _process_of(ref, session)
    if process is None:
        facts = _ended(ref)
        return None if _has_continued(facts, session) else facts
    _note(ref, Seen(process.pid, process.began, certain))
    alone = (
        _member(ref.path) is not None
        or sum(path.endswith(_suffix(ref.path)) for path in process.writes) <= 1
    )
    return ClientFacts(
        alive=True,
        evidence=StateEvidence.PROCESS,
        certain=certain,
        since=process.began,
        began=process.began,
        runs_command=_runs_command(ref, process.pid, session.status) if alone else None,
        pid=process.pid,
    )


def _suffix(log: str) -> str:
    return os.path.splitext(log)[1]  # noqa: PTH122


def _note(ref: SessionRef, seen: Seen) -> None:
    _seen.note(ref.path, seen)
    if not on_event_loop():
        _seen.save()


def _ended(ref: SessionRef) -> ClientFacts | None:
    """The client of a session that had a process before and has none now."""
    known = _seen.get(ref.path)
    if known is None or not _processes.looked_for(_programs_of(ref.provider)):
        return None
    there = any(known.is_process(each.pid, each.began) for each in _processes.clients())
    if there and not known.certain:
        return None
    since = time.time() if known.gone is None else known.gone
    _note(ref, replace(known, gone=since))
    # A process that is there without the log open has turned to another session, or will come back.
    return ClientFacts(
        alive=False,
        evidence=StateEvidence.PROCESS,
        certain=known.certain and not there,
        since=since,
    )


def _process_of(ref: SessionRef, session: SessionFacts) -> tuple[ClientProcess | None, bool]:
    """The process of a session, and whether it is certain that it is the one."""
    programs = _programs_of(ref.provider)
    running = [each for each in _processes.clients() if not programs.isdisjoint(each.programs)]
    if not running:
        return None, False
    member = _member(ref.path)
    log = _real(ref.path if member is None else member[0])
    others = _listed_elsewhere(ref)
    others |= {each.parent for each in _processes.clients() if each.pid in others}
    mine = [each for each in running if each.pid not in others]
    writers = _without_parents([each for each in mine if log in each.writes])
    if len(writers) == 1 and member is None:
        return writers[0], True
    if (writers and member is None) or session.cwd is None or session.last is None:
        return None, False
    _processes.expect_writer(log, session.last)
    cwd, begun = _real_folder(session.cwd), session.last + _BEFORE
    here = [each for each in mine if each.cwd == cwd and each.began <= begun]
    if member is not None:
        # Each client has the database open, for sessions of its own.
        found = _without_parents([each for each in here if log in each.writes])
        return (found[0], False) if len(found) == 1 else (None, False)
    free = [each for each in here if not any(path.endswith(_suffix(log)) for path in each.writes)]
    found = _without_parents(free)
    return (found[0], False) if len(found) == 1 else (None, False)


def _listed_elsewhere(ref: SessionRef) -> frozenset[int]:
    """Processes that the client's own list has with another session."""
    return frozenset(
        client.pid
        for form, registry in _registries_of(ref.provider, ref.path)
        if not form.is_file and not form.by_hooks
        for client in registry.running()
        if client.spare or client.session_id != ref.session_id
    )


def _without_parents(processes: list[ClientProcess]) -> list[ClientProcess]:
    """Those that have not started another one of them: a program may start itself again."""
    parents = {each.parent for each in processes}
    return [each for each in processes if each.pid not in parents]


def _runs_command(ref: SessionRef, pid: int, log: SessionStatus) -> bool | None:
    """True if the command of the call that waits runs; None where processes say nothing.

    Where the log has no command, that is whatever the client started since the log's last word.
    Only asked where the log leaves it open what the client does.
    """
    if log.certain or log.since is None:
        return None
    _look(ref)
    since = log.since - _SLACK
    if not log.command:
        return _processes.started_since(pid, since) or None
    ran = ref.path, log.call or ""
    if _processes.runs(pid, _command(log.about or ""), since):
        _ran[ran] = None
        if len(_ran) > _MOST:
            _ran.pop(next(iter(_ran)), None)
        return True
    if log.call is not None and ran in _ran:
        # It is over, and its result is not in the log yet.
        return None
    return False if _processes.children_read - log.since >= ASKED_AFTER else None


def _command(about: str) -> str:
    return about if len(about) < ABOUT_CHARS else about.rpartition(" ")[0]


def _look(ref: SessionRef) -> None:
    _processes.watch(_programs_of(ref.provider))
    if _processes.due and not on_event_loop():
        _processes.look()


@lru_cache(maxsize=4096)
def _real(path: str) -> str:
    """The path without links; one that no file can have, as a log may name, as it is."""
    folder, name = os.path.split(path)
    place = os.path.join(_real_folder(folder), name)  # noqa: PTH118  (thousands in a row)
    return _real_folder(path) if os.path.islink(place) else place  # noqa: PTH114


@lru_cache(maxsize=4096)
def _real_folder(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _member(path: str) -> tuple[str, str] | None:
    """As `member_of`, which looks at the file system: a log that is there stays what it is."""
    if path not in _members:
        member = member_of(path)
        if member is None and not os.path.lexists(path):
            return None
        _members[path] = member
    return _members[path]


@cache
def _programs_of(provider: str) -> frozenset[str]:
    try:
        return frozenset(load_provider(provider).programs)
    except KeyError:
        return frozenset()


@cache
def _forms_of(provider: str) -> tuple[LiveRegistry, ...]:
    """The lists of a client, the strongest first."""
    try:
        known = load_provider(provider)
    except KeyError:
        return ()
    forms = known.live_registry, known.process_file, known.hook_reports
    return tuple(form for form in forms if form is not None)


def _registries_of(provider: str, log: str) -> Registries:
    """The lists of the client of a log, the strongest first."""
    if not _forms_of(provider):
        return ()
    if _same_in_folder(provider):
        # Thousands are asked for, in a few folders.
        log = f"{log.rpartition(os.sep)[0]}{os.sep}{_ANY_LOG}"
    return _registries_at(provider, log)


@cache
def _same_in_folder(provider: str) -> bool:
    """True if all logs of a folder have the same lists."""
    return not any(form.is_file for form in _forms_of(provider))


@lru_cache(maxsize=4096)
def _registries_at(provider: str, log: str) -> Registries:
    places = ((form, form.directory(log)) for form in _forms_of(provider))
    return tuple((form, _registry(place, form)) for form, place in places if place is not None)


def _registry(directory: str, form: LiveRegistry) -> Registry:
    key = directory, id(form)
    if key not in _registries:
        _registries[key] = Registry(directory, form)
    return _registries[key]

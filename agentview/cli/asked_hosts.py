"""What commands ask other machines."""

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo
from agentview.sessions.fleet.connection import HostFailure, Read, all_answers
from agentview.sessions.fleet.hosts import Host, Machines, chosen_machines
from agentview.sessions.fleet.matches import asked_of, matches_of
from agentview.sessions.fleet.protocol import (
    Answer,
    Request,
    SessionsRequest,
    UsageRequest,
)
from agentview.sessions.fleet.sessions import sessions_of
from agentview.sessions.fleet.usage import outcome_of
from agentview.sessions.library.counted_sessions import SessionOutcome
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_query import all_annotations, names_directory
from agentview.sessions.targets.session_search import Found, Outcome, SearchRequest
from agentview.settings.reading import read_settings
from agentview.timeline.view.format_numbers import counted


def chosen(options: argparse.Namespace) -> Machines:
    """The machines that the options name. Raises UsageError."""
    return chosen_machines(options.hosts, read_settings(os.environ).settings.hosts)


def project_there(project: str | None) -> str | None:
    """A project as other machines are asked for it: a directory by its whole path."""
    if project is None or not names_directory(project):
        return project
    return str(Path(project).expanduser().absolute())


def _answered(
    hosts: Sequence[Host],
    request: Request,
    read: Callable[[Answer, Host], Read],
    failures: list[str],
) -> Iterator[tuple[Host, Read]]:
    """The answers of machines; sentences on those that fail are added to `failures`."""
    for host, answer in all_answers(hosts, request, read):
        if isinstance(answer, HostFailure):
            failures.append(f"{answer.message} {answer.hint or ''}".rstrip())
        else:
            yield host, answer


def usage_of_hosts(
    hosts: Sequence[Host], request: UsageRequest, failures: list[str]
) -> Iterator[tuple[SessionOutcome, SessionInfo]]:
    """Yield the counted sessions of machines, with their facts; errors are added to `failures`."""
    return (found for _, found in _answered(hosts, request, outcome_of, failures))


def matches_of_hosts(
    hosts: Sequence[Host], request: SearchRequest, outcome: Outcome, failures: list[str]
) -> list[Found]:
    """Search sessions of machines; statistics are added to `outcome`, errors to `failures`."""
    found: list[Found] = []
    request, hosts = asked_of(request, hosts)
    for _, answer in _answered(hosts, request, matches_of, failures):
        if isinstance(answer, Outcome):
            outcome.add(answer)
        elif answer is not None:
            found.append(answer)
    return found


def sessions_of_hosts(
    hosts: Sequence[Host], request: SessionsRequest, failures: list[str]
) -> list[SessionFacts]:
    """All sessions of machines, with what their person added to them here."""
    found: dict[str, SessionFacts] = {}
    unknown: Counter[str] = Counter()
    added = all_annotations()
    for host, batch in _answered(hosts, request, sessions_of, failures):
        unknown[host.name] += batch.checked
        for facts in batch.facts:
            ref = facts.info.ref
            found[ref.path] = facts.annotated(added.of(ref))
    failures += [
        f"{name}: {counted(count, 'session')} of formats that are not known here."
        for name, count in unknown.items()
        if count
    ]
    return list(found.values())

"""The sessions of the machines that `--host` names, for commands that print them."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_query import all_sessions

UNANSWERED = 1
"""Exit code when a machine was not asked, whatever the others answered."""


@dataclass(slots=True)
class FoundSessions:
    """Sessions of this machine, or of those that were named."""

    facts: Sequence[SessionFacts]
    here: bool = True
    """This machine is among them."""
    hosts: bool = False
    """Other machines are."""
    failures: list[str] = field(default_factory=list[str])

    def report(self) -> int:
        """Print which machines could not be asked; gives the exit code."""
        return print_failures(self.failures)


def check_hosts(options: argparse.Namespace) -> None:
    """Raise UsageError for a name that leads to no machine."""
    if options.hosts:
        from agentview.cli.asked_hosts import chosen

        chosen(options)


def print_failures(failures: Sequence[str]) -> int:
    """Print which machines could not be asked; gives the exit code."""
    for line in failures:
        print(f"agentview: {line}", file=sys.stderr)
    return UNANSWERED if failures else 0


def found_sessions(
    options: argparse.Namespace, *, totals: bool = False, starting: bool = False
) -> FoundSessions:
    """All sessions of the machines that the options name, newest activity first.

    Of other machines `totals` are current, and with `starting` clients without a log are included.
    """
    provider: str | None = options.provider
    if not options.hosts:
        return FoundSessions(all_sessions(provider))
    # Imported here: most people have no other machine.
    from agentview.cli.asked_hosts import chosen, sessions_of_hosts
    from agentview.sessions.fleet.protocol import SessionsRequest
    from agentview.sessions.fleet.spools import sessions_of_spools
    from agentview.sessions.library.session_list import newest_key

    machines = chosen(options)
    here = all_sessions(provider) if machines.here else []
    failures: list[str] = []
    request = SessionsRequest(provider, totals, starting)
    there = sessions_of_hosts(machines.hosts, request, failures)
    copies = sessions_of_spools(machines.spools, provider) if machines.spools else []
    return FoundSessions(
        sorted((*here, *there, *copies), key=newest_key),
        machines.here,
        hosts=True,
        failures=failures,
    )

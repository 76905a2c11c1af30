"""`agentview stats`: what sessions used, as a table or as JSON."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from agentview.cli.grammar.parts import chosen_period
from agentview.cli.hosts import print_failures
from agentview.cli.output.progress import Progress
from agentview.cli.output.terminal import columns, writes_unicode
from agentview.cli.output.usage_json import document
from agentview.cli.output.usage_text import session_lines, totals_lines
from agentview.cli.standard_input import piped_session
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionInfo, SessionRef
from agentview.errors import AgentViewError, UsageError
from agentview.facts.usage.group_by import GroupKey, Totals
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.facts.usage.report import SessionUsage, UsageSums
from agentview.reports.export.encoding import to_json_document
from agentview.sessions.library.counted_sessions import CountedSessions, SessionOutcome
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.session_query import catalogue, info_of, none_found
from agentview.sessions.targets.target_sessions import known_sessions
from agentview.sources.one_look import one_look
from agentview.timeline.view.format_numbers import counted, date_time
from agentview.timeline.view.sanitize import one_line

_NAMED = (GroupKey.PROJECT, GroupKey.SESSION)
"""Groups that need more of a session than its usage."""


def run(options: argparse.Namespace) -> int:
    """Print what the sessions used; no sessions is an answer too, not an error."""
    within = chosen_period(options) or ALL_TIME
    if options.hosts:
        return _of_machines(within, options)
    if options.budget:
        # Imported here: few have budgets.
        from agentview.cli.output.budget_lines import print_budgets

        return print_budgets(options)
    with Progress():
        choice = Choice(options.provider, options.project)
        chosen = known_sessions(options.targets, choice)
    if PIPE not in options.targets:
        return _stats(chosen, within, options)
    with piped_session(options.provider) as piped:
        return _stats([(piped, None), *chosen], within, options)


def _of_machines(within: Period, options: argparse.Namespace) -> int:
    """Print what the sessions of machines used: the sum of what each of them counts."""
    if options.targets or options.budget:
        raise UsageError(
            "--host counts all sessions of a machine.", "Leave out TARGET and --budget."
        )
    # Imported here: most people have no other machine.
    from agentview.cli.asked_hosts import chosen, project_there, usage_of_hosts
    from agentview.sessions.fleet.protocol import UsageRequest
    from agentview.sessions.fleet.spools import usage_of_spools

    machines, failures = chosen(options), list[str]()
    provider, project = options.provider, options.project
    own = known_sessions((), Choice(provider, project)) if machines.here else []
    request = UsageRequest(
        provider,
        project_there(project),
        within.after,
        within.before,
        agents=not options.no_subagents,
    )
    there = usage_of_hosts(machines.hosts, request, failures)
    copies = usage_of_spools(machines.spools, request)
    code = _stats(own, within, options, chain(there, copies), failures)
    return max(code, print_failures(failures))


def _used_there(
    found: Iterable[tuple[SessionOutcome, SessionInfo]],
    infos: dict[str, SessionInfo | None],
    unreadable: list[tuple[str, str]],
) -> Iterator[tuple[UsageSums, bool]]:
    """Usage of sessions on other machines, as `_counted` has it; their facts go to `infos`."""
    for outcome, info in found:
        if outcome.trouble is not None:
            unreadable.append((outcome.ref.path, one_line(outcome.trouble)))
        elif outcome.usage is not None:
            infos[outcome.ref.path] = info
            yield outcome.usage, outcome.is_agent


def _stats(
    chosen: Sequence[tuple[SessionRef, SessionInfo | None]],
    within: Period,
    options: argparse.Namespace,
    there: Iterable[tuple[SessionOutcome, SessionInfo]] = (),
    failures: Sequence[str] = (),
) -> int:
    """Print what sessions used; those of `there` are of other machines, as far as none failed."""
    refs, facts = [ref for ref, _ in chosen], {ref.path: info for ref, info in chosen}
    by = GroupKey(options.by) if options.by else None
    if not refs and not options.hosts:
        print(none_found(options.provider), file=sys.stderr)
    totals = Totals(by)
    infos: dict[str, SessionInfo] = {}
    unreadable: list[tuple[str, str]] = []
    newest: UsageSums | None = None
    # A target may mean a part of what is in a log.
    known = {} if options.targets else {ref.path: ref for ref in refs}
    with Progress(), one_look(len(refs), known):
        own = _counted(refs, within, unreadable, agents=not options.no_subagents)
        for usage, is_agent in chain(own, _used_there(there, facts, unreadable)):
            newest = usage if usage.is_inside else newest
            project = None
            if by in _NAMED and usage.is_inside:
                info = facts.get(usage.ref.path) or info_of(usage.ref)
                project = info.project
                if by is GroupKey.SESSION:
                    infos[usage.ref.path] = info
            totals.add(usage, project, agent=is_agent)
    only = None
    alone = newest is not None and totals.all.sessions == 1 and not newest.ref.is_remote
    if newest is not None and alone and (options.json or by is None):
        only = _whole(newest, within, agents=not options.no_subagents)
    if options.json:
        found = document(totals, within, only, infos, unreadable)
        sys.stdout.buffer.write(to_json_document(found))
        return 0
    if newest is not None or unreadable:
        lines = _lines(totals, only, infos)
        print("\n".join(lines if within.is_all else [_bounds(within), *lines]))
    elif (refs or options.hosts) and not failures:
        when = "" if within.is_all else f" {_bounds(within)}"
        print(f"No session has anything{when}.", file=sys.stderr)
    for path, message in unreadable:
        print(f"agentview: not counted: {path}: {message}", file=sys.stderr)
    _say_untimed(totals, within)
    return 0


def _lines(
    totals: Totals, only: SessionUsage | None, infos: Mapping[str, SessionInfo]
) -> list[str]:
    width = columns()
    if only is not None and totals.breakdown is None:
        return session_lines(only, info_of(only.ref), width, unicode=writes_unicode())
    return totals_lines(totals, infos, width, unicode=writes_unicode())


def _bounds(within: Period) -> str:
    """The period in words, in the time zone of this machine."""
    bounds = (("from", within.after), ("before", within.before))
    return " and ".join(f"{word} {date_time(at)}" for word, at in bounds if at is not None)


def _say_untimed(totals: Totals, within: Period) -> None:
    if totals.untimed and not within.is_all:
        sessions = counted(totals.untimed, "session")
        print(f"Not counted: what has no time, in {sessions}.", file=sys.stderr)


def _whole(usage: UsageSums, within: Period, *, agents: bool) -> SessionUsage:
    """Usage of a session in full, which is not kept."""
    if isinstance(usage, SessionUsage):
        return usage
    return measure(usage.ref, PriceList(), agents=agents, period=within)


def _counted(
    refs: Sequence[SessionRef],
    within: Period,
    unreadable: list[tuple[str, str]],
    *,
    agents: bool,
) -> Iterator[tuple[UsageSums, bool]]:
    """Return the usage of each session, and whether it is an agent's without its session."""
    if len(refs) == 1:
        try:
            yield measure(refs[0], PriceList(), agents=agents, period=within), False
        except AgentViewError as error:
            unreadable.append((refs[0].path, error.message))
        return
    for outcome in CountedSessions(refs, catalogue(), agents=agents, period=within).each():
        if outcome.trouble is not None:
            unreadable.append((outcome.ref.path, outcome.trouble))
        elif outcome.usage is not None:
            yield outcome.usage, outcome.is_agent

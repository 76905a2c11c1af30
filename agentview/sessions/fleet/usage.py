"""Usage of sessions as it goes from one machine to another."""

import os
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from agentview.domain.period import Period
from agentview.domain.session import SessionInfo
from agentview.providers import provider_names
from agentview.sessions.fleet.hosts import Host
from agentview.sessions.fleet.protocol import Answer, ProtocolError, UsageRequest, Used, is_finite
from agentview.sessions.fleet.sessions import placed
from agentview.sessions.library.counted_sessions import CountedSessions, SessionOutcome
from agentview.sessions.targets.log_file import Choice
from agentview.sessions.targets.session_query import catalogue
from agentview.sessions.targets.target_sessions import known_sessions


def used_here(request: UsageRequest) -> Iterator[Used]:
    """Usage of each session of this machine."""
    chosen = known_sessions((), Choice(request.provider, request.project))
    infos = {ref.path: info for ref, info in chosen}
    period = Period(request.after, request.before)
    refs = [ref for ref, _ in chosen]
    for outcome in CountedSessions(refs, catalogue(), agents=request.agents, period=period).each():
        # A path need not be text.
        ref = replace(outcome.ref, path="")
        info = infos.get(outcome.ref.path) or SessionInfo(outcome.ref)
        yield Used(
            os.fsencode(outcome.ref.path),
            replace(info, ref=ref),
            None if outcome.usage is None else replace(outcome.usage, ref=ref, agent_paths=()),
            outcome.is_agent,
            outcome.trouble,
        )


def outcome_of(used: Answer, host: Host) -> tuple[SessionOutcome, SessionInfo]:
    """Usage and facts of a session that a machine has sent. Raises ProtocolError."""
    if not isinstance(used, Used):
        raise ProtocolError("It answered something else.")
    if not is_finite(msgspec.to_builtins((used.info, used.usage))):
        raise ProtocolError("Its usage cannot be read.")
    info = replace(used.info, ref=replace(used.info.ref, path=os.fsdecode(used.path)))
    info = placed(info, host)
    trouble = used.trouble
    if info.ref.provider not in provider_names():
        trouble = "its format is not known here"
    usage = None if trouble or used.usage is None else replace(used.usage, ref=info.ref)
    return SessionOutcome(info.ref, usage, used.is_agent, trouble), info

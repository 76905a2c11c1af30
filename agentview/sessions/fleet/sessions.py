"""Sessions as they go from one machine to another."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from agentview.domain.session import ClientElsewhere, SessionInfo
from agentview.providers import provider_names
from agentview.sessions.fleet.hosts import Host
from agentview.sessions.fleet.protocol import LARGEST, Answer, ProtocolError, Sessions, is_finite
from agentview.sessions.library.live_list import WithState
from agentview.sessions.library.scan.messages import pack_found, unpack_found
from agentview.sessions.library.search_roots import ScanBatch
from agentview.sessions.library.session_record import SessionFacts, SessionTotals

_AT_ONCE = 200
"""Sessions of a message."""
_LONGEST_PATH = 16_384


def stated(each: WithState) -> SessionFacts:
    """A session with its state as it is now, which nobody on another machine can find out."""
    info = each.facts.info
    elsewhere = ClientElsewhere(each.live, each.pid)
    return replace(each.facts, info=replace(info, status=each.status, elsewhere=elsewhere))


def messages_of(facts: Iterable[SessionFacts], gone: Sequence[str] = ()) -> Iterator[Sessions]:
    """The sessions in messages of a size that can be sent."""
    found = tuple(facts)
    for start in range(0, len(found), _AT_ONCE):
        yield from _messages(found[start : start + _AT_ONCE])
    for start in range(0, len(gone), _AT_ONCE):
        yield Sessions(pack_found(ScanBatch((), 0, gone=tuple(gone[start : start + _AT_ONCE]))))


def _messages(facts: Sequence[SessionFacts]) -> Iterator[Sessions]:
    body = pack_found(ScanBatch(tuple(facts), 0))
    middle = len(facts) // 2
    if len(body) < LARGEST // 2:
        yield Sessions(body)
    elif middle:
        yield from _messages(facts[:middle])
        yield from _messages(facts[middle:])
    elif any(each.totals is not None for each in facts):
        yield from _messages([replace(each, totals=None) for each in facts])


def sessions_of(message: Answer, host: Host) -> ScanBatch:
    """The sessions of a message, as those of its host. Raises ProtocolError.

    Those of formats that are not known here are left out, and `checked` is how many these are.
    """
    if not isinstance(message, Sessions):
        raise ProtocolError("It answered something else.")
    try:
        found = unpack_found(message.found)
        if not all(map(_is_sound, found.facts)):
            raise ProtocolError("Its sessions cannot be read.")
    except (ValueError, TypeError, RecursionError) as error:
        raise ProtocolError("Its sessions cannot be read.") from error
    known = [facts for facts in found.facts if facts.info.ref.provider in provider_names()]
    return ScanBatch(
        tuple(replace(facts, info=placed(facts.info, host)) for facts in known),
        0,
        len(found.facts) - len(known),
        tuple(path_on(host, path) for path in found.gone),
    )


def _is_sound(facts: SessionFacts) -> bool:
    totals = facts.totals
    # Totals of other machines are unpacked to be looked at: damaged ones are empty.
    every = totals and [getattr(totals, name) for name in SessionTotals.__struct_fields__]
    parts = msgspec.to_builtins((facts.info, every), str_keys=True)
    return len(facts.info.ref.path) <= _LONGEST_PATH and is_finite(parts)


def placed(info: SessionInfo, host: Host) -> SessionInfo:
    """The facts of a session with the machine that it is on."""
    ref = info.ref
    return replace(info, ref=replace(ref, path=path_on(host, ref.path), host=host.name))


def path_on(host: Host, path: str) -> str:
    """The name of a file on another machine: a TARGET of `agentview tail`."""
    return host.place.url(path if path.startswith("/") else f"/{path}")

"""What is known of the client of a session: the one function that every surface asks."""

from functools import cache

from agentview.clients.registry import Registry
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.session_state import ClientFacts
from agentview.providers import load_provider
from agentview.providers.base import LiveRegistry

WRITING = 2.0
"""Seconds after the last record within which a client may not be in its list yet."""


def client_of(
    ref: SessionRef, version: str | None, last: float | None, now: float
) -> ClientFacts | None:
    """What is known of the client of a session from outside its log; None where nothing is.

    `version` is that of the client, `last` the time of the last record, `now` the time of now. An
    agent within a session has no client of its own: it ends with that of its session.
    """
    form, directory = _form_of(ref.provider), registry_directory(ref)
    if form is None or directory is None:
        return None
    quiet = last is not None and now - last >= WRITING
    facts = _registry(directory, form).facts(ref.session_id, expected=quiet and form.lists(version))
    if facts is not None and facts.alive and ref.stream.kind is not StreamKind.MAIN:
        return None
    return facts


def registry_directory(ref: SessionRef) -> str | None:
    """The directory whose files say what the client of a session does; it need not exist."""
    form = _form_of(ref.provider)
    return None if form is None else form.directory(ref.path)


@cache
def _form_of(provider: str) -> LiveRegistry | None:
    try:
        return load_provider(provider).live_registry
    except KeyError:
        return None


@cache
def _registry(directory: str, form: LiveRegistry) -> Registry:
    return Registry(directory, form)

"""Sessions whose logs their client will delete soon."""

from collections.abc import Iterable

from agentview.domain.value import Value
from agentview.library.search_roots import Roots
from agentview.library.session_record import SessionFacts
from agentview.providers import load_provider

_DAY = 86_400.0
SOON = 7 * _DAY
"""Seconds within which a session that goes is worth a word."""


class Expiring(Value):
    """The sessions of one place that its client deletes within `SOON`."""

    provider: str
    label: str
    sessions: int
    of: int
    """All sessions in the place."""
    days: float
    """Days after the last change of a log, by the client's setting."""
    setting: str
    path: str
    """The file that the setting is in."""


def expiring(found: Iterable[SessionFacts], roots: Roots, now: float) -> list[Expiring]:
    """What goes within `SOON` of the time `now`, by place; of places without, nothing.

    A session that should be gone already goes the next time that its client starts.
    """
    mains = [facts.info.ref for facts in found if facts.info.ref.parent_id is None]
    places: list[Expiring] = []
    for name in {ref.provider for ref in mains}:
        provider = load_provider(name)
        for root in (root for owner, root in roots if owner == name):
            rule = provider.retention(root)
            if rule is None:
                continue
            refs = [
                ref for ref in mains if ref.provider == name and ref.path.startswith(f"{root}/")
            ]
            limit = now + SOON - rule.days * _DAY
            soon = sum(1 for ref in refs if ref.modified is not None and ref.modified <= limit)
            if soon:
                places.append(
                    Expiring(
                        name, provider.label, soon, len(refs), rule.days, rule.setting, rule.path
                    )
                )
    return sorted(places, key=lambda place: place.path)

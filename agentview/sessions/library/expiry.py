"""Sessions whose logs their client will delete soon."""

from collections.abc import Iterable, Sequence

from agentview.domain.value import Value
from agentview.sessions.library.search_roots import DeletionRule
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.subagent_tree import main_sessions
from agentview.timeline.view.format_numbers import counted

_DAY = 86_400.0
SOON = 7 * _DAY
"""Seconds within which a session that goes is worth a word."""


class Expiring(Value):
    """The sessions of one place that its client deletes within `SOON`."""

    provider: str
    label: str
    sessions: int
    by_tomorrow: int
    """Those of them that it deletes within a day."""
    of: int
    """All sessions in the place."""
    days: float
    """Days after the last change of a log, by the client's setting."""
    setting: str
    path: str
    """The file that the setting is in."""


def expiring(
    found: Iterable[SessionFacts], rules: Sequence[DeletionRule], now: float
) -> list[Expiring]:
    """Return the sessions that go within `SOON` of the time `now`, by place.

    A session that should be gone already goes the next time that its client starts.
    """
    if not rules:
        return []
    mains = main_sessions(facts.info.ref for facts in found)
    places: list[Expiring] = []
    for rule in rules:
        below = f"{rule.root}/"
        refs = [
            ref for ref in mains if ref.provider == rule.provider and ref.path.startswith(below)
        ]
        end = now - rule.days * _DAY
        times = [ref.modified for ref in refs if ref.modified is not None]
        soon = sum(1 for each in times if each <= end + SOON)
        by_tomorrow = sum(1 for each in times if each <= end + _DAY)
        if soon:
            places.append(
                Expiring(
                    rule.provider,
                    rule.label,
                    soon,
                    by_tomorrow,
                    len(refs),
                    rule.days,
                    rule.setting,
                    rule.path,
                )
            )
    return sorted(places, key=lambda place: place.path)


def expiry_words(places: Sequence[Expiring]) -> tuple[str, ...]:
    """How many sessions go and which setting keeps them, the longest text first."""
    if not places:
        return ()
    tomorrow, setting = sum(place.by_tomorrow for place in places), places[0].setting
    count = tomorrow or sum(place.sessions for place in places)
    going = f"{counted(count, 'session')} deleted {'by tomorrow' if tomorrow else 'within a week'}"
    known = f"{going} ({setting})"
    return f"{known}; to keep them: agentview archive", known, going, f"{count:,} deleted soon"

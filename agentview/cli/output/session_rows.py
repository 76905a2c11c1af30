"""Sessions as rows of JSON, with what was added to each and how much of it is unread."""

from collections.abc import Iterable

from agentview.export.encoding import Object
from agentview.export.session_fields import session_fields
from agentview.library.live_list import WithState
from agentview.library.unread import unread_of
from agentview.targets.session_query import all_annotations


def session_rows(found: Iterable[WithState], now: float) -> list[Object]:
    """One object for each session at the time `now`, epoch seconds, in their order."""
    annotations = all_annotations()
    rows: list[Object] = []
    for each in found:
        ref = each.facts.info.ref
        facts = each.facts.annotated(annotations.of(ref))
        unread = unread_of(facts, annotations.seen(ref))
        rows.append(
            session_fields(facts, each.status, now, agents=each.agents, pid=each.pid, unread=unread)
        )
    return rows

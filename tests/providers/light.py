"""Light events of a record, compared with those that were made."""

from agentview.domain.index_entry import FACTS, EventFact, facts_of
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.light_events import light_event
from agentview.providers.base import Provider

_CALL = FACTS.index("call")


def light_of(provider: Provider, record: bytes, ref: SessionRef) -> list[bool]:
    """Which events of a record have a light form; that it says the same is asserted of each."""
    source = SourceRef("x", 0, len(record))
    light = provider.reading.light
    assert light is not None
    found = light(record, source, ref)
    assert found
    made = provider.decode(record, source, ref)
    assert [each.event() if isinstance(each, EventFact) else each for each in found] == made
    for each, event in zip(light(record, source, ref), made, strict=True):
        if isinstance(each, EventFact):
            own, same = list(facts_of(each)), list(facts_of(light_event(event, 0, ref.stream)))
            assert own[_CALL] in (None, same[_CALL])
            del own[_CALL], same[_CALL]
            assert own == same
    return [isinstance(each, EventFact) for each in found]

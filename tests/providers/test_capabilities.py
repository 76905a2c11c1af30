"""What a provider declares of its client and its logs is what its samples show."""

from collections.abc import Callable, Sequence
from typing import cast

import pytest
from msgspec.structs import astuple

from agentview.domain.content import ImageBlock
from agentview.domain.events import OPEN, Compaction, Event, Reasoning, Reset, TokenUsage
from agentview.domain.session import StreamKind
from agentview.domain.value import Value
from agentview.providers import load_provider, provider_names
from agentview.providers.base import CAPABILITIES
from tests.samples import Sample, all_samples


def has_image(value: object) -> bool:
    if isinstance(value, ImageBlock):
        return True
    if isinstance(value, tuple | list):
        return any(map(has_image, cast("Sequence[object]", value)))
    if isinstance(value, Value):
        return any(map(has_image, astuple(value)))
    return False


def has_usage(event: Event) -> bool:
    body = event.body
    if not isinstance(body, TokenUsage):
        return False
    counts = astuple(body.usage)
    return any(isinstance(count, int) and count for count in counts)


def has_cost(event: Event) -> bool:
    facts = event.facts
    own = event.body.cost if isinstance(event.body, TokenUsage) else None
    return own is not None or (facts is not None and facts.cost is not None)


SHOWN: dict[str, Callable[[Event], bool]] = {
    "usage": has_usage,
    "cost": has_cost,
    "limits": lambda event: event.facts is not None and bool(event.facts.limits),
    "images": lambda event: has_image(event.body),
    "reasoning": lambda event: isinstance(event.body, Reasoning),
    "subagents": lambda event: event.child is not None or event.stream.kind is StreamKind.SUBAGENT,
    "rewinds": lambda event: event.rewinds is not None,
    "compaction": lambda event: (
        isinstance(event.body, Compaction) or event.resets is Reset.COMPACTED
    ),
}


@pytest.fixture(scope="module")
def samples() -> tuple[Sample, ...]:
    return all_samples()


@pytest.mark.parametrize("name", provider_names())
def test_logs_have_what_is_declared_and_nothing_else(name: str, samples: tuple[Sample, ...]):
    own = [sample for sample in samples if sample.provider.name == name]
    events = [event for sample in own for event in sample.events()]
    shown = {word for word, shows in SHOWN.items() if any(map(shows, events))}
    if any(sample.provider.discovery.children(sample.ref) for sample in own):
        shown.add("subagents")
    provider = load_provider(name)
    assert [*provider.records] == [each for each in CAPABILITIES if each in shown]
    assert {"live", "resume"}.isdisjoint(provider.records)


def test_what_a_client_can_do_is_listed_in_one_order():
    provider = load_provider("claude_code")
    assert provider.capabilities[:4] == ["live", "resume", "usage", "cost"]
    other = load_provider("happier")
    assert [*other.capabilities] == []


@pytest.mark.parametrize("sample", all_samples(), ids=str)
def test_calls_of_several_records_are_declared(sample: Sample) -> None:
    """A search by bytes then looks at all records of a call."""
    several = any(event.amends or event.path.startswith(OPEN) for event in sample.events())
    assert sample.provider.has_linked_events or not several

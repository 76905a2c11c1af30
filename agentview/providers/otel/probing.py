"""Looks into a line of telemetry, for the few files whose lines may be of generative AI."""

from collections.abc import Iterator

from agentview.normalize.json_fields import text
from agentview.normalize.json_values import fields_of
from agentview.providers._kit.typed_records import value_of
from agentview.providers.otel.clients import client_event
from agentview.providers.otel.decode import LINES, operation_of
from agentview.providers.otel.schema import CONVERSATION
from agentview.providers.otel.telemetry import Signal, signals


def is_of_models(line: bytes) -> bool:
    return any(client_event(each) or operation_of(each) is not None for each in _signals(line))


def conversation_of(line: bytes) -> str | None:
    """The conversation that a line names, else its trace."""
    for each in _signals(line):
        if each.trace is not None:
            return text(each.attributes, *CONVERSATION) or each.trace
    return None


def _signals(line: bytes) -> Iterator[Signal]:
    return signals(LINES.typed(line), value_of, lambda: fields_of(value_of(line)))

"""OpenTelemetry, as OTLP JSON lines: conventions for generative AI, and those of clients."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.otel.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.named_agent import attach_result
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.otel.decode import LINES

    return make_reading(LINES.events, lines=LINES, tools={}, attach_result=attach_result)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenTelemetry",
    discovery=DISCOVERY,
    load_reading=_reading,
    has_linked_events=True,
    records=("usage", "cost", "images", "reasoning"),
    record_type_keys=RecordTypeKeys(
        types=(), keys=("resourceSpans", "resourceLogs", "resourceMetrics", "context")
    ),
)

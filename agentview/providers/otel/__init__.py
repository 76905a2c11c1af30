"""OpenTelemetry: spans and log records of the conventions for generative AI, as OTLP JSON lines."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.otel.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.otel.decode import LINES, decode

    return make_reading(decode, lines=LINES, tools={})


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenTelemetry",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning"),
    record_type_keys=RecordTypeKeys(
        types=(), keys=("resourceSpans", "resourceLogs", "resourceMetrics", "context")
    ),
)

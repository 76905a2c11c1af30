"""OpenTelemetry: spans and log records of the conventions for generative AI, as OTLP JSON lines."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.otel.decode import LINES, decode
from agentview.providers.otel.discovery import DISCOVERY

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="OpenTelemetry",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools={},
    record_type_keys=RecordTypeKeys(
        types=(), keys=("resourceSpans", "resourceLogs", "resourceMetrics", "context")
    ),
)

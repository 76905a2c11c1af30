"""Lines of events without secrets."""

from agentview.export.events import IDS_AND_PLACES, Fields
from agentview.redaction.values import masked_value


def masked_line(line: Fields) -> Fields:
    """A line without secrets; what leads to other lines and to the log stays."""
    return {
        key: value if key in IDS_AND_PLACES else masked_value(value) for key, value in line.items()
    }

"""Lines of events without secrets."""

from collections.abc import Callable, Collection

from agentview.redaction.values import masked_value
from agentview.reports.export.events import IDS_AND_PLACES, Fields


def masked_line(
    line: Fields,
    hide: Callable[[object], object] = masked_value,
    kept: Collection[str] = IDS_AND_PLACES,
) -> Fields:
    """A line without secrets; what leads to other lines and to the log stays.

    `hide` gives a value without secrets; `kept` are the keys of values that stay.
    """
    return {key: value if key in kept else hide(value) for key, value in line.items()}

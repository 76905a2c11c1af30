"""A record of a session or of a run."""

from msgspec import field

from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.openai_agents.schema import Exported, Line


class AgentsRecord(TypedBuilder[Line], gc=False):
    """A row, or something that was exported."""

    exported: Exported = field(default_factory=Exported)
    """The source of its events: the record itself, or one of those that were sent together."""

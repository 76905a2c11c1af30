"""The record that is being decoded: a subclass for each program says which tools it has."""

from agentview.normalize.json_values import Fields
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers.pi.shared.tools import find_openclaw_tool, find_tool


class PiRecord(EventBuilder):
    """A record with an entry of Pi."""

    __slots__ = ()

    def find_tool(self, name: str, args: Fields) -> ToolSpec | None:
        """The spec of a tool of the program."""
        return find_tool(name, args)


class OpenClawRecord(PiRecord):
    """A record with an entry of OpenClaw."""

    __slots__ = ()

    def find_tool(self, name: str, args: Fields) -> ToolSpec | None:
        """The spec of a tool of the program."""
        return find_openclaw_tool(name, args)

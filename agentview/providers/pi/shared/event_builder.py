"""The record that is being decoded: a subclass for each program says which tools it has."""

from msgspec.structs import replace

from agentview.domain.events import Attachment
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.speakers import Divided, divided
from agentview.providers.pi.shared.openclaw_forms import FORMS, PROVENANCE, TAIL
from agentview.providers.pi.shared.tools import find_openclaw_tool, find_tool


class PiRecord(EventBuilder):
    """A record with an entry of Pi."""

    __slots__ = ()

    def find_tool(self, name: str, args: Fields) -> ToolSpec | None:
        """The spec of a tool of the program."""
        return find_tool(name, args)

    def divided(self, message: Fields, text: str) -> Divided:  # noqa: ARG002
        """The text of a message of the user by speaker."""
        return Divided(text)


class OpenClawRecord(PiRecord):
    """A record with an entry of OpenClaw."""

    __slots__ = ()

    def find_tool(self, name: str, args: Fields) -> ToolSpec | None:
        """The spec of a tool of the program."""
        return find_openclaw_tool(name, args)

    def divided(self, message: Fields, text: str) -> Divided:
        """The text of a message of the user by speaker."""
        provenance = fields_of(message.get("provenance"))
        speaker = PROVENANCE.get(text_of(provenance.get("kind")) or "")
        if speaker is not None and text.strip():
            name = text_of(provenance.get("sourceTool")) or "note of the client"
            return Divided("", notes=(Attachment(name, speaker.value, text.strip()),))
        tail = TAIL.search(text)
        found = divided(text if tail is None else text[: tail.start()], FORMS)
        if tail is None:
            return found
        return replace(found, context=(*found.context, tail[0].strip()))

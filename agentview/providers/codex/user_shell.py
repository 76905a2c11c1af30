"""Commands that the person ran through the client, of which there may be two records."""

from agentview.domain.content import TextBlock
from agentview.domain.events import Event, SlashCommand
from agentview.normalize.error_text import section
from agentview.normalize.execute import command_text
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, whole_of
from agentview.providers.codex.event_builder import Frame
from agentview.providers.codex.tool_outcome import told_in


def own_command(frame: Frame, said: str) -> Event:
    """A command as the model was told of it."""
    inner, result = section(said, "command"), section(said, "result")
    if result is None:
        return _ran(frame, (inner or said).strip(), None, None, first=False)
    told = told_in((TextBlock(result.strip("\n")),))
    return _ran(frame, (inner or said).strip(), told.body, told.exit_code, first=False)


def own_command_item(frame: Frame, item: Fields) -> Event:
    """A command as it was recorded for the screen."""
    output = text(item, "aggregated_output", "formatted_output")
    code = whole_of(item.get("exit_code"))
    return _ran(frame, command_text(item.get("command")), output, code, first=True)


def _ran(frame: Frame, command: str, output: str | None, code: int | None, *, first: bool) -> Event:
    error = f"exit {code}" if code else None
    body = SlashCommand(command, "", output, error, True)
    return frame.event("command", body, **frame.twins("command", command, first=first))

"""Plans of the agent and commands of the person: each has a record for the model and an item."""

import re
from collections.abc import Sequence

from agentview.domain.content import TextBlock
from agentview.domain.events import Event, SlashCommand, ToolResult
from agentview.domain.tool_inputs import PlanAction, PlanPayload
from agentview.domain.tools import ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.error_text import section
from agentview.normalize.json_values import Fields, whole_of
from agentview.normalize.tools.execute import command_text
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.typed_records import LightEvent
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex.event_builder import CodexRecord
from agentview.providers.codex.schema import Report
from agentview.providers.codex.tool_outcome import outcome_in


def own_command(record: CodexRecord, said: str) -> Event:
    """Return the event of a command as it was given to the model."""
    inner, result = section(said, "command"), section(said, "result")
    if result is None:
        return _ran(record, (inner or said).strip(), None, None, first=False)
    outcome = outcome_in((TextBlock(result.strip("\n")),))
    return _ran(record, (inner or said).strip(), outcome.body, outcome.exit_code, first=False)


def own_command_item(record: CodexRecord, item: Fields) -> Event:
    """A command as it was recorded for the screen."""
    own = read_as(item, Report)
    output = own.formatted_output if own.aggregated_output is None else own.aggregated_output
    return _ran(record, command_text(own.command), output, whole_of(own.exit_code), first=True)


def _ran(
    record: CodexRecord, command: str, output: str | None, code: int | None, *, first: bool
) -> Event:
    error = f"exit {code}" if code else None
    body = SlashCommand(command, "", output, error, True)
    return record.event("command", body, **record.twins("command", command, first=first))


_PLAN = re.compile(r"^[ \t]*<proposed_plan>(.*?)</proposed_plan>[ \t]*$", re.DOTALL | re.MULTILINE)


def split_plan(said: str) -> tuple[str, str | None]:
    """Return the agent's text next to a plan, and the plan; None where there is none."""
    found = _PLAN.search(said)
    if found is None:
        return said, None
    return f"{said[: found.start()].rstrip()}\n{said[found.end() :]}".strip(), found[1].strip()


def proposed(
    record: CodexRecord, call_id: str, said: str, *, first: bool = True
) -> Sequence[LightEvent]:
    """A plan that was written in plan mode, for the person to decide on.

    It is in an item and in what the agent said; text and time show that they are one.
    """

    def payload(_fields: Fields) -> PlanPayload:
        return PlanPayload(PlanAction.PROPOSE, text=said)

    spec = ToolSpec(ToolKind.PLAN, "ExitPlanMode", payload)
    call = tool_call(call_id=call_id, name="plan", arguments={"text": said}, spec=spec)
    outcome = ToolResult(call.call_id, ok=None)
    result_keys = record.twins("plan result", said, first=first)
    return [
        record.event("call", call, **record.twins("plan", said, first=first)),
        record.event("result", outcome, **result_keys),
    ]

"""Plans that the agent proposes in plan mode, in an item of their own and in what it says."""

import re

from agentview.domain.events import Event, ToolResult
from agentview.domain.tool_inputs import PlanAction, PlanPayload
from agentview.domain.tools import ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import Fields
from agentview.normalize.specs import ToolSpec
from agentview.providers.codex.event_builder import Frame

_PLAN = re.compile(r"^[ \t]*<proposed_plan>(.*?)</proposed_plan>[ \t]*$", re.DOTALL | re.MULTILINE)


def parted(said: str) -> tuple[str, str | None]:
    """What the agent said beside a plan, and the plan; None where there is none."""
    found = _PLAN.search(said)
    if found is None:
        return said, None
    return f"{said[: found.start()].rstrip()}\n{said[found.end() :]}".strip(), found[1].strip()


def proposed(frame: Frame, call_id: str, said: str, *, first: bool = True) -> list[Event]:
    """A plan that was written in plan mode, for the person to decide on.

    It stands in an item and in what the agent said; the text and the time tell that they are one.
    """

    def payload(_fields: Fields) -> PlanPayload:
        return PlanPayload(PlanAction.PROPOSE, text=said)

    spec = ToolSpec(ToolKind.PLAN, "ExitPlanMode", payload)
    call = tool_call(call_id=call_id, name="plan", arguments={"text": said}, spec=spec)
    outcome = ToolResult(call.call_id, ok=None)
    result_keys = frame.twins("plan result", said, first=first)
    return [
        frame.event("call", call, **frame.twins("plan", said, first=first)),
        frame.event("result", outcome, **result_keys),
    ]

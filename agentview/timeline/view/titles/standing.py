"""Titles of calls whose effect outlasts the turn: what is remembered, planned, sent, pursued."""

from collections.abc import Callable, Mapping

from agentview.domain.activity import Activity
from agentview.domain.tool_inputs import MemoryPayload, MemoryStep
from agentview.domain.tool_results import MemoryResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import first_line
from agentview.timeline.view.titles.text import Parts, shown_path


def memory_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Action on the memory, its subject and place; the number of finds."""
    payload = call.payload
    if not isinstance(payload, MemoryPayload):
        return Parts("Memory", "")
    subject = _remembered(payload.steps[0], cwd) or call.provider_name or call.canonical_name
    if len(payload.steps) > 1:
        subject += f"  and {counted(len(payload.steps) - 1, 'more change')}"
    if not isinstance(call.result, MemoryResult):
        return Parts("Memory", subject)
    found = len(call.result.found)
    return Parts("Memory", subject, f"{found:,} found" if found else "nothing found")


def _remembered(step: MemoryStep, cwd: str | None) -> str:
    said = first_line(step.text or step.before or "")
    parts = (step.action or "", said, memory_place(step, cwd, "in " if said else ""))
    return "  ".join(part for part in parts if part)


def memory_place(step: MemoryStep, cwd: str | None, before: str = "") -> str:
    """Where a step is done, behind the words `before`; empty where it does not say so."""
    if not step.place:
        return ""
    place = shown_path(step.place, cwd) if "/" in step.place else step.place
    return f"{before}{first_line(place)}"


STANDING_TITLES: Mapping[ToolKind, Callable[[ToolCall, Activity, str | None], Parts]] = {
    ToolKind.MEMORY: memory_parts,
}

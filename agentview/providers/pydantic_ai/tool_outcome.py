"""Outcome of a call, out of a part of a request or of a response."""

from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, DeniedBy
from agentview.normalize.json_fields import to_json
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.chat_messages import ended_well
from agentview.providers.pydantic_ai.content import blocks_of, text_in
from agentview.providers.pydantic_ai.record import RunRecord
from agentview.providers.pydantic_ai.schema import Part

_OUTCOMES = {"success": True, "failed": False, "denied": False, "interrupted": False}
_RETRY = "retry-prompt"
_RETRIED = "retried"


def result_of(record: RunRecord, call_id: str, part: Part, extra: object = None) -> ToolResult:
    """The outcome in a `tool-return` or a `retry-prompt`; `extra` is what was said next to it.

    A tool that asked the model to try again is a `retry-prompt` up to 1.x and a `tool-return` with
    the outcome `retried` in 2.x. A command that returned failed by its exit code. Without an
    outcome or a code nothing says how a tool fared that returned.
    """
    content, outcome = record.value_of(part.content), part.outcome or None
    retried = part.part_kind == _RETRY or outcome == _RETRIED
    stated = False if retried else _OUTCOMES.get(outcome or "")
    fields = fields_of(content)
    said = reason_in(content)
    return ToolResult(
        call_id,
        ended_well(stated, fields),
        (blocks_of(content) if outcome != "denied" else ()) + blocks_of(extra),
        structured=fields or items_of(content) or None,
        error=said if stated is False and outcome != "denied" else None,
        denial=Denial(DeniedBy.UNKNOWN, said) if outcome == "denied" else None,
        interrupted=outcome == "interrupted",
    )


def reason_in(content: object) -> str | None:
    """Why a call is to be repeated: words, or the errors that a check of its arguments found."""
    if content is None or content == "":
        return None
    findings = [_finding(fields_of(item)) for item in items_of(content)]
    if findings and all(findings):
        return "\n".join(findings)
    return text_in(content) or to_json(content)


def _finding(fields: Fields) -> str:
    """Return the fault, behind the place in the arguments where it is."""
    said = text_of(fields.get("msg")) or ""
    place = ".".join(str(step) for step in items_of(fields.get("loc")))
    return f"{place}: {said}" if said and place else said

"""A client that asks whether a call may be made, or a server that asks, and what is answered.

A request is a call of its own as far as its answer goes, which names it; the assembler joins both
with the call that it asks for.
"""

from collections.abc import Callable, Mapping

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import ApprovalPayload, AskOption, AskPayload, AskQuestion
from agentview.domain.tools import Denial, ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.specs import ToolSpec

NAME = "permission"


def permission_spec(payload: Callable[[Mapping[str, object]], ApprovalPayload]) -> ToolSpec:
    """The spec of requests for permission; `payload` makes the question of the arguments."""
    return ToolSpec(ToolKind.ASK, NAME, payload)


def permission_request(
    request_id: str,
    question: AskQuestion | str,
    asked_for: str | None,
    arguments: object,
    raw: bytes | None = None,
    *,
    name: str = NAME,
    detail: str | None = None,
) -> ToolCall:
    """The request `request_id`: whether the call `asked_for`, where that is known, may be made.

    `detail` is what the client shows with the question: a reason, a preview.
    """
    asked = question if isinstance(question, AskQuestion) else AskQuestion(question)
    payload = ApprovalPayload((asked,), asked_for, detail)
    return tool_call(
        call_id=request_id,
        name=name,
        arguments=arguments,
        raw=raw,
        spec=permission_spec(lambda _: payload),
    )


def decision(
    request_id: str, said: str | None, words: str | None = None, *, refused: Denial | None = None
) -> ToolResult:
    """The answer to a request: what was `said`, in the word of the format, and the person's words.

    Nothing said is an answer that is not known. `refused` says who did not allow the call.
    """
    blocks = tuple(TextBlock(part) for part in (said, words) if part)
    return ToolResult(request_id, None if said is None else True, blocks, denial=refused)


def elicitation(fields: Fields) -> AskPayload:
    """A question to the person; where one answer is to be chosen, those that there are."""
    schema = mapping(fields.get("requestedSchema"))
    asked = [mapping(each) for each in mapping(schema.get("properties")).values()]
    single = asked[0] if len(asked) == 1 else mapping(None)
    listed = items(single.get("oneOf")) or items(single.get("enum"))
    options = tuple(AskOption(words) for each in listed if (words := _choice(each)) is not None)
    words = text(fields, "message", "title", "url") or "A question"
    return AskPayload((AskQuestion(words, options=options),))


def _choice(value: object) -> str | None:
    return value if isinstance(value, str) else text(mapping(value), "title", "const")

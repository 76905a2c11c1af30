"""The outcome of a call, out of what the model was given for it and what the person was shown."""

import re

from agentview.domain.activity import Kind
from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolKind
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import fields_of, items_of
from agentview.providers._kit.typed_records import read_as
from agentview.providers.gemini.shared.content import bare_output, blocks_of, media_block
from agentview.providers.gemini.shared.schema import ContentPart, FunctionResponse, Shown
from agentview.providers.gemini.shared.shell_output import may_have_failed, parse_shell_output

_CANCELLED = re.compile(r"\[Operation Cancelled\](?: Reason: )?")
_BY_PERSON = re.compile(
    r"(?:user|person) (?:did not allow|denied|rejected|declined|cancelled the tool)", re.IGNORECASE
)
_BY_RULE = re.compile(
    r"tool execution (?:for .{0,200}? )?denied by policy|denied by policy|blocked by policy"
    r"|requires? permission to use|command injection detected|plan mode is active",
    re.IGNORECASE,
)
_LAUNCHED = re.compile(r"^task_id: (\S+)", re.MULTILINE)
_RULES = frozenset({"policy_violation", "execution_denied", "permission_denied"})
_NO_ANSWER = FunctionResponse()
_HEAD_CHARS = 400
"""How far into a text the words of a refusal are looked for."""


def result_of(
    call_id: str,
    content: object,
    *,
    kind: Kind | None = None,
    status: str | None = None,
    display: object = None,
    error_type: str | None = None,
) -> ToolResult:
    """Return the outcome in a list of parts with the response, or in the response itself.

    `structured` holds what the person was shown, under `display`. A command with an exit code other
    than 0, or that was stopped, has failed, whatever the status says.
    """
    output, error, blocks = _response(content)
    if output is None and error is None and isinstance(display, str) and display:
        output, error = (None, display) if status == "error" else (display, None)
    message = error if error is not None else output or ""
    ok = _judged(status, error is not None, has_output=output is not None or bool(blocks))
    command = parse_shell_output(message) if kind is ToolKind.SHELL else None
    if command is not None and command.failed:
        ok = False
    if ok and kind is ToolKind.SUBAGENT_TASK and launched_agent(message) is not None:
        # Whether it succeeds is not known yet.
        ok = None
    denial = _denial(message[:_HEAD_CHARS], error_type) if ok is not True or error else None
    stopped = status == "cancelled" or (command is not None and command.cancelled)
    said = output if output is not None else error
    first: tuple[Block, ...] = (TextBlock(said),) if said else ()
    return ToolResult(
        call_id,
        False if denial is not None else ok,
        (*first, *blocks),
        structured={"display": display} if display is not None else None,
        error=_CANCELLED.sub("", message) or None if ok is False else None,
        denial=denial,
        interrupted=stopped and denial is None,
    )


def display_of(result: ToolResult) -> object:
    """The part of a result that the person was shown."""
    return fields_of(result.structured).get("display")


def shown_of(result: ToolResult) -> Shown:
    """The same, as the client has it for its own tools."""
    return read_as(display_of(result), Shown)


def went_well(status: str | None, kind: Kind | None, answer: FunctionResponse) -> bool | None:
    """Whether a call did by its status and its answer; None where only `result_of` can say it."""
    if status in ("error", "cancelled"):
        return False
    response = fields_of(answer.response)
    output = response.get("output")
    if not isinstance(output, str):
        return False if status != "success" and response.get("error") is not None else None
    if kind is ToolKind.SUBAGENT_TASK:
        return None
    return None if kind is ToolKind.SHELL and may_have_failed(output) else True


def answer_in(result: object) -> FunctionResponse:
    """The answer to a call, which a list of parts begins with."""
    first = next(iter(items_of(result)), None)
    return read_as(first, ContentPart).function_response or _NO_ANSWER


def launched_agent(said: str | None) -> str | None:
    """Id of the agent that a result says to run in the background."""
    found = _LAUNCHED.search(said[:2000]) if said is not None else None
    return found[1] if found is not None else None


def _response(content: object) -> tuple[str | None, str | None, tuple[Block, ...]]:
    """Output, error and further blocks of the parts of a response."""
    is_own = isinstance(content, FunctionResponse)
    own = content if is_own else read_as(content, FunctionResponse)
    response = fields_of(own.response)
    blocks: list[Block] = list(blocks_of(own.parts))
    for item in items_of(content):
        part = read_as(item, ContentPart)
        inner = part.function_response or _NO_ANSWER
        response = response or fields_of(inner.response)
        blocks.extend(blocks_of(inner.parts))
        media = media_block(part)
        if media is not None:
            blocks.append(media)
        elif inner == _NO_ANSWER:
            blocks.extend(blocks_of(item))
    output, error = response.get("output"), response.get("error")
    if isinstance(output, str):
        return bare_output(output), None, tuple(blocks)
    if error is not None:
        said = error if isinstance(error, str) else text(fields_of(error), "message")
        return None, said or text({"error": error}, "error"), tuple(blocks)
    if response:
        blocks.insert(0, JsonBlock(output if output is not None else response))
    return None, None, tuple(blocks)


def _judged(status: str | None, failed: bool, *, has_output: bool) -> bool | None:
    if status in ("success", "error", "cancelled"):
        return status == "success"
    if failed:
        return False
    return True if has_output else None


def _denial(message: str, error_type: str | None) -> Denial | None:
    if _BY_PERSON.search(message) is not None:
        return Denial(DeniedBy.PERSON)
    if error_type in _RULES or _BY_RULE.search(message) is not None:
        return Denial(DeniedBy.RULE)
    return None


def agent_stream(agent_id: str | None) -> Stream | None:
    """The stream of the agent of that id."""
    return Stream(StreamKind.SUBAGENT, agent_id) if agent_id else None

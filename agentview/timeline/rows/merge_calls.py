"""Several events that make one activity, folded into one: pieces of a text, parts of a call."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from agentview.domain.events import Body, Event, Message, Reasoning, ToolInput, User
from agentview.domain.tools import ToolCall, ToolState
from agentview.normalize.partial_json import begun

Amend = Callable[[ToolCall, ToolCall], ToolCall]

_READ_WHILE_WRITTEN = 256 * 1024
"""Arguments longer than this are read once they are whole."""


def fold_run(head: Event, pieces: Sequence[Event], merge_call: Amend) -> Body:
    """Return the event of a run: its first event and its other `pieces`, in file order.

    `merge_call` makes a call again of what two records say of it.
    """
    body = head.body
    bodies = [piece.body for piece in pieces]
    if isinstance(body, ToolCall):
        return _with_input(body, "".join(_input(each) for each in bodies), merge_call)
    if isinstance(body, Message):
        parts = [body, *(each for each in bodies if isinstance(each, Message))]
        blocks = tuple(block for part in parts for block in part.blocks)
        return Message("".join(part.text for part in parts), blocks)
    if isinstance(body, Reasoning):
        thoughts = [body, *(each for each in bodies if isinstance(each, Reasoning))]
        known = [thought.duration for thought in thoughts if thought.duration is not None]
        return Reasoning(
            "".join(thought.text for thought in thoughts),
            withheld=all(thought.withheld for thought in thoughts),
            duration=sum(known) if known else None,
        )
    if isinstance(body, User):
        prompts = [body, *(each for each in bodies if isinstance(each, User))]
        blocks = tuple(block for prompt in prompts for block in prompt.blocks)
        context = tuple(block for prompt in prompts for block in prompt.context)
        text = "".join(prompt.text for prompt in prompts)
        return replace(body, text=text, blocks=blocks, context=context)
    return body


def _input(body: Body) -> str:
    return body.text if isinstance(body, ToolInput) else ""


def _with_input(call: ToolCall, text: str, merge_call: Amend) -> ToolCall:
    """The call with its arguments as far as they have come."""
    if not text:
        return call
    args = begun(text) if len(text) <= _READ_WHILE_WRITTEN else None
    so_far = replace(
        call, args=args, args_json=text, args_error=None, state=ToolState.INPUT_STREAMING
    )
    return replace(merge_call(call, so_far), args_json=text)

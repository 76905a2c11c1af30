"""Side conversations that nothing but their first prompt joins with the call that started them."""

from collections.abc import Callable, Iterator

from agentview.domain.activity import RowKind
from agentview.domain.events import Event, User
from agentview.domain.index_entry import KIND_CODES, PROMPT_CHARS, Flag
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolCall
from agentview.store.assembler import Assembler

_FAR = 4096
"""Rows behind a call among which the conversation that it started begins."""

_PROMPTS = 16
"""Prompts of side conversations that are looked at."""

_USER = KIND_CODES[RowKind.USER]
_USERS = bytes(code == _USER for code in range(256))
_SIDES = bytes(bool(flags & Flag.SIDE) for flags in range(256))


def side_chain(
    assembler: Assembler, event: Callable[[int], Event], row: int, call: ToolCall
) -> Stream | None:
    """The side conversation that the call at a row started, by what it was asked.

    Its stream has the id of its first record. Of calls that asked the same before any of them was
    begun, the first one started the first.
    """
    asked = call.payload.prompt if isinstance(call.payload, SubagentPayload) else None
    if not asked or not asked.strip():
        return None
    alike = assembler.agent_prompts.get(asked[:PROMPT_CHARS], ())
    passed = sum(1 for other in alike if other < row and not _has_side(assembler, other, row))
    for prompt in _prompts(assembler, event, row):
        body = prompt.body
        first = prompt.parent_id is None and prompt.record_id is not None
        if not first or not isinstance(body, User) or body.text.strip() != asked.strip():
            continue
        if prompt.stream in assembler.children:
            return None
        if not passed:
            return Stream(StreamKind.SIDECHAIN, prompt.record_id or "")
        passed -= 1
    return None


def _has_side(assembler: Assembler, start: int, stop: int) -> bool:
    return 1 in assembler.codes(start, stop)[1].translate(_SIDES)


def _prompts(assembler: Assembler, event: Callable[[int], Event], row: int) -> Iterator[Event]:
    """Prompts of side conversations behind a row, the first ones."""
    kinds, flags = assembler.codes(row, min(row + _FAR, assembler.rows.end))
    found = int.from_bytes(kinds.translate(_USERS), "little")
    found &= int.from_bytes(flags.translate(_SIDES), "little")
    mask = found.to_bytes(len(kinds), "little")
    at = mask.find(1)
    for _ in range(_PROMPTS):
        if at < 0:
            return
        yield event(row + at)
        at = mask.find(1, at + 1)

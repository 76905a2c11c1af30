"""Blocks of a result that its typed form lacks."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import cast

from msgspec.structs import astuple

from agentview.domain.content import Block, TextBlock
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.ui.render.input_output import repeats_error

_COMPARED = 1_000
"""Parts of a typed result that are compared with the blocks."""


def unused_blocks(call: ToolCall) -> Sequence[Block]:
    """Blocks of the output that neither the typed result nor the error has, in order.

    A single text is what the typed result was read from, in whatever form. Of several texts, those
    that share nothing with the typed result are unused.
    """
    parts = list(islice(_parts(call.result), _COMPARED)) if call.result is not None else []
    media = [part for part in parts if not isinstance(part, str)]
    words = [part for part in parts if isinstance(part, str)]
    texts = sum(isinstance(block, TextBlock) for block in call.output)

    def is_unused(block: Block) -> bool:
        if not isinstance(block, TextBlock):
            return block not in media
        said = block.text.strip()
        if call.result is None or texts < 2 or not said or repeats_error(said, call):
            return False
        return not any(said in each or each in said for each in words)

    return [block for block in call.output if is_unused(block)]


def _parts(value: object) -> Iterator[Block | str]:
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, Block):
        yield value
    elif isinstance(value, tuple):
        for each in cast("tuple[object, ...]", value):
            yield from _parts(each)
    elif isinstance(value, Value):
        for each in astuple(value):
            yield from _parts(each)

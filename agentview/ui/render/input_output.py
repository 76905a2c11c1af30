"""Arguments and result of a call that has no form of its own."""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, fields_of
from agentview.ui.render.blocks import blocks_body
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.json_tree import MAX_SIZE, json_tree
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows

_SHORT_ARGUMENTS = 2
_SHORT_RESULT = 5
_TAGGED = re.compile(r"\s*<(?P<name>[\w-]{1,64})>(?P<text>.*)</(?P=name)>\s*", re.DOTALL)
_ERROR_DEPTH = 1
"""How far inside an object its error is looked for, as in `{"error": {"message": …}}`."""
_PARSED_FOR_FEW = 500_000
"""Characters of a result that is parsed to show its first rows."""


def exchange_body(call: ToolCall, space: RenderContext, *, short: bool) -> LazyLines:
    """The arguments as a tree, then the result; a few rows of each when it is to be short.

    Blocks that the text of the error says are not repeated here.
    """
    parts: list[LazyLines] = []
    if call.args:
        arguments = json_tree(call.args, space, "args")
        parts.append(Cropped(arguments, _SHORT_ARGUMENTS, "lines", space) if short else arguments)
    output = output_without_error(call)
    if output:
        result = blocks_body(output, space, parse_up_to=_PARSED_FOR_FEW if short else MAX_SIZE)
        if parts and result.height:
            parts.append(Rows([[(f"{space.glyphs.arrow} result", space.palette.dim)]], space))
        parts.append(Cropped(result, _SHORT_RESULT, "lines", space) if short else result)
    return Stack(parts)


def output_without_error(call: ToolCall) -> Sequence[Block]:
    """Return the output without the texts, and the members of objects, that its error repeats."""
    if not call.error:
        return call.output
    error = call.error.strip()
    texts = (block for block in call.output if not _is_said(block, call))
    return [left for block in texts if (left := _without(block, error)) is not None]


def _is_said(block: Block, call: ToolCall) -> bool:
    return isinstance(block, TextBlock) and repeats_error(block.text, call)


def _without(block: Block, error: str) -> Block | None:
    value: object = None
    if isinstance(block, JsonBlock):
        value = block.value
    elif isinstance(block, TextBlock) and len(block.text) <= _PARSED_FOR_FEW:
        value = block.text
    fields = mapping(value)
    left = _unsaid(fields, error, _ERROR_DEPTH)
    if left == fields:
        return block
    return JsonBlock(left) if left else None


def _unsaid(fields: Fields, error: str, depth: int) -> Fields:
    """The members that neither are the error nor have nothing else inside."""
    left: dict[str, object] = {}
    for key, value in fields.items():
        inner = fields_of(value if depth else None)
        kept = _unsaid(inner, error, depth - 1) if inner else value
        said = isinstance(value, str) and value.strip() == error
        if not said and (kept or not inner):
            left[key] = kept
    return left


def repeats_error(text: str, call: ToolCall) -> bool:
    """Return True if the error of a call says a text, also one between a start and an end tag."""
    if not call.error:
        return False
    tagged = _TAGGED.fullmatch(text)
    return (tagged["text"] if tagged else text).strip() in call.error

"""Arguments and result of a call that has no form of its own."""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, TextBlock
from agentview.domain.tools import ToolCall
from agentview.ui.render.blocks import blocks_body
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.json_tree import MAX_SIZE, json_tree
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows

_SHORT_ARGUMENTS = 2
_SHORT_RESULT = 5
_TAGGED = re.compile(r"\s*<(?P<name>[\w-]{1,64})>(?P<text>.*)</(?P=name)>\s*", re.DOTALL)
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
    """Return what came back, without the texts that its error says."""
    return [
        block
        for block in call.output
        if not isinstance(block, TextBlock) or not repeats_error(block.text, call)
    ]


def repeats_error(text: str, call: ToolCall) -> bool:
    """Return True if the error of a call says a text, also one between a start and an end tag."""
    if not call.error:
        return False
    tagged = _TAGGED.fullmatch(text)
    return (tagged["text"] if tagged else text).strip() in call.error

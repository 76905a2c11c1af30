"""Content blocks as rows: text, images and resources in words, values as trees."""

from collections.abc import Iterable, Sequence

from agentview.domain.blocks import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.timeline.quantities import byte_size
from agentview.ui.render.ansi import ansi_rows
from agentview.ui.render.body import Body, Space
from agentview.ui.render.json_tree import json_tree
from agentview.ui.render.json_values import parsed
from agentview.ui.render.lines import Piece, Rows
from agentview.ui.render.stack import Stack


def blocks_body(blocks: Iterable[Block], space: Space) -> Body:
    """The blocks one below another; a text that is JSON is shown as a tree."""
    return Stack([_block(block, f"block{n}", space) for n, block in enumerate(blocks)])


def media_body(blocks: Iterable[Block], space: Space) -> Body:
    """One row for each image or resource among the blocks, with the text of a resource."""
    return Stack(
        [
            _block(block, f"media{n}", space)
            for n, block in enumerate(blocks)
            if isinstance(block, (ImageBlock, ResourceBlock))
        ]
    )


def text_of(blocks: Iterable[Block]) -> str:
    """All text among the blocks."""
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def _block(block: Block, name: str, space: Space) -> Body:
    if isinstance(block, TextBlock):
        return _text(block.text, name, space)
    if isinstance(block, JsonBlock):
        return json_tree(block.value, space, name)
    if isinstance(block, ImageBlock):
        return Rows([_image(block, space)], space)
    head = Rows([_resource(block, space)], space)
    return Stack([head, _text(block.text, name, space)]) if block.text else head


def _text(text: str, name: str, space: Space) -> Body:
    value = parsed(text)
    return ansi_rows(text, space) if value is None else json_tree(value, space, name)


def _image(block: ImageBlock, space: Space) -> list[Piece]:
    facts = [block.media_type or "unknown type"]
    if block.width and block.height:
        facts.append(f"{block.width}×{block.height}")
    size = block.byte_size
    if size is None and block.data is not None:
        size = len(block.data) * 3 // 4
    if size is not None:
        facts.append(byte_size(size))
    if block.uri:
        facts.append(block.uri)
    return _fact_row("image", facts, space)


def _resource(block: ResourceBlock, space: Space) -> list[Piece]:
    facts = [part for part in (block.name, block.uri, block.media_type) if part]
    if block.byte_size is not None:
        facts.append(byte_size(block.byte_size))
    return _fact_row("resource", facts or ["without a name"], space)


def _fact_row(label: str, facts: Sequence[str], space: Space) -> list[Piece]:
    return [(f"{label}  ", space.palette.dim), ("  ".join(facts), space.palette.text)]

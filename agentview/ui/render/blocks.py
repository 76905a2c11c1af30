"""Content blocks as rows: text, images and resources in words, values as trees."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.timeline.view.format_numbers import byte_size
from agentview.ui.render.containers import Stack
from agentview.ui.render.image import has_picture, image_size, picture_of
from agentview.ui.render.json_tree import MAX_SIZE, json_tree, parsed
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.terminal.ansi import ansi_rows
from agentview.ui.render.text_lines import Piece, Rows


def blocks_body(
    blocks: Iterable[Block],
    space: RenderContext,
    *,
    name: str = "block",
    parse_up_to: int = MAX_SIZE,
) -> LazyLines:
    """The blocks one below another; a text that is JSON is shown as a tree.

    What folds in them is known by `name`. A text of more characters than `parse_up_to` is text.
    """
    return Stack(
        [
            ansi_rows(block.text, space, fold=False)
            if isinstance(block, TextBlock) and len(block.text) > parse_up_to
            else _block(block, f"{name}{n}", space)
            for n, block in enumerate(blocks)
        ]
    )


def media_body(
    blocks: Iterable[Block], space: RenderContext, *, opened: bool = False, trees: bool = False
) -> LazyLines:
    """One row for each block other than text, with the text of a resource.

    An image unfolds to its picture where it can be shown, a block of another type to its value as
    a tree. With `opened` pictures begin unfolded, with `trees` values.
    """
    media = [block for block in blocks if not isinstance(block, TextBlock)]
    return listed_body(media, space, name="media", opened=opened, trees=trees)


def listed_body(
    blocks: Iterable[Block],
    space: RenderContext,
    *,
    name: str,
    opened: bool = False,
    trees: bool = False,
) -> LazyLines:
    """The same with texts as they are; what folds in them is known by `name`."""
    return Stack(
        [
            _value(block, f"{name}{n}", space, opened=trees)
            if isinstance(block, JsonBlock)
            else _block(block, f"{name}{n}", space, opened=opened)
            for n, block in enumerate(blocks)
        ]
    )


def text_of(blocks: Iterable[Block]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def _block(block: Block, name: str, space: RenderContext, *, opened: bool = False) -> LazyLines:
    if isinstance(block, TextBlock):
        return _text(block.text, name, space)
    if isinstance(block, JsonBlock):
        return json_tree(block.value, space, name)
    if isinstance(block, ImageBlock):
        return _image(block, name, space, opened=opened)
    head = Rows([_resource(block, space)], space)
    return Stack([head, _text(block.text, name, space)]) if block.text else head


def _value(block: JsonBlock, name: str, space: RenderContext, *, opened: bool) -> LazyLines:
    value, kind = block.value, None
    if isinstance(value, Mapping):
        kind = cast("Mapping[str, object]", value).get("type")
    head = _fact_row("content block", ["of no type" if kind is None else str(kind)], space)
    # A block without a type has facts about the result, not content.
    opened = opened and kind is not None
    return Section(
        f"{name}:value", head, lambda: json_tree(block.value, space, name), space, begins=opened
    )


def _text(text: str, name: str, space: RenderContext) -> LazyLines:
    value = parsed(text)
    return ansi_rows(text, space) if value is None else json_tree(value, space, name)


def _image(block: ImageBlock, name: str, space: RenderContext, *, opened: bool) -> LazyLines:
    facts = _fact_row("image", _image_facts(block), space)
    if not has_picture(block, space):
        return Rows([facts], space)
    return Section(f"{name}:picture", facts, lambda: picture_of(block, space), space, begins=opened)


def _image_facts(block: ImageBlock) -> list[str]:
    facts = [block.media_type or "unknown type"]
    known = (block.width, block.height)
    width, height = known if all(known) else (block.data and image_size(block.data)) or (None, None)
    if width and height:
        facts.append(f"{width}×{height}")
    size = block.byte_size
    if size is None and block.data is not None:
        size = len(block.data) * 3 // 4
    if size is not None:
        facts.append(byte_size(size))
    if block.uri:
        facts.append(block.uri)
    return facts


def _resource(block: ResourceBlock, space: RenderContext) -> list[Piece]:
    facts = [part for part in (block.name, block.uri, block.media_type) if part]
    if block.byte_size is not None:
        facts.append(byte_size(block.byte_size))
    label = "PDF" if block.media_type == "application/pdf" else "resource"
    return _fact_row(label, facts or ["without a name"], space)


def _fact_row(label: str, facts: Sequence[str], space: RenderContext) -> list[Piece]:
    return [(f"{label}  ", space.palette.dim), ("  ".join(facts), space.palette.text)]

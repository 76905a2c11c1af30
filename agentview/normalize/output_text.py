"""What the content blocks of a result hold, by their sort."""

from collections.abc import Iterable

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock


def text_of(blocks: Iterable[Block]) -> str | None:
    """All text of the blocks, one after the other on lines of their own; None without any."""
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    return "\n".join(texts) if texts else None


def media_of(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The images and documents among the blocks."""
    return tuple(block for block in blocks if isinstance(block, ImageBlock | ResourceBlock))

"""Content of messages and results: a text, or a list of blocks."""

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.normalize.json_values import items_of
from agentview.providers._kit.typed_records import read_as
from agentview.providers.pi.shared.schema import Content, ContentBlock, Part, Source


def blocks_of(content: object) -> tuple[Block, ...]:
    """The content as blocks; what has no known form stays JSON."""
    if isinstance(content, str):
        return (TextBlock(content),) if content else ()
    return tuple(_block(item) for item in items_of(content))


def words_of(content: Content) -> str | None:
    """All text of a content; None without any."""
    if not isinstance(content, list):
        return content or None
    found = [part.text for part in content if isinstance(part, Part) and part.type == "text"]
    texts = [text for text in found if text is not None]
    return "\n".join(texts) if texts else None


def _block(item: object) -> Block:
    block = read_as(item, ContentBlock)
    if block.type == "text" and block.text is not None:
        return TextBlock(block.text)
    if block.type == "image":
        source = block.source or Source()
        media, data = block.mime_type or source.media_type, block.data or source.data
        return ImageBlock(media or None, data or None, block.url or None)
    return JsonBlock(item)

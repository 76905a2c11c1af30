"""Content of messages and results: a text, or a list of blocks."""

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.providers.pi.shared.schema import Content, Part


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
    fields = fields_of(item)
    kind, text = fields.get("type"), fields.get("text")
    if kind == "text" and isinstance(text, str):
        return TextBlock(text)
    if kind == "image":
        source = fields_of(fields.get("source"))
        media = text_of(fields.get("mimeType")) or text_of(source.get("media_type"))
        data = text_of(fields.get("data")) or text_of(source.get("data"))
        return ImageBlock(media, data, text_of(fields.get("url")))
    return JsonBlock(item)

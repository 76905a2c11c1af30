"""Content of prompts and of what tools brought back, as blocks."""

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of

_MARKS = frozenset({"cache-point"})
"""Items of a prompt that say nothing to a person."""


def blocks_of(content: object) -> tuple[Block, ...]:
    """A text, a list of content items, or anything else as JSON."""
    if content is None or content in ("", []):
        return ()
    if isinstance(content, str):
        return (TextBlock(content),)
    items = items_of(content)
    if items and all(isinstance(item, str) or _kind(item) for item in items):
        return tuple(block_of(item) for item in items if _kind(item) not in _MARKS)
    return (block_of(content),)


def block_of(item: object) -> Block:
    """One content item: a text, a link, or bytes; a value of the program's own stays JSON."""
    if isinstance(item, str):
        return TextBlock(item)
    fields = fields_of(item)
    kind = _kind(item)
    if kind == "binary":
        return _binary(fields)
    if kind is not None and kind.endswith("-url"):
        return _link(fields, kind)
    said = text_of(fields.get("content")) if kind == "text-content" else None
    return TextBlock(said) if said is not None else JsonBlock(item)


def _kind(item: object) -> str | None:
    fields = fields_of(item)
    known = "data" in fields or "url" in fields or fields.get("kind") in (*_MARKS, "text-content")
    return text_of(fields.get("kind")) if known else None


def _binary(fields: Fields) -> Block:
    data = text_of(fields.get("data"))
    media_type = text_of(fields.get("media_type"))
    size = len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None
    if (media_type or "").startswith("image/"):
        return ImageBlock(media_type=media_type, data=data, byte_size=size)
    return ResourceBlock(name=text(fields, "identifier"), media_type=media_type, byte_size=size)


def _link(fields: Fields, kind: str) -> Block:
    uri = text_of(fields.get("url"))
    media_type = text(fields, "media_type", "_media_type")
    if kind == "image-url":
        return ImageBlock(media_type=media_type, uri=uri)
    return ResourceBlock(uri=uri, media_type=media_type, name=text(fields, "identifier"))


def text_in(content: object) -> str:
    """All text of a content, items apart by a newline."""
    return "\n".join(block.text for block in blocks_of(content) if isinstance(block, TextBlock))

"""Pieces of content: text, images, resources, and values with no better form."""

from agentview.domain.value import Value


class TextBlock(Value):
    """Text of a message or a result."""

    text: str


class ImageBlock(Value):
    """An image: `data` is base64 as recorded, or None when the log holds only a reference."""

    media_type: str | None = None
    data: str | None = None
    uri: str | None = None
    width: int | None = None
    height: int | None = None
    byte_size: int | None = None


class ResourceBlock(Value):
    """A document or resource: a name or URI, with its text where the log has it."""

    uri: str | None = None
    name: str | None = None
    media_type: str | None = None
    text: str | None = None
    byte_size: int | None = None


class JsonBlock(Value):
    """A value that has no better form."""

    value: object


Block = TextBlock | ImageBlock | ResourceBlock | JsonBlock

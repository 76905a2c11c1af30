"""Images, and contents with images, as APIs of models take them."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from agentview.domain.content import Block, ImageBlock, JsonBlock
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of


def picture(source: Fields) -> ImageBlock:
    """The image of an object with its type, and its bytes in base64 or its place."""
    media = text(source, "media_type", "mediaType", "mime_type", "mimeType")
    place = text(source, "url", "path", "uri")
    return ImageBlock(media or None, text(source, "data") or None, place or None)


def sized(image: ImageBlock) -> ImageBlock:
    """With the number of its bytes, where these are in it."""
    data = image.data
    return (
        image
        if data is None
        else replace(image, byte_size=len(data) * 3 // 4 - data[-2:].count("="))
    )


def image_at(uri: str) -> ImageBlock:
    """The image of a URI: of a `data:` one its bytes, of another the place alone."""
    head, _, data = uri.partition(";base64,")
    if data and head.startswith("data:"):
        return ImageBlock(media_type=head[5:], data=data, byte_size=len(data) * 3 // 4)
    return ImageBlock(uri=uri)


def words_and_blocks(
    content: object, images: Callable[[Fields], Sequence[str] | None]
) -> tuple[str, tuple[Block, ...]]:
    """The words of a content, a text or a list of parts, and what is not words.

    `images` gives the URIs of a part that has images, None for any other.
    """
    if content is None or isinstance(content, str):
        return content or "", ()
    words: list[str] = []
    others: list[Block] = []
    for part in items_of(content):
        fields = fields_of(part)
        said = part if isinstance(part, str) else text_of(fields.get("text"))
        found = images(fields)
        if said is not None:
            words.append(said)
        elif found is not None:
            others += map(image_at, found)
        elif fields.get("type") != "text":
            others.append(JsonBlock(part))
    return "\n".join(words), tuple(others)

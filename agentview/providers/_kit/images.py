"""Images as APIs of models take them."""

from agentview.domain.content import ImageBlock


def image_at(uri: str) -> ImageBlock:
    """The image of a URI: of a `data:` one its bytes, of another the place alone."""
    head, _, data = uri.partition(";base64,")
    if data and head.startswith("data:"):
        return ImageBlock(media_type=head[5:], data=data, byte_size=len(data) * 3 // 4)
    return ImageBlock(uri=uri)

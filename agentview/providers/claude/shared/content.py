"""Content blocks of the vendor's API as blocks of the domain."""

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.normalize.json_values import items_of
from agentview.providers._kit.typed_values import read_as
from agentview.providers.claude.shared.schema import Content


def blocks_of(content: object) -> tuple[Block, ...]:
    """Blocks of a tool's result: from a text, a list of blocks, or anything else as JSON."""
    if content is None or content in ("", []):
        return ()
    if isinstance(content, str):
        return (TextBlock(content),)
    items = items_of(content)
    return tuple(block_of(item) for item in items) if items else (block_of(content),)


def block_of(item: object) -> Block:
    """One content block; a form that nothing knows stays JSON."""
    if isinstance(item, str):
        return TextBlock(item)
    block = read_as(item, Content)
    if block.type == "text" and block.text is not None:
        return TextBlock(block.text)
    if block.type == "image":
        return _image(block)
    if block.type == "document":
        return _document(block)
    if block.type == "resource":
        return _resource(block.resource or Content())
    if block.type == "resource_link":
        return ResourceBlock(block.uri or None, block.name or None, block.mime_type or None)
    if block.type == "tool_reference" and block.tool_name is not None:
        return TextBlock(block.tool_name)
    return JsonBlock(item)


def text_in(content: object) -> str:
    """All text of a content, blocks apart by a newline."""
    if isinstance(content, str):
        return content
    found = (block_of(item) for item in items_of(content))
    return "\n".join(block.text for block in found if isinstance(block, TextBlock))


def media_in(content: object) -> tuple[Block, ...]:
    return tuple(
        block_of(item)
        for item in items_of(content)
        if read_as(item, Content).type in ("image", "document")
    )


def _image(block: Content) -> ImageBlock:
    source = block.source or block
    data = source.data or None
    return ImageBlock(
        media_type=source.media_type or source.mime_type or None,
        data=data,
        uri=source.url or source.file_id or None,
        byte_size=len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None,
    )


def _document(block: Content) -> ResourceBlock:
    source = block.source or Content()
    data, is_text = source.data or None, source.type == "text"
    return ResourceBlock(
        uri=source.url or source.file_id or None,
        name=block.title or None,
        media_type=source.media_type or None,
        text=data if is_text else None,
        byte_size=len(data) * 3 // 4 if data is not None and not is_text else None,
    )


def _resource(resource: Content) -> ResourceBlock:
    blob = resource.blob
    return ResourceBlock(
        uri=resource.uri or None,
        name=resource.name or None,
        media_type=resource.mime_type or None,
        text=resource.text or None,
        byte_size=len(blob) * 3 // 4 if blob else None,
    )

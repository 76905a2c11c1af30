"""Content blocks of the vendor's API as blocks of the domain."""

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of


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
    block = fields_of(item)
    kind = block.get("type")
    text = block.get("text")
    if kind == "text" and isinstance(text, str):
        return TextBlock(text)
    if kind == "image":
        return _image(block)
    if kind == "document":
        return _document(block)
    if kind == "resource":
        return _resource(fields_of(block.get("resource")))
    if kind == "resource_link":
        return ResourceBlock(
            uri=text_of(block.get("uri")),
            name=text_of(block.get("name")),
            media_type=text_of(block.get("mimeType")),
        )
    if kind == "tool_reference" and isinstance(block.get("tool_name"), str):
        return TextBlock(str(block["tool_name"]))
    return JsonBlock(item)


def text_in(content: object) -> str:
    """All text of a content, blocks apart by a newline."""
    if isinstance(content, str):
        return content
    found = (block_of(item) for item in items_of(content))
    return "\n".join(block.text for block in found if isinstance(block, TextBlock))


def _image(block: Fields) -> ImageBlock:
    source = fields_of(block.get("source")) or block
    data = text_of(source.get("data"))
    return ImageBlock(
        media_type=text_of(source.get("media_type")) or text_of(source.get("mimeType")),
        data=data,
        uri=text_of(source.get("url")) or text_of(source.get("file_id")),
        byte_size=len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None,
    )


def _document(block: Fields) -> ResourceBlock:
    source = fields_of(block.get("source"))
    data = text_of(source.get("data"))
    is_text = source.get("type") == "text"
    return ResourceBlock(
        uri=text_of(source.get("url")) or text_of(source.get("file_id")),
        name=text_of(block.get("title")),
        media_type=text_of(source.get("media_type")),
        text=data if is_text else None,
        byte_size=len(data) * 3 // 4 if data is not None and not is_text else None,
    )


def _resource(resource: Fields) -> ResourceBlock:
    blob = text_of(resource.get("blob"))
    return ResourceBlock(
        uri=text_of(resource.get("uri")),
        name=text_of(resource.get("name")),
        media_type=text_of(resource.get("mimeType")),
        text=text_of(resource.get("text")),
        byte_size=len(blob) * 3 // 4 if blob is not None else None,
    )

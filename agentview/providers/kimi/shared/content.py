"""Content of prompts, responses and results: a text, or a list of parts."""

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.usage import Usage
from agentview.normalize.json_values import fields_of, items_of, text_of, whole_of
from agentview.providers.kimi.shared.schema import Tokens

_URLS = ("image_url", "audio_url", "video_url")


def blocks_of(content: object) -> tuple[Block, ...]:
    """The content as blocks; what has no known form stays JSON."""
    if isinstance(content, str):
        return (TextBlock(content),) if content else ()
    return tuple(block for item in items_of(content) if (block := _block(item)) is not None)


def _block(item: object) -> Block | None:
    part = fields_of(item)
    kind, text = text_of(part.get("type")), part.get("text")
    if kind == "text" and isinstance(text, str):
        # A picture is between a tag that names its file and its end.
        return TextBlock(text) if text != "</image>" else None
    if kind in _URLS:
        media = fields_of(part.get(kind)) or fields_of(part.get(_camel(kind)))
        return _media(kind, text_of(media.get("url")) or text_of(part.get("url")))
    return JsonBlock(item)


def _camel(name: str) -> str:
    first, _, last = name.partition("_")
    return first + last.capitalize()


def _media(kind: str, url: str | None) -> Block:
    """Content of a URL: `data:` has the bytes, `blobref:` the type and the name of a file."""
    scheme, _, rest = (url or "").partition(":")
    media, _, data = rest.partition(";")
    if scheme not in ("data", "blobref") or not data:
        media = ""
    if kind != "image_url":
        return ResourceBlock(None if scheme == "data" else url, None, media or None)
    inline = data.removeprefix("base64,") if scheme == "data" else None
    return ImageBlock(media or None, inline or None, None if scheme == "data" else url)


def usage_of(tokens: Tokens | None) -> Usage | None:
    """Tokens of one request; None without any."""
    if tokens is None:
        return None
    usage = Usage(
        _first(tokens.other, tokens.input_other),
        _first(tokens.cache_read, tokens.input_cache_read),
        _first(tokens.cache_creation, tokens.input_cache_creation),
        whole_of(tokens.output),
    )
    return usage if usage.context else None


def _first(*counts: object) -> int | None:
    return next((count for each in counts if (count := whole_of(each)) is not None), None)

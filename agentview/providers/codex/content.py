"""Content of messages and outputs as blocks, and prompts told from what the client put in."""

import re
from dataclasses import dataclass

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Message, User
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.codex.event_builder import path_of
from agentview.providers.codex.user_prompt import (
    answers,
    asked,
    in_front,
    injected,
    is_beside,
    sender,
)

_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*,")
_IMAGE_TAG = re.compile(r"\s*(?:<image\b[^<>]*>|</image>)\s*")
_SOURCES = re.compile(r"<oai-mem-citation>.*?</oai-mem-citation>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a user message says: the person's words, or why there are none of them."""

    text: str
    blocks: tuple[Block, ...] = ()
    injected: str | None = None
    """What the client put there in the person's place; None for a prompt."""
    via: str | None = None
    """What gave the prompt where the person did not, in the client's word."""
    context: tuple[str, ...] = ()
    """What the client put in front of the words and beside them, as recorded."""

    @property
    def user(self) -> User:
        """The prompt as an event."""
        return spoken(self.text, self.blocks, self.via, context=self.context)


def blocks_of(content: object) -> tuple[Block, ...]:
    """What came back from a tool: a text, a list of content items, or anything else as JSON."""
    if content is None or content in ("", []):
        return ()
    if isinstance(content, str):
        return (TextBlock(content),)
    items = items_of(content)
    return tuple(block_of(item) for item in items) if items else (JsonBlock(content),)


def block_of(item: object) -> Block:
    """One content item; a form that nothing knows stays JSON."""
    if isinstance(item, str):
        return TextBlock(item)
    fields = fields_of(item)
    text = fields.get("text")
    if isinstance(text, str):
        return TextBlock(text)
    kind = text_of(fields.get("type")) or ""
    if kind.lower().replace("_", "") in ("inputimage", "image", "localimage"):
        return _image(fields)
    return JsonBlock(item)


def _image(fields: Fields) -> ImageBlock:
    place = text_of(fields.get("image_url")) or text_of(fields.get("imageUrl"))
    data = text_of(fields.get("data"))
    media_type = text_of(fields.get("mimeType"))
    uri = path_of(fields.get("path"))
    match = _DATA_URL.match(place) if place is not None else None
    if place is not None and match is not None:
        media_type, data = match[1], place[match.end() :]
    elif place is not None:
        uri = place
    size = len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None
    return ImageBlock(media_type=media_type, data=data, uri=uri, byte_size=size)


def text_in(content: object) -> str:
    """All text of a content, items apart by a newline."""
    return "\n".join(block.text for block in blocks_of(content) if isinstance(block, TextBlock))


def message_in(content: object) -> Message | None:
    """What the agent said, with what else came with it; None when there is nothing."""
    found = blocks_of(content)
    said = "\n".join(block.text for block in found if isinstance(block, TextBlock))
    others = tuple(block for block in found if not isinstance(block, TextBlock))
    return Message(said, others) if said.strip() or others else None


def prompt_in(content: object) -> Prompt:
    """The prompt in a user message, without the tags that the client puts around images."""
    found = blocks_of(content)
    texts = [answers(block.text) for block in found if isinstance(block, TextBlock)]
    media = tuple(block for block in found if not isinstance(block, TextBlock))
    said = [text for text in texts if _IMAGE_TAG.fullmatch(text) is None]
    own = [text for text in said if injected(text) is None]
    if said and not own and not media:
        return Prompt("\n".join(said), injected=injected(said[0]))
    mine = [text for text in own if not is_beside(text)] or own
    words = "\n".join(mine)
    beside = tuple(text.strip() for text in said if text not in mine)
    return Prompt(asked(words), media, via=sender(words), context=(*beside, *in_front(words)))


def without_sources(text: str) -> str:
    """What the agent said without the list of what it remembered it from."""
    return _SOURCES.sub("", text).rstrip() if "<oai-mem-citation>" in text else text

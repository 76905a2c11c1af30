"""Content of messages and outputs as blocks, and prompts told from what the client put in."""

import re
from dataclasses import dataclass

from agentview.domain.blocks import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Message
from agentview.normalize.fields import items, mapping
from agentview.normalize.fields import text as field
from agentview.normalize.values import Fields, fields_of, items_of, text_of
from agentview.providers.codex.frame import path_of

_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*,")
_IMAGE_TAG = re.compile(r"\s*(?:<image\b[^<>]*>|</image>)\s*")
_WRAPPED = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>.*</\1>", re.DOTALL)
_REPLY = re.compile(
    r"\s*<send_user_message_question_reply>\s*(.*?)\s*</send_user_message_question_reply>\s*",
    re.DOTALL,
)
_SOURCES = re.compile(r"<oai-mem-citation>.*?</oai-mem-citation>", re.DOTALL)
_INSTRUCTIONS = re.compile(r"# AGENTS\.md instructions(?: for |\n|$)")
_REQUEST = re.compile(r"^## My request(?: for [^\n:]+)?:[ \t]*\n?", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,2} ")
"""What begins a text that a client put in front of the person's own words: parts with headings."""
_ASIDE = re.compile(
    r"\s*#{1,2} (?:Context from my IDE setup|Files (?:mentioned|pasted) by the user|In app browser"
    r"|Browser comments|Referenced chats with Codex):"
)
"""What a client puts beside the person's own words, as a text of its own."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a user message says: the person's words, or why there are none of them."""

    text: str
    blocks: tuple[Block, ...] = ()
    injected: str | None = None
    """What the client put there in the person's place; None for a prompt."""


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
    texts = [_answers(block.text) for block in found if isinstance(block, TextBlock)]
    media = tuple(block for block in found if not isinstance(block, TextBlock))
    said = [text for text in texts if _IMAGE_TAG.fullmatch(text) is None]
    own = [text for text in said if injected(text) is None]
    if said and not own and not media:
        return Prompt("\n".join(said), injected=injected(said[0]))
    beside = [text for text in own if _ASIDE.match(text) is None or _REQUEST.search(text)]
    return Prompt(asked("\n".join(beside or own)), media)


def injected(text: str) -> str | None:
    """What a text is that the client put in the person's place; None for the person's own.

    The client wraps such a text whole in a tag named after what it is, or begins it by naming the
    file of instructions that it is.
    """
    bare = text.strip()
    match = _WRAPPED.fullmatch(bare)
    if match is not None:
        return match[1]
    return "AGENTS.md" if _INSTRUCTIONS.match(bare) is not None else None


def asked(text: str) -> str:
    """The person's words behind what an editor put in front of them."""
    marks = list(_REQUEST.finditer(text)) if _HEADING.match(text) is not None else []
    return _answers(text[marks[-1].end() :].strip() if marks else text)


def _answers(text: str) -> str:
    """What the person answered to questions that were asked beside the work; else the text."""
    match = _REPLY.fullmatch(text)
    if match is None:
        return text
    told = [mapping(item) for item in items(match[1]) or [match[1]]]
    found = [(field(each, "question"), field(each, "answer")) for each in told]
    lines = [f"{question} → {said}" if question else said for question, said in found if said]
    return "\n".join(lines) or text


def without_sources(text: str) -> str:
    """What the agent said without the list of what it remembered it from."""
    return _SOURCES.sub("", text).rstrip() if "<oai-mem-citation>" in text else text

"""Content of messages and results as blocks, and prompts separated from what the client put in."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import Attachment, Body, Event
from agentview.domain.value import Value
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, changed, fields_of, items_of, text_of
from agentview.normalize.project_path import project_path
from agentview.providers._kit.event_builder import EventMaker
from agentview.providers._kit.images import picture, sized
from agentview.providers._kit.prompt_context import spoken

_OPENING = re.compile(r"\s*<([a-z]+(?:_[a-z]+)*)(?:\s[^<>]*)?>")
_WITH_PATH = re.compile(r'<(\w+)\s[^<>]*?\bpath="([^"]+)"[^<>]*>(.*?)</\1>', re.DOTALL)
_QUERY = "user_query"
_ABOUT = "user_info"
_SENT = "timestamp"
_MOMENT = re.compile(
    r"\w+, ([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}), (\d{1,2}):(\d\d)\s([AP])M "
    r"\(UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?\)"
)
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


class Section(Value):
    """A tag at the top of a user message, and the text in it."""

    tag: str
    text: str


def blocks_of(content: object) -> tuple[Block, ...]:
    """A text, a list of content items, or anything else as JSON."""
    if content is None or content in ("", []):
        return ()
    if isinstance(content, str):
        return (TextBlock(content),)
    items = items_of(content)
    return tuple(block_of(item) for item in items) if items else (JsonBlock(content),)


def block_of(item: object) -> Block:
    """One content item, also one in the form `{"text": {"text": …}}`; others stay JSON."""
    if isinstance(item, str):
        return TextBlock(item)
    fields = fields_of(item)
    found = text_of(fields.get("text")) or text_of(fields_of(fields.get("text")).get("text"))
    if found is not None or isinstance(fields.get("text"), str):
        return TextBlock(found or "")
    inner = fields_of(fields.get("image")) or fields_of(fields.get("source"))
    if inner or fields.get("type") == "image":
        return sized(picture(changed(fields, inner)))
    return JsonBlock(item)


def text_in(content: object) -> str:
    return "\n".join(block.text for block in blocks_of(content) if isinstance(block, TextBlock))


def prompt_events(record: EventMaker, content: object) -> list[Event]:
    """The prompt of a user message, and behind it what the client put into the message."""
    found = blocks_of(content)
    said, attached = prompt_in("\n".join(b.text for b in found if isinstance(b, TextBlock)))
    media = tuple(block for block in found if not isinstance(block, TextBlock))
    sent = next((sent_at(section.text) for section in attached if section.tag == _SENT), None)
    if sent is not None:
        record.time = record.time or sent
        attached = tuple(section for section in attached if section.tag != _SENT)
    events: list[Event] = []
    if said is not None or media:
        events.append(record.event("prompt", spoken(said or "", media)))
    bodies: Iterator[Body] = (each for section in attached for each in _attachments(section))
    events += [record.event(f"attached{index}", body) for index, body in enumerate(bodies)]
    return events or [record.hidden("a message without content", "user")]


def context_events(record: EventMaker, content: object) -> list[Event]:
    """Facts of the client on the machine and the project; none in a message of another sort."""
    said = text_in(content)
    sections, rest = _sections(said)
    tags = {section.tag for section in sections}
    if _ABOUT not in tags or _QUERY in tags:
        return []
    bodies = [body for section in sections for body in _attachments(section)]
    if rest:
        bodies.append(Attachment("context", "context", rest))
    return [record.event(f"attached{index}", body) for index, body in enumerate(bodies)]


def prompt_in(said: str) -> tuple[str | None, tuple[Section, ...]]:
    """The person's own words, None where there are none, and the sections around them.

    The client wraps the words in `<user_query>` and puts sections with other names around them.
    A text without that tag is the person's own, unless it is made of such sections alone; but what
    follows the section that says when it was sent is the person's.
    """
    sections, rest = _sections(said)
    asked = [section.text for section in sections if section.tag == _QUERY]
    others = tuple(section for section in sections if section.tag != _QUERY)
    if asked:
        return "\n".join([*asked, *([rest] if rest else [])]), others
    if any(section.tag == _SENT and sent_at(section.text) is not None for section in others):
        return rest or None, others
    if others and not rest and all("_" in section.tag for section in others):
        return None, others
    return said, ()


def sent_at(words: str) -> float | None:
    """When a message was sent, by the words in which newer clients say so, to the minute.

    Epoch seconds; None for words of another form.
    """
    match = _MOMENT.fullmatch(words.strip())
    if match is None or match[1] not in _MONTHS:
        return None
    month = _MONTHS.index(match[1]) // 3 + 1
    hour = int(match[4]) % 12 + (12 if match[6] == "P" else 0)
    away = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
    try:
        at = datetime(int(match[3]), month, int(match[2]), hour, int(match[5]), tzinfo=UTC)
        return (at + away if match[7] == "-" else at - away).timestamp()
    except (ValueError, OverflowError):
        return None


def _sections(said: str) -> tuple[list[Section], str]:
    """The tags at the top of a text, in order, and what follows the last of them."""
    sections: list[Section] = []
    position = 0
    while (match := _OPENING.match(said, position)) is not None:
        closing = f"</{match[1]}>"
        # What a person pasted may hold the tag again; what the client puts in does not.
        find = said.rfind if match[1] == _QUERY else said.find
        end = find(closing, match.end())
        if end < 0:
            break
        sections.append(Section(match[1], said[match.end() : end].strip("\n").strip()))
        position = end + len(closing)
    return sections, said[position:].strip()


def _attachments(section: Section) -> Iterator[Attachment]:
    """Each file that a section holds, else the section itself."""
    files = _WITH_PATH.findall(section.text)
    for kind, path, inner in files:
        yield Attachment(path, kind, inner.strip("\n"), path)
    if not files:
        yield Attachment(section.tag.replace("_", " "), section.tag, section.text)


def mapping_or_text(value: object) -> Fields | str | None:
    """Arguments as they were recorded: an object, a text, or nothing."""
    if value is None or isinstance(value, str):
        return value
    return mapping(value)


def path_of(uri: str | None) -> str | None:
    """The path that a URI of a folder or a file means, on whatever machine; None for none."""
    return project_path(uri) if uri else None

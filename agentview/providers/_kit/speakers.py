"""Divides a message into what a person wrote and what the client wrote in the person's place.

A provider declares the forms of its client as data; `divided` is the one place that applies them.
"""

import re
from collections.abc import Sequence
from enum import Enum

from msgspec.structs import replace

from agentview.domain.content import Block
from agentview.domain.events import Attachment, Event
from agentview.domain.value import Value
from agentview.providers._kit.event_builder import EventMaker
from agentview.providers._kit.prompt_context import spoken


class Speaker(Enum):
    """Who wrote a text in the person's place; the value is the kind of its attachment."""

    CLIENT = "instructions"
    SCHEDULE = "scheduled-task"
    AGENT = "agent-message"


class Form(Value):
    """A text of a client, recognized by how it begins."""

    name: str
    """Its name, in a few words; of a pattern with a group `name`, that group counts."""
    pattern: re.Pattern[str]
    """Matches at the beginning of what is left of the message."""
    speaker: Speaker = Speaker.CLIENT
    whole: bool = False
    """All that follows is of the same speaker."""
    envelope: bool = False
    """It is wrapped around words of a person, and is kept as context of these."""
    behind: bool = False
    """It stands behind the words, in an envelope: the pattern is searched, and ends with `\\Z`."""
    anywhere: bool = False
    """It may also stand between words, in an envelope: the pattern is searched."""
    sender: re.Pattern[str] | None = None
    """Finds the name of who sent the words in an envelope, as its first group."""
    between: re.Pattern[str] | None = None
    """Divides what follows into messages, each of which is divided by itself. It has no groups."""


class Divided(Value):
    """A message by speaker."""

    words: str
    """Of the person; empty if there are none."""
    context: tuple[str, ...] = ()
    """Texts that the client wrapped around the words, as recorded."""
    notes: tuple[Attachment, ...] = ()
    """Texts of others, in order; without words of a person, the first one has the context."""
    via: str | None = None
    """Name of the sender by the envelope."""


def divided(text: str, forms: Sequence[Form]) -> Divided:
    """Take the texts of a client off a message.

    A form that takes the whole rest does not apply behind an envelope with a sender: there the
    words are a person's.
    """
    at = 0
    context: list[str] = []
    for form in forms:
        if form.anywhere and (taken := [found[0] for found in form.pattern.finditer(text)]):
            context += map(str.strip, taken)
            text = form.pattern.sub("", text).strip()
    notes: list[Attachment] = []
    via: str | None = None
    while (found := _match(text, at, forms, sent=via is not None)) is not None:
        form, match = found
        said = text[at : len(text) if form.whole else match.end()]
        at += len(said)
        if form.between is not None:
            own, rest = [each for each in forms if each.between is None], text[at:]
            several = [divided(part, own) for part in form.between.split(rest)]
            seams = form.between.findall(rest)
            return _together([*context, said], notes, via, seams, several)
        if form.envelope:
            context.append(said.strip())
            named = form.sender.search(said) if form.sender is not None else None
            via = via or (named[1] if named is not None else None)
        else:
            name = (match.groupdict().get("name") or form.name).strip()
            notes.append(Attachment(name, form.speaker.value, said.strip()))
    words, behind = _ended(text[at:], forms)
    return _divided(words, [*context, *behind], notes, via)


def spoken_events(
    record: EventMaker,
    found: Divided,
    blocks: tuple[Block, ...] = (),
    context: Sequence[str] = (),
) -> list[Event]:
    """Texts of others in the person's place, then the prompt, unless there is none.

    `blocks` are what the prompt has besides words; `context` is more of what is around it.
    """
    events = [record.event(f"note{at}", note) for at, note in enumerate(found.notes)]
    if found.words.strip() or blocks or not events:
        around = (*context, *found.context)
        events.append(
            record.event("prompt", spoken(found.words, blocks, found.via, context=around))
        )
    return events


def _match(
    text: str, at: int, forms: Sequence[Form], *, sent: bool
) -> tuple[Form, re.Match[str]] | None:
    for form in forms:
        tried = not (form.behind or form.anywhere) and not (form.whole and sent)
        match = form.pattern.match(text, at) if tried else None
        if match is not None and match.end() > at:
            return form, match
    return None


def _ended(words: str, forms: Sequence[Form]) -> tuple[str, list[str]]:
    """The words, and what stands behind them."""
    behind: list[str] = []
    for form in forms:
        match = form.pattern.search(words) if form.behind else None
        if match is not None:
            behind.insert(0, match[0].strip())
            words = words[: match.start()]
    return words, behind


def _together(
    context: list[str],
    notes: list[Attachment],
    via: str | None,
    seams: list[str],
    several: list[Divided],
) -> Divided:
    """Several messages as one."""
    for seam, each in zip(["", *seams], several, strict=True):
        context += [*filter(None, [seam.strip()]), *each.context]
        notes += each.notes
        via = via or each.via
    words = "\n\n".join(filter(None, (each.words.strip() for each in several)))
    return _divided(words, [text.strip() for text in context], notes, via)


def _divided(words: str, context: list[str], notes: list[Attachment], via: str | None) -> Divided:
    if notes and context and not words.strip():
        said = "\n".join([*context, notes[0].text or ""])
        notes, context = [replace(notes[0], text=said), *notes[1:]], []
    return Divided(words, tuple(context), tuple(notes), via)


_OWN_WORDS = re.compile(
    r"\s*<(user_(?:input|message|prompt|query|request))(?: [^<>\n]{0,200})?>(.*?)</\1>\s*",
    re.DOTALL,
)


def unwrapped(text: str) -> str:
    """The words of a person in a text that is wholly in a tag such as `<user_input>`."""
    match = _OWN_WORDS.fullmatch(text)
    return match[2].strip("\r\n") if match is not None else text

"""Divides a message into what a person wrote and what the client wrote in the person's place.

A provider declares the forms of its client as data; `divided` is the one place that applies them.
"""

import re
from collections.abc import Sequence
from enum import Enum

from agentview.domain.events import Attachment
from agentview.domain.value import Value


class Speaker(Enum):
    """Who wrote a text in the person's place; the value is the kind of its attachment."""

    CLIENT = "instructions"
    SCHEDULE = "scheduled-task"
    AGENT = "agent-message"


class Form(Value):
    """A text of a client, recognized by how it begins."""

    name: str
    """What it is, in a few words; of a pattern with a group `name`, that group counts."""
    pattern: re.Pattern[str]
    """Matches at the beginning of what is left of the message."""
    speaker: Speaker = Speaker.CLIENT
    whole: bool = False
    """All that follows is of the same speaker."""
    envelope: bool = False
    """It is wrapped around words of a person, and is kept as context of these."""
    sender: re.Pattern[str] | None = None
    """Finds the name of who sent the words in an envelope, as its first group."""


class Divided(Value):
    """A message by speaker."""

    words: str
    """Of the person; empty if there are none."""
    context: tuple[str, ...] = ()
    """What the client wrapped around the words, as recorded."""
    notes: tuple[Attachment, ...] = ()
    """What others wrote, in order."""
    via: str | None = None
    """Name of the sender by the envelope."""


def divided(text: str, forms: Sequence[Form]) -> Divided:
    """Take the texts of a client off the beginning of a message.

    A form that takes the whole rest does not apply behind an envelope with a sender: there the
    words are a person's.
    """
    rest = text
    context: list[str] = []
    notes: list[Attachment] = []
    via: str | None = None
    while rest.strip():
        found = _match(rest, forms, sent=via is not None)
        if found is None:
            break
        form, match = found
        said = rest if form.whole else match[0]
        rest = rest[len(said) :]
        if form.envelope:
            context.append(said.strip())
            named = form.sender.search(said) if form.sender is not None else None
            via = via or (named[1] if named is not None else None)
        else:
            name = (match.groupdict().get("name") or form.name).strip()
            notes.append(Attachment(name, form.speaker.value, said.strip()))
    return Divided(rest if notes or context else text, tuple(context), tuple(notes), via)


def _match(text: str, forms: Sequence[Form], *, sent: bool) -> tuple[Form, re.Match[str]] | None:
    for form in forms:
        match = None if form.whole and sent else form.pattern.match(text)
        if match is not None and match[0]:
            return form, match
    return None


_OWN_WORDS = re.compile(
    r"\s*<(user_(?:input|message|prompt|query|request))>(.*?)</\1>\s*", re.DOTALL
)


def unwrapped(text: str) -> str:
    """The words of a person in a text that is wholly in a tag such as `<user_input>`."""
    match = _OWN_WORDS.fullmatch(text)
    return match[2].strip("\r\n") if match is not None else text

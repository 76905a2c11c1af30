"""Puts the parts of a message in the order in which the model gave them."""

from collections.abc import Callable, Iterable

from agentview.domain.content import Block
from agentview.domain.events import Event

Say = Callable[[str, list[str], tuple[Block, ...]], Event]
"""Makes the event of what is said, from its suffix, texts and other blocks."""


def in_order(parts: Iterable[Event | Block | str], say: Say, *, merged: bool) -> list[Event]:
    """Events of parts that are events, texts or other blocks.

    Neighboring texts and blocks are one event. `merged`: all of them are one, which stands where
    the first is; so it is with a prompt.
    """
    events: list[Event] = []
    words: list[str] = []
    blocks: list[Block] = []
    place, suffix = 0, "said"
    for at, part in enumerate(parts):
        if isinstance(part, Event):
            if (words or blocks) and not merged:
                events.append(say(suffix, words, tuple(blocks)))
                words, blocks, suffix = [], [], f"said/{at}"
            events.append(part)
            continue
        if part == "":
            continue
        if not words and not blocks:
            place = len(events)
        if isinstance(part, str):
            words.append(part)
        else:
            blocks.append(part)
    if words or blocks:
        events.insert(place, say(suffix, words, tuple(blocks)))
    return events

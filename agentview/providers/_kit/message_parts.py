"""Puts the parts of a message in the order in which the model gave them."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from agentview.domain.content import Block
from agentview.domain.events import Event
from agentview.domain.index_entry import EventFact

_Made = TypeVar("_Made", bound=Event | EventFact)


def in_order(
    parts: Iterable[_Made | Block | str],
    say: Callable[[str, list[str], tuple[Block, ...]], _Made],
    *,
    merged: bool,
) -> list[_Made]:
    """Events of parts that are events, texts or other blocks.

    `say` makes the event of what is said, from its suffix, texts and other blocks.

    Neighboring texts and blocks are one event. `merged`: all of them are one, which stands where
    the first is; so it is with a prompt.
    """
    events: list[_Made] = []
    words: list[str] = []
    blocks: list[Block] = []
    place, suffix = 0, "said"
    for at, part in enumerate(parts):
        if isinstance(part, Event | EventFact):
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

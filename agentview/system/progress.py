"""How far work on many things is, said to whoever listens: a command that shows it."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")

_listeners: list[Callable[[str], object]] = []


@contextmanager
def heard_by(listen: Callable[[str], object]) -> Generator[None]:
    """Let `listen` take each sentence that is said in the block."""
    _listeners.append(listen)
    try:
        yield
    finally:
        _listeners.remove(listen)


def say(text: str) -> None:
    if _listeners:
        _listeners[-1](text)


def in_turn(doing: str, items: Iterable[Item], count: int, things: str) -> Iterator[Item]:
    """The items, of which there are `count`; before each: "reading 3 of 1,200 sessions"."""
    for number, item in enumerate(items, 1):
        say(f"{doing} {number:,} of {count:,} {things}")
        yield item

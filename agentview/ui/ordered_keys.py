"""Does keys one after the other, each where the one before it led.

A slow line brings many keys at once. Textual hands each to what has the focus when it comes: what
is typed behind `/` would be commands to the list instead of words to look for.
"""

from collections import deque
from dataclasses import dataclass
from functools import partial

from textual import events, on
from textual.app import App
from textual.message import Message

_LAPS = 4
"""How often in a row what a key called for may call for more, and the next key waits for it."""
_PATIENCE = 0.25
"""Seconds after which the next key has its turn, whatever became of the one before."""


@dataclass
class _Behind(Message):
    """Goes the way that key `number` went, behind it and behind what it called for."""

    number: int


class OrderedKeysApp(App[None]):
    """Holds keys and pasted text back while the key before them is under way."""

    def __init__(self) -> None:
        super().__init__()
        self._held: deque[events.Event] = deque()
        self._key = 0
        self._laps = 0
        """Laps that the key under way has left; 0 when there is none."""

    async def on_event(self, event: events.Event) -> None:
        """Do a key that comes from the terminal when its turn has come; other events at once."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._laps:
            self._held.append(event)
            if len(self._held) == 1:
                self._have_patience()
        else:
            await self._do(event)

    def key_begins(self) -> None:
        """Called before each key."""

    async def _do(self, event: events.Event) -> None:
        self.key_begins()
        self._key += 1
        self._laps = _LAPS
        await super().on_event(event)
        self._follow()
        if self._held:
            self._have_patience()

    def _have_patience(self) -> None:
        # What follows a key may be lost with the widget that it was handed to.
        self.set_timer(_PATIENCE, partial(self._give_turn, self._key))

    def _follow(self) -> None:
        (self.focused or self.screen).post_message(_Behind(self._key))

    @on(_Behind)
    async def _came_back(self, event: _Behind) -> None:
        event.stop()
        if event.number == self._key:
            self._laps -= 1
            if self._held and self._laps:
                self._follow()
            else:
                await self._give_turn(event.number)

    async def _give_turn(self, number: int) -> None:
        if number != self._key:
            return
        self._laps = 0
        if self._held:
            await self._do(self._held.popleft())

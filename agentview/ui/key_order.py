"""Does keys one after the other, each where the one before it led.

A slow line brings many keys at once. Textual hands each to what has the focus when it comes: what
is typed behind `/` would be commands to the list instead of words to look for.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from time import thread_time

from textual import events
from textual.app import App
from textual.message import Message

_LAPS = 4
"""How often in a row what a key called for may call for more, and the next key waits for it."""
_PATIENCE = 0.25
"""Seconds after which the next key has its turn when nothing is done for the one before."""
_ROUNDS = 12
"""How often that is waited for while the application works, as it does longer on a busy machine."""
_WORKED = 0.005
"""Seconds of CPU in one of these times from which on the application counts as at work."""


@dataclass
class KeyFollowed(Message):
    """Goes the way that key `number` went, behind it and behind what it called for."""

    number: int


class KeyOrder:
    """Holds keys and pasted text back while the key before them is under way.

    The application gives it each event, and each `KeyFollowed` that reaches the application.
    """

    def __init__(
        self,
        app: App[None],
        do: Callable[[events.Event], Awaitable[None]],
        begins: Callable[[], None] = lambda: None,
        ends: Callable[[], None] = lambda: None,
    ) -> None:
        """`do` is what becomes of an event whose turn has come.

        `begins` is called before a key, `ends` once the next one may have its turn.
        """
        self._app = app
        self._do = do
        self._begins = begins
        self._ends = ends
        self._held: deque[events.Event] = deque()
        self._key = 0
        self._laps = 0
        """Laps that the key under way has left; 0 when there is none."""

    async def take(self, event: events.Event) -> None:
        """Do a key that comes from the terminal when its turn has come; other events at once."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await self._do(event)
        elif self._laps:
            self._held.append(event)
            if len(self._held) == 1:
                self._have_patience()
        else:
            await self._do_key(event)

    async def came_back(self, event: KeyFollowed) -> None:
        """Do the next key, or wait for what the one under way called for."""
        event.stop()
        if event.number == self._key:
            self._laps -= 1
            if self._laps:
                self._follow()
            else:
                await self._give_turn(event.number)

    async def _do_key(self, event: events.Event) -> None:
        self._begins()
        self._key += 1
        self._laps = _LAPS
        await self._do(event)
        self._follow()
        if self._held:
            self._have_patience()

    def _have_patience(self) -> None:
        # What follows a key may be lost with the widget that it was handed to.
        self._wait(self._key, _ROUNDS)

    def _wait(self, number: int, rounds: int) -> None:
        self._app.set_timer(_PATIENCE, partial(self._waited, number, rounds - 1, thread_time()))

    async def _waited(self, number: int, rounds: int, before: float) -> None:
        if rounds and number == self._key and thread_time() - before > _WORKED:
            self._wait(number, rounds)
        else:
            await self._give_turn(number)

    def _follow(self) -> None:
        # There is no screen any more once the application ends.
        for screen in self._app.screen_stack[-1:]:
            (screen.focused or screen).post_message(KeyFollowed(self._key))

    async def _give_turn(self, number: int) -> None:
        if number != self._key:
            return
        self._laps = 0
        self._ends()
        if self._held:
            await self._do_key(self._held.popleft())
